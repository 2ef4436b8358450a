"""Labels, weights and scores of the rows of X, by the labels of pandas where both sides have them.

| the index of X and that of y | |
|---|---|
| the same labels in the same order | taken as they are |
| the same labels in another order, each once | taken by label, with a warning |
| anything else | refused: which value belongs to which row would be a guess |
| one side has none (numpy, lists, polars, Arrow) | taken by position |
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._warnings import DataWarning, warn


def index_of(rows: Any) -> Any:
    """The index of a frame or a column of pandas; None of everything else."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(rows, (pandas.DataFrame, pandas.Series)):
        return None
    return rows.index


def frame_like(X: Any, fields: dict[str, Any], rows: Any) -> Any:
    """Columns as a frame of the kind that X is, with the labels of some of its rows where it has any; None where X is no frame."""
    index = index_of(X)
    if index is not None:
        import pandas

        return pandas.DataFrame(fields, index=index[rows])
    if type(X).__module__.split(".")[0] == "polars":
        import polars

        return polars.DataFrame({name: list(cells) if cells.dtype == object else cells for name, cells in fields.items()})
    return None


def aligned(X: Any, y: Any, argument: str = "y", of: str = "X") -> Any:
    """y in the order of X's rows.

    Raises
    ------
    ValueError
        If both have an index and the labels are not the same; which differ in number is for the caller to say.
    """
    rows, own = index_of(X), index_of(y)
    if rows is None or own is None or len(rows) != len(own) or rows.equals(own):
        return y
    lacking = np.flatnonzero(~_in(rows, own))
    by_position = f"{argument}.to_numpy() takes them by position"
    if len(lacking):
        raise ValueError(
            f"{argument}: its index lacks {_shown(rows[lacking[0]])}, a label of {of}'s index, so which value belongs to which row "
            f"is open; {by_position}"
        )
    if not (rows.is_unique and own.is_unique):
        twice = next(index[index.duplicated()][0] for index in (rows, own) if not index.is_unique)
        raise ValueError(
            f"{argument}: its index and {of}'s differ and have {_shown(twice)} more than once, so which value belongs to which row "
            f"is open; {by_position}"
        )
    warn(f"{argument}: its index has the labels of {of}'s in another order, and it is taken by label; {by_position}", DataWarning)
    return y.iloc[own.get_indexer(rows)]


def _in(labels: Any, others: Any) -> np.ndarray:
    """Which labels are among the others; labels of several levels are never among those of one."""
    if labels.nlevels != others.nlevels:
        return np.zeros(len(labels), dtype=bool)
    return np.asarray(labels.isin(others))


def _shown(label: Any) -> str:
    if isinstance(label, tuple):
        return f"({', '.join(_shown(one) for one in label)})"
    return repr(label.item() if isinstance(label, np.generic) else label)
