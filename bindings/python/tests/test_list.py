"""One list: of rows in memory, of a table at a path, and of the command."""

from __future__ import annotations

import csv
import subprocess
import sys

import numpy as np
import pytest

import onesided
from onesided import DataWarning, PUClassifier

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def saved(made, tmp_path_factory):
    """A frame whose rows have names, its file, and a model of both."""
    folder = tmp_path_factory.mktemp("list")
    frame = pd.DataFrame(made.X.round(3), columns=list("abcd"))
    frame.insert(0, "who", [f"c{row}" for row in range(len(frame))])
    frame.assign(y=made.y).to_csv(folder / "table.csv", index=False)
    model = PUClassifier("weighted-lr", prior=0.4, drop="who", n_jobs=1).fit(frame, made.y)
    model.save(folder / "m.onesided")
    return frame, folder, model


@pytest.mark.parametrize("in_sample", [False, True])
def test_a_table_at_a_path_is_ranked_as_a_frame_is(made, saved, in_sample):
    frame, folder, model = saved
    whole = model.rank(frame, in_sample=in_sample)
    pieces = model.rank(folder / "table.csv", in_sample=in_sample)
    assert len(pieces) == (len(frame) if in_sample else (made.y == 0).sum())
    for name in ("row", "score", "probability", "low", "high"):
        assert (whole[name] == pieces[name]).all()
    best = model.rank(str(folder / "table.csv"), 7, in_sample, keep=["who", "y"])
    assert best.dtype.names == ("row", "score", "probability", "low", "high", "who", "y")
    assert (best.row == whole.row[:7]).all() and list(best.who) == [f"c{row}" for row in best.row]
    kept = model.rank(frame, 7, in_sample, keep="all")
    assert list(kept.who) == list(best.who) and (kept.a == frame.a[kept.row]).all()


def test_the_command_lists_the_same(saved):
    frame, folder, model = saved
    command = [sys.executable, "-m", "onesided", "predict", "m.onesided", "table.csv", "--out", "list.csv"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    with open(folder / "list.csv") as file:
        lines = list(csv.DictReader(file))
    own = onesided.load(folder / "m.onesided").rank(folder / "table.csv")
    assert [int(line["row"]) - 1 for line in lines] == list(own.row)
    assert [np.float32(line["score"]) for line in lines] == list(own.score.astype(np.float32))


def test_a_column_of_labels_is_named(made, saved):
    frame, folder, model = saved
    frame.assign(known=made.y).head(200).to_csv(folder / "part.csv", index=False)
    assert len(model.rank(folder / "part.csv")) == 200
    left = model.rank(folder / "part.csv", y="known")
    assert len(left) == (made.y[:200] == 0).sum()
    assert (left.row == model.rank(frame.head(200), y=made.y[:200]).row).all()
    with pytest.raises(ValueError, match="nowhere"):
        model.rank(folder / "part.csv", y="nowhere")
    with pytest.raises(ValueError, match="^y: X is a path, so y is the name"):
        model.rank(folder / "part.csv", y=made.y)
    with pytest.raises(ValueError, match="^keep: X has no column 'e'"):
        model.rank(frame, keep="e")
    with pytest.raises(FileNotFoundError, match=r"gone\.csv"):
        model.rank(folder / "gone.csv")


def test_labels_that_contradict_the_fitted_rows_are_told(made, saved):
    frame, _, model = saved
    other = made.y.copy()
    other[np.flatnonzero(other == 0)[:3]] = 1
    with pytest.warns(DataWarning, match="contradicts the rows .* fitted on: 3 rows are labeled in it and not then"):
        model.rank(frame, y=other)
