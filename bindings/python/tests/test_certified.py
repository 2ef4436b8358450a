"""Rows that are not positive, and first parts of a list: as the command has them, and with bad input."""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

from onesided import CertifiedNegatives, FirstPart, PUClassifier


def rows(seed, positives, others):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(positives + others, 3))
    X[:positives, 0] += 2.5
    return X, np.arange(positives + others) < positives


def labeled(seed=1, positives=400, others=800):
    X, truth = rows(seed, positives, others)
    y = truth & (np.random.default_rng(seed).random(len(X)) < 0.5)
    return X, truth, y.astype(int)


def classifier(**params):
    return PUClassifier(method="weighted-lr", prior=0.33, random_state=0, n_jobs=1, **params)


def test_new_rows_are_those_of_the_command(tmp_path):
    X, _, y = labeled()
    model = classifier(reserve=100).fit(X, y)
    new, truth = rows(7, 300, 600)
    found = model.negatives(new, 0.1)
    assert isinstance(found, CertifiedNegatives) and len(found) == found.certified > 300
    assert found.reserved == 100 and found.looked_at == 900 and found.e_values is None
    assert truth[found.rows].mean() < 0.2 and np.all(np.diff(found.scores) >= 0)
    assert str(found).startswith(f"{found.certified} of 900 rows are not positive; on average at most 10 %")
    assert found.holds_up_to >= 1 and len(model.negatives(new, 0.1, labeling_odds=3)) < len(found)
    path, table, out = tmp_path / "m.safetensors", tmp_path / "new.csv", tmp_path / "out.csv"
    model.save(path)
    with open(table, "w", newline="") as file:
        csv.writer(file).writerows([["x0", "x1", "x2"], *[[repr(float(cell)) for cell in row] for row in new]])
    command = [sys.executable, "-m", "onesided", "negatives", path, table, "--fdr", "0.1", "--out", out, "--json"]
    about = json.loads(subprocess.run([str(word) for word in command], check=True, capture_output=True).stdout)
    with open(out) as file:
        listed = [int(row["row"]) - 1 for row in csv.DictReader(file)]
    assert listed == found.rows.tolist()
    assert {key: about[key] for key in found.about if key in about and key != "out"} == found.about


def test_a_labeled_table_and_several_splits():
    X, truth, y = labeled()
    found = classifier().negatives_of(X, y, 0.1)
    assert len(found) > 400 and truth[found.rows].mean() < 0.25 and not y[found.rows].any()
    assert found.reserved == round(y.sum() / 2)
    assert classifier(reserve=60).negatives_of(X, y, 0.1).reserved == 60
    several = classifier().negatives_of(X, y, 0.1, splits=3)
    assert several.p_values is None and len(several.e_values) == len(several)
    groups = classifier().negatives_of(X, y, 0.2, groups=np.arange(len(X)) // 2)
    assert groups.about["unit"] == "groups"


def test_frames_keep_their_index():
    pandas = pytest.importorskip("pandas")
    X, truth, y = labeled()
    frame = pandas.DataFrame(X, columns=["a", "b", "c"], index=[f"r{row}" for row in range(len(X))])
    found = classifier().negatives_of(frame, y, 0.1)
    assert frame.index.get_indexer(found.index).tolist() == found.rows.tolist()


def test_what_cannot_be_certified():
    X, _, y = labeled()
    plain, reserved = classifier().fit(X, y), classifier(reserve=50).fit(X, y)
    new, _ = rows(3, 50, 100)
    for wrong in (0, 1, -1, float("nan")):
        with pytest.raises(ValueError, match="fdr: .*strictly between 0 and 1"):
            reserved.negatives(new, wrong)
        with pytest.raises(ValueError, match="fdr: .*strictly between 0 and 1"):
            plain.negatives_of(X, y, wrong)
    with pytest.raises(ValueError, match="labeling_odds: "):
        reserved.negatives(new, labeling_odds=0.5)
    with pytest.raises(ValueError, match="no reserved positives"):
        plain.negatives(new)
    with pytest.raises(ValueError, match="fitted on these very rows and cannot certify them"):
        reserved.negatives(X)
    with pytest.raises(ValueError, match="splits"):
        plain.negatives_of(X, y, splits=0)
    with pytest.warns(UserWarning, match="can be certified with 50 reserved positives"):
        assert len(reserved.negatives(new, 1e-5)) == 0


def test_an_audit_names_a_first_part():
    X, truth, y = labeled()
    model = classifier().fit(X, y)
    drawn = model.audit_draw(X, 500, cuts=(100, 200))
    drawn["positive"] = ["yes" if truth[row] else "no" for row in drawn.index]
    report = model.audit_read(drawn, precision=0.5)
    assert isinstance(report.first_part, FirstPart) and report.first_part.rows >= 100
    assert model.audit_read(drawn).first_part is None
    assert model.audit_read(drawn, precision=0.999999).first_part is None
    with pytest.raises(ValueError, match="precision"):
        model.audit_read(drawn, precision=1)
