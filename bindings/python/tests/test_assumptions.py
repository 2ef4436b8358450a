"""What numbers rest on is said with them, and what cannot be promised is not."""

import warnings

import numpy as np
import pandas as pd
import pytest

import onesided
from onesided import PUClassifier

RANDOM_LABELS = "if labels are a random sample of the positives"


def table(easy=False, rows=2_000, seed=1):
    """A fifth is positive, and of these three in ten are easy to tell; labels are at random, or on the easy ones alone."""
    random = np.random.default_rng(seed)
    positive = random.random(rows) < 0.2
    is_easy = positive & (random.random(rows) < 0.3)
    labeled = (is_easy if easy else positive) & (random.random(rows) < 0.4)
    a = random.normal(size=rows) + np.where(is_easy, 5.0, np.where(positive, 1.0, 0.0))
    b = random.normal(size=rows) + np.where(positive, 0.7, 0.0)
    return pd.DataFrame({"a": a, "b": b, "c": random.random(rows)}), labeled.astype(int), positive


def fitted(X, y, **settings):
    settings = {"effort": "quick", "prior": 0.2, "random_state": 0, **settings}
    return PUClassifier(**settings).fit(X, y)


def test_the_assumption_is_in_every_repr():
    X, y, _ = table()
    model = fitted(X, y, reserve=0.4)
    assert RANDOM_LABELS in model._repr_html_()
    cut = model.recall_cut(table(seed=2)[0], recall=0.8)
    assert cut.assumes == RANDOM_LABELS and RANDOM_LABELS in repr(cut)
    with pytest.warns(onesided.PriorWarning, match=RANDOM_LABELS):
        guessed = fitted(X, y, prior=None)
    assert RANDOM_LABELS in repr(guessed.prior_estimate_) and RANDOM_LABELS in guessed._repr_html_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert RANDOM_LABELS in repr(onesided.estimate_prior(X, y))


def test_a_share_that_labels_refute_promises_nothing():
    X, y, _ = table(easy=True)
    with pytest.warns(onesided.FitWarning, match="share and labels do not fit together"):
        model = fitted(X, y, reserve=0.3)
    assert not {"precision", "accuracy", "auc"} & set(model.about_["report"]["metrics"])
    with pytest.raises(ValueError, match="X: nothing is promised of this list: share and labels do not fit together"):
        model.recall_cut(table(seed=2)[0], recall=0.8)


def test_labels_are_tested():
    X, y, _ = table()
    test = fitted(X, y).labeling_
    assert test["p"] >= 0.05 and test["columns"] == [] and test["columns_tested"] == 3 and not test["estimated"]
    # c = m / (m + μ n), with m + μ n the share of the population: 400 of 2,000.
    assert test["most_labeled"] == pytest.approx(y.sum() / 400)
    X, y, _ = table(easy=True)
    with pytest.warns(onesided.FitWarning, match="labels are not a random sample of the positives, or there are fewer positives"):
        model = fitted(X, y)
    assert model.labeling_["p"] < 0.05
    X, y, _ = table()
    assert fitted(X, y, prior=None, effort=None, method="naive").labeling_ is None


def test_changed_columns_are_promised_nothing():
    X, y, _ = table()
    model = fitted(X, y, reserve=0.4)
    with pytest.raises(ValueError, match="column 'a' holds something else than in training"):
        model.recall_cut(table(seed=2)[0].assign(a=lambda X: 100 * X["a"]), recall=0.8)


def test_rows_that_are_empty_everywhere_have_the_share_as_their_probability():
    X, y, _ = table()
    model = fitted(X, y)
    new = table(seed=2)[0]
    new.loc[[3, 7]] = np.nan
    said = "2 rows are empty in every column that is learned from, the first of them row 3; rows count from 0"
    with pytest.warns(onesided.DataWarning, match=said):
        probability = model.predict_proba(new)[:, 1]
    assert probability.shape == (len(new),) and np.allclose(probability[[3, 7]], 0.2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not {3, 7} & set(model.rank(new).row) and len(model.rank(new)) == len(new) - 2
        # Nothing is learned from such a row.
        more = pd.concat([X, new.iloc[[3]]], ignore_index=True)
        again = fitted(more, np.append(y, 0))
    assert again.about_["counts"] == model.about_["counts"]
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_inverted_labels_are_asked_about():
    X, y, _ = table()
    with pytest.warns(onesided.FitWarning, match="are the labels inverted. pos_label names the value"):
        fitted(X, 1 - y, prior=0.95)


def test_a_search_compares_models_whose_metrics_cannot_be():
    y = np.repeat([1, 0], [50, 200])
    good, bad = np.arange(250) < 60, np.arange(250) < 120
    scores = [onesided.metrics.pu_score("accuracy", y, called, prior_in_unlabeled=0.3) for called in (good, bad)]
    assert scores[0] > scores[1] > 0
    found = onesided.metrics.pu_metrics(y, good.astype(float), prior_in_unlabeled=0.1)
    assert "lift" in found
    with pytest.warns(UserWarning, match="do not fit together"):
        assert "precision" not in onesided.metrics.pu_metrics(y, good.astype(float), prior_in_unlabeled=0.6)
