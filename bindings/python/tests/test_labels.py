"""Which rows are positive, from whatever y says."""

from __future__ import annotations

import numpy as np
import pytest
from onesided import PUClassifier
from onesided._labels import read_labels

NAN = float("nan")


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([1, 0, 0], [0, 1]),
        ([1, -1, -1], [-1, 1]),
        ([True, False, False], [False, True]),
        ([1.0, 0.0, 0.0], [0.0, 1.0]),
        ([1, NAN, NAN], [0, 1]),
        ([1, None, None], [0, 1]),
        (np.array([1, 0, 0], dtype=np.uint8), [0, 1]),
        (["yes", None, None], ["not yes", "yes"]),
        (["yes", "no", "no"], ["no", "yes"]),
        (["Ja", "nein", "Nein"], ["Nein", "Ja"]),
        (["1", "0", "0"], ["0", "1"]),
        (["1", "NaN", "null"], ["not 1", "1"]),
    ],
)
def test_the_pairs_that_are_known(y, classes):
    found = read_labels(y)
    assert found.positive.tolist() == [True, False, False]
    assert sorted(found.classes.tolist()) == sorted(classes) and found.classes[found.pos_index] == classes[1]


def test_spellings_of_one_word_are_one_label():
    assert read_labels(["Yes", "yes", "no", "N"]).positive.tolist() == [True, True, False, False]
    # Words that are named mean what they are named for.
    assert read_labels(["none", "some", "some"], "none").positive.tolist() == [True, False, False]


def test_a_part_without_a_known_negative_is_learned_from_with_a_warning():
    with pytest.warns(UserWarning, match="^negative: no row of y has -1, so no such negatives are learned from"):
        found = read_labels([1, 0, 0], None, -1)
    assert found.kinds.tolist() == [1, 0, 0] and found.classes.tolist() == [-1, 1] and found.negative is None


def test_a_named_value():
    found = read_labels(["spam", "ham", "ham"], "spam")
    assert found.positive.tolist() == [True, False, False] and found.classes.tolist() == ["ham", "spam"]
    found = read_labels(["a", "b", "b"], "a")
    assert found.classes.tolist() == ["a", "b"] and found.pos_index == 0
    assert read_labels([2, 1, 1], 2).positive.tolist() == [True, False, False]


def test_columns_of_other_programs():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    for y in (
        pd.Series([1, 0, 0]), pd.Series([1, pd.NA, pd.NA], dtype="Int64"), pd.Series([True, False, False], dtype="boolean"),
        pl.Series([1, 0, 0]), pl.Series([1, None, None]), pa.array([1, 0, 0]), pa.chunked_array([[1, 0], [0]]),
    ):
        assert read_labels(y).positive.tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("y", "pos_label", "said"),
    [
        ([1, 0, -1], None, "only one of 0 and -1 can mean unlabeled.*negative="),
        ([1, 2, 3], None, "Only binary classification is supported"),
        ([1, 2, 2], None, "pos_label=2 or pos_label=1"),
        (["spam", "ham", "ham"], None, "pos_label='spam' or pos_label='ham'"),
        (["yes", "no", None], None, "only one of them can mean unlabeled"),
        ([0.5, 1.5, 2.5], None, "Unknown label type: continuous"),
        ([1, 1, 1], None, "all 3 rows are of one class"),
        ([0, 0, 0], None, "of one class"),
        ([1, 0, NAN], None, "only one of them can mean unlabeled"),
        ([0, NAN, NAN], None, "no positive row"),
        ([NAN, NAN, NAN], None, "empty in every row"),
        ([1, "a", 0], None, "different types"),
        (["spam", "ham", "eggs"], "spam", "holds 3 values"),
        (["spam", "ham"], "eggs", "pos_label: no row of y has 'eggs'"),
        ([], None, r"0 sample\(s\)"),
        (None, None, "requires y to be passed"),
        ([[1, 0], [0, 1]], None, "1d array"),
        ([1, float("inf"), 0], None, "infinity"),
        ((one for one in [1, 0]), None, "^y: is of type generator, which is not a column of labels; give a list"),
        ({1, 0}, None, "^y: is of type set, which is not a column of labels"),
        ({0: 1, 1: 0}, None, "^y: is of type dict, which is not a column of labels"),
        (1, None, "^y: is of type int, which is not a column of labels"),
    ],
)
def test_everything_else_is_refused_with_what_was_seen(y, pos_label, said):
    with pytest.raises(ValueError, match=said):
        read_labels(y, pos_label)


@pytest.mark.parametrize(
    ("y", "pos_label", "negative", "classes"),
    [
        ([1, 0, -1, 0], None, -1, [-1, 1]),
        ([1, -1, 0, -1], None, 0, [0, 1]),
        ([1, NAN, 0, NAN], None, 0, [0, 1]),
        ([1, None, -1, None], None, np.int64(-1), [-1, 1]),
        (["spam", "?", "ham", "?"], "spam", "ham", ["ham", "spam"]),
        (["yes", None, "no", None], None, "no", ["no", "yes"]),
    ],
)
def test_known_negatives_are_named(y, pos_label, negative, classes):
    found = read_labels(y, pos_label, negative)
    assert found.kinds.tolist() == [1, 0, -1, 0]
    assert found.classes.tolist() == classes and found.classes[found.pos_index] == y[0]


def test_several_values_may_mean_negative():
    found = read_labels(["a", "b", "c", "d", "b"], "a", ["c", "d"])
    assert found.kinds.tolist() == [1, 0, -1, -1, 0] and found.classes.tolist() == ["a", "c"] and found.pos_index == 0


@pytest.mark.parametrize(
    ("y", "pos_label", "negative", "said"),
    [
        ([1, 0, -1], None, 1, "^negative: 1 means positive"),
        ([1, 0, -1], None, [], "^negative: is empty"),
        ([1, 0, NAN], None, NAN, "^negative: a missing value cannot mean"),
        ([1, 1, -1], None, -1, "positives and unlabeled rows are both needed"),
        ([-1, -1, -1], None, -1, "all 3 rows are known negatives"),
        ([1, 0, -1, 2], None, -1, "holds 3 values"),
    ],
)
def test_negatives_that_are_none_are_refused(y, pos_label, negative, said):
    with pytest.raises(ValueError, match=said):
        read_labels(y, pos_label, negative)


def test_a_positive_that_sorts_first_swaps_the_columns(made):
    words = np.where(made.y == 1, "a", "b")
    one = PUClassifier("weighted-lr", prior=0.4, pos_label="a").fit(made.X, words)
    other = PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y)
    assert (one.predict_proba(made.X)[:, 0] == other.predict_proba(made.X)[:, 1]).all()
    assert (one.decision_function(made.X) == -other.decision_function(made.X)).all()
    assert ((one.predict(made.X) == "a") == (other.predict(made.X) == 1)).all()
    assert (one.rank(made.X, 5).row == other.rank(made.X, 5).row).all()
