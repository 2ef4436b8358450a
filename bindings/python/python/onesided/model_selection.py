"""Splitters that know what is positive and what unlabeled.

Each part gets its share of each kind, whatever the values of y are (NaN included, which scikit-learn's own stratified
splitters refuse), and a part without a positive is refused with a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._estimator import seed_of
from ._index import aligned
from ._labels import read_labels

__all__ = ["PUKFold", "PUShuffleSplit"]

_Split = Iterator[tuple[np.ndarray, np.ndarray]]


class PUKFold:
    """Folds that hold their share of positives, of unlabeled rows and of known negatives.

    Parameters
    ----------
    n_splits : int, default=5
    random_state : int, optional
        The seed of the shuffle; None is 0.
    pos_label : object, optional
        The value of y that means positive.
    negative : object, optional
        The value or values of y that mean a known negative.
    """

    def __init__(
        self, n_splits: int = 5, *, random_state: Any = None, pos_label: Any = None, negative: Any = None
    ) -> None:
        if n_splits < 2:
            raise ValueError(f"n_splits: must be at least 2, but is {n_splits}")
        self.n_splits, self.random_state = n_splits, random_state
        self.pos_label, self.negative = pos_label, negative

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many folds there are."""
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None) -> _Split:
        """Row numbers to train on and to test on, fold by fold."""
        kinds = read_labels(aligned(X, y), self.pos_label, self.negative).kinds
        rng = np.random.default_rng(seed_of(self.random_state))
        fold = np.empty(len(kinds), dtype=np.int64)
        for what, kind in (("positive", 1), ("unlabeled", 0), ("negative", -1)):
            rows = np.flatnonzero(kinds == kind)
            # Of known negatives there may be few, or none.
            if len(rows) < self.n_splits and kind >= 0:
                raise ValueError(f"n_splits: {self.n_splits} folds need as many {what} rows, and there are {len(rows)}")
            fold[rng.permutation(rows)] = np.arange(len(rows)) % self.n_splits
        for one in range(self.n_splits):
            yield np.flatnonzero(fold != one), np.flatnonzero(fold == one)

    def __repr__(self) -> str:
        return f"PUKFold(n_splits={self.n_splits}, random_state={self.random_state!r})"


class PUShuffleSplit:
    """Random parts to test on that hold their share of positives, of unlabeled rows and of known negatives.

    Parameters
    ----------
    n_splits : int, default=10
    test_size : float, default=0.2
        The share of either kind that is tested on.
    random_state : int, optional
        The seed; None is 0.
    pos_label : object, optional
        The value of y that means positive.
    negative : object, optional
        The value or values of y that mean a known negative.
    """

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float = 0.2,
        random_state: Any = None,
        pos_label: Any = None,
        negative: Any = None,
    ) -> None:
        if not 0 < test_size < 1:
            raise ValueError(f"test_size: must be strictly between 0 and 1, but is {test_size}")
        self.n_splits, self.test_size = n_splits, test_size
        self.random_state, self.pos_label, self.negative = random_state, pos_label, negative

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many splits there are."""
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None) -> _Split:
        """Row numbers to train on and to test on, split by split."""
        found = read_labels(aligned(X, y), self.pos_label, self.negative).kinds
        rng = np.random.default_rng(seed_of(self.random_state))
        kinds = [np.flatnonzero(found == kind) for kind in (1, 0, -1)]
        for what, rows in zip(("positive", "unlabeled"), kinds, strict=False):
            if len(rows) < 2:
                raise ValueError(f"y: at least 2 {what} rows are needed to split, and there are {len(rows)}")
        for _ in range(self.n_splits):
            test = np.zeros(len(found), dtype=bool)
            for rows in kinds:
                count = min(max(round(self.test_size * len(rows)), 1), max(len(rows) - 1, 0))
                test[rng.permutation(rows)[:count]] = True
            yield np.flatnonzero(~test), np.flatnonzero(test)
