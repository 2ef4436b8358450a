"""Learning classifiers from positive and unlabeled examples.

Some rows are known to be positive; the rest are unlabeled, a mix of positives and negatives. No labeled
negatives are needed. :class:`PUClassifier` learns from such data and behaves like any classifier of scikit-learn:

>>> from onesided import PUClassifier
>>> model = PUClassifier().fit(X, y)          # y: 1 is positive, 0 (or -1, False, NaN) unlabeled
>>> model.predict_proba(X_new)[:, 1]
>>> model.rank(X_new, 10)                     # the ten likeliest positives, with intervals

Everything is imported when it is first used, so ``import onesided`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._onesided import NoPriorError, __version__

if TYPE_CHECKING:
    from . import losses, metrics, model_selection
    from ._audits import AuditedCut, AuditReport, FirstPart, MoreAnswers
    from ._batches import BatchScorer
    from ._classifier import PUClassifier, load
    from ._memory import limit_memory
    from ._methods import estimators, methods, objectives
    from ._prior import PriorEstimate, PriorEstimator, estimate_prior
    from ._plots import Picture, Plots
    from ._results import (
        CertifiedNegatives,
        ColumnImportance,
        EstimatedPrior,
        Explanation,
        Explanations,
        Importance,
        RecallCut,
        Watched,
    )
    from ._warnings import DataWarning, FitWarning, InSampleWarning, OnesidedWarning, PriorWarning

# Where each public name is.
_PLACES = {
    "AuditReport": "_audits",
    "AuditedCut": "_audits",
    "BatchScorer": "_batches",
    "CertifiedNegatives": "_results",
    "ColumnImportance": "_results",
    "DataWarning": "_warnings",
    "EstimatedPrior": "_results",
    "Explanation": "_results",
    "Explanations": "_results",
    "FirstPart": "_audits",
    "FitWarning": "_warnings",
    "Importance": "_results",
    "InSampleWarning": "_warnings",
    "MoreAnswers": "_audits",
    "OnesidedWarning": "_warnings",
    "Picture": "_plots",
    "Plots": "_plots",
    "PriorWarning": "_warnings",
    "PUClassifier": "_classifier",
    "limit_memory": "_memory",
    "load": "_classifier",
    "PriorEstimate": "_prior",
    "PriorEstimator": "_prior",
    "RecallCut": "_results",
    "Watched": "_results",
    "estimate_prior": "_prior",
    "estimators": "_methods",
    "methods": "_methods",
    "objectives": "_methods",
    "losses": "",
    "metrics": "",
    "model_selection": "",
}

__all__ = [
    "AuditReport",
    "AuditedCut",
    "BatchScorer",
    "CertifiedNegatives",
    "ColumnImportance",
    "DataWarning",
    "EstimatedPrior",
    "Explanation",
    "Explanations",
    "FirstPart",
    "FitWarning",
    "Importance",
    "InSampleWarning",
    "MoreAnswers",
    "NoPriorError",
    "OnesidedWarning",
    "PUClassifier",
    "Picture",
    "Plots",
    "PriorEstimate",
    "PriorEstimator",
    "PriorWarning",
    "RecallCut",
    "Watched",
    "__version__",
    "estimate_prior",
    "estimators",
    "limit_memory",
    "load",
    "losses",
    "methods",
    "metrics",
    "model_selection",
    "objectives",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'onesided' has no attribute '{name}'")
    place = _PLACES[name]
    if not place:
        return import_module(f".{name}", __name__)
    value = getattr(import_module(f".{place}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
