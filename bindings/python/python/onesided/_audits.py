"""Audits: rows drawn for a person to label, as a table to fill in, and what the answers say."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ._onesided import audit_columns
from .metrics import Interval


class AuditedCut(NamedTuple):
    """The first rows of a ranked list, and how good they are: precision and recall, each with its interval."""

    rows: int
    precision: Interval
    recall: Interval


class FirstPart(NamedTuple):
    """The longest first part of a list with a precision: its rows, answers, those of them that are no or missing, and a p-value."""

    rows: int
    answered: int
    negative: int
    p_value: float


class MoreAnswers(NamedTuple):
    """What a longer first part may take: so many more answers among its rows, and about how many rows to draw for them."""

    rows: int
    answers: int
    draw: int


@dataclass(frozen=True)
class AuditReport:
    """What the answers of an audit say, whatever the model is worth.

    Attributes
    ----------
    share : Interval
        The share of positives among the rows that were drawn from.
    positives : Interval
        How many of them that are.
    rows : int
        How many rows were drawn from.
    answered, found : int
        How many answers there are, and how many of them say positive.
    unanswered, unsure, missing : int
        Drawn rows without an answer; those of them that are unsure; those that have no line in what was given.
    cuts : list of AuditedCut
        Precision and recall of the first rows of the ranked list; that with ``predicted`` rows is the model's own decision.
    predicted : int
        How many rows the model predicts to be positive.
    first_part : FirstPart or None
        Where a precision was asked for: the longest first part of the list that has it.
    more_answers : MoreAnswers or None
        Where a precision was asked for: what a longer one may take.
    about : dict
        All of it, as ``onesided audit read --json`` has it.
    """

    share: Interval
    positives: Interval
    rows: int
    answered: int
    found: int
    unanswered: int
    unsure: int
    missing: int
    cuts: list[AuditedCut]
    predicted: int
    first_part: FirstPart | None
    more_answers: MoreAnswers | None
    about: dict[str, Any] = field(repr=False)

    @classmethod
    def _of(cls, about: dict[str, Any]) -> AuditReport:
        first = about.get("first_part", {})
        def interval(of: dict[str, float]) -> Interval:
            return Interval(of["value"], of["low"], of["high"])

        cuts = [AuditedCut(cut["rows"], interval(cut["precision"]), interval(cut["recall"])) for cut in about["cuts"]]
        return cls(
            interval(about["share"]), interval(about["positives"]), about["rows"], about["answered"], about["found"],
            about["unanswered"], about["unsure"], about["missing"], cuts, about["predicted"],
            FirstPart(**first["longest"]) if first.get("longest") else None,
            MoreAnswers(**first["next"]) if first.get("next") else None, about,
        )


def table_of(X: Any, columns: list[tuple[str, list[str]]], drawn: list[int], keep: Any) -> Any:
    """The table to fill in: of pandas with X's own index where X is, of polars where X is, of pandas where that is there, or a dict.

    Files count rows from 1 and Python from 0, so the files' column ``row`` is left out: the index says which row a line is about, and
    ``position``, from 0, where there is no index.
    """
    cells: dict[str, Any] = {name: of for name, of in columns if name != "row"}
    if "score" in cells:
        cells["score"] = [float(score) for score in cells["score"]]
    draw = cells.pop("draw")
    kind = type(X).__module__.split(".")[0]
    for name in kept_of(X, keep):
        cells[f"{name}_of_table" if name in (*cells, "draw", "score") else str(name)] = cells_of(X, name, drawn)
    cells["draw"] = draw
    if kind == "polars":
        import polars

        return polars.DataFrame({"position": drawn, **cells})
    try:
        import pandas
    except ImportError:
        return {"position": drawn, **cells}
    return pandas.DataFrame(cells, index=X.index[drawn] if kind == "pandas" else drawn)


def cells_of(X: Any, name: Any, rows: Any) -> list[Any]:
    """Some cells of a column of a data frame."""
    is_pandas = type(X).__module__.split(".")[0] == "pandas"
    return list(X[name].iloc[rows].tolist() if is_pandas else X[name][rows].to_list())


def kept_of(X: Any, keep: Any) -> list[Any]:
    """The columns of X to copy."""
    is_frame = type(X).__module__.split(".")[0] in ("pandas", "polars")
    names = list(X.columns) if is_frame else []
    if keep is None:
        return []
    if isinstance(keep, str) and keep == "all" and "all" not in names:
        keep = names
    wanted: list[Any] = [keep] if isinstance(keep, str) else list(keep)
    for name in wanted:
        if name not in names:
            raise ValueError(f"keep: X has no column {name!r}; name columns of a data frame, or give 'all'")
    return wanted


def answers_of(given: Any, argument: str) -> list[Any]:
    """Answers as Rust takes them: paths, and tables as the texts of their columns."""
    if given is None:
        return []
    if isinstance(given, (str, os.PathLike)) or _is_table(given):
        given = [given]
    try:
        return [_columns_of(one) if _is_table(one) else os.fspath(one) for one in given]
    except TypeError:
        raise ValueError(
            f"{argument}: must be a table of answers, a path or a list of these, but is {given!r}"
        ) from None


def _is_table(given: Any) -> bool:
    return isinstance(given, dict) or (hasattr(given, "columns") and not isinstance(given, (str, bytes)))


def _columns_of(table: Any) -> list[tuple[str, list[str]]]:
    names = list(table) if isinstance(table, dict) else list(getattr(table, "column_names", table.columns))
    return [(name, [_text(cell) for cell in _cells(table[name])]) for name in audit_columns() if name in names]


def _cells(column: Any) -> list[Any]:
    for to_list in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, to_list):
            return list(getattr(column, to_list)())
    return list(column)


def _text(cell: Any) -> str:
    """A cell as a file would have it; nothing where it is missing."""
    pandas = sys.modules.get("pandas")
    missing = cell is None or (isinstance(cell, (float, np.floating)) and np.isnan(cell))
    if missing or (pandas is not None and (cell is pandas.NA or cell is pandas.NaT)):
        return ""
    return str(cell)
