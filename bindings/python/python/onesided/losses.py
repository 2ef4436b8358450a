"""The losses for your own training loops: numpy, LightGBM and XGBoost. :mod:`onesided.torch` has them as modules.

A loss never sees a row: it sees one score (logit) per row of a batch, positives and unlabeled rows separately.

>>> from onesided.losses import Loss
>>> loss = Loss("nnpu", prior_in_unlabeled=0.3)
>>> value, grad_p, grad_u = loss.value_and_grad(scores[y == 1], scores[y == 0])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._labels import read_labels
from ._onesided import Objective

__all__ = ["BoostingObjective", "Loss"]


class Loss:
    """A loss on the scores of one batch.

    Parameters
    ----------
    name : str
        :func:`onesided.objectives` lists them: collective, upu, nnpu, imbalanced-nnpu, naive, supervised, pusb,
        vpu, cvir, tedn, dist-pu, pulda, count, robust-pu, and those
        elicited in the manner of the collective loss.
    prior_in_unlabeled : float, optional
        The share of positives among the unlabeled rows, for losses that need it.
    labeled_share : float, optional
        The share of labeled rows among all, in one sample; without it positives and unlabeled rows were drawn separately
        (case-control).
    reduction, surrogate : str, optional
    beta, gamma, smoothing : float, optional
        Options of some losses.
    """

    def __init__(
        self,
        name: str = "collective",
        prior_in_unlabeled: float | None = None,
        *,
        labeled_share: float | None = None,
        reduction: str | None = None,
        surrogate: str | None = None,
        beta: float | None = None,
        gamma: float | None = None,
        smoothing: float | None = None,
    ) -> None:
        self._given = (name, prior_in_unlabeled, labeled_share, reduction, surrogate, beta, gamma, smoothing)
        self._objective = Objective(*self._given)

    def __call__(self, positive: Any, unlabeled: Any) -> float:
        """The value."""
        return self.value_and_grad(positive, unlabeled)[0]

    def value_and_grad(self, positive: Any, unlabeled: Any) -> tuple[float, np.ndarray, np.ndarray]:
        """The value, and the derivative in each score: the exact one that training descends."""
        return self._objective.evaluate(_scores(positive, "positive"), _scores(unlabeled, "unlabeled"))

    def curvature(self, positive: Any, unlabeled: Any) -> tuple[np.ndarray, np.ndarray]:
        """A positive stand-in for the second derivative in each score, for learners of second order."""
        return self._objective.curvature(_scores(positive, "positive"), _scores(unlabeled, "unlabeled"))

    def __repr__(self) -> str:
        return f"Loss({self._objective.describe()})"

    def __getstate__(self) -> dict[str, Any]:
        return {"_given": self._given}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._given = state["_given"]
        self._objective = Objective(*self._given)


def _scores(scores: Any, argument: str) -> np.ndarray:
    values = np.asarray(scores, dtype=np.float32)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"{argument}: one score per row is needed, but the shape is {values.shape}")
    return values


class BoostingObjective:
    """A loss as the objective of LightGBM or XGBoost: gradient and curvature of all rows.

    It is called as ``(y_true, y_pred)`` by both libraries' scikit-learn classes and as ``(preds, data)`` by their own
    training functions; either works. Values are summed over rows as these libraries expect, not averaged.

    >>> lightgbm.LGBMClassifier(objective=BoostingObjective("nnpu", prior_in_unlabeled=0.3)).fit(X, y)
    >>> xgboost.train({}, data, obj=BoostingObjective("nnpu", prior_in_unlabeled=0.3))

    Parameters
    ----------
    name, prior_in_unlabeled, **options
        As for :class:`Loss`.
    """

    def __init__(self, name: str = "collective", prior_in_unlabeled: float | None = None, **options: Any) -> None:
        self.loss = Loss(name, prior_in_unlabeled, **options)

    def __call__(self, first: Any, second: Any, *_: Any) -> tuple[np.ndarray, np.ndarray]:
        """Gradient and curvature per row."""
        if hasattr(second, "get_label"):
            labels, scores = second.get_label(), np.asarray(first)
        else:
            labels, scores = np.asarray(first), np.asarray(second)
        positive = read_labels(labels).positive
        scores = _scores(scores, "scores")
        rows = len(scores)
        p, u = scores[positive], scores[~positive]
        grad_p, grad_u = self.loss.value_and_grad(p, u)[1:]
        curve_p, curve_u = self.loss.curvature(p, u)
        grad, curve = np.empty(rows), np.empty(rows)
        grad[positive], grad[~positive] = grad_p, grad_u
        curve[positive], curve[~positive] = curve_p, curve_u
        return grad * rows, curve * rows

    def __repr__(self) -> str:
        return f"BoostingObjective({self.loss!r})"
