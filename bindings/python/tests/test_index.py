"""y, weights, the truth and scores belong to rows by the labels of pandas, where both sides have them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from onesided import DataWarning, FitWarning, PUClassifier, estimate_prior
from onesided.metrics import make_pu_scorer, pu_metrics, pu_score
from onesided.model_selection import PUKFold, PUShuffleSplit

pd = pytest.importorskip("pandas")

SHUFFLED = np.random.default_rng(0).permutation(400)
# What each of these makes of a column that belongs to the rows.
OTHER_ORDER = "in another order, and it is taken by label"


class Table:
    """A frame with labels of its own, y, the truth and weights of it."""

    def __init__(self, made, index) -> None:
        self.frame = pd.DataFrame(made.X[:400], columns=list("abcd"), index=index)
        self.y = pd.Series(made.y[:400], index=index)
        self.truth = pd.Series(made.truth[:400].astype(int), index=index)
        self.weights = pd.Series(np.where(made.X[:400, 3] > 0, 3.0, 1.0), index=index)


INDEXES = {
    "numbers": np.arange(400) + 7,
    "words": [f"row {at}" for at in range(400)],
    "days": pd.date_range("2024-01-01", periods=400),
    "two levels": pd.MultiIndex.from_arrays([np.arange(400) // 2, np.arange(400) % 2]),
}


@pytest.fixture(scope="module", params=INDEXES.values(), ids=INDEXES.keys())
def table(made, request):
    return Table(made, request.param)


@pytest.fixture(scope="module")
def rows(made):
    return Table(made, INDEXES["numbers"])


def model(**params):
    return PUClassifier("weighted-lr", prior=0.4, n_jobs=1, **params)


@pytest.fixture(scope="module")
def fitted(rows):
    return model().fit(rows.frame, rows.y)


def test_the_same_labels_in_the_same_order_are_taken_as_they_are(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category=FitWarning)
        found = model().fit(table.frame, table.y, sample_weight=table.weights)
    arrays = model().fit(table.frame, table.y.to_numpy(), sample_weight=table.weights.to_numpy())
    assert found.to_bytes() == arrays.to_bytes()


def test_labels_in_another_order_are_matched(table):
    expected = model().fit(table.frame, table.y).to_bytes()
    for y in (table.y.iloc[SHUFFLED], table.y.iloc[SHUFFLED].to_frame()):
        with pytest.warns(DataWarning, match=f"^y: .*{OTHER_ORDER}; y.to_numpy\\(\\) takes them by position") as seen:
            assert model().fit(table.frame, y).to_bytes() == expected
        assert {one.filename for one in seen} == {__file__}


def test_weights_in_another_order_are_matched(rows):
    expected = model().fit(rows.frame, rows.y, sample_weight=rows.weights).to_bytes()
    shuffled = rows.weights.iloc[SHUFFLED]
    for X, y in ((rows.frame, rows.y), (rows.frame, rows.y.to_numpy()), (rows.frame.to_numpy(), rows.y)):
        with pytest.warns(DataWarning, match=f"^sample_weight: .*{OTHER_ORDER}"):
            found = model().fit(X, y, sample_weight=shuffled)
        if X is rows.frame:
            assert found.to_bytes() == expected


OTHERS = {
    "a part": (lambda y: y.set_axis(np.arange(400) + 57), "its index lacks 7, a label of X's index"),
    "none": (lambda y: y.set_axis(np.arange(400) + 1000), "its index lacks 7, a label of X's index"),
    "a fresh column": (lambda y: y.reset_index(drop=True), "its index lacks 400, a label of X's index"),
    "words": (lambda y: y.set_axis([str(one) for one in y.index]), "its index lacks 7, a label of X's index"),
    "two levels": (lambda y: y.set_axis(INDEXES["two levels"]), "its index lacks 7, a label of X's index"),
}


def test_a_label_of_two_levels_is_named(made):
    table = Table(made, INDEXES["two levels"])
    with pytest.raises(ValueError, match=r"^y: its index lacks \(0, 0\), a label of X's index"):
        model().fit(table.frame, table.y.reset_index(drop=True))


@pytest.mark.parametrize(("change", "said"), OTHERS.values(), ids=OTHERS.keys())
def test_other_labels_are_refused(rows, change, said):
    with pytest.raises(ValueError, match=f"^y: {said}, so which value belongs to which row is open; y.to_numpy\\(\\)"):
        model().fit(rows.frame, change(rows.y))
    with pytest.raises(ValueError, match=f"^sample_weight: {said}.*sample_weight.to_numpy\\(\\) takes them by position"):
        model().fit(rows.frame, rows.y, sample_weight=change(rows.weights))
    assert model().fit(rows.frame, change(rows.y).to_numpy()).to_bytes() == model().fit(rows.frame, rows.y).to_bytes()


def test_labels_that_occur_twice(made):
    twice = Table(made, np.arange(400) // 2)
    expected = model().fit(twice.frame, twice.y.to_numpy()).to_bytes()
    assert model().fit(twice.frame, twice.y).to_bytes() == expected
    with pytest.raises(ValueError, match="^y: its index and X's differ and have 0 more than once"):
        model().fit(twice.frame, twice.y.iloc[SHUFFLED])


def test_one_index_alone_is_no_reason(rows):
    expected = model().fit(rows.frame.to_numpy(), rows.y.to_numpy()).to_bytes()
    pl = pytest.importorskip("polars")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category=FitWarning)
        assert model().fit(rows.frame.to_numpy(), rows.y).to_bytes() == expected
        for y in (rows.y.tolist(), pl.Series(rows.y.tolist())):
            assert model().fit(rows.frame, y).to_bytes() == model().fit(rows.frame, rows.y).to_bytes()


def test_texts_have_an_index_too(rows):
    texts = pd.Series(["the team won the game", "the bank raised its rates"] * 200, index=rows.y.index)
    with pytest.raises(ValueError, match="^y: its index lacks 400"):
        model().fit(texts, rows.y.reset_index(drop=True))


def test_y_of_several_columns_is_refused(rows):
    with pytest.raises(ValueError, match="1d array"):
        model().fit(rows.frame, pd.DataFrame({"a": rows.y, "b": rows.y}))


def calls(fitted, rows):
    """Everything else that takes rows with a column that belongs to them."""
    scores = pd.Series(fitted.decision_function(rows.frame), index=rows.frame.index)
    mu = {"prior_in_unlabeled": 0.2}
    return {
        "score": lambda take: fitted.score(rows.frame, take(rows.truth)),
        "weights of score": lambda take: fitted.score(rows.frame, rows.truth, sample_weight=take(rows.weights)),
        "importance": lambda take: fitted.importance(rows.frame, take(rows.y), repeats=1).columns,
        "importance by the truth": lambda take: fitted.importance(rows.frame, truth=take(rows.truth), repeats=1).columns,
        "estimate_prior": lambda take: estimate_prior(rows.frame, take(rows.y), n_jobs=1).prior,
        "pu_metrics": lambda take: pu_metrics(rows.y, take(scores), resamples=10, **mu),
        "pu_score": lambda take: pu_score("auc", rows.y, take(scores), **mu),
        "a scorer": lambda take: make_pu_scorer("auc", **mu)(fitted, rows.frame, take(rows.y)),
        "PUKFold": lambda take: [test.tolist() for _, test in PUKFold(3).split(rows.frame, take(rows.y))],
        "PUShuffleSplit": lambda take: [test.tolist() for _, test in PUShuffleSplit(3).split(rows.frame, take(rows.y))],
    }


@pytest.mark.parametrize("name", [
    "score", "weights of score", "importance", "importance by the truth", "estimate_prior", "pu_metrics", "pu_score", "a scorer",
    "PUKFold", "PUShuffleSplit",
])
@pytest.mark.filterwarnings("ignore::onesided.OnesidedWarning")
def test_the_rule_is_the_same_everywhere(fitted, rows, name):
    call = calls(fitted, rows)[name]
    expected = call(lambda column: column)
    assert call(lambda column: column.to_numpy()) == expected
    with pytest.warns(DataWarning, match=OTHER_ORDER):
        assert call(lambda column: column.iloc[SHUFFLED]) == expected
    with pytest.raises(ValueError, match=r"^\w+: its index lacks 7, .*to_numpy\(\) takes them by position"):
        call(lambda column: column.set_axis(column.index + 50))


def test_masked_labels_are_unlabeled(rows):
    positives = np.flatnonzero(rows.y)
    mask = np.isin(np.arange(400), positives[::3])
    expected = model().fit(rows.frame, np.where(mask, 0, rows.y)).to_bytes()
    assert model().fit(rows.frame, np.ma.masked_array(rows.y, mask)).to_bytes() == expected
    # Where every unlabeled row is masked, and next to known negatives.
    assert model().fit(rows.frame, np.ma.masked_array(np.ones(400), mask | (rows.y == 0))).to_bytes() == expected
    known = np.where(rows.frame["a"] < -1, -1, rows.y)
    among = model(negative=-1).fit(rows.frame, np.ma.masked_array(known, mask))
    assert among.to_bytes() == model(negative=-1).fit(rows.frame, np.where(mask, 0, known)).to_bytes()
    words = np.ma.masked_array(np.where(rows.y, "spam", "ham"), mask)
    assert model(pos_label="spam").fit(rows.frame, words).about_["counts"]["positive"] == len(positives) - mask.sum()


def test_metrics_take_masked_labels_as_unlabeled(fitted, rows):
    scores, mask = fitted.decision_function(rows.frame), np.arange(400) % 7 == 0
    known = np.where(rows.frame["a"] < -1, -1, rows.y)
    for y, keywords in ((rows.y, {}), (known, {"negative": -1})):
        plain = pu_metrics(np.where(mask, 0, y), scores, resamples=10, **keywords)
        assert pu_metrics(np.ma.masked_array(y, mask), scores, resamples=10, **keywords) == plain


def test_what_needs_a_value_in_every_row_refuses_masks(fitted, rows):
    mask = np.arange(400) == 5
    truth, weights = np.ma.masked_array(rows.truth, mask), np.ma.masked_array(rows.weights, mask)
    with pytest.raises(ValueError, match="^sample_weight: row 5 is masked, and every row needs a weight"):
        model().fit(rows.frame, rows.y, sample_weight=weights)
    with pytest.raises(ValueError, match="^sample_weight: row 5 is masked"):
        fitted.score(rows.frame, rows.truth, sample_weight=weights)
    with pytest.raises(ValueError, match="^y: row 5 is masked, and every row needs its true label"):
        fitted.score(rows.frame, truth)
    with pytest.raises(ValueError, match="^truth: row 5 is masked"):
        fitted.importance(rows.frame, truth=truth)
    with pytest.raises(ValueError, match="^scores: row 5 is masked"):
        pu_metrics(rows.y, np.ma.masked_array(np.zeros(400), mask))
