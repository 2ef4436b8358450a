"""Kinds of warnings, so that each can be filtered.

>>> import warnings
>>> warnings.filterwarnings("ignore", category=onesided.PriorWarning)     # in a search over many fits
"""

from __future__ import annotations


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
