"""From whatever X is to what Rust takes, without a copy where there is a way.

| X | becomes |
|---|---|
| numpy, any order, ints and floats, read-only too | a view |
| pandas | a view of its block if all columns are numbers of one type, else column by column |
| polars, pyarrow, anything with ``__arrow_c_stream__`` | Arrow's C stream |
| scipy.sparse | rows of the sparse matrix |
| a list of str | texts |
| a list of paths (``pathlib.Path``) | pictures |
| an array of bytes with 3 or 4 axes | pictures |
"""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Rows:
    """Rows as Rust takes them, and what Python checks of them."""

    given: tuple[Any, ...]
    kind: str
    count: int | None
    names: list[str] | None = None
    width: int | None = None


def rows_of(X: Any, *, argument: str = "X", image_shape: str | None = None, drop: Sequence[str] = ()) -> Rows:
    """What X is. Columns to drop are not looked at.

    Raises
    ------
    ValueError, TypeError
        If it is nothing that rows can be read from; the message starts with the argument's name.
    """
    if X is None:
        raise ValueError(f"{argument}: None is not data; give an array, a table, texts or pictures")
    if isinstance(X, (str, bytes, os.PathLike)):
        raise TypeError(
            f"{argument}: one string is not a table; give one text in a list, ['...'], and read a file first (pandas, polars or "
            "pyarrow), or use the command 'onesided fit'"
        )
    if _is(X, "scipy.sparse", "issparse"):
        return _sparse(X, argument)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return _frame(X, argument, image_shape, drop)
    if pandas is not None and isinstance(X, pandas.Series):
        _check_series(X.dtype.kind in "fiubmM", argument)
        X = X.to_list()
    if type(X).__module__.partition(".")[0] == "polars" and hasattr(X, "collect"):
        X = X.collect()
    if hasattr(X, "__arrow_c_stream__") and not isinstance(X, np.ndarray):
        if type(X).__name__ in ("Series", "ChunkedArray"):
            numeric = getattr(getattr(X, "dtype", None), "is_numeric", None)
            _check_series(numeric is not None and bool(numeric()), argument)
            X = X.to_list() if hasattr(X, "to_list") else X.to_pylist()
        else:
            if image_shape is not None:
                raise ValueError(
                    f"image_shape: columns of pixels are read from an array or a frame of pandas, and {argument} is neither; give "
                    f"{argument} as an array"
                )
            return _stream(X, argument)
    if isinstance(X, (list, tuple)):
        if len(X) == 0:
            raise ValueError(f"{argument}: Found array with 0 sample(s) (an empty {type(X).__name__}); rows are needed")
        if all(isinstance(cell, str) for cell in X):
            return _texts(list(X), argument)
        if all(isinstance(cell, os.PathLike) for cell in X):
            return Rows(("files", [os.fspath(cell) for cell in X]), "pictures", len(X))
        if all(isinstance(cell, (str, os.PathLike)) for cell in X):
            raise ValueError(
                f"{argument}: mixes texts and paths; give all pictures as paths, [pathlib.Path(one) for one in {argument}], or all "
                "texts as str"
            )
        if all(isinstance(cell, dict) for cell in X):
            raise TypeError(f"{argument}: a list of dicts is not a table; make it a data frame, pandas.DataFrame({argument})")
    return _array(X, argument, image_shape, drop)


# Files of pictures by the ends of their names.
_PICTURES = (".png", ".jpg", ".jpeg")


def _texts(texts: list[str], argument: str) -> Rows:
    """Texts, unless they are the names of picture files: a model of file names would be useless."""
    if all(text.lower().endswith(_PICTURES) for text in texts) and all(os.path.exists(text) for text in texts):
        raise ValueError(
            f"{argument}: holds the names of picture files as str, which would be learned from as texts; give paths, "
            f"[pathlib.Path(one) for one in {argument}]"
        )
    return Rows(("texts", texts), "texts", len(texts))


def _check_series(numeric: bool, argument: str) -> None:
    if numeric:
        raise ValueError(
            f"{argument}: Expected 2D array, got 1D array instead: one column without texts is not a table; Reshape your data, "
            f"{argument}.to_frame() if it is one column"
        )


def unmasked(array: np.ma.MaskedArray[Any, Any]) -> np.ndarray:
    """The cells as objects, None where they are masked: what is masked is missing."""
    cells = np.array(array.data, dtype=object)
    cells[np.ma.getmaskarray(array)] = None
    return cells


def _is(X: Any, module: str, question: str) -> bool:
    found = sys.modules.get(module)
    return found is not None and bool(getattr(found, question)(X))


def _array(X: Any, argument: str, image_shape: str | None, drop: Sequence[str]) -> Rows:
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan) if X.dtype.kind in "fiub" else unmasked(X)
    try:
        array = np.asarray(X)
        if isinstance(X, (list, tuple)) and array.dtype.kind in "US":
            # Numbers next to words stay numbers.
            array = np.asarray(X, dtype=object)
    except ValueError as error:
        raise ValueError(f"{argument}: its rows differ in length; give each as many values ({error})") from None
    if array.dtype.kind == "c":
        raise ValueError(f"{argument}: Complex data not supported")
    if array.ndim == 0 and array.dtype.kind == "O":
        raise TypeError(
            f"{argument}: a {type(X).__name__} is not a table; give an array, a data frame, a sparse matrix, a list of texts or a "
            "list of paths"
        )
    if array.ndim == 0:
        raise ValueError(f"{argument}: Expected 2D array, got scalar array instead. Reshape your data")
    if array.ndim == 1:
        if array.size and array.dtype.kind in "UTO" and all(isinstance(cell, str) for cell in array.tolist()):
            return _texts(array.tolist(), argument)
        if array.size and array.dtype.kind == "O" and any(isinstance(c, (list, tuple)) for c in array.tolist()):
            raise ValueError(f"{argument}: its rows differ in length; give each as many values")
        texts, missing = _count_texts(array)
        if texts > 0 and texts + missing == array.size:
            raise ValueError(
                f"{argument}: {missing} of {array.size} texts are missing; give '' instead of them, or leave their rows out"
            )
        raise ValueError(
            f"{argument}: Expected 2D array, got 1D array instead. Reshape your data: X.reshape(-1, 1) if it is one "
            "column, X.reshape(1, -1) if it is one row"
        )
    if array.ndim in (3, 4):
        return _pictures(array, argument)
    if array.ndim > 4:
        raise ValueError(f"{argument}: Found array with dim {array.ndim}, while 2 are a table and 3 or 4 pictures")
    _check_shape(array.shape, argument)
    if image_shape is not None:
        return _pictures(_shaped(array, image_shape, argument), argument)
    names = [f"x{at}" for at in range(array.shape[1])]
    if array.dtype.kind in "fiu":
        _check_matrix(array, names, argument, drop)
        return Rows(("matrix", _plain(array), names), "table", len(array), None, array.shape[1])
    if array.dtype.kind == "b":
        return Rows(("matrix", array.view(np.uint8), names), "table", len(array), None, array.shape[1])
    columns = [_unread(name) if name in drop else _cells(name, array[:, at], argument) for at, name in enumerate(names)]
    return Rows(("columns", columns, len(array)), "table", len(array), None, array.shape[1])


def _count_texts(array: np.ndarray) -> tuple[int, int]:
    """How many cells are texts, and how many are missing."""
    cells = array.tolist()
    missing = sum(cell is None or cell != cell for cell in cells)
    return sum(isinstance(cell, str) for cell in cells), missing


def _check_shape(shape: tuple[int, ...], argument: str) -> None:
    if shape[0] == 0:
        raise ValueError(
            f"{argument}: Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required."
        )
    if shape[1] == 0:
        raise ValueError(
            f"{argument}: Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )


def _plain(array: np.ndarray) -> np.ndarray:
    """The same numbers in a width and byte order that Rust reads; a view where they are so already."""
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float32 if array.dtype.itemsize == 2 else np.float64)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if not isinstance(array, np.ndarray) or type(array) is not np.ndarray:
        array = np.asarray(array).view(np.ndarray)
    return array if array.flags.aligned else array.copy()


def _shaped(array: np.ndarray, shape: str, argument: str) -> np.ndarray:
    try:
        channels, height, width = (int(side) for side in shape.lower().split("x"))
    except ValueError:
        raise ValueError(f"image_shape: must be like '3x32x32', but is {shape!r}") from None
    if array.shape[1] != channels * height * width:
        raise ValueError(
            f"image_shape: {shape} has {channels * height * width} values, but {argument} has {array.shape[1]} columns"
        )
    return array.reshape(len(array), height, width, channels)


def _pictures(array: np.ndarray, argument: str) -> Rows:
    if array.size == 0:
        raise ValueError(f"{argument}: Found array with 0 sample(s) (shape={array.shape}); pictures are needed")
    if array.ndim == 3:
        array = array[..., np.newaxis]
    if array.dtype != np.uint8:
        whole = array.dtype.kind in "iu" or (array.dtype.kind == "f" and bool(np.all(array == np.floor(array))))
        if not whole or array.min() < 0 or array.max() > 255:
            raise ValueError(
                f"{argument}: pictures are bytes from 0 to 255 (dtype uint8), but the values are {array.dtype}"
            )
        array = array.astype(np.uint8)
    if array.shape[3] not in (1, 3):
        raise ValueError(
            f"{argument}: pictures have 1 or 3 channels on the last axis, but its shape is {array.shape}"
        )
    return Rows(("pictures", array), "pictures", len(array))


def _sparse(X: Any, argument: str) -> Rows:
    if X.ndim != 2:
        raise ValueError(f"{argument}: Expected 2D array, got a sparse array with {X.ndim} axes. Reshape your data")
    _check_shape(X.shape, argument)
    if np.dtype(X.dtype).kind == "c":
        raise ValueError(f"{argument}: Complex data not supported")
    csr = _sound(X, argument).tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    names = [f"x{at}" for at in range(csr.shape[1])]
    values = np.asarray(csr.data, dtype=np.float32)
    if not np.isfinite(values).all():
        raise ValueError(f"{argument}: a sparse matrix may hold neither NaN nor infinity")
    parts = (csr.indptr.astype(np.int64), csr.indices.astype(np.uint32), values)
    return Rows(("sparse", *parts, names), "sparse", csr.shape[0], None, csr.shape[1])


def _sound(X: Any, argument: str) -> Any:
    """The matrix, unless its places lie outside of it: scipy reads past its memory then instead of saying so."""
    try:
        if hasattr(X, "check_format"):
            X.check_format(full_check=True)
            return X
        coo = X.tocoo()
        if any(len(at) and not 0 <= at.min() <= at.max() < size for at, size in zip((coo.row, coo.col), coo.shape, strict=True)):
            raise ValueError("a place lies outside of it")
        return coo
    except (ValueError, IndexError) as error:
        raise ValueError(
            f"{argument}: the sparse matrix is broken ({error}); build it again from its values, rows and columns"
        ) from None


def _stream(X: Any, argument: str) -> Rows:
    names = next((list(getattr(X, name)) for name in ("column_names", "columns") if _names(X, name)), None)
    if names is None and hasattr(X, "schema"):
        names = list(getattr(X.schema, "names", []) or [])
    count = len(X) if hasattr(X, "__len__") else None
    if count == 0:
        raise ValueError(f"{argument}: Found array with 0 sample(s) while a minimum of 1 is required.")
    if names is not None and len(names) == 0:
        raise ValueError(
            f"{argument}: Found array with 0 feature(s) (shape=({count}, 0)) while a minimum of 1 is required."
        )
    return Rows(("stream", X), "table", count, names, None if names is None else len(names))


def _names(X: Any, name: str) -> bool:
    found = getattr(X, name, None)
    return isinstance(found, (list, tuple)) and all(isinstance(one, str) for one in found)


def _frame(X: Any, argument: str, image_shape: str | None, drop: Sequence[str]) -> Rows:
    _check_shape(X.shape, argument)
    if image_shape is not None:
        other = next((name for name, dtype in X.dtypes.items() if getattr(dtype, "kind", "O") not in "fiu"), None)
        if other is not None:
            raise ValueError(f"image_shape: each column is a pixel, but column {other!r} of {argument} does not hold numbers")
        return _pictures(_shaped(X.to_numpy(), image_shape, argument), argument)
    # As scikit-learn has it: names that are not all texts do not count.
    named = all(isinstance(name, str) for name in X.columns)
    names = list(X.columns) if named else [f"x{at}" for at in range(X.shape[1])]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{argument}: two columns are called '{twice}'; rename one of them")
    kinds = {dtype for dtype in X.dtypes}
    all_names = names if named else None
    if len(kinds) == 1 and isinstance(only := next(iter(kinds)), np.dtype) and only.kind in "fiu":
        matrix = X.to_numpy()
        _check_matrix(matrix, names, argument, drop)
        return Rows(("matrix", _plain(matrix), names), "table", len(X), all_names, len(names))
    columns = [_unread(name) if name in drop else _series(name, X.iloc[:, at], argument) for at, name in enumerate(names)]
    return Rows(("columns", columns, len(X)), "table", len(X), all_names, len(names))


def _unread(name: str) -> tuple[str, str, Any, Any]:
    """A column that is not looked at."""
    return name, "other", None, None


def _check_matrix(matrix: np.ndarray, names: list[str], argument: str, drop: Sequence[str]) -> None:
    if matrix.dtype.kind in "iu" and matrix.dtype.itemsize == 8:
        for name, low, high in zip(names, matrix.min(axis=0).tolist(), matrix.max(axis=0).tolist(), strict=True):
            if name not in drop:
                _check_digits(name, low, high, argument)


def _check_digits(name: str, low: Any, high: Any, argument: str) -> None:
    """Refuses whole numbers that differ and are all the same once they are read as floats."""
    if low != high and float(low) == float(high):
        raise ValueError(
            f"{argument}: column '{name}' holds whole numbers that differ only beyond the 16 digits that a number is read with; "
            f"subtract the smallest, or leave it out with drop=['{name}']"
        )


def _series(name: str, series: Any, argument: str) -> tuple[str, str, Any, Any]:
    """A column of pandas as a name, a kind and its cells."""
    dtype = series.dtype
    kind = getattr(dtype, "kind", "O")
    if type(dtype).__name__ == "CategoricalDtype":
        kinds = series.cat.categories
        levels = ["" if level is None else str(level) for level in kinds]
        # Categories that are numbers stay numbers where numbers are asked for.
        numbers = kinds.to_numpy(np.float64, na_value=np.nan).tolist() if getattr(kinds.dtype, "kind", "O") in "fiu" else None
        return name, "codes", series.cat.codes.to_numpy().astype(np.int32), (levels, numbers)
    if type(dtype).__name__ == "PeriodDtype":
        # When it begins: a month is its first day.
        return _series(name, series.dt.to_timestamp(), argument)
    if type(dtype).__name__ == "IntervalDtype":
        return _unread(name)
    if type(dtype).__name__ == "DatetimeTZDtype":
        return _cells(name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy(), argument)
    if kind in "mM":
        return _cells(name, series.to_numpy(f"{'datetime' if kind == 'M' else 'timedelta'}64[us]"), argument)
    if kind == "b" and isinstance(dtype, np.dtype):
        return name, "flags", series.to_numpy(), None
    if kind == "b":
        missing = series.isna().to_numpy()
        return name, "flags", series.fillna(False).to_numpy(dtype=bool), missing
    if kind in "fiu":
        if kind in "iu" and len(series):
            _check_digits(name, series.min(), series.max(), argument)
        cells = series.to_numpy() if isinstance(dtype, np.dtype) else series.to_numpy(np.float64, na_value=np.nan)
        return name, "numbers", _plain(cells), None
    missing = series.isna().to_numpy()
    cells = series.to_numpy(dtype=object)
    if missing.any():
        cells = cells.copy()
        cells[missing] = None
    return _cells(name, cells, argument)


def _cells(name: str, cells: np.ndarray, argument: str) -> tuple[str, str, Any, Any]:
    """A column of Python objects as a name, a kind and its cells."""
    if cells.dtype.kind == "M":
        return name, "times", cells.astype("datetime64[us]").astype(np.int64), None
    if cells.dtype.kind == "m":
        seconds = cells.astype("timedelta64[us]") / np.timedelta64(1, "s")
        return name, "numbers", seconds.astype(np.float64), None
    if cells.dtype.kind in "fiu":
        return name, "numbers", _plain(cells), None
    if cells.dtype.kind in "US":
        cells = cells.astype(str)
    values = [None if is_missing(value) else value for value in cells.tolist()]
    present = [value for value in values if value is not None]
    types = {type(value) for value in present}
    if types <= {str, np.str_}:
        return name, "texts", values, None
    if types <= {bool, np.bool_}:
        missing = np.array([value is None for value in values])
        flags = np.array([bool(value) for value in values])
        return name, "flags", flags, missing if missing.any() else None
    if all(_is_number(kind) for kind in types):
        try:
            numbers = np.array([np.nan if value is None else float(value) for value in values])
        except OverflowError:
            raise ValueError(f"{argument}: column '{name}' holds a number beyond those that 64 bits hold; rescale it") from None
        if present and types <= {int}:
            _check_digits(name, min(present), max(present), argument)
        return name, "numbers", numbers, None
    if all(issubclass(kind, (np.ndarray, list, tuple)) for kind in types):
        return name, "vectors", _vectors(name, values, argument), None
    if all(issubclass(kind, datetime.date) for kind in types):
        plain = [None if value is None else _without_zone(value) for value in values]
        return _cells(name, np.array(plain, dtype="datetime64[us]"), argument)
    if all(issubclass(kind, datetime.timedelta) for kind in types):
        return _cells(name, np.array(values, dtype="timedelta64[us]"), argument)
    if all(issubclass(kind, datetime.time) for kind in types):
        return name, "texts", [None if value is None else value.replace(tzinfo=None).isoformat() for value in values], None
    seen = ", ".join(sorted(kind.__name__ for kind in types))
    if len(types) == 1:
        raise TypeError(
            f"{argument}: column '{name}' holds values of type {seen}; the argument must be a string or a number there"
        )
    raise ValueError(
        f"{argument}: column '{name}' mixes values of different types ({seen}); make them all numbers, or all texts with "
        ".astype(str)"
    )


def _without_zone(value: datetime.date) -> datetime.date:
    """A date as it is, a time with a zone as that of UTC."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return value


def is_missing(value: Any) -> bool:
    """None, NaN, NaT or NA: what is not equal to itself."""
    if value is None:
        return True
    if isinstance(value, (str, bytes, np.ndarray, list, tuple, dict)):
        return False
    equal = value == value
    # NA is equal to nothing, not even to itself; a frame or an array in a cell is compared cell by cell, and is there.
    return not equal if isinstance(equal, (bool, np.bool_)) else equal is value


def _is_number(kind: type) -> bool:
    import decimal
    import numbers

    return issubclass(kind, (numbers.Real, decimal.Decimal, np.number))


def _vectors(name: str, values: Sequence[Any], argument: str) -> np.ndarray:
    """Embeddings: one array per row, all of one length."""
    width = next(len(value) for value in values if value is not None)
    for row, value in enumerate(values):
        if value is not None and len(value) != width:
            raise ValueError(
                f"{argument}: column '{name}' holds vectors of different lengths: {width}, and {len(value)} in row {row}"
            )
    if any(value is None for value in values):
        raise ValueError(f"{argument}: column '{name}' lacks a vector in a row; fill it or leave the row out")
    matrix = np.array([np.asarray(value, dtype=np.float32) for value in values], dtype=np.float32)
    if not np.isfinite(matrix).all():
        raise ValueError(f"{argument}: column '{name}' holds a vector with NaN or infinity")
    return matrix


def parts_of(parts: dict[str, Rows]) -> tuple[list[tuple[Any, ...]], list[int]]:
    """Rows of several arguments as Rust takes them, one above the other, and how many each has."""
    counts = []
    for argument, rows in parts.items():
        if rows.count is None:
            raise ValueError(f"{argument}: a stream does not say how many rows it has; read it into a table first")
        counts.append(rows.count)
    (name, first), *others = parts.items()
    for argument, other in others:
        both = f"{name} and {argument}"
        if first.kind != other.kind:
            raise ValueError(f"{both}: one is {first.kind}, the other {other.kind}; give both in the same form")
        if first.names is not None and other.names is not None and set(first.names) != set(other.names):
            lacking = sorted(set(first.names) ^ set(other.names))
            raise ValueError(f"{both}: {', '.join(lacking[:8])} is in one of them only; give both all columns")
        if first.width != other.width:
            raise ValueError(f"{both}: one has {first.width} columns, the other {other.width}")
        if first.kind == "pictures":
            _check_pictures(first, other, both)
    return _joined([rows.given for rows in parts.values()], first.kind), counts


def _check_pictures(first: Rows, other: Rows, both: str) -> None:
    if first.given[0] != other.given[0]:
        raise ValueError(f"{both}: one is an array of pictures, the other a list of files; give both in the same form")
    if first.given[0] == "pictures" and first.given[1].shape[1:] != other.given[1].shape[1:]:
        raise ValueError(f"{both}: their pictures differ in size")


def _joined(given: list[tuple[Any, ...]], kind: str) -> list[tuple[Any, ...]]:
    """Tables as several, the rest as one."""
    if kind == "table":
        return given
    word = given[0][0]
    if kind == "texts" or word == "files":
        return [(word, [one for part in given for one in part[1]])]
    if kind == "pictures":
        return [("pictures", np.concatenate([part[1] for part in given]))]
    starts = given[0][1]
    for part in given[1:]:
        starts = np.concatenate([starts, starts[-1] + part[1][1:]])
    return [("sparse", starts, *(np.concatenate([part[at] for part in given]) for at in (2, 3)), given[0][4])]
