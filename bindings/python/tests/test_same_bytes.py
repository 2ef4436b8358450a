"""The same rows, settings, seed and threads give the same model file from every kind of table in Python and from the command."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from onesided import PUClassifier

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
