"""Which rows are positive, from whatever y says.

"Unlabeled" is written 0 by some, -1 by others and False by a third party, and guessing wrong trains a classifier on the
opposite. So few pairs are taken as they are, everything else is named, and what is neither is refused.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._input import is_missing


@dataclass
class Labels:
    """Labels as they were given."""

    positive: np.ndarray
    """Whether each row is labeled positive."""
    classes: np.ndarray
    """The value of unlabeled rows and that of positives, sorted as scikit-learn has it."""
    pos_index: int
    """Where the positive value is among the classes."""


def column_of(y: Any, argument: str = "y") -> np.ndarray:
    """y as one column of values."""
    if y is None:
        raise ValueError(
            f"{argument}: this estimator requires y to be passed, but the target y is None; give 1 for positive rows and 0 "
            "for unlabeled ones, or use fit_parts(X_pos, X_unl) for two parts"
        )
    if hasattr(y, "to_numpy"):
        values = y.to_numpy(zero_copy_only=False) if type(y).__module__.startswith("pyarrow") else y.to_numpy()
    elif isinstance(y, (list, tuple)) and len({isinstance(value, str) for value in y}) == 2:
        # An array of numpy would turn numbers beside words into words.
        values = np.asarray(y, dtype=object)
    else:
        values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        warnings.warn(_conversion_warning(), stacklevel=4)
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"{argument} should be a 1d array, got an array of shape {values.shape} instead")
    return np.asarray(values)


def _conversion_warning() -> Warning:
    text = "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples, )"
    try:
        from sklearn.exceptions import DataConversionWarning
    except ImportError:
        return UserWarning(text)
    found: Warning = DataConversionWarning(text)
    return found


def read_labels(y: Any, pos_label: Any = None, negative: Any = None) -> Labels:
    """Read y; the error says what was seen and what to do."""
    if negative is not None:
        raise ValueError(
            "negative: known negatives cannot be learned from yet; leave these rows out, or take them as unlabeled"
        )
    values = column_of(y)
    if values.size == 0:
        raise ValueError("y: Found array with 0 sample(s) while a minimum of 1 is required.")
    if values.dtype.kind == "c":
        raise ValueError("y: Complex data not supported")
    if values.dtype.kind == "f":
        missing = np.isnan(values)
        if not np.isfinite(values[~missing]).all():
            raise ValueError("y: Input y contains infinity; labels are 1 and 0")
    elif values.dtype.kind == "O":
        missing = np.array([is_missing(value) for value in values.tolist()])
    else:
        missing = np.zeros(len(values), dtype=bool)
    seen = _distinct(values[~missing])
    if pos_label is not None:
        return _named(values, missing, seen, pos_label)
    return _found(values, missing, seen)


def _distinct(values: np.ndarray) -> list[Any]:
    if values.dtype.kind != "O":
        return list(np.unique(values).tolist())
    found = set(values.tolist())
    try:
        return sorted(found)
    except TypeError:
        kinds = ", ".join(sorted({type(value).__name__ for value in found}))
        raise ValueError(f"y: mixes labels of different types ({kinds}); use one") from None


def _shown(seen: list[Any]) -> str:
    text = ", ".join(repr(value) for value in seen[:5])
    return text if len(seen) <= 5 else f"{text}, ... ({len(seen)} in all)"


def _refuse(seen: list[Any]) -> ValueError:
    if all(isinstance(value, float) for value in seen) and any(value != int(value) for value in seen):
        return ValueError(
            f"y: Unknown label type: continuous. It holds {_shown(seen)}; labels are 1 for positive and 0 for unlabeled"
        )
    return ValueError(
        f"y: holds {len(seen)} values ({_shown(seen)}), and Only binary classification is supported: positive against "
        "unlabeled. Unknown label type: multiclass. Use 1 for positive and 0, -1, False or NaN for unlabeled, such as "
        "y == value"
    )


def _named(values: np.ndarray, missing: np.ndarray, seen: list[Any], pos_label: Any) -> Labels:
    if len(seen) > 2 or (len(seen) == 2 and missing.any()):
        raise _refuse([*seen, *([None] if missing.any() else [])])
    if pos_label not in seen:
        raise ValueError(f"pos_label: no row of y has {pos_label!r}; it holds {_shown(seen)}")
    positive = np.array([value == pos_label for value in values.tolist()]) & ~missing
    others = [value for value in seen if value != pos_label]
    return _both(positive, others[0] if others else negative_of(pos_label), pos_label)


def negative_of(pos_label: Any) -> Any:
    """What predict says of a row that is not positive, where y has no value for it."""
    if isinstance(pos_label, (bool, np.bool_)):
        return False
    return f"not {pos_label}" if isinstance(pos_label, str) else 0 if pos_label != 0 else 1


def _found(values: np.ndarray, missing: np.ndarray, seen: list[Any]) -> Labels:
    if len(seen) > 2:
        if sorted(map(str, seen)) == ["-1", "0", "1"]:
            raise ValueError(
                "y: holds 1, 0 and -1, and only one of 0 and -1 can mean unlabeled; use 1 and 0, or say with negative= "
                "which are known negatives"
            )
        raise _refuse(seen)
    if not seen:
        raise ValueError("y: is empty in every row; label the positive rows 1")
    if missing.any():
        if len(seen) == 2:
            raise ValueError(
                f"y: holds {_shown(seen)} and missing values; only one of them can mean unlabeled, so leave one out or "
                "replace it"
            )
        if seen[0] in (0, -1):
            raise ValueError(f"y: holds {seen[0]!r} and missing values, and no positive row; label these 1")
        return _both(_equal(values, seen[0]), negative_of(seen[0]), seen[0])
    if len(seen) == 1:
        one = "positive" if seen[0] == 1 else repr(seen[0])
        raise ValueError(
            f"y: all {len(values)} rows are of one class ({one}); positives and unlabeled rows are both needed"
        )
    if 1 in seen and (0 in seen or -1 in seen):
        other = next(value for value in seen if value != 1)
        return _both(_equal(values, 1), other, seen[seen.index(1)])
    if any(isinstance(value, float) and value != int(value) for value in seen):
        raise _refuse(seen)
    raise ValueError(
        f"y: holds {_shown(seen)}, which is not 1 against 0, -1, False or NaN; say which value is positive with "
        f"pos_label={seen[1]!r} or pos_label={seen[0]!r}"
    )


def _equal(values: np.ndarray, value: Any) -> np.ndarray:
    if values.dtype.kind == "O":
        return np.array([one is not None and bool(one == value) for one in values.tolist()])
    return np.asarray(values == value)


def _both(positive: np.ndarray, other: Any, label: Any) -> Labels:
    if positive.all():
        raise ValueError(
            f"y: all {len(positive)} rows are of one class (positive); positives and unlabeled rows are both needed"
        )
    classes = np.array([other, label])
    try:
        swapped = bool(other > label)
    except TypeError:
        swapped = False
    return Labels(positive, classes[::-1].copy() if swapped else classes, 0 if swapped else 1)
