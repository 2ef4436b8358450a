"""What a fitted model says of the prior, of lists to review, of single scores and of its columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ._onesided import RANDOM_LABELS
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
    assumed : str or None
        Why it could not be estimated, where it is assumed: fewer than 1,000 rows that do not tell it.
    agreement : bool
        Whether the estimators behind it agree.
    assumes : str or None
        What it rests on: labels that are a random sample of the positives. None for audits, which assume nothing.
    """

    mu: float
    interval: tuple[float, float]
    confidence: float
    one_sided: bool
    bound: float | None
    audited: int | None
    assumed: str | None
    agreement: bool
    assumes: str | None

    @classmethod
    def _of(cls, about: dict[str, Any]) -> EstimatedPrior:
        low, high = about["interval"]
        return cls(
            about["mu"], (low, high), about["confidence"], about["one_sided"], about.get("bound"), about.get("audited"),
            about.get("assumed"), about["agreement"], RANDOM_LABELS if about.get("audited") is None else None,
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
    assumes : str
        What the promise rests on: labels that are a random sample of the positives, or that favor some of them by no more than
        ``labeling_odds``.
    holds_up_to : float
        The promise over the population holds while no positive is more than this many times as likely, in odds, to be labeled as another.
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
    assumes: str
    holds_up_to: float
    about: dict[str, Any] = field(repr=False)

    @classmethod
    def _of(cls, about: dict[str, Any]) -> RecallCut:
        promise = about["population"]
        precision = (promise.get("holds") or {}).get("precision")
        return cls(
            about["recall"], about["confidence"], float(np.float32(promise["cut"])), promise["rows"], promise["positives"],
            None if precision is None else Interval(precision["value"], precision["low"], precision["high"]),
            about["this_file"].get("made", {}).get("rows"), about["assumes"], promise["holds_up_to_labeling_odds"], about,
        )


@dataclass(frozen=True)
class CertifiedNegatives:
    """Rows that are not positive, and what that rests on. Printed, it is one sentence.

    Attributes
    ----------
    rows : array of int
        Their numbers from 0, the surest first.
    scores : array of float
        Their scores.
    p_values : array of float or None
        The chance that a positive scores as low. None of several splits.
    e_values : array of float or None
        Of several splits, the mean e-value of each row.
    index : array or None
        Of a data frame of pandas the labels of the rows: ``frame.loc[found.index]``.
    fdr : float
        The share of positives that such a list has at most on average.
    looked_at, certified : int
        How many rows (or groups) were looked at, and how many of them are not positive.
    reserved : int
        How many reserved positives it rests on.
    needed : int or None
        Where nothing is certified: about how many it takes.
    assumes : str
        What it rests on, as a condition.
    holds_up_to : float or None
        The same list holds while no positive is more than this many times as likely, in odds, to be labeled as another.
    about : dict
        All of it, as ``onesided negatives --json`` has it.
    """

    rows: np.ndarray
    scores: np.ndarray
    p_values: np.ndarray | None
    e_values: np.ndarray | None
    index: np.ndarray | None
    fdr: float
    looked_at: int
    certified: int
    reserved: int
    needed: int | None
    assumes: str
    holds_up_to: float | None
    about: dict[str, Any] = field(repr=False)

    @classmethod
    def _of(cls, columns: list[np.ndarray], about: dict[str, Any], index: Any) -> CertifiedNegatives:
        rows, scores, evidence = columns
        is_one = about["splits"] == 1
        return cls(
            rows, scores.astype(np.float64), evidence if is_one else None, None if is_one else evidence,
            None if index is None else np.asarray(index.to_numpy())[rows], about["fdr"], about["looked_at"], about["certified"],
            about["reserved"], about.get("needed"), about["assumes"], about.get("holds_up_to_labeling_odds"), about,
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return str(self.about["sentence"])


class Explanation(list[tuple[str, float]]):
    """What carried a score: a list of (feature, part), the largest parts first, in log-odds of being positive.

    Attributes
    ----------
    base : float or None
        The score of a row that says nothing, the same for all rows except for rounding. None where the theory of a method bends the
        score after its parts were added up (``"elkan-noto"`` in one sample).
    rest : float
        What the features that are not listed add up to.
    score : float
        The score of the row, as :meth:`onesided.PUClassifier.rank` gives it: ``base``, the parts and ``rest`` together.
    """

    base: float | None
    rest: float
    score: float

    @classmethod
    def _of(cls, parts: list[tuple[str, float]], rest: float, score: float, adds_up: bool) -> Explanation:
        one = cls(parts)
        one.rest, one.score = rest, score
        one.base = score - rest - sum(part for _, part in parts) if adds_up else None
        return one


class Explanations(list[Explanation]):
    """What carried the scores of some rows: a list of :class:`Explanation`, one per row in the order of X."""

    def __init__(self, explained: Iterable[Explanation] = (), index: Any = None) -> None:
        super().__init__(explained)
        self._index = index

    def to_frame(self) -> Any:
        """A data frame of pandas with a line per row and feature: ``feature``, ``part`` and ``score``, the largest parts of a row first. The
        index has the labels of X, or numbers from 0."""
        import pandas

        labels = range(len(self)) if self._index is None else self._index
        lines = [(label, feature, part, one.score) for label, one in zip(labels, self) for feature, part in one]
        index = pandas.Index([line[0] for line in lines], name=getattr(self._index, "name", None))
        columns = {name: [line[at] for line in lines] for at, name in enumerate(("feature", "part", "score"), start=1)}
        return pandas.DataFrame(columns, index=index)

    def __repr__(self) -> str:
        labels = range(len(self)) if self._index is None else self._index
        lines = [
            f"{label}: {', '.join(f'{feature} {part:+.2f}' for feature, part in one)} (score {one.score:.2f})"
            for label, one in zip(labels, self[:SHOWN])
        ]
        return "\n".join([*lines, *_more(len(self), "rows")])


# Lines that a short form shows.
SHOWN = 10


def _more(number: int, what: str) -> list[str]:
    return [f"… and {number - SHOWN} more {what}"] if number > SHOWN else []


class ColumnImportance(NamedTuple):
    """A column, the AUC that is lost without it, and between which that lies (95 %)."""

    column: str
    lost: float
    low: float
    high: float


@dataclass(frozen=True, repr=False)
class Importance:
    """How much a model counts on the columns of its table.

    Attributes
    ----------
    columns : list of ColumnImportance
        The most important first: ``column``, ``lost`` (of the AUC), and ``low`` and ``high``, its 95 % interval.
    auc : float
        The AUC with every column in place.
    against : {"unlabeled", "negatives"}
        What positives were compared with.
    positives, others : int
        How many rows of either side it was measured on, 20,000 together at most.
    not_measured : int
        How many columns lost less in a first pass on a few rows and were left at that.
    """

    columns: list[ColumnImportance]
    auc: float
    against: str
    positives: int
    others: int
    not_measured: int

    @classmethod
    def _of(cls, about: dict[str, Any]) -> Importance:
        columns = [
            ColumnImportance(one["column"], one["lost"]["value"], one["lost"]["low"], one["lost"]["high"])
            for one in about["columns"]
        ]
        positives, others = about["rows"]
        return cls(columns, about["auc"], about["against"], positives, others, about["not_measured"])

    def to_frame(self) -> Any:
        """A data frame of pandas: ``lost``, ``low`` and ``high``, with columns' names as its index, the most important first."""
        import pandas

        index = pandas.Index([one.column for one in self.columns], name="column")
        return pandas.DataFrame({name: [getattr(one, name) for one in self.columns] for name in ("lost", "low", "high")}, index=index)

    def __repr__(self) -> str:
        some = self.columns[:SHOWN]
        width = max((len(one.column) for one in some), default=0)
        lines = [f"{one.column:<{width}}  {one.lost:.4f}  [{one.low:.4f}, {one.high:.4f}]" for one in some]
        rows = f"{self.positives} positives and {self.others} {'negatives' if self.against == 'negatives' else 'unlabeled rows'}"
        return "\n".join([f"AUC {self.auc:.4f} on {rows}; lost without", *lines, *_more(len(self.columns), "columns")])

@dataclass(frozen=True)
class Watched:
    """What was found about new rows. Printed, it is a verdict and a table.

    Attributes
    ----------
    action : str
        ``keep``, ``too-few``, ``look``, ``refit`` or ``check-data``.
    alarm : bool
        Whether somebody should know: the action is neither ``keep`` nor ``too-few``.
    verdict : str
        What to do and why, in one sentence.
    rows : int
        How many rows there were.
    moved : list of str
        What moved: ``share``, ``scores``, ``decisions``, ``labeled-scores``, ``labeled-share``, ``columns``.
    columns : list of str
        The columns that moved or hold something else than in training.
    share : Interval or None
        The share of positives in the rows with an interval of 95 %. None where it is not told.
    share_before : float or None
        The share that the model was fitted with.
    notes : list of str
        What is not told, and why.
    about : dict
        All of it, as ``onesided watch --json`` has it.
    """

    action: str
    alarm: bool
    verdict: str
    rows: int
    moved: list[str]
    columns: list[str]
    share: Interval | None
    share_before: float | None
    notes: list[str]
    about: dict[str, Any] = field(repr=False)
    _table: list[list[str]] = field(repr=False)

    @classmethod
    def _of(cls, about: dict[str, Any]) -> Watched:
        table, notes = about.pop("table"), about.pop("notes")
        columns = [column["column"] for column in about["columns"] if column["moved"] or "shift" in column]
        share = about["share"] or {}
        now = share.get("now")
        return cls(
            about["action"], about["alarm"], about["verdict"], about["rows"], about["moved"], columns,
            None if now is None else Interval(now["value"], now["low"], now["high"]), share.get("before"), notes, about, table,
        )

    def __str__(self) -> str:
        widths = [max(len(row[at]) for row in self._table) for at in range(4)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in self._table]
        return "\n".join([self.verdict, "", *lines])
