"""Rows that belong together."""

import numpy as np
import pytest

from onesided import PUClassifier


def table(groups=60, rows=8):
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(groups), rows)
    truth = (np.arange(groups) * 7919 % 997 < 498)[group]
    x = rng.normal(size=(len(group), 3)) + truth[:, None]
    y = (truth & (rng.uniform(size=len(group)) < 0.5)).astype(int)
    return x, y, np.array([f"g{number}" for number in group], dtype=object)


def model():
    return PUClassifier(effort="quick", n_jobs=1, prior=0.5, random_state=0)


def test_groups_are_the_same_by_any_name_and_change_the_folds():
    x, y, groups = table()
    by_name = model().fit(x, y, groups=groups).predict_proba(x)[:, 1]
    numbers = np.unique(groups, return_inverse=True)[1]
    assert np.array_equal(by_name, model().fit(x, y, groups=numbers).predict_proba(x)[:, 1])
    assert not np.array_equal(by_name, model().fit(x, y).predict_proba(x)[:, 1])


def test_groups_that_are_none():
    x, y, groups = table()
    with pytest.raises(ValueError, match="groups: has the shape"):
        model().fit(x, y, groups=groups[:-1])
    with pytest.raises(ValueError, match="at least 5 must have some"):
        model().fit(x, y, groups=np.arange(len(y)) % 3)
