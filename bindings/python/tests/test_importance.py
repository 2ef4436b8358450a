"""What a model counts on, what carried a score, and rank's index."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from onesided import InSampleWarning, PUClassifier
from sklearn.metrics import roc_auc_score


@pytest.fixture(scope="module")
def linear(made):
    return PUClassifier("weighted-lr", prior=0.4).fit(made.X[:800], made.y[:800])


def test_importance_is_the_auc_lost(made, linear):
    X, y, truth = made.X[800:], made.y[800:], made.truth[800:]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, by_truth = linear.importance(X, y, repeats=3), linear.importance(X, truth=truth, repeats=3)
    assert (found.positives, found.others, found.against) == (y.sum(), (y == 0).sum(), "unlabeled")
    assert (by_truth.positives, by_truth.against, by_truth.not_measured) == (truth.sum(), "negatives", 0)
    scores = linear.decision_function(X)
    assert found.auc == pytest.approx(roc_auc_score(y, scores), abs=1e-6)
    assert by_truth.auc == pytest.approx(roc_auc_score(truth, scores), abs=1e-6)
    lost = {one.column: one for one in by_truth.columns}
    # Three columns tell the classes apart, the last one says nothing.
    assert [one.column for one in by_truth.columns][-1] == "x3" and lost["x3"].low <= 0 <= lost["x3"].high
    assert all(lost[name].low > 0.01 for name in ("x0", "x1", "x2"))
    # By hand: shuffle the column, score again.
    rng, by_hand = np.random.default_rng(1), []
    for _ in range(20):
        shuffled = X.copy()
        shuffled[:, 0] = rng.permutation(shuffled[:, 0])
        by_hand.append(by_truth.auc - roc_auc_score(truth, linear.decision_function(shuffled)))
    assert lost["x0"].lost == pytest.approx(np.mean(by_hand), abs=0.02)
    assert linear.importance(X, y, repeats=3) == found != linear.importance(X, y, repeats=3, random_state=1)


def test_importance_says_what_is_wrong(made, linear):
    with pytest.warns(InSampleWarning, match="the model was fitted on these rows"):
        linear.importance(made.X[:800], made.y[:800])
    with pytest.raises(ValueError, match="^y: give labels as y, or true labels as truth="):
        linear.importance(made.X)
    with pytest.raises(ValueError, match="^repeats: must be a whole number of 1 or above, but is 0"):
        linear.importance(made.X, made.y, repeats=0)


def test_importance_of_texts_is_that_of_their_terms():
    texts = ["the team won the game", "the bank raised its rates"] * 100
    model = PUClassifier("weighted-lr", prior=0.5).fit(texts, [1, 0, 0, 0] * 50)
    with pytest.warns(InSampleWarning):
        found = model.importance(texts, [1, 0, 0, 0] * 50)
    assert {one.column for one in found.columns} == {"the", "team", "won", "game", "bank", "raised", "its", "rates"}
    assert (found.positives, found.others) == (50, 150)


@pytest.mark.parametrize("params", [{"method": "weighted-lr"}, {"method": "nnpu", "model": "trees"}, {"effort": "quick"}])
def test_base_and_parts_are_the_score(made, params):
    model = PUClassifier(prior=0.4, **params).fit(made.X, made.y)
    rows = made.X[:6]
    scores = model.decision_function(rows)
    full, short = model.explain(rows, most=99), model.explain(rows, most=1)
    for one, less, score in zip(full, short, scores, strict=True):
        assert one.score == pytest.approx(score, abs=1e-5) and abs(one.rest) < 1e-12
        assert one.base + sum(part for _, part in one) == pytest.approx(score, abs=1e-4)
        assert less.base + less[0][1] + less.rest == pytest.approx(score, abs=1e-4) and less[0] == one[0]
    assert np.ptp([one.base for one in full]) < 1e-3


def test_a_bent_score_has_no_base(made):
    model = PUClassifier("elkan-noto").fit(made.X, made.y)
    assert all(one.base is None and len(one) == 4 for one in model.explain(made.X[:3]))


def test_rank_keeps_the_index_of_a_frame(made):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(made.X, index=[f"row {at}" for at in range(len(made.X))])
    model = PUClassifier("weighted-lr", prior=0.4).fit(frame, made.y)
    best = model.rank(frame, 5, in_sample=True)
    assert best.index.tolist() == [f"row {row}" for row in best.row]
    assert (frame.loc[best.index].to_numpy() == made.X[best.row]).all()
    assert "index" not in PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y).rank(made.X, 5).dtype.names


def test_log_probabilities(made, linear):
    np.testing.assert_allclose(linear.predict_log_proba(made.X), np.log(linear.predict_proba(made.X)))
