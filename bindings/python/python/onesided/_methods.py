"""What there is to choose from."""

from __future__ import annotations

from typing import NamedTuple

from . import _onesided


class MethodInfo(NamedTuple):
    """A method of :class:`onesided.PUClassifier`."""

    name: str
    summary: str
    citation: str
    needs_prior: bool


class EstimatorInfo(NamedTuple):
    """An estimator of the prior."""

    name: str
    title: str
    citation: str
    assumes: str


class ObjectiveInfo(NamedTuple):
    """A loss on scores."""

    name: str
    summary: str
    citation: str
    needs_prior: bool
    needs_truth: bool
    options: list[str]


def methods() -> list[MethodInfo]:
    """Every method, in the order that ``onesided methods`` lists them."""
    return [MethodInfo(*one) for one in _onesided.methods()]


def estimators() -> list[EstimatorInfo]:
    """Every estimator of the share of positives."""
    return [EstimatorInfo(*one) for one in _onesided.estimators()]


def objectives() -> list[ObjectiveInfo]:
    """Every loss of :mod:`onesided.losses` and :mod:`onesided.torch`."""
    return [ObjectiveInfo(*one) for one in _onesided.objectives()]
