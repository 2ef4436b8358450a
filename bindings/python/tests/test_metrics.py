"""Metrics without negatives and the prior, against their formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from onesided import PriorEstimator, estimate_prior, estimators
from onesided.metrics import METRICS, make_pu_scorer, pu_metrics, pu_score

# 4 positives, of which 3 are predicted positive; 5 unlabeled rows, of which 2 are.
Y = [1, 1, 1, 1, 0, 0, 0, 0, 0]
SCORES = [0.9, 0.8, 0.7, 0.2, 0.95, 0.6, 0.4, 0.3, 0.1]
R, A, MU = 3 / 4, 2 / 5, 0.3


def test_the_formulas():
    # Of 20 pairs the positive wins 3 + 4 * 3 + ...: count them.
    wins = sum(p > u for p in SCORES[:4] for u in SCORES[4:])
    auc_pu = wins / 20
    expected = {
        "recall": R, "predicted_positive": A, "precision": MU * R / A, "f1": 2 * MU * R / (A + MU),
        "risk": 2 * MU * (1 - R) + A - MU, "accuracy": 1 - (2 * MU * (1 - R) + A - MU), "lee_liu": R * R / A,
        "lift": R / A,
        "auc_pu": auc_pu, "auc": (auc_pu - MU / 2) / (1 - MU),
    }
    found = pu_metrics(Y, SCORES, prior_in_unlabeled=MU, random_state=0)
    assert set(found) == set(METRICS) == set(expected)
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, abs=1e-6), name
        assert found[name].low <= found[name].value <= found[name].high
        predicted = SCORES if name.startswith("auc") else np.array(SCORES) >= 0.5
        assert pu_score(name, Y, predicted, prior_in_unlabeled=MU) == pytest.approx(value, abs=1e-6)
    assert set(pu_metrics(Y, SCORES)) == {"recall", "predicted_positive", "lee_liu", "lift", "auc_pu"}
    # Known negatives are left out.
    three = pu_metrics([*Y, -1, -1], [*SCORES, 0.99, 0.5], prior_in_unlabeled=MU, random_state=0, negative=-1)
    assert three == found


def test_impossible_estimates_have_no_value_and_are_told():
    # Precision .9 * .75 / .4 = 1.6875.
    with pytest.warns(UserWarning, match=r"outside \[0, 1\] \(precision 1.69"):
        found = pu_metrics(Y, SCORES, prior_in_unlabeled=0.9, random_state=0)
    assert np.isnan(found["precision"].value) and 0 < found["precision"].low < found["precision"].high == 1.0
    numbers = [number for name in ("precision", "f1", "accuracy", "risk", "auc") for number in found.get(name, ())]
    assert all(np.isnan(number) or 0 <= number <= 1 for number in numbers)
    assert pu_score("precision", Y, np.array(SCORES) >= 0.5, prior_in_unlabeled=0.9) == 1.0
    # None of 4 positives above the threshold: (1 - x)^4 = .025 at the upper end.
    none = pu_metrics(Y, [0.1] * 4 + SCORES[4:], random_state=0)
    assert none["recall"] == pytest.approx((0.0, 0.0, 1 - 0.025**0.25))


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="metric: unknown metric 'auroc'"):
        make_pu_scorer("auroc")
    with pytest.raises(ValueError, match="prior_in_unlabeled: the metric precision needs"):
        pu_score("precision", Y, SCORES)
    with pytest.raises(ValueError, match="^prior_in_unlabeled: "):
        pu_metrics(Y, SCORES, prior_in_unlabeled=1.5)
    with pytest.raises(ValueError, match="scores: has the shape"):
        pu_metrics(Y, SCORES[:3])
    assert pu_score("lee_liu", Y, np.zeros(9)) == 0.0


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_prior_is_estimated(made, tmp_path):
    found = estimate_prior(made.X, made.y, n_jobs=1)
    low, high = found.prior_interval
    assert low - 0.05 < made.truth.mean() < high + 0.05 and low <= found.prior <= high
    hidden = made.truth[made.y == 0].mean()
    assert abs(found.prior_in_unlabeled - hidden) < 0.1
    # One sample: the labeled rows and the hidden ones together are the population's.
    n_p, n = made.y.sum(), len(made.y)
    assert found.prior == pytest.approx((n_p + found.prior_in_unlabeled * (n - n_p)) / n, abs=1e-9)
    low, high = found.prior_in_unlabeled_interval
    assert (low == 0) == found.one_sided and found.prior_in_unlabeled <= high <= found.bound <= 1
    assert found.consensus["prior_in_unlabeled"] == pytest.approx(hidden, abs=0.1)
    assert math.isclose(float(found), found.prior) and "<svg" in found._repr_svg_()
    found.plot(tmp_path / "prior.svg")
    found.plot(tmp_path / "prior.png")
    assert (tmp_path / "prior.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="path: must end in .svg or .png"):
        found.plot(tmp_path / "prior.pdf")
    parts = PriorEstimator(n_jobs=1).fit_parts(made.X[made.y == 1], made.X[made.y == 0])
    # Drawn separately, the unlabeled rows are the population.
    assert parts.prior_ == pytest.approx(parts.prior_in_unlabeled_)


def test_estimators_are_named(made):
    names = [one.name for one in estimators()]
    assert "bbe" in names and len(names) > 5
    found = estimate_prior(made.X, made.y, estimator=["bbe", "dedpul"], n_jobs=1)
    assert {one["estimator"] for one in found.estimates} == {"bbe", "dedpul"}
    with pytest.raises(ValueError, match="^estimator: .*nonsense"):
        estimate_prior(made.X, made.y, estimator="nonsense")
    with pytest.raises(ValueError, match="^scorer: "):
        estimate_prior(made.X, made.y, scorer="nonsense")
    with pytest.raises(TypeError, match="unexpected keyword argument 'estimater'"):
        estimate_prior(made.X, made.y, estimater="bbe")
