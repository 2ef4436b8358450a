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

from typing import Any, NamedTuple

import numpy as np

from ._estimator import seed_of
from ._index import aligned
from ._labels import labeled_or_not, refuse_masked
from ._onesided import pu_metrics as _pu_metrics
from ._warnings import PriorWarning, warn

__all__ = ["METRICS", "Interval", "PUScorer", "make_pu_scorer", "pu_metrics", "pu_score"]

METRICS = ("recall", "predicted_positive", "precision", "f1", "accuracy", "risk", "auc", "auc_pu", "lee_liu", "lift")
"""The names of the metrics."""

_OF_PRIOR = ("precision", "f1", "accuracy", "risk", "auc")
_OF_SCORES = ("auc", "auc_pu")
# Shares that differ by no more are one share in folds of different counts.
_SAME = 0.01


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
        All of it holds if labels are a random sample of the positives. Where an estimate would lie outside of 0 and 1, a warning
        says so, its value is NaN and its interval says what is left; it is missing where all of the interval is outside, and so are all that rest on the
        share where it and the labels contradict one another.
    """
    found, said = _measured(
        y, scores, threshold, prior_in_unlabeled, resamples, random_state, pos_label=pos_label, negative=negative
    )
    if prior_in_unlabeled is not None:
        for sentence in said:
            warn(sentence, UserWarning)
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
    refuse_masked(scores, "scores", "a score")
    labels, rest = labeled_or_not(y, pos_label, negative)
    positive, values = labels.positive, np.asarray(aligned(y, scores, "scores", "y"), dtype=np.float32)
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
    scores = np.asarray(aligned(y, predicted, "predicted", "y"), dtype=np.float32)
    # A search measures hundreds of models: it is told the numbers, not each warning.
    found, _ = _measured(y, scores, 0.5, None, 1, None, pos_label=pos_label, negative=negative)
    if metric in _OF_PRIOR:
        return _by_prior(metric, found, float(prior_in_unlabeled or 0.0))
    # r^2 / a and r / a are not defined where nothing is predicted positive: the worst there is.
    return found[metric].value if metric in found else 0.0


def _by_prior(metric: str, found: dict[str, Interval], mu: float) -> float:
    """A metric that rests on the share of positives, from 0 to 1: models are compared by it even where the share does not fit."""
    recall, share, auc = (found[name].value for name in ("recall", "predicted_positive", "auc_pu"))
    risk = 2 * mu * (1 - recall) + share - mu
    value = {
        "precision": mu * recall / share if share > 0 else 0.0,
        "f1": 2 * mu * recall / (share + mu),
        "accuracy": 1 - risk,
        "risk": risk,
        "auc": (auc - mu / 2) / (1 - mu),
    }[metric]
    return min(max(value, 0.0), 1.0)


def _check(metric: str) -> None:
    if metric not in METRICS:
        raise ValueError(f"metric: unknown metric {metric!r}; use {', '.join(METRICS)}")


class PUScorer:
    """A scorer of scikit-learn, made by :func:`make_pu_scorer`."""

    def __init__(
        self,
        metric: str,
        prior_in_unlabeled: float | None = None,
        pos_label: Any = None,
        prior: float | None = None,
    ) -> None:
        _check(metric)
        if prior is not None and prior_in_unlabeled is not None:
            raise ValueError("prior and prior_in_unlabeled: each follows from the other; give one of them")
        for name, share in (("prior", prior), ("prior_in_unlabeled", prior_in_unlabeled)):
            if share is not None and not 0 < share < 1:
                raise ValueError(f"{name}: must lie strictly between 0 and 1, but is {share!r}")
        self.metric, self.prior_in_unlabeled, self.pos_label, self.prior = metric, prior_in_unlabeled, pos_label, prior
        # The first share of a model's own that it judged by, and whether another one was told of.
        self._first: float | None = None
        self._told = False

    def __call__(self, estimator: Any, X: Any, y: Any, **_: Any) -> float:
        """The metric of a fitted estimator; larger is better, so the risk is negated."""
        y = aligned(X, y)
        prior = self._prior(estimator, y) if self.metric in _OF_PRIOR else None
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

    def _prior(self, estimator: Any, y: Any) -> float:
        """The share of positives among the unlabeled rows of y to judge by."""
        if self.prior_in_unlabeled is not None:
            return self.prior_in_unlabeled
        last = _last(estimator)
        about = getattr(last, "about_", None) or {}
        if self.prior is not None:
            return self._in_unlabeled(self.prior, y, last, about.get("scenario"))
        prior: float | None = about.get("prior_in_unlabeled")
        if prior is None:
            raise ValueError(
                f"prior_in_unlabeled: the metric {self.metric} needs the share of positives among unlabeled rows, and the "
                f"estimator does not know it; make_pu_scorer({self.metric!r}, prior_in_unlabeled=SHARE)"
            )
        self._compare(prior)
        return prior

    def _in_unlabeled(self, prior: float, y: Any, last: Any, scenario: str | None) -> float:
        """From the share in the population to that among the unlabeled rows of y: in one sample the labeled positives are part
        of the population."""
        if scenario == "case-control":
            return prior
        labels, _ = labeled_or_not(y, self.pos_label, getattr(last, "negative", None))
        positives, rows = int(labels.positive.sum()), len(labels.positive)
        share = (prior * rows - positives) / (rows - positives)
        if not 0 < share < 1:
            raise ValueError(
                f"prior: {prior!r} does not fit: {positives} of {rows} rows are labeled positive, so it must be above "
                f"{positives / rows:.3f}"
            )
        return share

    def _compare(self, prior: float) -> None:
        """Warns once where models are judged by their own shares, which differ."""
        if self._first is None:
            self._first = prior
        elif not self._told and abs(prior - self._first) > _SAME:
            self._told = True
            warn(
                f"the metric {self.metric} is computed with each model's own share of positives ({self._first:.3f} and "
                f"{prior:.3f} so far), so models are not compared by one measure: give one share for all, "
                f"make_pu_scorer({self.metric!r}, prior=SHARE), or use a metric that needs none, such as 'auc_pu' or 'lee_liu'",
                PriorWarning,
            )

    def __repr__(self) -> str:
        given = f", prior={self.prior!r}" if self.prior is not None else ""
        given += f", prior_in_unlabeled={self.prior_in_unlabeled!r}" if self.prior_in_unlabeled is not None else ""
        return f"make_pu_scorer({self.metric!r}{given})"


def _last(estimator: Any) -> Any:
    """The estimator at the end of a pipeline, or inside a search."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator


def make_pu_scorer(
    metric: str = "lee_liu",
    *,
    prior: float | None = None,
    prior_in_unlabeled: float | None = None,
    pos_label: Any = None,
) -> PUScorer:
    """A scorer for ``GridSearchCV``, ``cross_val_score`` and their like that needs no negatives.

    Rows that the estimator's ``negative`` says are known negatives are left out.

    **One share for all.** ``precision``, ``f1``, ``accuracy``, ``risk`` and ``auc`` rest on the share of positives. By default each
    fitted model is judged by the share that it was fitted with itself, so a search over ``prior``, or over models that estimate
    it, compares numbers that do not mean the same: the model with the boldest share wins f1. Give one share for all, or use a
    metric that needs none. A warning says where shares differ.

    Parameters
    ----------
    metric : str
        One of :data:`METRICS`. ``lee_liu``, ``lift``, ``auc_pu`` and ``recall`` need no prior.
    prior : float, optional
        The share of positives in the population to judge every model by. In one sample, the labeled positives of the rows at
        hand are taken from it.
    prior_in_unlabeled : float, optional
        The same for the unlabeled rows, instead of ``prior``. With neither, the share that the fitted
        :class:`onesided.PUClassifier` has.
    pos_label : object, optional
        The value of y that means positive.
    """
    return PUScorer(metric, prior_in_unlabeled, pos_label, prior)
