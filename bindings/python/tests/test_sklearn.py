"""At home in scikit-learn: its own checks, searches, pipelines, calibration, clones and scorers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from onesided import PUClassifier
from onesided.metrics import make_pu_scorer
from onesided.model_selection import PUKFold, PUShuffleSplit
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

LABELS = "y is {}: which of these is positive must be said with pos_label, since guessing wrong learns the opposite"
ZERO = "some rows have the weight 0: weights are numbers above 0, and rows without weight are to be left out"
EXPECTED = {
    "check_estimators_dtypes": LABELS.format("1 and 2"),
    "check_classifier_data_not_an_array": LABELS.format("1 and 2"),
    "check_fit2d_1feature": LABELS.format("1 and 2"),
    "check_sample_weights_pandas_series": LABELS.format("1 and 2"),
    "check_sample_weights_not_an_array": LABELS.format("1 and 2"),
    "check_sample_weights_shape": LABELS.format("1 and 2"),
    "check_sample_weights_not_overwritten": LABELS.format("1 and 2"),
    "check_classifiers_classes": LABELS.format("words"),
    "check_sample_weight_equivalence_on_dense_data": ZERO,
    "check_sample_weight_equivalence_on_sparse_data": ZERO,
    "check_classifiers_one_label_sample_weights": ZERO,
}
NAMED = [name for name, why in EXPECTED.items() if why == LABELS.format("1 and 2")]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([PUClassifier()], expected_failed_checks=lambda _: EXPECTED)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMED)
def test_what_fails_for_its_labels_passes_once_they_are_named(name):
    getattr(estimator_checks, name)("PUClassifier", PUClassifier(pos_label=2))


@pytest.fixture(scope="module")
def model():
    return PUClassifier("weighted-lr", prior=0.4, n_jobs=1)


def test_clone_and_params(model):
    again = clone(model)
    assert again.get_params() == model.get_params() and again is not model
    assert again.set_params(prior=0.3).prior == 0.3 and model.prior == 0.4
    assert is_classifier(model)
    with pytest.raises(ValueError, match="Invalid parameter 'priors'"):
        model.set_params(priors=1)


def test_a_grid_is_searched_with_a_scorer_without_negatives(made, model):
    grid = {"option": [{"cost": 0.1}, {"cost": 1.0}]}
    search = GridSearchCV(
        PUClassifier("biased-svm", prior=0.4, n_jobs=1), grid, scoring=make_pu_scorer("lee_liu"), cv=PUKFold(3), n_jobs=2
    )
    search.fit(made.X, made.y)
    assert search.best_score_ > 1 and search.predict(made.X).shape == (1200,)
    assert make_pu_scorer("auc")(search, made.X, made.y) > 0.8


@pytest.mark.parametrize("metric", ["auc_pu", "auc", "recall", "precision", "f1", "accuracy", "risk", "lee_liu"])
def test_cross_validation(made, model, metric):
    scores = cross_val_score(model, made.X, made.y, scoring=make_pu_scorer(metric), cv=PUKFold(3))
    assert scores.shape == (3,) and np.isfinite(scores).all()
    assert (scores < 0).all() if metric == "risk" else (scores > 0).all()


def test_pipelines_and_calibration(made, model):
    chain = make_pipeline(StandardScaler(), model).fit(made.X, made.y)
    assert np.mean(chain.predict(made.X) == made.truth) > 0.8
    assert make_pu_scorer("precision")(chain, made.X, made.y) > 0.3
    outside = CalibratedClassifierCV(model, cv=3).fit(made.X, made.y)
    assert outside.predict_proba(made.X).shape == (1200, 2)
    assert cross_val_predict(model, made.X, made.y, cv=PUKFold(3), method="predict_proba").shape == (1200, 2)


def test_every_fold_holds_its_share_of_either_kind(made):
    y = made.y.astype(float)
    y[y == 0] = np.nan
    tested = np.zeros(1200, dtype=int)
    for train, test in PUKFold(5, random_state=1).split(made.X, y):
        assert len(np.intersect1d(train, test)) == 0 and len(train) + len(test) == 1200
        assert abs(made.y[test].sum() - made.y.sum() / 5) < 1 and abs(len(test) - 240) <= 1
        tested[test] += 1
    assert (tested == 1).all()
    for train, test in PUShuffleSplit(3, test_size=0.25).split(made.X, made.y):
        assert made.y[test].sum() == round(0.25 * made.y.sum())
        assert len(np.intersect1d(train, test)) == 0 and len(train) + len(test) == 1200
    with pytest.raises(ValueError, match="5 folds need as many positive rows, and there are 3"):
        next(PUKFold(5).split(None, [1] * 3 + [0] * 20))


def test_routing_asks_for_nothing_unless_told(made, model):
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert cross_val_score(model, made.X, made.y, cv=3).shape == (3,)
        asking = PUClassifier("weighted-lr", prior=0.4, n_jobs=1).set_fit_request(sample_weight=True)
        assert clone(asking).get_metadata_routing().fit.requests == {"sample_weight": True}
        weights = np.where(made.X[:, 0] > 1, 3.0, 1.0)
        asking.set_score_request(sample_weight=False)
        search = GridSearchCV(asking, {"prior": [0.4]}, cv=3).fit(made.X, made.y, sample_weight=weights)
        direct = PUClassifier("weighted-lr", prior=0.4, n_jobs=1).fit(made.X, made.y, weights)
        assert search.best_estimator_.to_bytes() == direct.to_bytes()


def test_known_negatives_take_part_in_searches(made, model):
    y = np.where(~made.truth & (made.X[:, 3] > 1), -1, made.y)
    for train, test in PUKFold(5, negative=-1).split(made.X, y):
        assert abs((y[test] == -1).sum() - (y == -1).sum() / 5) < 1 and len(train) + len(test) == 1200
    for _, test in PUShuffleSplit(2, test_size=0.25, negative=-1).split(made.X, y):
        assert (y[test] == -1).sum() == round(0.25 * (y == -1).sum())
    known = PUClassifier("weighted-lr", prior=0.4, negative=-1, n_jobs=1)
    scores = cross_val_score(known, made.X, y, scoring=make_pu_scorer("auc_pu"), cv=PUKFold(3, negative=-1))
    # Negatives are left out of the metric, so it is that of positives against unlabeled rows.
    train, test = next(PUKFold(3, negative=-1).split(made.X, y))
    rest = test[y[test] != -1]
    fitted = known.fit(made.X[train], y[train])
    assert scores[0] == pytest.approx(roc_auc_score(y[rest], fitted.decision_function(made.X[rest])), abs=1e-9)
