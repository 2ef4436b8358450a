"""Metrics that need no negatives, and scorers made of them.

Let r be the share of labeled positives that are predicted positive, a the share of unlabeled rows that are, and mu the
share of positives among the unlabeled rows. If the labeled positives are a random sample of the positives, then

* precision = mu r / a, f1 = 2 mu r / (a + mu), risk = 2 mu (1 - r) + a - mu, accuracy = 1 - risk;
* auc = (auc_pu - mu / 2) / (1 - mu), where auc_pu is that of positives against unlabeled rows;
* lee_liu = r^2 / a, which needs no prior (Lee and Liu, 2003), and neither do lift = r / a, recall, predicted_positive and
  auc_pu.

>>> from onesided.metrics import make_pu_scorer
>>> GridSearchCV(PUClassifier(), grid, scoring=make_pu_scorer("lee_liu"), cv=PUKFold())
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from ._estimator import seed_of
from ._labels import labeled_or_not
from ._onesided import pu_metrics as _pu_metrics

__all__ = ["METRICS", "Interval", "PUScorer", "make_pu_scorer", "pu_metrics", "pu_score"]

METRICS = ("recall", "predicted_positive", "precision", "f1", "accuracy", "risk", "auc", "auc_pu", "lee_liu", "lift")
"""The names of the metrics."""

_OF_PRIOR = ("precision", "f1", "accuracy", "risk", "auc")
_OF_SCORES = ("auc", "auc_pu")


class Interval(NamedTuple):
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


def pu_metrics(
    y: Any,
    scores: Any,
    *,
    threshold: float = 0.5,
    prior_in_unlabeled: float | None = None,
    resamples: int = 1000,
    random_state: Any = None,
    pos_label: Any = None,
    negative: Any = None,
) -> dict[str, Interval]:
    """All metrics of scores on rows that took no part in training, with bootstrap intervals.

    Parameters
    ----------
    y : array of shape (n_rows,)
        1 where a row is positive, 0 (or -1, False, NaN) where it is unlabeled.
    scores : array of shape (n_rows,)
        Scores or probabilities, on one scale with the threshold.
    threshold : float, default=0.5
        A row counts as predicted positive from here upwards.
    prior_in_unlabeled : float, optional
        The share of positives among these unlabeled rows; without it the metrics that need it are left out.
    resamples : int, default=1000
        How many for the intervals, in which the prior is taken as exact.
    random_state : int, optional
    pos_label : object, optional
        The value of y that means positive.
    negative : object, optional
        The value or values of y that mean a known negative; such rows are left out.

    Returns
    -------
    dict of Interval by name
        What lies outside of 0 and 1 and cannot is set to 0 or 1, and a warning says what it was.
    """
    found, said = _measured(
        y, scores, threshold, prior_in_unlabeled, resamples, random_state, pos_label=pos_label, negative=negative
    )
    if prior_in_unlabeled is not None:
        for sentence in said:
            warnings.warn(sentence, UserWarning, stacklevel=2)
    return found


def _measured(
    y: Any,
    scores: Any,
    threshold: float,
    prior_in_unlabeled: float | None,
    resamples: int,
    random_state: Any,
    *,
    pos_label: Any,
    negative: Any,
) -> tuple[dict[str, Interval], list[str]]:
    """The metrics, and what to know before trusting them."""
    labels, rest = labeled_or_not(y, pos_label, negative)
    positive, values = labels.positive, np.asarray(scores, dtype=np.float32)
    if values.shape != rest.shape:
        raise ValueError(f"scores: has the shape {values.shape}, but y has {len(rest)} values")
    values = values[rest]
    found, said = _pu_metrics(
        values[positive], values[~positive], float(threshold), prior_in_unlabeled, resamples, seed_of(random_state)
    )
    return {name: Interval(*numbers) for name, *numbers in found}, said


def pu_score(
    metric: str,
    y: Any,
    predicted: Any,
    *,
    prior_in_unlabeled: float | None = None,
    pos_label: Any = None,
    negative: Any = None,
) -> float:
    """One metric. For auc and auc_pu, ``predicted`` are scores; for the others, whether each row is predicted positive."""
    _check(metric)
    if metric in _OF_PRIOR and prior_in_unlabeled is None:
        raise ValueError(f"prior_in_unlabeled: the metric {metric} needs the share of positives among unlabeled rows")
    prior = prior_in_unlabeled if metric in _OF_PRIOR else None
    scores = np.asarray(predicted, dtype=np.float32)
    # A search measures hundreds of models: it is told the numbers, not each warning.
    found, _ = _measured(y, scores, 0.5, prior, 1, None, pos_label=pos_label, negative=negative)
    # r^2 / a, r / a and precision are not defined where nothing is predicted positive: the worst there is.
    return found[metric].value if metric in found else 0.0


def _check(metric: str) -> None:
    if metric not in METRICS:
        raise ValueError(f"metric: unknown metric {metric!r}; use {', '.join(METRICS)}")


class PUScorer:
    """A scorer of scikit-learn, made by :func:`make_pu_scorer`."""

    def __init__(self, metric: str, prior_in_unlabeled: float | None = None, pos_label: Any = None) -> None:
        _check(metric)
        self.metric, self.prior_in_unlabeled, self.pos_label = metric, prior_in_unlabeled, pos_label

    def __call__(self, estimator: Any, X: Any, y: Any, **_: Any) -> float:
        """The metric of a fitted estimator; larger is better, so the risk is negated."""
        prior = self._prior(estimator) if self.metric in _OF_PRIOR else None
        if self.metric in _OF_SCORES:
            predicted = self._scores(estimator, X)
        else:
            label = self._label(estimator)
            predicted = np.asarray(estimator.predict(X)) == label
        value = pu_score(
            self.metric, y, predicted, prior_in_unlabeled=prior, pos_label=self.pos_label,
            negative=getattr(_last(estimator), "negative", None),
        )
        return -value if self.metric == "risk" else value

    def _label(self, estimator: Any) -> Any:
        if self.pos_label is not None:
            return self.pos_label
        last = _last(estimator)
        return last.pos_label_ if hasattr(last, "pos_label_") else estimator.classes_[1]

    def _scores(self, estimator: Any, X: Any) -> np.ndarray:
        flip = list(estimator.classes_).index(self._label(estimator)) == 0
        if hasattr(estimator, "decision_function"):
            scores = np.asarray(estimator.decision_function(X))
        else:
            scores = np.asarray(estimator.predict_proba(X))[:, 1]
        return -scores if flip else scores

    def _prior(self, estimator: Any) -> float:
        if self.prior_in_unlabeled is not None:
            return self.prior_in_unlabeled
        about = getattr(_last(estimator), "about_", None) or {}
        prior: float | None = about.get("prior_in_unlabeled")
        if prior is None:
            raise ValueError(
                f"prior_in_unlabeled: the metric {self.metric} needs the share of positives among unlabeled rows, and the "
                f"estimator does not know it; make_pu_scorer({self.metric!r}, prior_in_unlabeled=SHARE)"
            )
        return prior

    def __repr__(self) -> str:
        return f"make_pu_scorer({self.metric!r}, prior_in_unlabeled={self.prior_in_unlabeled!r})"


def _last(estimator: Any) -> Any:
    """The estimator at the end of a pipeline, or inside a search."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator


def make_pu_scorer(metric: str = "lee_liu", *, prior_in_unlabeled: float | None = None, pos_label: Any = None) -> PUScorer:
    """A scorer for ``GridSearchCV``, ``cross_val_score`` and their like that needs no negatives.

    Rows that the estimator's ``negative`` says are known negatives are left out.

    Parameters
    ----------
    metric : str
        One of :data:`METRICS`. ``lee_liu``, ``lift``, ``auc_pu`` and ``recall`` need no prior.
    prior_in_unlabeled : float, optional
        The share of positives among the unlabeled rows. By default the one the fitted :class:`onesided.PUClassifier` has.
    pos_label : object, optional
        The value of y that means positive.
    """
    return PUScorer(metric, prior_in_unlabeled, pos_label)
