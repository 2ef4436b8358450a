"""Wrong things, each with a sentence that says what to do and begins with the argument's name."""

from __future__ import annotations

import pathlib

import numpy as np
import onesided
import pytest
from onesided import PUClassifier, estimate_prior


@pytest.fixture(scope="module")
def fitted(made):
    return PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"method": 0.3}, r"^method: must be a name, but is 0\.3; did you mean prior=0\.3\?"),
        ({"prior": "many%"}, r"^prior: must be a share such as 0\.3 or '30%'"),
        ({"prior": 0.01}, "^prior: "),
        ({"prior": "auto", "method": "naive"}, "^prior: "),
        ({"threshold": 0.3}, r"^threshold: must be a rule.*predict_proba\(X\)\[:, 1\] >= 0\.3"),
        ({"random_state": 1.5}, "^random_state: must be a whole number of 0 or above, but is 1.5"),
        ({"option": {"costs": 3}, "method": "biased-svm"}, "^option: .*costs"),
        ({"hold_out": 2.0, "prior": 0.4}, "^hold_out: .*but is 2"),
        ({"hold_out": 0.2, "cross_fit": True, "prior": 0.4, "method": "weighted-lr"}, "^hold_out and cross_fit: "),
        ({"epochs": 0, "method": "nnpu", "prior": 0.4}, "^epochs: "),
        ({"batch": 1, "method": "nnpu", "prior": 0.4}, "^batch: "),
        ({"learning_rate": -1.0, "method": "nnpu", "prior": 0.4}, "^learning_rate: "),
        ({"reserve": 100_000, "prior": 0.4, "method": "weighted-lr"}, "^reserve: "),
        ({"monotone": {"x99": "up"}, "model": "trees", "prior": 0.4}, "^monotone: .*x99"),
        ({"monotone": {"x0": "up"}, "model": "linear"}, "^monotone: it is for boosted trees"),
    ],
)
def test_settings(made, params, said):
    with pytest.raises(ValueError, match=said):
        PUClassifier(**params).fit(made.X, made.y)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"drop": ["zz"]}, "^drop: there is no column 'zz'"),
        ({"drop": ["zz"], "max_unlabeled": 20}, "^drop: there is no column 'zz'"),
        ({"drop": 3}, "^drop: must be the name of a column or a list of names, but is 3"),
        ({"only": "zz"}, "^only: there is no column 'zz'"),
        ({"only": ["a"], "text": ["zz"]}, "^text: there is no column 'zz'"),
        ({"text": ["a"]}, "^text: column 'a' holds numbers"),
        ({"numeric": ["zz"]}, "^numeric: there is no column 'zz'"),
        ({"categorical": ["zz"]}, "^categorical: there is no column 'zz'"),
        ({"date": ["zz"]}, "^date: there is no column 'zz'"),
        ({"date": ["w"]}, "^date: column 'w' has not one cell that is a date"),
        ({"drop": ["a"], "numeric": ["a"]}, "^drop and numeric: column 'a' cannot be both"),
        ({"max_unlabeled": 2.5}, "^max_unlabeled: must be a whole number of 1 or above, but is 2.5"),
        ({"n_jobs": 1.5}, "^n_jobs: must be a whole number"),
        ({"average": 2.0, "model": "mlp", "prior": 0.3}, "^average: .*but is 2"),
        ({"beta": -1.0, "method": "nnpu", "prior": 0.3}, "^beta, .*but is -1"),
        ({"image_shape": "1x2x2"}, "^image_shape: each column is a pixel, but column 'w' of X does not hold numbers"),
    ],
)
def test_keywords_of_columns_are_named(made, params, said):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(made.X[:, :3], columns=list("abc")).assign(w=np.where(made.X[:, 3] > 0, "red", "blue"))
    with pytest.raises(ValueError, match=said):
        PUClassifier(**params).fit(frame, made.y)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"min_texts": 0}, "^min_texts: must be a whole number of 1 or above, but is 0"),
        ({"min_texts": 500}, "^min_texts: no word or phrase occurs in at least 500 of the 200 texts"),
        ({"max_terms": 0}, "^max_terms: must be a whole number of 1 or above, but is 0"),
        ({"ngrams": 99}, "^ngrams: phrases of 1 to 99 words"),
        ({"features": "words"}, "^features: unknown features of texts 'words'; use tfidf, sublinear or counts"),
        ({"drop": ["a"]}, "^drop: it names columns of a table, and X is texts, which have no columns"),
    ],
)
def test_keywords_of_texts_are_named(params, said):
    texts = ["the team won the game", "the bank raised its rates"] * 100
    with pytest.raises(ValueError, match=said):
        PUClassifier("weighted-lr", prior=0.5, **params).fit(texts, [1, 0, 0, 0] * 50)


def test_every_weight_of_words_that_the_docs_name_is_taken():
    texts = ["the team won the game game game", "the bank raised its rates", "the game was the bank's"] * 60
    bytes_of = [
        PUClassifier("weighted-lr", prior=0.5, features=name).fit(texts, [1, 0, 0] * 60).to_bytes()
        for name in ("counts", "tfidf", "sublinear")
    ]
    assert len(set(bytes_of)) == 3


def test_columns_of_a_sparse_matrix_have_no_names(made):
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="^drop: it names columns of a table, and X is a sparse matrix"):
        PUClassifier("weighted-lr", prior=0.4, drop=["x0"]).fit(sparse.csr_matrix(made.X), made.y)


def test_a_share_may_be_in_percent(made):
    shares = [PUClassifier("weighted-lr", prior=prior).fit(made.X, made.y).prior_ for prior in (0.3, "30%", "30 %")]
    assert shares == [0.3, 0.3, 0.3]


@pytest.mark.parametrize(
    ("X", "kind", "said"),
    [
        ([{"a": 1}, {"a": 2}], TypeError, r"^X: a list of dicts is not a table; make it a data frame, pandas\.DataFrame\(X\)"),
        ([], ValueError, r"^X: Found array with 0 sample\(s\)"),
        ("one text", TypeError, r"^X: one string is not a table; give one text in a list, \['\.\.\.'\]"),
        ([pathlib.Path("a.png"), "b.png"], ValueError, r"^X: mixes texts and paths; .*pathlib\.Path"),
    ],
)
def test_rows(X, kind, said):
    with pytest.raises(kind, match=said):
        PUClassifier().fit(X, [1, 0])


def test_one_column_of_numbers(made):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for column in (pd.Series(made.X[:, 0]), pl.Series(made.X[:, 0])):
        with pytest.raises(ValueError, match=r"^X: .*one column without texts is not a table.*X\.to_frame\(\)"):
            PUClassifier().fit(column, made.y)


def test_names_of_picture_files_are_not_texts(tmp_path):
    files = [tmp_path / f"{at}.png" for at in range(4)]
    for file in files:
        file.write_bytes(b"")
    for X in ([str(file) for file in files], np.array([str(file) for file in files])):
        with pytest.raises(ValueError, match=r"^X: holds the names of picture files as str.*\[pathlib\.Path\(one\) for one in X\]"):
            PUClassifier().fit(X, [1, 0, 0, 0])
    # Names of files that are nowhere are texts like others.
    texts = ["cat.png", "dog.png"] * 100
    PUClassifier("weighted-lr", prior=0.5).fit(texts, [1, 0, 0, 0] * 50)


def test_labels(made):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(made.X).assign(y=made.y)
    with pytest.raises(ValueError, match=r"^y: one string is not a column of labels; give the column itself, such as frame\['y'\]"):
        PUClassifier().fit(frame, "y")
    with pytest.raises(ValueError, match=r"^y: holds 3 values \(0, 1, 2\)\. Only binary classification is supported: positive"):
        PUClassifier().fit(made.X, np.arange(len(made.X)) % 3)
    with pytest.raises(ValueError, match="^y: only 1 row is labeled positive, and at least 2 are needed"):
        PUClassifier().fit(made.X, np.arange(len(made.X)) == 5)


def test_predicting(made, fitted):
    for k in (2.5, 0, True):
        with pytest.raises(ValueError, match="^k: must be a whole number of 1 or above"):
            fitted.rank(made.X, k)
    with pytest.raises(ValueError, match="^sample_weight: has 3 values, but X has 1200 rows"):
        fitted.score(made.X, made.y, sample_weight=[1, 2, 3])
    with pytest.raises(ValueError, match="^y: has 5 values, but X has 1200 rows"):
        fitted.score(made.X, made.y[:5])
    with pytest.raises(ValueError, match="^reserve: the model has no reserved positives.*reserve=0.2"):
        fitted.recall_cut(made.X)
    pixels = np.random.default_rng(0).integers(0, 255, (60, 8, 8), dtype=np.uint8)
    pictures = PUClassifier("nnpu", prior=0.4, epochs=1).fit(pixels, np.arange(60) % 4 == 0)
    with pytest.raises(ValueError, match="^X: a score of this model .* is not explained"):
        pictures.explain(pixels)


def test_rows_count_from_zero(made):
    pd = pytest.importorskip("pandas")
    wrong = made.X.copy()
    wrong[7, 2] = np.inf
    for X in (wrong, pd.DataFrame(wrong, columns=["x0", "x1", "x2", "x3"])):
        with pytest.raises(ValueError, match="^X: row 7, column 'x2': inf .*; give NaN if it is missing; rows count from 0$"):
            PUClassifier("weighted-lr", prior=0.4).fit(X, made.y)
    holes = np.where(np.isinf(wrong), np.nan, wrong)
    with pytest.raises(ValueError, match="^'X' row 7.*; rows count from 0"):
        PUClassifier("weighted-lr", prior=0.4, missing="refuse").fit(holes, made.y)
    with pytest.raises(ValueError, match="^X: column 'x2', row 7: .*negative.*; rows count from 0$"):
        PUClassifier("s-em", prior=0.4).fit(np.where(np.isinf(wrong), -1, np.abs(wrong)), made.y)


def test_months_are_dates(made):
    pd = pytest.importorskip("pandas")
    months = pd.period_range("2020-01", periods=24, freq="M")
    frame = pd.DataFrame(made.X).assign(month=np.resize(months, len(made.X)))
    frame["month"] = frame["month"].astype("period[M]")
    frame.columns = frame.columns.astype(str)
    model = PUClassifier("weighted-lr", prior=0.4).fit(frame, made.y)
    times = frame.assign(month=frame["month"].dt.to_timestamp())
    assert model.to_bytes() == PUClassifier("weighted-lr", prior=0.4).fit(times, made.y).to_bytes()
    assert {one["name"]: one["kind"] for one in model.columns_}["month"] == "date"


def test_an_estimate_says_what_it_knows(made):
    found = estimate_prior(made.X, made.y)
    low, high = found.prior_interval
    among = f"at most {high:.3f}" if found.one_sided else f"between {low:.3f} and {high:.3f}"
    assert repr(found).startswith(f"PriorEstimate(prior={found.prior:.3f}, a guess: {among} at 95 %")
    picture = found.plot()
    assert picture.startswith("<svg") and picture._repr_svg_() == found._repr_svg_()
    assert isinstance(onesided.PriorEstimator().fit(made.X, made.y).plot(), str)
