"""Splitters that know what is positive and what unlabeled.

Each part gets its share of both, whatever the values of y are (NaN included, which scikit-learn's own stratified
splitters refuse), and a part without a positive is refused with a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._estimator import seed_of
from ._labels import read_labels

__all__ = ["PUKFold", "PUShuffleSplit"]

_Split = Iterator[tuple[np.ndarray, np.ndarray]]


class PUKFold:
    """Folds that hold their share of positives and of unlabeled rows.

    Parameters
    ----------
    n_splits : int, default=5
    random_state : int, optional
        The seed of the shuffle; None is 0.
    pos_label : object, optional
        The value of y that means positive.
    """

    def __init__(self, n_splits: int = 5, *, random_state: Any = None, pos_label: Any = None) -> None:
        if n_splits < 2:
            raise ValueError(f"n_splits: must be at least 2, but is {n_splits}")
        self.n_splits, self.random_state, self.pos_label = n_splits, random_state, pos_label

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many folds there are."""
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None) -> _Split:
        """Row numbers to train on and to test on, fold by fold."""
        positive = read_labels(y, self.pos_label).positive
        rng = np.random.default_rng(seed_of(self.random_state))
        fold = np.empty(len(positive), dtype=np.int64)
        for what, kind in (("positive", positive), ("unlabeled", ~positive)):
            rows = np.flatnonzero(kind)
            if len(rows) < self.n_splits:
                raise ValueError(f"n_splits: {self.n_splits} folds need as many {what} rows, and there are {len(rows)}")
            fold[rng.permutation(rows)] = np.arange(len(rows)) % self.n_splits
        for one in range(self.n_splits):
            yield np.flatnonzero(fold != one), np.flatnonzero(fold == one)

    def __repr__(self) -> str:
        return f"PUKFold(n_splits={self.n_splits}, random_state={self.random_state!r})"


class PUShuffleSplit:
    """Random parts to test on that hold their share of positives and of unlabeled rows.

    Parameters
    ----------
    n_splits : int, default=10
    test_size : float, default=0.2
        The share of either kind that is tested on.
    random_state : int, optional
        The seed; None is 0.
    pos_label : object, optional
        The value of y that means positive.
    """

    def __init__(
        self, n_splits: int = 10, *, test_size: float = 0.2, random_state: Any = None, pos_label: Any = None
    ) -> None:
        if not 0 < test_size < 1:
            raise ValueError(f"test_size: must be strictly between 0 and 1, but is {test_size}")
        self.n_splits, self.test_size = n_splits, test_size
        self.random_state, self.pos_label = random_state, pos_label

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many splits there are."""
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None) -> _Split:
        """Row numbers to train on and to test on, split by split."""
        positive = read_labels(y, self.pos_label).positive
        rng = np.random.default_rng(seed_of(self.random_state))
        kinds = [np.flatnonzero(positive), np.flatnonzero(~positive)]
        for what, rows in zip(("positive", "unlabeled"), kinds, strict=True):
            if len(rows) < 2:
                raise ValueError(f"y: at least 2 {what} rows are needed to split, and there are {len(rows)}")
        for _ in range(self.n_splits):
            test = np.zeros(len(positive), dtype=bool)
            for rows in kinds:
                count = min(max(round(self.test_size * len(rows)), 1), len(rows) - 1)
                test[rng.permutation(rows)[:count]] = True
            yield np.flatnonzero(~test), np.flatnonzero(test)
