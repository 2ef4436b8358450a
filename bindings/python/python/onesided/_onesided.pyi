"""The part of the package that is Rust."""

from collections.abc import Callable
from typing import Any

import numpy as np

__version__: str
RANDOM_LABELS: str

_Tell = Callable[[int, int, str], None] | None
_Rows = tuple[Any, ...]
_Said = list[tuple[str, str]]

def limit_memory(size: str) -> None: ...

class ClusterWorker:
    """Holds some rows of a table and answers messages."""

    def answer(self, message: bytes) -> bytes: ...

def add_messages(one: bytes, other: bytes) -> bytes: ...
def fit_in_cluster(
    files: list[str],
    settings: dict[str, list[str]],
    reading: dict[str, list[str]],
    engine: Any,
    workers: int,
    tell: _Tell,
) -> tuple[Model, _Said, str, tuple[int, int, int]]: ...

class NoPriorError(ValueError):
    """The share of positives is needed and cannot be estimated."""

class Model:
    """A fitted model."""

    @staticmethod
    def load(path: str) -> Model: ...
    @staticmethod
    def from_bytes(bytes: bytes, rows: bytes | None = None) -> Model: ...
    def save(self, path: str) -> None: ...
    def export(self, path: str, format: str, terms: bool) -> None: ...
    def terms(self, texts: list[str | None], column: str | None) -> list[list[str]]: ...
    def to_bytes(self) -> bytes: ...
    def rows_to_bytes(self, model: bytes) -> bytes | None: ...
    def threshold_rule(self) -> str: ...
    def score(self, rows: _Rows, threads: int, device: str) -> tuple[np.ndarray, _Said]: ...
    def rank(
        self,
        rows: _Rows | str,
        threads: int,
        device: str,
        most: int | None = None,
        in_sample: bool = False,
        told: np.ndarray | None = None,
        label: str | None = None,
        keep: list[str] = [],
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, list[tuple[str, list[str]]], _Said]: ...
    def audit_draw(
        self,
        rows: _Rows,
        number: int,
        cuts: list[str],
        seed: int,
        scores: bool,
        threads: int,
        device: str,
        told: np.ndarray | None = None,
    ) -> tuple[list[tuple[str, list[str]]], list[int], str, _Said]: ...
    def audit_read(
        self, given: list[Any], confidence: float, precision: float | None = None
    ) -> tuple[str, list[str]]: ...
    def negatives(
        self,
        rows: _Rows,
        threads: int,
        device: str,
        fdr: float,
        labeling_odds: float,
        told: np.ndarray | None = None,
        groups: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, str, _Said]: ...
    def explain(
        self, rows: _Rows, most: int
    ) -> tuple[list[tuple[list[tuple[str, float]], float, float]], bool, _Said]: ...
    def importance(
        self,
        rows: _Rows,
        labels: np.ndarray,
        is_truth: bool,
        counts: tuple[int, int, int],
        threads: int,
        device: str,
        tell: _Tell,
    ) -> tuple[str, _Said]: ...
    def report(
        self,
        path: str,
        rows: _Rows | str,
        place: str,
        no_rows: bool,
        threads: int,
        device: str,
        told: np.ndarray | None = None,
        label: str | None = None,
        cells: Callable[[list[int]], list[tuple[str, list[str]]]] | None = None,
    ) -> _Said: ...
    def summary(
        self,
        rows: _Rows | str,
        threads: int,
        device: str,
        told: np.ndarray | None = None,
        label: str | None = None,
        importance: bool = False,
        column: str | None = None,
    ) -> tuple[Summary, _Said]: ...
    def summary_of_fit(self) -> Summary: ...
    def in_short(self) -> tuple[list[tuple[str, str]], list[str]]: ...
    def watch(
        self,
        rows: _Rows,
        false_alarms: float,
        threads: int,
        device: str,
        labels: np.ndarray | None = None,
        history: str | None = None,
    ) -> tuple[str, _Said]: ...
    def about(self) -> str: ...
    def takes(self) -> str: ...
    def columns(self) -> list[str]: ...
    def width(self) -> int: ...
    def review(
        self, rows: _Rows, threads: int, device: str, recall: float, confidence: float, labeling_odds: float
    ) -> tuple[str, _Said]: ...

class Summary:
    """A model and some rows."""

    def figure(self, what: str, column: str | None = None) -> Figure: ...

class Figure:
    """One picture."""

    def svg(self) -> str: ...
    def png(self) -> bytes: ...
    def parts(self) -> tuple[
        str,
        str,
        str,
        tuple[float, float] | None,
        tuple[float, float] | None,
        list[tuple[str, str, int, list[str], list[list[float]]]],
    ]: ...

class Prior:
    """What the estimators of the prior say."""

    def about(self) -> str: ...
    def svg(self) -> str: ...
    def png(self) -> bytes: ...

class Objective:
    """A loss on scores."""

    def __init__(
        self,
        name: str,
        prior: float | None = None,
        labeled_share: float | None = None,
        reduction: str | None = None,
        surrogate: str | None = None,
        beta: float | None = None,
        gamma: float | None = None,
        smoothing: float | None = None,
    ) -> None: ...
    def evaluate(self, positive: np.ndarray, unlabeled: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]: ...
    def curvature(self, positive: np.ndarray, unlabeled: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...
    def describe(self) -> str: ...

def main(arguments: list[str]) -> int: ...
def fit(
    parts: list[_Rows],
    labels: np.ndarray,
    apart: bool,
    settings: dict[str, list[str]],
    reading: dict[str, list[str]],
    tell: _Tell,
    weights: np.ndarray | None = None,
    audit: list[Any] | None = None,
    groups: Any | None = None,
) -> tuple[Model, _Said, str]: ...
def table_negatives(
    parts: list[_Rows],
    labels: np.ndarray,
    settings: dict[str, list[str]],
    reading: dict[str, list[str]],
    tell: _Tell,
    fdr: float,
    labeling_odds: float,
    splits: int,
    groups: Any | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, str, _Said]: ...
def audit_columns() -> list[str]: ...
def settings() -> list[tuple[str, str, str]]: ...
def reading_settings() -> list[tuple[str, str, bool]]: ...
def methods() -> list[tuple[str, str, str, bool]]: ...
def estimate_prior(
    parts: list[_Rows],
    labels: np.ndarray,
    apart: bool,
    names: list[str],
    scorer: str,
    settings: dict[str, list[str]],
    reading: dict[str, list[str]],
    tell: _Tell,
) -> tuple[Prior, _Said]: ...
def estimators() -> list[tuple[str, str, str, str]]: ...
def objectives() -> list[tuple[str, str, str, bool, bool, list[str]]]: ...
def pu_metrics(
    positive: np.ndarray, unlabeled: np.ndarray, threshold: float, prior: float | None, resamples: int, seed: int
) -> tuple[list[tuple[str, float, float, float]], list[str]]: ...
def probabilities(scores: np.ndarray, shift: float) -> np.ndarray: ...
