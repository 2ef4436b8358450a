"""PUClassifier on arrays: what it learns, what it returns, and that it comes back from a file and a pickle."""

from __future__ import annotations

import inspect
import pickle
import pickletools

import numpy as np
import onesided
import pytest
from onesided import PUClassifier, _onesided


@pytest.fixture(scope="module")
def fitted(made):
    return PUClassifier(effort="quick", n_jobs=2).fit(made.X, made.y)


def test_it_finds_the_hidden_positives(made, fitted):
    # Bayes's rule on these clouds: the distance between the means is sqrt(3) * 1.5 = 2.6 standard deviations, and with a
    # prior of 0.4 it is right on about 90 % of the rows.
    assert np.mean(fitted.predict(made.X) == made.truth) > 0.85
    assert abs(fitted.prior_ - made.truth.mean()) < 0.1
    assert fitted.classes_.tolist() == [0, 1] and fitted.pos_label_ == 1


def test_scores_probabilities_and_decisions_belong_together(made, fitted):
    scores, both = fitted.decision_function(made.X), fitted.predict_proba(made.X)
    assert both.shape == (1200, 2) and both.dtype == np.float64
    np.testing.assert_allclose(both.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(both[:, 1], 1 / (1 + np.exp(-scores)), atol=1e-6)
    assert (fitted.predict(made.X) == (both[:, 1] >= fitted.about_["threshold"])).all()


def test_rank_is_sorted_and_its_intervals_hold_the_probability(made, fitted):
    best = fitted.rank(made.X, 20, in_sample=True)
    scores = fitted.decision_function(made.X)
    assert best.row.tolist() == np.argsort(-scores, kind="stable")[:20].tolist()
    assert (best.low <= best.probability).all() and (best.probability <= best.high).all()
    # Both ends of the prior's interval have their own calibration: from the score back to what the model said, and on.
    about = fitted.about_
    raw = (best.score - about["shift"] - about["calibration"]["offset"]) / about["calibration"]["slope"]
    ends = [end["calibration"]["slope"] * raw + end["calibration"]["offset"] + end["shift"] for end in about["at_prior_ends"]]
    ends = 1 / (1 + np.exp(-np.array(ends)))
    np.testing.assert_allclose(best.low, np.minimum(ends.min(axis=0), best.probability), rtol=1e-4)
    np.testing.assert_allclose(best.high, np.maximum(ends.max(axis=0), best.probability), rtol=1e-4)
    given = PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y).rank(made.X, 3)
    assert (given.low == given.probability).all() and (given.high == given.probability).all()
    with pytest.raises(ValueError, match="^k: must be a whole number of 1 or above, but is 0"):
        fitted.rank(made.X, 0)


def test_rank_of_the_fitted_rows_is_out_of_fold_and_without_labeled_rows(made, tmp_path):
    fitted = PUClassifier("weighted-lr", prior=0.4, cross_fit=True).fit(made.X, made.y)
    best = fitted.rank(made.X)
    unlabeled = np.flatnonzero(made.y == 0)
    assert sorted(best.row.tolist()) == unlabeled.tolist()
    own = fitted.rank(made.X, in_sample=True)
    assert len(own) == len(made.X) and (own.score[np.argsort(own.row)] == fitted.decision_function(made.X)).all()
    # Models of four fifths of the rows score these differently, if not by much.
    differences = best.score[np.argsort(best.row)] - fitted.decision_function(made.X)[unlabeled]
    assert 0 < np.abs(differences).mean() < 0.5
    # The file next to the model brings them back; rows that it has not met are scored by it.
    fitted.save(tmp_path / "model")
    loaded = PUClassifier.load(tmp_path / "model")
    assert (loaded.rank(made.X) == best).all()
    new = made.X + 1e-3
    assert (fitted.rank(new).score == np.sort(fitted.decision_function(new))[::-1]).all()


def test_rank_gives_unlabeled_rows_the_probability_of_unlabeled_rows(made):
    share = made.truth.mean()
    fitted = PUClassifier("weighted-lr", prior=share, cross_fit=True).fit(made.X, made.y)
    best = fitted.rank(made.X)
    # p (1 - c) / (1 - c p) with c the labeled share of the positives: 1 - c is taken off the odds.
    p, c = 1 / (1 + np.exp(-best.score)), made.y.sum() / made.truth.sum()
    np.testing.assert_allclose(best.probability, p * (1 - c) / (1 - c * p), rtol=1e-3)
    hidden = made.truth[made.y == 0].sum()
    assert abs(best.probability.sum() / hidden - 1) < 0.1 < p.sum() / hidden - 1
    # Rows that are new, or in sample, are rows of the population.
    for rows in (fitted.rank(made.X + 1e-3, 50), fitted.rank(made.X, 50, in_sample=True)):
        np.testing.assert_allclose(rows.probability, 1 / (1 + np.exp(-rows.score)), rtol=1e-5)


def test_explain_adds_up(made):
    model = PUClassifier(model="linear", epochs=5, prior=0.4).fit(made.X, made.y)
    parts = model.explain(made.X[:3], most=4)
    assert [len(row) for row in parts] == [4, 4, 4]
    scores = model.decision_function(made.X[:3])
    sums = np.array([sum(value for _, value in row) for row in parts])
    # The rest is the same for every row.
    np.testing.assert_allclose(sums - sums[0], scores - scores[0], atol=1e-4)
    trees = PUClassifier(model="trees", prior=0.4).fit(made.X, made.y)
    sums = np.array([sum(value for _, value in row) for row in trees.explain(made.X[:3], most=100)])
    scores = trees.decision_function(made.X[:3])
    np.testing.assert_allclose(sums - sums[0], scores - scores[0], atol=1e-4)


def test_a_score_only_goes_down_with_a_column_that_is_held_to_it(made):
    # Against the data: larger values of the first column speak for a positive.
    model = PUClassifier(model="trees", monotone={"x0": "down"}, prior=0.4).fit(made.X, made.y)
    grid = np.repeat(made.X[:1], 50, axis=0)
    grid[:, 0] = np.linspace(-4, 4, 50)
    assert (np.diff(model.decision_function(grid)) <= 0).all()
    assert dict(model.about_["options"])["monotone"] == "x0:down"


def test_a_file_and_a_pickle_give_the_same_scores(made, fitted, tmp_path):
    scores = fitted.decision_function(made.X)
    path = tmp_path / "m.model"
    fitted.save(path)
    assert path.read_bytes() == fitted.to_bytes()
    for again in (onesided.load(path), PUClassifier.from_bytes(path.read_bytes()), pickle.loads(pickle.dumps(fitted))):
        assert (again.decision_function(made.X) == scores).all()
        assert again.to_bytes() == fitted.to_bytes()
    with pytest.raises(FileNotFoundError):
        onesided.load(tmp_path / "none.model")
    (tmp_path / "bad.model").write_bytes(path.read_bytes()[:100])
    with pytest.raises(ValueError, match="bad.model"):
        onesided.load(tmp_path / "bad.model")


def test_a_pickle_holds_no_code(fitted):
    names = [arg for op, arg, _ in pickletools.genops(pickle.dumps(fitted)) if op.name in ("GLOBAL", "STACK_GLOBAL")]
    strings = {arg for op, arg, _ in pickletools.genops(pickle.dumps(fitted)) if op.name == "SHORT_BINUNICODE"}
    assert names is not None and "onesided._classifier" in strings
    assert not strings & {"builtins", "os", "subprocess", "eval", "exec"}


def test_the_same_seed_gives_the_same_bytes(made):
    one = [PUClassifier(effort="quick", n_jobs=1, random_state=3).fit(made.X, made.y).to_bytes() for _ in range(2)]
    other = PUClassifier(effort="quick", n_jobs=1, random_state=4).fit(made.X, made.y).to_bytes()
    assert one[0] == one[1] and one[0] != other


def test_two_parts_are_one_sample_each(made):
    positive, unlabeled = made.X[made.y == 1], made.X[made.y == 0]
    model = PUClassifier(effort="quick", n_jobs=1).fit_parts(positive, unlabeled)
    assert model.about_["scenario"] == "case-control"
    assert model.about_["counts"] == {"positive": len(positive), "unlabeled": len(unlabeled)}
    given = PUClassifier(effort="quick", n_jobs=1, scenario="case-control")
    ordered = given.fit(np.concatenate([positive, unlabeled]), [1] * len(positive) + [0] * len(unlabeled))
    assert ordered.to_bytes() == model.to_bytes()


def test_an_estimated_prior_is_a_guess_and_said_to_be_once(made):
    with pytest.warns(UserWarning) as seen:
        model = PUClassifier("weighted-lr", n_jobs=1).fit(made.X, made.y)
    assert len([one for one in seen if "the prior is a guess" in str(one.message)]) == 1
    assert str(seen[0].message).startswith("the prior is a guess")
    found = model.prior_estimate_
    assert found.mu == model.about_["prior_in_unlabeled"] and found.audited is None
    low, high = found.interval
    assert low <= found.mu <= high <= found.bound <= 1 and (low == 0) == found.one_sided and found.confidence == 0.95
    assert PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y).prior_estimate_ is None


def test_known_negatives_in_a_part_of_their_own(made):
    y = np.where(~made.truth & (made.X[:, 3] > 1), -1, made.y)
    parts = [made.X[y == kind] for kind in (1, 0, -1)]
    settings = {"prior": 0.4, "n_jobs": 1, "effort": "quick"}
    model = PUClassifier(**settings).fit_parts(*parts)
    assert model.about_["counts"] == dict(zip(("positive", "unlabeled", "negative"), map(len, parts), strict=True))
    one = PUClassifier(**settings, negative=-1, scenario="case-control")
    one.fit(np.concatenate(parts), np.repeat([1, 0, -1], [len(part) for part in parts]))
    assert one.to_bytes() == model.to_bytes() and one.classes_.tolist() == [-1, 1]
    assert f"{len(parts[2])} known negatives" in one._repr_html_()
    sparse = pytest.importorskip("scipy.sparse")
    rows = sparse.csr_matrix(np.concatenate(parts))
    labels = np.repeat([1, 0, -1], [len(part) for part in parts])
    apart = PUClassifier("weighted-lr", prior=0.4).fit_parts(*(sparse.csr_matrix(part) for part in parts))
    together = PUClassifier("weighted-lr", prior=0.4, negative=-1, scenario="case-control").fit(rows, labels)
    assert apart.to_bytes() == together.to_bytes()
    with pytest.raises(ValueError, match="^X_pos and X_neg: one has 4 columns, the other 3"):
        PUClassifier(**settings).fit_parts(*parts[:2], parts[2][:, :3])
    with pytest.raises(ValueError, match="the method ldce cannot use known negatives.*method='auto'"):
        PUClassifier("ldce", prior=0.4, negative=-1).fit(made.X, y)


@pytest.mark.parametrize(
    ("weight", "said"),
    [
        ([1.0, 2.0], "^sample_weight: has 2 values, but y has 1200"),
        (np.ones((1200, 2)), "^sample_weight: Sample weights must be 1D"),
        (np.where(np.arange(1200) == 7, 0.0, 1.0), "^sample_weight: .*above 0, but row 7 has 0"),
        (np.where(np.arange(1200) == 7, -1.0, 1.0), "^sample_weight: .*above 0, but row 7 has -1"),
        (np.where(np.arange(1200) == 7, np.nan, 1.0), "^sample_weight: .*above 0, but row 7 has nan"),
        (np.where(np.arange(1200) == 7, np.inf, 1.0), "^sample_weight: .*above 0, but row 7 has inf"),
        (np.where(np.arange(1200) == 7, 1e-300, 1.0), r"^sample_weight: .*above 0, but row 7 has 1e-300 \(32 bits hold"),
        (np.where(np.arange(1200) == 7, 1e-40, 1.0), "^sample_weight: .*above 0, but row 7 has 1e-40"),
        (np.zeros(1200), "^sample_weight: every weight is zero"),
        (["much"] * 1200, "^sample_weight: must hold numbers"),
        (np.ones(1200, dtype=complex), "^sample_weight: must hold numbers"),
    ],
)
def test_weights_that_are_none_are_refused(made, weight, said):
    with pytest.raises(ValueError, match=said):
        PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y, weight)


def test_a_recall_is_promised_from_the_reserve(made):
    binom = pytest.importorskip("scipy.stats").binom
    model = PUClassifier("weighted-lr", prior=0.4, reserve=80, n_jobs=1).fit(made.X, made.y)
    new = type(made)(600, seed=1).X
    found = model.recall_cut(new, recall=0.9, confidence=0.95)
    # The k-th lowest of m positives leaves out a tenth of all with probability P(Bin(m, 0.1) < k): the largest k that
    # keeps it at 5 %.
    k = max(k for k in range(1, 81) if binom.cdf(k - 1, 80, 0.1) <= 0.05)
    assert found.reserved == 80 and found.score == pytest.approx(sorted(model.about_["reserve"])[k - 1], rel=1e-6)
    assert found.rows == (model.rank(new).score >= found.score).sum() == (model.decision_function(new) >= found.score).sum()
    assert found.precision is not None and found.rows_for_this_list is None
    with pytest.raises(ValueError, match="80 held-out positives are too few.* at least 299"):
        model.recall_cut(new, recall=0.99)
    with pytest.raises(ValueError, match="^confidence: must lie strictly between 0 and 1, but is 1.5"):
        model.recall_cut(new, confidence=1.5)
    with pytest.raises(ValueError, match="no reserved positives.*with reserve=0.2"):
        PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y).recall_cut(new)


def test_a_recall_is_promised_for_labels_that_favor_some(made):
    stats = pytest.importorskip("scipy.stats")
    model = PUClassifier("weighted-lr", prior=0.4, reserve=80, n_jobs=1).fit(made.X, made.y)
    new = type(made)(600, seed=1).X
    plain = model.recall_cut(new, recall=0.8)
    assert plain == model.recall_cut(new, recall=0.8, labeling_odds=1)
    k = plain.about["population"]["rank"]
    low = stats.beta.ppf(0.05, 81 - k, k)
    assert plain.holds_up_to == pytest.approx(low * 0.2 / (0.8 * (1 - low)), rel=1e-9)
    # .8 at odds of up to 3 is 12/13 of the labeled ones.
    odds = model.recall_cut(new, recall=0.8, labeling_odds=3)
    k = max(k for k in range(1, 81) if stats.binom.cdf(k - 1, 80, 1 / 13) <= 0.05)
    assert odds.about["population"]["rank"] == k and odds.rows > plain.rows and odds.holds_up_to >= 3
    assert "more than 3 times as likely, in odds" in odds.assumes and odds.about["labeling_odds"] == 3
    assert odds.precision is None and odds.rows_for_this_list is None and "too_few" in odds.about["this_file"]
    share = odds.about["share_at_odds"]
    assert share["most_at_random"] <= share["most"] <= 3 * share["most_at_random"] and share["told"]["value"] < share["most"]
    assert "share_at_odds" not in plain.about
    for wrong in (0.5, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="^labeling_odds: the labeling odds must lie between 1 and 1,000,000, but are"):
            model.recall_cut(new, labeling_odds=wrong)
    with pytest.raises(ValueError, match="80 held-out positives are too few.* at labeling odds of 3: that takes at least 83"):
        model.recall_cut(new, recall=0.9, labeling_odds=3)


def test_every_setting_is_a_keyword():
    keywords = set(inspect.signature(PUClassifier).parameters)
    known = {"seed": "random_state", "threads": "n_jobs"}
    names = {known.get(name, name.replace("-", "_")) for name, _, _ in _onesided.settings()}
    assert names <= keywords, f"PUClassifier lacks {sorted(names - keywords)}: add it to __init__ and its docs"
    for name in keywords:
        assert name in PUClassifier.__doc__, f"{name} is not in the docs of PUClassifier"


@pytest.mark.parametrize(
    "params",
    [
        {"method": "nnpu", "epochs": 2, "batch": 128, "surrogate": "logistic", "prior": 0.4},
        {"method": "weighted-lr"},
        {"method": "biased-svm", "option": {"cost": 1.0}},
        {"method": "weighted-lr", "reserve": "10%"},
        {"model": "trees", "prior_in_unlabeled": 0.25, "threshold": "quantile"},
        {"method": "naive", "model": "forest", "prior": 0.4},
        {"method": "elkan-noto-weighted", "model": "trees"},
        {"method": "collective", "model": "trees", "monotone": {"x0": "up"}, "prior": 0.4},
        {"method": "collective", "reduction": "sum-of-means", "learning_rate": 0.001, "epochs": 2, "prior": 0.4},
    ],
)
def test_settings_reach_the_model(made, params):
    model = PUClassifier(**params).fit(made.X, made.y)
    assert model.about_["method"] == params.get("method", "collective")
    assert model.predict(made.X).shape == (1200,)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("rows", [10, 20, 40, 80])
def test_small_fits_degrade_with_a_warning(rows):
    rng = np.random.default_rng(rows)
    y = np.arange(rows) % 2
    X = rng.normal(size=(rows, 2)) + 2 * y[:, None]
    model = PUClassifier().fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.7


def test_a_prior_that_small_data_do_not_tell_is_warned_of():
    y = np.arange(12) % 2
    X = np.random.default_rng(0).normal(size=(12, 2)) + 2 * y[:, None]
    with pytest.warns(UserWarning, match="cannot be estimated from so few rows.*Give prior="):
        model = PUClassifier().fit(X, y)
    # One over the number of unlabeled rows and two: most of them count as negative.
    assert model.about_["prior_in_unlabeled"] == pytest.approx(1 / 8)


def test_notebooks_get_a_card(made, fitted):
    assert "not fitted" in PUClassifier()._repr_html_()
    card = fitted._repr_html_()
    assert "<table>" in card and "how good" in card and "AUC" in card and "learned from" in card
    assert repr(PUClassifier("nnpu", epochs=3)) == "PUClassifier(epochs=3, method='nnpu')"
