"""Labels that depend on a column, and answers that show it."""

import json

import numpy as np
import pytest

from onesided import PUClassifier


@pytest.fixture(scope="module")
def made():
    """Old rows are labeled, and young ones are positive."""
    rng = np.random.default_rng(0)
    n = 3000
    age, signal, noise = rng.random(n), rng.normal(size=n), rng.normal(size=n)
    truth = rng.random(n) < 1 / (1 + np.exp(-(2.5 * signal - 4 * (age - 0.5) - 0.5)))
    labeled = truth & (rng.random(n) < np.where(age > 0.5, 0.6, 0.04))
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"age": age, "signal": signal, "noise": noise}), labeled.astype(int), truth


def test_labels_that_depend_on_a_column(made):
    X, y, truth = made
    plain = PUClassifier(model="trees", prior=truth.mean()).fit(X, y)
    fitted = PUClassifier(model="trees", prior=truth.mean(), labeling_depends_on=["age"]).fit(X, y)
    who = fitted.who_labels_
    assert who["labels"] == "depend-on" and who["columns"] == ["age"] and who["used"]
    assert who["gain"] > 3 and who["chance"][0] < 0.12 < 0.35 < who["chance"][1]
    assert plain.who_labels_ is None
    young = truth & (X["age"].to_numpy() < 0.3)
    before, after = (model.predict_proba(X)[young, 1].mean() for model in (plain, fitted))
    assert after > before + 0.1
    assert fitted.get_params()["labeling_depends_on"] == ["age"]
    same = PUClassifier(model="trees", prior=truth.mean(), labeling_depends_on="age").fit(X, y)
    np.testing.assert_array_equal(same.predict_proba(X), fitted.predict_proba(X))


def test_what_labels_cannot_depend_on(made):
    X, y, truth = made
    with pytest.raises(ValueError, match="labeling_depends_on: there is no column 'agee'; did you mean 'age'"):
        PUClassifier(model="trees", prior=truth.mean(), labeling_depends_on=["agee"]).fit(X, y)
    with pytest.raises(ValueError, match="labeling_depends_on.*have weights"):
        PUClassifier(model="trees", labeling_depends_on="age").fit(X, y, sample_weight=np.full(len(y), 2.0))
    with pytest.raises(ValueError, match="do not tell the share of positives"):
        PUClassifier(model="trees", labeling="easy-first").fit(X, y)
    assert PUClassifier(model="trees", labeling="easy-first", prior=0.4).fit(X, y).threshold_rule_ == "quantile"


def test_answers_show_who_was_labeled(made):
    X, y, truth = made
    fitted = PUClassifier(model="trees").fit(X, y)
    sheet = fitted.audit_draw(X, 200)
    sheet["positive"] = ["yes" if truth[row] else "no" for row in sheet.index]
    found = fitted.audit_read(sheet).about["labeling"]
    assert found["answered"] >= 5 and 0 < found["p"] <= 1
    again = PUClassifier(model="trees").fit(X, y, audit=sheet)
    test = again.about_["report"]["labels_by_answers"]
    assert test["p"] < 0.05 and test["columns"][0]["column"] == "age" and test["columns"][0]["above"] > 0.5
    json.dumps(test)
