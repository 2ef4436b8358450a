"""What a fitted model says of the prior and of lists to review."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .metrics import Interval


@dataclass(frozen=True)
class EstimatedPrior:
    """The share of positives that a model was learned with, where it was estimated.

    Attributes
    ----------
    mu : float
        The share of positives among the unlabeled rows that probabilities rest on: a guess, unless it was audited.
    interval : tuple of float
        Between which shares it lies.
    confidence : float
        The level of the interval.
    one_sided : bool
        Whether only "at most" can be said: the interval then begins at 0.
    bound : float or None
        The most that the data alone allow, whatever the classes are like. None for audits.
    audited : int or None
        How many answers of an audit it comes from, where it does.
    agreement : bool
        Whether the estimators behind it agree.
    """

    mu: float
    interval: tuple[float, float]
    confidence: float
    one_sided: bool
    bound: float | None
    audited: int | None
    agreement: bool

    @classmethod
    def _of(cls, about: dict[str, Any]) -> EstimatedPrior:
        low, high = about["interval"]
        return cls(
            about["mu"], (low, high), about["confidence"], about["one_sided"], about.get("bound"), about.get("audited"),
            about["agreement"],
        )


@dataclass(frozen=True)
class RecallCut:
    """How many rows of a list to review so that a share of the positives is found.

    Attributes
    ----------
    recall, confidence : float
        What is promised, over the population that the reserved positives come from.
    score : float
        Review the rows whose score, as :meth:`onesided.PUClassifier.rank` gives it, is at least this.
    rows : int
        How many rows of the list that are.
    reserved : int
        How many reserved positives the promise rests on.
    precision : Interval or None
        The share of these rows that is positive. None without a prior, and where there are no such rows.
    rows_for_this_list : int or None
        How many rows to review for the same promise about the positives in this very list, whatever their number. None
        where that takes more reserved positives.
    about : dict
        All of it, as ``onesided predict --json`` has it.
    """

    recall: float
    confidence: float
    score: float
    rows: int
    reserved: int
    precision: Interval | None
    rows_for_this_list: int | None
    about: dict[str, Any] = field(repr=False)

    @classmethod
    def _of(cls, about: dict[str, Any]) -> RecallCut:
        promise = about["population"]
        precision = (promise.get("holds") or {}).get("precision")
        return cls(
            about["recall"], about["confidence"], float(np.float32(promise["cut"])), promise["rows"], promise["positives"],
            None if precision is None else Interval(precision["value"], precision["low"], precision["high"]),
            about["this_file"].get("made", {}).get("rows"), about,
        )
