"""The same rows in every form that X may have give the same model, and bad ones a sentence."""

from __future__ import annotations

import numpy as np
import pytest
from onesided import PUClassifier


def quick(**params):
    effort = None if params.keys() & {"method", "model"} else "quick"
    return PUClassifier(effort=effort, n_jobs=1, prior=0.4, **params)


@pytest.fixture(scope="module")
def small(made):
    return made.X[:400].astype(np.float32).astype(np.float64), made.y[:400]


def test_arrays_of_any_order_and_width(small):
    X, y = small
    expected = quick().fit(X, y).to_bytes()
    locked = X.copy()
    locked.flags.writeable = False
    padded = np.empty((400, 8))
    padded[:, ::2] = X
    forms = [np.asfortranarray(X), X.astype(np.float32), locked, padded[:, ::2], X.astype(">f8"), X.tolist()]
    for form in forms:
        assert quick().fit(form, y).to_bytes() == expected
    whole = np.round(X * 10)
    expected = quick().fit(whole, y).to_bytes()
    for kind in (np.int64, np.int32, np.int16, np.int8, np.float16):
        assert quick().fit(whole.astype(kind), y).to_bytes() == expected
    assert quick().fit(whole + 100, y).to_bytes() == quick().fit((whole + 100).astype(np.uint8), y).to_bytes()


def test_masks_and_words_among_numbers(small):
    X, y = small
    holes = X.copy()
    holes[3, 1] = np.nan
    masked = np.ma.masked_array(X, np.isnan(holes))
    assert quick().fit(masked, y).to_bytes() == quick().fit(holes, y).to_bytes()
    assert quick().fit(X.astype(str), y).to_bytes() == quick().fit(X, y).to_bytes()
    mixed = [[row[0], "red" if row[1] > 0 else "blue"] for row in X.tolist()]
    assert quick().fit(mixed, y).model_.width() == 3


def test_masked_cells_among_words_are_missing(small):
    X, y = small
    cells = np.array([[row[0], "red" if row[1] > 0 else "blue"] for row in X.tolist()], dtype=object)
    mask = np.zeros(cells.shape, dtype=bool)
    mask[3, 1] = mask[5, 0] = True
    holes = cells.copy()
    holes[mask] = None
    expected = quick().fit(holes, y).to_bytes()
    assert quick().fit(np.ma.masked_array(cells, mask), y).to_bytes() == expected


@pytest.fixture(scope="module")
def frame(small):
    pd = pytest.importorskip("pandas")
    X, y = small
    rng = np.random.default_rng(1)
    color = np.where(y == 1, "red", rng.choice(["green", "blue"], 400))
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    table["color"] = color
    table["size"] = pd.Categorical(rng.choice(["s", "m", "l"], 400))
    table["count"] = pd.array(rng.integers(0, 9, 400), dtype="Int64")
    table.loc[3, "count"] = pd.NA
    table["flag"] = rng.random(400) < 0.3
    table["when"] = pd.date_range("2026-01-01", periods=400)
    return table


def test_a_frame_of_every_program_is_the_same_table(frame, small):
    y = small[1]
    # Days rise with the row and are left out of `when`; its month, weekday and day tell nothing each time they come round.
    model = quick().fit(frame, y)
    assert model.model_.columns() == ["a", "b", "c", "d", "color", "size", "count", "flag"]
    assert model.feature_names_in_.tolist() == list(frame.columns) and model.n_features_in_ == 9
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    forms = [
        arrow, arrow.to_reader(max_chunksize=100), pl.from_arrow(arrow), pl.from_arrow(arrow).lazy(),
        frame.convert_dtypes(), frame.astype({"color": object}), frame.astype({"color": "category"}),
    ]
    scores = model.decision_function(frame)
    for form in forms:
        assert quick().fit(form, y).to_bytes() == model.to_bytes(), type(form)
    for form in (arrow, arrow.to_reader(), pl.from_arrow(arrow)):
        assert (model.decision_function(form) == scores).all()


def test_categories_of_numbers_stay_categories(small):
    pd = pytest.importorskip("pandas")
    X, y = small
    codes = np.random.default_rng(2).integers(0, 3, 400)
    table = pd.DataFrame({"a": X[:, 0], "code": pd.Categorical(codes)})
    assert quick().fit(table, y).model_.width() == 4
    assert quick().fit(table.astype({"code": int}), y).model_.width() == 2
    assert quick(categorical=["code"]).fit(table.astype({"code": int}), y).model_.width() == 4


def test_columns_are_checked_at_predict(frame, small):
    model = quick().fit(frame, small[1])
    with pytest.raises(ValueError, match="in the same order"):
        model.predict(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match="yet now missing:\n- color"):
        model.predict(frame.drop(columns="color"))
    with pytest.raises(ValueError, match="unseen at fit time:\n- extra"):
        model.predict(frame.assign(extra=1))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(frame.to_numpy())
    with pytest.warns(UserWarning, match="color"):
        model.predict(frame.assign(color="violet"))


def test_missing_cells_are_taken_or_refused(small):
    X, y = small
    holes = X.copy()
    holes[5, 2] = np.nan
    assert np.isfinite(quick().fit(holes, y).decision_function(holes)).all()
    with pytest.raises(ValueError, match="^'X' row 5, column 'x2': .*rows count from 0"):
        quick(missing="refuse").fit(holes, y)
    with pytest.raises(ValueError, match="^X: .*inf"):
        quick().fit(np.where(np.isnan(holes), np.inf, holes), y)


def test_sparse_rows(made):
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    X = np.where(rng.random((400, 30)) < 0.8, 0, rng.random((400, 30)))
    X[:, 0] += made.truth[:400]
    model = quick(method="weighted-lr").fit(sparse.csr_matrix(X), made.y[:400])
    expected = model.decision_function(sparse.csr_matrix(X))
    for form in (sparse.csc_matrix(X), sparse.coo_array(X), sparse.lil_matrix(X)):
        assert (model.decision_function(form) == expected).all()
    with pytest.raises(ValueError, match="has 29 features, but .* expecting 30"):
        model.predict(sparse.csr_matrix(X[:, 1:]))


BROKEN = {
    "a column outside": ("csr", "indices", 3, 99),
    "a column below 0": ("csr", "indices", 3, -1),
    "a row outside": ("csc", "indices", 3, 4000),
    "starts that fall": ("csr", "indptr", 5, 0),
    "a start past the end": ("csr", "indptr", 5, 10**6),
    "an end past the end": ("csc", "indptr", -1, 10**6),
    "a first start": ("csr", "indptr", 0, 2),
    "a place outside": ("coo", "row", 3, 4000),
}


@pytest.mark.parametrize(("form", "part", "at", "value"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_sparse_matrix_is_refused(made, form, part, at, value):
    """scipy itself would read past its memory."""
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.random(400, 8, 0.5, format=form, random_state=0)
    model = quick(method="weighted-lr").fit(matrix, made.y[:400])
    getattr(matrix, part)[at] = value
    for call in (lambda: model.fit(matrix, made.y[:400]), lambda: model.predict(matrix)):
        with pytest.raises(ValueError, match="^X: the sparse matrix is broken"):
            call()


SPORT = ["the team won the game", "a late goal won the match", "the game went to the home team"]
MONEY = ["the bank raised its rates", "rates of the bank fell", "the market and the bank"]


def test_texts():
    texts = [(SPORT if i % 2 else MONEY)[i // 2 % 3] for i in range(240)]
    y = [int(i % 4 == 1) for i in range(240)]
    model = quick(method="weighted-lr").fit(texts, y)
    sport, money = model.decision_function(["a goal of the home team", "the bank and its rates"])
    assert sport > money
    assert {word for word, _ in model.explain(["rates of the bank"], 2)[0]} <= {"bank", "rates", "of"}
    with pytest.raises(ValueError, match="fitted on texts, and these are tables"):
        model.predict(np.zeros((2, 2)))
    series = pytest.importorskip("pandas").Series(texts)
    assert quick(method="weighted-lr").fit(series, y).to_bytes() == model.to_bytes()
    parts = quick(method="weighted-lr").fit_parts(texts[1::4], [t for i, t in enumerate(texts) if i % 4 != 1])
    assert parts.about_["counts"]["positive"] == 60 and parts.about_["scenario"] == "case-control"


def test_a_column_of_texts_beside_embeddings():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    truth = np.arange(240) % 2
    frame = pd.DataFrame({
        "body": [(SPORT if t else MONEY)[i // 2 % 3] for i, t in enumerate(truth)],
        "vector": list(rng.normal(size=(240, 3)) + truth[:, None]),
        "n": rng.normal(size=240),
    })
    model = quick(method="weighted-lr", text="body").fit(frame, (np.arange(240) % 4 == 1).astype(int))
    names = [name for row in model.explain(frame[:5], 20) for name, _ in row]
    assert any(name.startswith("vector[") for name in names) and any(name.startswith("body:") for name in names)
    ragged = frame.copy()
    ragged.at[3, "vector"] = np.zeros(2)
    with pytest.raises(ValueError, match="^X: column 'vector' holds vectors of different lengths: 3, and 2 in row 3"):
        quick(text="body").fit(ragged, truth)


def test_pictures_from_arrays_and_files(tmp_path):
    import struct
    import zlib

    rng = np.random.default_rng(0)
    truth = np.arange(120) % 2
    pixels = rng.integers(0, 80, size=(120, 8, 8), dtype=np.uint8)
    pixels[truth == 1, 2:6, 2:6] += 120
    y = (np.arange(120) % 4 == 1).astype(int)
    params = {"method": "nnpu", "model": "cnn", "epochs": 3}
    model = quick(**params).fit(pixels, y)
    assert quick(**params).fit(pixels[..., None], y).to_bytes() == model.to_bytes()
    flat = quick(image_shape="1x8x8", **params).fit(pixels.reshape(120, 64), y)
    assert flat.to_bytes() == model.to_bytes()

    def png(image):
        part = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        lines = b"".join(b"\0" + line.tobytes() for line in image)
        head = struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)
        return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(lines)) + part(b"IEND", b"")

    files = [tmp_path / f"{i:03}.png" for i in range(120)]
    for file, image in zip(files, pixels, strict=True):
        file.write_bytes(png(image))
    from_files = quick(**params).fit(files, y)
    assert (from_files.decision_function(files) == model.decision_function(pixels)).all()
    with pytest.raises(ValueError, match="pictures of 1x8x8, and these are of 1x4x4"):
        model.predict(pixels[:, :4, :4])
    files[7].write_bytes(b"no picture")
    with pytest.raises(ValueError, match="007.png"):
        from_files.predict(files)
    with pytest.warns(UserWarning, match="007.png"):
        assert quick(**params).fit(files, y).about_["counts"]["unlabeled"] == 89


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([[1, 2], [3]], "X: its rows differ in length"),
        ("table.csv", "X: one string is not a table"),
        ({"a": [1, 2]}, "X: a dict is not a table"),
        ((row for row in [[1], [2]]), "X: a generator is not a table"),
        (None, "X: None is not data"),
        (["a text", None], "X: 1 of 2 texts are missing; give '' instead"),
        ([1.0, 2.0], "Reshape your data"),
        (np.zeros((2, 0)), r"0 feature\(s\) \(shape=\(2, 0\)\)"),
        (np.zeros((0, 2)), r"0 sample\(s\)"),
        (np.zeros((2, 2), dtype=complex), "Complex data not supported"),
        (np.array([[1, "a"], [2, {}]], dtype=object), "column 'x1' mixes values of different types"),
        (np.zeros((2, 2, 2, 2)), "1 or 3 channels"),
        (np.full((2, 3, 3), 0.5), "bytes from 0 to 255"),
    ],
)
def test_what_is_no_table_gets_a_sentence(X, said):
    with pytest.raises((ValueError, TypeError), match=said):
        quick().fit(X, [1, 0])


def test_frames_that_cannot_be_learned_from():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        quick().fit(pd.DataFrame({"a": []}), [1])
    with pytest.raises(ValueError, match="two columns are called 'a'"):
        quick().fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), [1, 0])
    with pytest.raises(ValueError, match="column 'a' mixes values of different types"):
        quick().fit(pd.DataFrame({"a": [1, "x", None]}), [1, 0, 0])
    with pytest.raises(ValueError, match="no column is left|same in every row"):
        quick().fit(pd.DataFrame({"a": [1.0] * 30}), [1, 0] * 15)
    with pytest.raises(ValueError, match="^drop: there is no column 'b'; the columns are 'a'"):
        quick(drop=["b"]).fit(pd.DataFrame({"a": np.arange(30.0)}), [1, 0] * 15)
    cells = pd.DataFrame({"a": np.arange(30.0), "b": [pd.DataFrame({"c": [1]})] * 30})
    with pytest.raises(TypeError, match="^X: column 'b' holds values of type DataFrame"):
        quick().fit(cells, [1, 0] * 15)


BEYOND = {
    "Python's": lambda: [2**70 + at for at in range(400)],
    "64 bits": lambda: np.arange(400, dtype=np.int64) // 8 + 2**62,
    "nullable": lambda: pytest.importorskip("pandas").array(np.arange(400) // 8 + 2**62, dtype="Int64"),
}


@pytest.mark.parametrize("numbers", BEYOND.values(), ids=BEYOND.keys())
def test_whole_numbers_that_a_float_cannot_tell_apart_are_not_called_the_same(small, numbers):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(small[0], columns=list("abcd")).assign(key=numbers())
    with pytest.raises(ValueError, match=r"^X: column 'key' holds whole numbers that differ only beyond .* drop=\['key'\]"):
        quick().fit(frame, small[1])
    assert quick(drop="key").fit(frame, small[1]).model_.columns() == list("abcd")
    with pytest.raises(ValueError, match="^X: column 'x1' holds whole numbers that differ only beyond"):
        quick().fit(np.column_stack([np.arange(400) % 7, np.arange(400) // 8 + 2**62]), small[1])


def test_columns_that_are_dropped_are_not_looked_at(small):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(small[0], columns=list("abcd")).assign(odd=[{"a": 1}] * 400, mixed=[1, "x"] * 200)
    model = quick(drop=["odd", "mixed"]).fit(frame, small[1])
    assert model.model_.columns() == list("abcd") and len(model.predict(frame)) == 400
