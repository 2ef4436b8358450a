"""New rows next to those of the fit: what Python says is what the command says."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import onesided
import pytest


def month(seed: int, share: float = 0.2, rows: int = 600) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    positive = rng.random(rows) < share
    X = rng.normal(size=(rows, 3)) + np.where(positive, 1.5, 0.0)[:, None] * [1, 1, 0]
    return X, (positive & (rng.random(rows) < 0.5)).astype(int)


@pytest.fixture(scope="module")
def model() -> onesided.PUClassifier:
    X, y = month(0, rows=2_000)
    return onesided.PUClassifier(method="weighted-lr", prior=0.2).fit(X, y)


def test_a_usual_month_is_kept(model):
    X, y = month(1)
    found = model.watch(X, y)
    assert (found.action, found.alarm, found.moved, found.columns, found.rows) == ("keep", False, [], [], 600)
    assert found.share.low < 0.2 < found.share.high and found.share_before == pytest.approx(0.2)
    assert found.notes == [] and found.about["labels"]["rows"] == y.sum()
    lines = str(found).splitlines()
    assert lines[0] == found.verdict == "keep the model: in 600 new rows nothing moved beyond chance"
    assert any(line.startswith("share of positives") for line in lines)


def test_what_changed_is_told(model):
    X, _ = month(1, share=0.4)
    found = model.watch(X)
    assert (found.action, found.alarm, found.moved[0]) == ("refit", True, "share")
    assert found.share.low < 0.4 < found.share.high and found.verdict.startswith("fit again")
    X, _ = month(1)
    X[:, 2] *= 1_000
    with pytest.warns(onesided.DataWarning, match="other units"):
        found = model.watch(X)
    assert (found.action, found.columns) == ("check-data", ["x2"])


def test_the_command_says_the_same(model, tmp_path):
    model.save(tmp_path / "m.onesided")
    X, y = month(1, share=0.3)
    columns = np.column_stack([X.astype(np.float32), y])
    np.savetxt(tmp_path / "new.csv", columns, delimiter=",", header="x0,x1,x2,y", comments="", fmt="%.9g")
    command = [sys.executable, "-m", "onesided", "watch", "m.onesided", "new.csv", "--label", "y", "--json"]
    said = json.loads(subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout)
    ours = onesided.load(tmp_path / "m.onesided").watch(X.astype(np.float32), y).about
    for key in ("action", "alarm", "verdict", "rows", "moved", "columns", "scores", "decisions", "share", "labels", "promises"):
        assert said[key] == ours[key], key


def test_a_history_grows(model, tmp_path):
    history = tmp_path / "h.jsonl"
    for seed in (1, 2):
        model.watch(month(seed)[0], history=history)
    entries = [json.loads(line) for line in history.read_text().splitlines()]
    assert [entry["rows"] for entry in entries] == [600, 600]
    other = onesided.PUClassifier(method="weighted-lr", prior=0.3).fit(*month(0, rows=2_000))
    with pytest.raises(ValueError, match="another model"):
        other.watch(month(1)[0], history=history)
    assert len(history.read_text().splitlines()) == 2


def test_wrong_input_is_refused(model):
    X, y = month(1)
    for rate in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="rate of false alarms"):
            model.watch(X, false_alarms=rate)
    with pytest.raises(ValueError):
        model.watch(X[:, :2])
    with pytest.raises(ValueError):
        model.watch(X, y[:10])
    assert model.watch(X[:19]).action == "too-few"
