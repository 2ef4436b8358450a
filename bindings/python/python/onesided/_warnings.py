"""Kinds of warnings, so that each can be filtered, and how they are given.

>>> import warnings
>>> warnings.filterwarnings("ignore", category=onesided.PriorWarning)     # in a search over many fits
"""

from __future__ import annotations

import re
import sys
import warnings


class OnesidedWarning(UserWarning):
    """Every warning of this package but those that scikit-learn gives as well."""


class DataWarning(OnesidedWarning):
    """Something about the rows: columns that are not learned from, cells that cannot be read, values unlike those of training."""


class PriorWarning(OnesidedWarning):
    """The share of positives is a guess or an assumption, and numbers rest on it."""


class FitWarning(OnesidedWarning):
    """How fitting went: few positives, members that failed, metrics that could not be measured."""


class InSampleWarning(OnesidedWarning):
    """Rows are scored or measured by a model that was fitted on them."""


KINDS: dict[str, type[OnesidedWarning]] = {
    "data": DataWarning,
    "prior": PriorWarning,
    "fit": FitWarning,
    "in-sample": InSampleWarning,
}
"""By the words that Rust uses."""

# What was said in this process.
_SAID: set[tuple[type[Warning], str]] = set()
# Numbers of their own, which names of columns such as x4 and '4' are not.
_NUMBER = re.compile(r"(?<![\w'])\d+(?:[.,]\d+)*(?![\w'])")


def warn(sentence: str, category: type[Warning]) -> None:
    """Warns at the line that called this package, once per process and sentence.

    Python's own registry does not hold that back in a search: each fold has other numbers in its sentence, and scikit-learn,
    numpy and pandas clear the registry whenever they change filters for a moment. So sentences are compared without their
    numbers, and what was said is kept here. A filter that asks for every warning (``"always"``, ``"error"``) gets every warning.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "onesided":
        frame = frame.f_back
    place = (frame.f_code.co_filename, frame.f_lineno)
    said = (category, _NUMBER.sub("0", sentence))
    if said in _SAID and not _all_are_wanted(category):
        return
    _SAID.add(said)
    warnings.warn_explicit(sentence, category, *place, module=frame.f_globals.get("__name__"))


def _all_are_wanted(category: type[Warning]) -> bool:
    # Threads have filters of their own where Python runs without its lock.
    filters = getattr(warnings, "_get_filters", lambda: warnings.filters)()
    return any(action in ("always", "all", "error") and issubclass(category, kind) for action, _, kind, *_ in filters)
