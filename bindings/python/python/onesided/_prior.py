"""The share of positives, estimated."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from ._estimator import Estimator, Teller, not_fitted, say, seed_of, threads_of
from ._index import aligned
from ._input import parts_of, rows_of
from ._labels import read_labels
from ._onesided import RANDOM_LABELS, Prior
from ._onesided import estimate_prior as _estimate_prior
from ._settings import READING, check_columns, names_of, reading_of
from ._warnings import PriorWarning, warn


class Picture(str):
    """A picture as SVG, which notebooks show."""

    def _repr_svg_(self) -> str:
        return str(self)


class PriorEstimate:
    """What is known of the share of positives: a guess, its interval, and what several estimators say.

    The guess and its interval come from tables like this one whose answers are known. :meth:`onesided.PUClassifier.fit`
    learns with them where no prior is given.

    Attributes
    ----------
    prior : float
        The share of positives in the population: a guess.
    prior_interval : tuple of float
        Its interval, at the level ``confidence``.
    prior_in_unlabeled : float
        The share of positives among the unlabeled rows: a guess.
    prior_in_unlabeled_interval : tuple of float
        Its interval.
    one_sided : bool
        Whether only "at most" can be said: the interval of ``prior_in_unlabeled`` then begins at 0.
    bound : float
        The most that the data alone allow of ``prior_in_unlabeled``, whatever the classes are like.
    confidence : float
        The level of the intervals.
    consensus : dict
        What the estimators say together: ``prior``, ``prior_in_unlabeled`` and their intervals.
    agreement : bool
        Whether the estimators agree.
    estimates : list of dict
        Each estimator's answer.
    about : dict
        All of it, as ``onesided prior --json`` prints it.
    """

    def __init__(self, found: Prior) -> None:
        self._found = found
        self.about: dict[str, Any] = json.loads(found.about())
        self.prior: float = self.about["prior"]
        self.prior_interval: tuple[float, float] = tuple(self.about["prior_interval"])
        self.prior_in_unlabeled: float = self.about["prior_in_unlabeled"]
        self.prior_in_unlabeled_interval: tuple[float, float] = tuple(self.about["prior_in_unlabeled_interval"])
        self.one_sided: bool = self.about["one_sided"]
        self.bound: float = self.about["bound"]
        self.confidence: float = self.about["confidence"]
        self.consensus: dict[str, Any] = self.about["consensus"]
        self.agreement: bool = self.about["agreement"]
        self.estimates: list[dict[str, Any]] = self.about["estimates"]

    def __float__(self) -> float:
        return self.prior

    def __repr__(self) -> str:
        low, high = self.prior_interval
        among = f"at most {high:.3f}" if self.one_sided else f"between {low:.3f} and {high:.3f}"
        said = "" if self.agreement else "; the estimators do not agree"
        sure = f"{among} at {100 * self.confidence:.0f} %, {RANDOM_LABELS}"
        return f"PriorEstimate(prior={self.prior:.3f}, a guess: {sure}{said})"

    def _repr_svg_(self) -> str:
        return self._found.svg()

    def plot(self, path: str | os.PathLike[str] | None = None) -> Picture | None:
        """Draw the estimates into a file, as .svg or .png; without a path, return them as a picture that a notebook shows."""
        if path is None:
            return Picture(self._found.svg())
        name = os.fspath(path)
        if name.lower().endswith(".png"):
            data = self._found.png()
        elif name.lower().endswith(".svg"):
            data = self._found.svg().encode()
        else:
            raise ValueError(f"path: must end in .svg or .png, but is {name!r}")
        with open(name, "wb") as file:
            file.write(data)
        return None


def _settings(scenario: str | None, random_state: Any, n_jobs: int | None, device: str | None) -> dict[str, list[str]]:
    given = {"random_state": [str(seed_of(random_state))], "n_jobs": [str(threads_of(n_jobs))]}
    if scenario is not None:
        given["scenario"] = [scenario]
    if device is not None:
        given["device"] = [device]
    return given


def estimate_prior(
    X: Any = None,
    y: Any = None,
    *,
    X_pos: Any = None,
    X_unl: Any = None,
    X_neg: Any = None,
    estimator: str | list[str] = "quick",
    scorer: str = "auto",
    scenario: str | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    device: str | None = None,
    pos_label: Any = None,
    negative: Any = None,
    verbose: int = 0,
    **reading: Any,
) -> PriorEstimate:
    """Estimate how many positives are hidden among the unlabeled rows.

    Parameters
    ----------
    X, y : rows and labels
        As :meth:`onesided.PUClassifier.fit` takes them.
    X_pos, X_unl, X_neg : rows
        Positives, unlabeled rows and, if you have some, known negatives in separate tables, instead of X and y.
    estimator : "quick", "all", a name or a list of names
        :func:`onesided.estimators` lists them; ``"quick"`` are those that look at scores alone.
    scorer : str
        What tells positives from unlabeled rows: auto, mix, trees, forest, bags, mlp, cnn or linear.
    scenario, random_state, n_jobs, device, pos_label, negative, verbose
        As for :class:`onesided.PUClassifier`.
    **reading
        How X is read: drop, only, text, numeric, categorical, date, missing, image_shape and the rest.

    Returns
    -------
    PriorEstimate
    """
    unknown = sorted(set(reading) - (set(READING) - {"max_unlabeled"}))
    if unknown:
        raise TypeError(f"estimate_prior() got an unexpected keyword argument '{unknown[0]}'")
    names = [estimator] if isinstance(estimator, str) else list(estimator)
    names = [name.strip() for one in names for name in one.split(",") if name.strip()]
    if not names:
        raise ValueError("estimator: name at least one, or 'quick', or 'all'")
    drop = names_of("drop", reading.get("drop"))
    if X_pos is not None or X_unl is not None or X_neg is not None:
        if X is not None or y is not None:
            raise ValueError("X_pos and X_unl: give these two, or X and y, not both")
        given = {"X_pos": X_pos, "X_unl": X_unl, **({} if X_neg is None else {"X_neg": X_neg})}
        parts, counts = parts_of({argument: rows_of(X, argument=argument, drop=drop) for argument, X in given.items()})
        kinds = np.repeat(np.array([1, 0, -1], dtype=np.int8)[: len(counts)], counts)
    else:
        kinds = read_labels(aligned(X, y), pos_label, negative).kinds
        rows = rows_of(X, argument="X", drop=drop)
        if rows.count is not None and rows.count != len(kinds):
            raise ValueError(f"y: has {len(kinds)} values, but X has {rows.count} rows")
        check_columns(reading, rows.kind)
        parts = [rows.given]
    settings = _settings(scenario, random_state, n_jobs, device)
    with Teller(verbose) as teller:
        found, said = _estimate_prior(
            parts, kinds, X_pos is not None, names, scorer, settings, reading_of(reading), teller.callback
        )
    say(said, verbose)
    estimate = PriorEstimate(found)
    for sentence in estimate.about["warnings"]:
        warn(sentence, PriorWarning)
    return estimate


class PriorEstimator(Estimator):
    """:func:`estimate_prior` as an estimator of scikit-learn.

    Parameters
    ----------
    estimator, scorer, scenario, random_state, n_jobs, device, pos_label, negative, verbose
        As for :func:`estimate_prior`.

    Attributes
    ----------
    estimate_ : PriorEstimate
        All of it.
    prior_, prior_interval_, prior_in_unlabeled_, prior_in_unlabeled_interval_
        Its numbers.
    """

    def __init__(
        self,
        estimator: str | list[str] = "quick",
        *,
        scorer: str = "auto",
        scenario: str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        device: str | None = None,
        pos_label: Any = None,
        negative: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.scorer = scorer
        self.scenario = scenario
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.pos_label = pos_label
        self.negative = negative
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> PriorEstimator:
        """Estimate the prior of rows of which some are labeled positive."""
        return self._take(estimate_prior(X, y, **self.get_params()))

    def fit_parts(self, X_pos: Any, X_unl: Any, X_neg: Any = None) -> PriorEstimator:
        """Estimate the prior of positives and unlabeled rows in separate tables, with known negatives if you have some."""
        return self._take(estimate_prior(X_pos=X_pos, X_unl=X_unl, X_neg=X_neg, **self.get_params()))

    def _take(self, estimate: PriorEstimate) -> PriorEstimator:
        self.estimate_ = estimate
        self.prior_, self.prior_interval_ = estimate.prior, estimate.prior_interval
        self.prior_in_unlabeled_ = estimate.prior_in_unlabeled
        self.prior_in_unlabeled_interval_ = estimate.prior_in_unlabeled_interval
        return self

    def plot(self, path: str | os.PathLike[str] | None = None) -> Picture | None:
        """Draw the estimates into a file, as .svg or .png; without a path, return them as a picture that a notebook shows."""
        if not hasattr(self, "estimate_"):
            raise not_fitted(type(self).__name__)
        return self.estimate_.plot(path)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("estimate_", None)
        return state
