"""The same rows, settings, seed and threads give the same model file from every kind of table in Python and from the command."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
from onesided import NoPriorError, PriorWarning, PUClassifier

pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
ROWS = 600


def _tables(rng, truth):
    """Numbers of every width with gaps; categories, truth values, dates and words; texts."""
    gaps = rng.random(ROWS) < 0.1
    numbers = pd.DataFrame({
        "f64": rng.normal(size=ROWS) + truth,
        "gaps": np.where(gaps, np.nan, 1e4 * rng.normal(size=ROWS) + 2000 * truth),
        "count": rng.integers(0, 50, ROWS) + 5 * truth,
        "unix": 1.6e9 + rng.integers(0, 10**7, ROWS),
        "f32": (rng.normal(size=ROWS) + truth).astype(np.float32),
        "nullable": pd.array(np.where(gaps, None, rng.integers(0, 9, ROWS)), dtype="Int64"),
    })
    levels = np.where(truth, rng.choice(["low", "mid"], ROWS), rng.choice(["mid", "high"], ROWS))
    mixed = pd.DataFrame({
        "f64": rng.normal(size=ROWS) + truth,
        "level": pd.Categorical(levels, categories=["low", "mid", "high"], ordered=True),
        "flag": rng.random(ROWS) < 0.3 + 0.3 * truth,
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, ROWS), unit="D"),
        "word": np.where(gaps, None, rng.choice(["ä", "b", "c d"], ROWS)),
        "maybe": pd.array(np.where(gaps, None, rng.random(ROWS) < 0.5), dtype="boolean"),
    })
    words = "the a team bank game rate goal loan coach fund match price stock player ball money".split()
    said = [" ".join(rng.choice(words[:10] if one else words[6:], 12)) for one in truth]
    return {"numbers": numbers, "mixed": mixed, "texts": pd.DataFrame({"text": said, "noise": rng.normal(size=ROWS)})}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("settings", [{"effort": "quick"}, {"method": "weighted-lr", "prior": 0.4}], ids=["auto", "weighted-lr"])
@pytest.mark.parametrize("name", ["numbers", "mixed", "texts"])
def test_python_and_the_command_write_the_same_file(name, settings, tmp_path):
    rng = np.random.default_rng(3)
    truth = rng.random(ROWS) < 0.4
    y = (truth & (rng.random(ROWS) < 0.5)).astype(int)
    frame = _tables(rng, truth)[name]
    settings = {**settings, **({"text": "text"} if name == "texts" else {})}
    table = frame.assign(label=y)
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet", index=False)
    flags = [word for key, value in settings.items() for word in (f"--{key}", str(value))]
    found = {}
    for file in ("t.csv", "t.parquet"):
        command = [sys.executable, "-m", "onesided", "fit", tmp_path / file, "--label", "label", *flags]
        out = tmp_path / f"{file}.model"
        done = subprocess.run([*command, "--seed", "5", "--threads", "2", "--out", out], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found[file] = out.read_bytes()
    given = {"pandas": frame, "polars": pl.from_pandas(frame), "arrow": pa.Table.from_pandas(frame, preserve_index=False)}
    for kind, X in given.items():
        found[kind] = PUClassifier(**settings, random_state=5, n_jobs=2).fit(X, y).to_bytes()
    assert [kind for kind, model in found.items() if model != found["t.csv"]] == []


def _command(folder, *words):
    """What the command makes of it: the bytes of the model file, or why not."""
    out = folder / "command.model"
    flags = ["--seed", "5", "--threads", "2", "--out", out]
    done = subprocess.run([sys.executable, "-m", "onesided", "fit", *map(str, words), *flags], capture_output=True, text=True, cwd=folder)
    return out.read_bytes() if done.returncode == 0 else done.stderr.splitlines()[-1].removeprefix("error: ")


def _rows(rows, labeled=None):
    """Numbers of which a third is positive, and a third of those labeled; so many at most."""
    rng = np.random.default_rng(7)
    truth = rng.random(rows) < 0.33
    y = truth & (rng.random(rows) < 0.33)
    if labeled is not None:
        y[np.flatnonzero(y)[labeled:]] = False
    X = pd.DataFrame(rng.normal(size=(rows, 4)).round(3) + 1.25 * truth[:, None], columns=list("abcd"))
    return X, y.astype(int)


def _png(gray):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    height, width = gray.shape
    lines = b"".join(b"\0" + line.tobytes() for line in gray)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_two_files_are_two_samples(tmp_path):
    X, y = _rows(900)
    X[y == 1].to_csv(tmp_path / "p.csv", index=False)
    X[y == 0].to_csv(tmp_path / "u.csv", index=False)
    model = PUClassifier(effort="quick", random_state=5, n_jobs=2).fit_parts(X[y == 1], X[y == 0])
    assert model.about_["scenario"] == "case-control"
    assert model.to_bytes() == _command(tmp_path, "--positives", "p.csv", "--unlabeled", "u.csv", "--effort", "quick")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_list_of_texts_and_a_folder_of_texts(tmp_path):
    rng = np.random.default_rng(3)
    words = np.array("the a team bank game rate goal loan coach fund match price stock player ball money".split())
    said = {kind: [" ".join(rng.choice(words[part], 12)) for _ in range(300)] for kind, part in (("p", slice(0, 10)), ("u", slice(3, 16)))}
    for kind, texts in said.items():
        (tmp_path / kind).mkdir()
        for at, text in enumerate(texts):
            (tmp_path / kind / f"{at:03}.txt").write_text(text)
    for method in ("weighted-lr", "s-em", "naive"):
        model = PUClassifier(method, prior=0.4, random_state=5, n_jobs=2).fit_parts(said["p"], said["u"])
        found = _command(tmp_path, "--positives", "p", "--unlabeled", "u", "--method", method, "--prior", "0.4")
        assert model.to_bytes() == found, method


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_list_of_pictures_and_a_folder_of_pictures(tmp_path):
    rng = np.random.default_rng(3)
    files = {"p": [], "u": []}
    for kind, rows in (("p", 20), ("u", 60)):
        (tmp_path / kind).mkdir()
        for at in range(rows):
            bright = 100 if kind == "p" or at % 3 == 0 else 0
            files[kind].append(tmp_path / kind / f"{at:02}.png")
            files[kind][-1].write_bytes(_png(rng.integers(bright, bright + 120, (8, 8)).astype(np.uint8)))
    model = PUClassifier(model="cnn", epochs=2, prior=0.3, random_state=5, n_jobs=2).fit_parts(files["p"], files["u"])
    found = _command(tmp_path, "--positives", "p", "--unlabeled", "u", "--model", "cnn", "--epochs", "2", "--prior", "0.3")
    assert model.to_bytes() == found


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_few_rows_that_do_not_tell_the_share(tmp_path):
    X, y = _rows(80, labeled=8)
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(PriorWarning, match="cannot be estimated from so few rows .*positive rows are too few"):
        model = PUClassifier(effort="quick", random_state=5, n_jobs=2).fit(X, y)
    assert model.to_bytes() == _command(tmp_path, "t.csv", "--label", "y", "--effort", "quick")
    # It is not kept as if it had been given, and nothing that rests on it is told.
    assert "prior-in-unlabeled" not in model.about_["given"] and model.prior_estimate_.interval == (0, 1)
    assert "too few" in model.prior_estimate_.assumed and "assumed: " in model._repr_html_()
    told = model.about_["report"]["metrics"]
    assert "recall" in told and not {"precision", "f1", "accuracy", "auc"} & set(told)


def test_more_rows_that_do_not_tell_the_share_are_refused(tmp_path):
    X, y = _rows(1000, labeled=9)
    X.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    why = "needs the share of positives, and it cannot be estimated: 9 positive rows are too few"
    with pytest.raises(NoPriorError, match=f"^prior: .*{why}"):
        PUClassifier().fit(X, y)
    assert why in _command(tmp_path, "t.csv", "--label", "y")


def test_a_table_that_does_not_fit_into_the_memory():
    # How much there is holds for the whole process.
    program = """
import numpy as np, onesided
X, y = np.random.default_rng(0).normal(size=(400_000, 10)), np.arange(400_000) % 9 == 0
onesided.limit_memory("64M")
try:
    onesided.PUClassifier(model="linear", method="naive", prior=0.4, epochs=1).fit(X, y)
except ValueError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.startswith("X: not enough memory"), done
