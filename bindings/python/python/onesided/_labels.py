"""Which rows are positive, from whatever y says.

"Unlabeled" is written 0 by some, -1 by others and False by a third party, and guessing wrong trains a classifier on the
opposite. So few pairs are taken as they are, everything else is named, and what is neither is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._input import is_missing, unmasked
from ._warnings import DataWarning, warn


# What the command takes, too: words of programs, and of people who fill in a sheet in six languages.
_TRUE = frozenset("true t yes y wahr ja vrai oui verdadeiro sim verdadero s\u00ed vero".split())
_FALSE = frozenset("false f no n falsch nein faux non falso n\u00e3o nao nej".split())
_NOTHING = frozenset("nan -nan null (null) none nil na n/a <na> #n/a".split())


@dataclass
class Labels:
    """Labels as they were given."""

    positive: np.ndarray
    """Whether each row is labeled positive."""
    classes: np.ndarray
    """The value of rows that are not positive and that of positives, sorted as scikit-learn has it."""
    pos_index: int
    """Where the positive value is among the classes."""
    negative: np.ndarray | None = None
    """Whether each row is a known negative; None where there are none."""

    @property
    def kinds(self) -> np.ndarray:
        """1 where a row is positive, 0 where it is unlabeled, -1 where it is known to be negative."""
        kinds = self.positive.astype(np.int8)
        return kinds if self.negative is None else kinds - self.negative.astype(np.int8)

    @property
    def unlabeled(self) -> np.ndarray:
        """Whether each row is unlabeled."""
        return np.asarray(self.kinds == 0)


def column_of(y: Any, argument: str = "y") -> np.ndarray:
    """y as one column of values."""
    if y is None:
        raise ValueError(
            f"{argument}: this estimator requires y to be passed, but the target y is None; give 1 for positive rows and 0 "
            "for unlabeled ones, or use fit_parts(X_pos, X_unl) for two parts"
        )
    if isinstance(y, (str, bytes)):
        raise ValueError(
            f"{argument}: one string is not a column of labels; give the column itself, such as frame[{y!r}], and leave it out of X"
        )
    if isinstance(y, np.ma.MaskedArray):
        values = unmasked(y) if np.ma.is_masked(y) else np.asarray(y)
    elif hasattr(y, "to_numpy"):
        values = y.to_numpy(zero_copy_only=False) if type(y).__module__.startswith("pyarrow") else y.to_numpy()
    elif isinstance(y, (list, tuple)) and len({isinstance(value, str) for value in y}) == 2:
        # An array of numpy would turn numbers next to words into words.
        values = np.asarray(y, dtype=object)
    else:
        values = np.asarray(y)
    if values.ndim == 0:
        raise ValueError(
            f"{argument}: is of type {type(y).__name__}, which is not a column of labels; give a list, an array or a column of a "
            "frame, with a value for each row of X in their order"
        )
    if values.ndim == 2 and values.shape[1] == 1:
        warn(*_conversion_warning())
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"{argument} should be a 1d array, got an array of shape {values.shape} instead")
    return np.asarray(values)


def _conversion_warning() -> tuple[str, type[Warning]]:
    text = "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples, )"
    try:
        from sklearn.exceptions import DataConversionWarning
    except ImportError:
        return text, UserWarning
    return text, DataConversionWarning


def read_labels(y: Any, pos_label: Any = None, negative: Any = None) -> Labels:
    """Read y; the error says what was seen and what to do. What is masked is unlabeled."""
    values = column_of(y)
    hidden = _masked_beside_unlabeled(y, negative)
    if hidden is not None:
        shown = read_labels(values[~hidden], pos_label, negative)
        positive, known = np.zeros((2, len(values)), dtype=bool)
        positive[~hidden] = shown.positive
        if shown.negative is not None:
            known[~hidden] = shown.negative
        return Labels(positive, shown.classes, shown.pos_index, known if known.any() else None)
    if values.size == 0:
        raise ValueError("y: Found array with 0 sample(s) while a minimum of 1 is required.")
    if values.dtype.kind == "c":
        raise ValueError("y: Complex data not supported")
    if values.dtype.kind == "f":
        missing = np.isnan(values)
        if not np.isfinite(values[~missing]).all():
            raise ValueError("y: Input y contains infinity; labels are 1 and 0")
    elif values.dtype.kind in "OUT":
        named = [pos_label] if negative is None else [pos_label, *negatives_of(negative)]
        missing = np.array([is_missing(value) or _is_nothing(value, named) for value in values.tolist()])
    else:
        missing = np.zeros(len(values), dtype=bool)
    if negative is None:
        return _read(values, missing, pos_label)
    known = _known_negatives(values, missing, pos_label, negatives_of(negative))
    rest = _read(values[~known], missing[~known], pos_label)
    positive = np.zeros(len(values), dtype=bool)
    positive[~known] = rest.positive
    # A known negative's value says more of a row that is not positive than an unlabeled one's.
    label, other = rest.classes[rest.pos_index].item(), negatives_of(negative)[0]
    if isinstance(label, str) == isinstance(other, str):
        rest = _both(rest.positive, other, label)
    return Labels(positive, rest.classes, rest.pos_index, known if known.any() else None)


def _masked_beside_unlabeled(y: Any, negative: Any) -> np.ndarray | None:
    """Which cells are masked, where the others have a value that means unlabeled of their own; otherwise they are missing values."""
    if not np.ma.is_masked(y):
        return None
    others = y.compressed()
    for value in [] if negative is None else negatives_of(negative):
        others = others[~_equal(others, value)]
    return np.ma.getmaskarray(y).ravel() if len(_distinct(others)) > 1 else None


def refuse_masked(values: Any, argument: str, what: str) -> None:
    """Refuses a masked array where every row needs a value."""
    if np.ma.is_masked(values):
        row = int(np.flatnonzero(np.ma.getmaskarray(values))[0])
        raise ValueError(f"{argument}: row {row} is masked, and every row needs {what}; fill it in or leave the row out")


def _read(values: np.ndarray, missing: np.ndarray, pos_label: Any) -> Labels:
    """Positives and unlabeled rows."""
    seen = _distinct(values[~missing])
    if pos_label is not None:
        return _named(values, missing, seen, pos_label)
    return _found(values, missing, seen)


def negatives_of(negative: Any) -> list[Any]:
    """The values that mean a known negative: one, or several in a list."""
    values = list(negative) if isinstance(negative, (list, tuple, set, frozenset, np.ndarray)) else [negative]
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    if not values:
        raise ValueError("negative: is empty; give the value of y that means a known negative, or None")
    if any(is_missing(value) for value in values):
        raise ValueError("negative: a missing value cannot mean a known negative, since it may mean an unlabeled row")
    return values


def labeled_or_not(y: Any, pos_label: Any, negative: Any) -> tuple[Labels, np.ndarray]:
    """Positives and unlabeled rows, and which rows of y they are: known negatives, of which there may be none, are left out."""
    values = column_of(y)
    rest = np.ones(len(values), dtype=bool)
    for value in [] if negative is None else negatives_of(negative):
        rest &= ~_equal(values, value)
    return read_labels((np.ma.ravel(y) if np.ma.is_masked(y) else values)[rest], pos_label), rest


def _known_negatives(values: np.ndarray, missing: np.ndarray, pos_label: Any, negatives: list[Any]) -> np.ndarray:
    known = np.zeros(len(values), dtype=bool)
    for value in negatives:
        if value == (1 if pos_label is None else pos_label):
            raise ValueError(f"negative: {value!r} means positive; name another value, or pos_label=")
        rows = _equal(values, value) & ~missing
        if not rows.any():
            # A fold of a cross-validation may well have none.
            seen = _shown(_distinct(values[~missing]))
            warn(
                f"negative: no row of y has {value!r}, so no such negatives are learned from; it holds {seen}",
                DataWarning,
            )
        known |= rows
    if known.all():
        raise ValueError(f"y: all {len(values)} rows are known negatives; positives and unlabeled rows are needed as well")
    return known


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
        f"y: holds {len(seen)} values ({_shown(seen)}). Only binary classification is supported: positive against unlabeled. "
        f"Say which value is positive, such as y == {seen[-1]!r}, or name known negatives with negative="
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


def _is_nothing(value: Any, named: list[Any]) -> bool:
    """Whether a value is a word for nothing, such as 'NaN', that nobody named."""
    return isinstance(value, str) and value.strip().lower() in _NOTHING and value not in named


def _meaning(value: Any) -> tuple[str, bool] | None:
    """The kind of pair that a word belongs to, and whether it means positive."""
    word = value.strip().lower() if isinstance(value, str) else ""
    if word in _TRUE or word in _FALSE:
        return "words", word in _TRUE
    try:
        number = float(word)
    except ValueError:
        return None
    return ("numbers", number == 1) if number in (1, 0, -1) else None


def _by_words(values: np.ndarray, missing: np.ndarray, seen: list[Any]) -> Labels | None:
    """Labels that are words for yes and no, in any spelling, or numbers that are written as texts."""
    meanings = {value: _meaning(value) for value in seen}
    numbers = {float(value) for value in seen if (meanings[value] or ("", False))[0] == "numbers"}
    if len({found and found[0] for found in meanings.values()}) != 1 or None in meanings.values() or numbers >= {0.0, -1.0}:
        return None
    positives = [value for value in seen if (meanings[value] or ("", False))[1]]
    others = [value for value in seen if value not in positives]
    if not positives or bool(others) == bool(missing.any()):
        return None
    positive = np.isin(values.astype(object), positives) & ~missing
    return _both(positive, others[0] if others else negative_of(positives[0]), positives[0])


def _found(values: np.ndarray, missing: np.ndarray, seen: list[Any]) -> Labels:
    by_words = _by_words(values, missing, seen) if seen else None
    if by_words is not None:
        return by_words
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
                f"y: holds {_shown(seen)} and missing values; only one of them can mean unlabeled, so leave one out, "
                "replace it, or say with negative= which are known negatives"
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
        return np.array([not is_missing(one) and bool(one == value) for one in values.tolist()])
    equal = np.asarray(values == value)
    # Numbers are not words.
    return equal if equal.shape == values.shape else np.zeros(len(values), dtype=bool)


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
