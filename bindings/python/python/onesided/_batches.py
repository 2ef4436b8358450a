"""Scoring Arrow batches in workers of Ray, Spark and their like."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ._classifier import PUClassifier

# One model per file and process.
_LOADED: dict[tuple[str, int], PUClassifier] = {}


class BatchScorer:
    """Adds a column of scores and one of probabilities to Arrow batches, by a model that each process loads once.

    What is sent to a worker is the path of the model file, which the worker must be able to read.

    Parameters
    ----------
    path : path
        The model file.
    score, probability : str
        The names of the new columns, which the batch must not have yet.
    keep : list of str, optional
        Columns to hand on; all by default.
    n_jobs : int, default=1
        Threads per worker: there are several workers already.

    Examples
    --------
    >>> data.map_batches(BatchScorer, fn_constructor_args=(path,), batch_format="pyarrow", concurrency=2)  # Ray Data
    >>> frame.mapInArrow(BatchScorer(path, keep=["id"]).map, "id long, score float, probability float")    # Spark
    """

    _held: PUClassifier | None = None

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        score: str = "score",
        probability: str = "probability",
        keep: list[str] | None = None,
        n_jobs: int = 1,
    ) -> None:
        self.path, self.names, self.keep, self.n_jobs = os.fspath(path), (score, probability), keep, n_jobs

    @classmethod
    def _of_bytes(cls, model: bytes, **options: Any) -> BatchScorer:
        """Of the bytes of a model file, where workers cannot read the file."""
        scorer = cls("", **options)
        key = (hashlib.sha256(model).hexdigest(), 0)
        if key not in _LOADED:
            _LOADED[key] = PUClassifier.from_bytes(model)
        scorer._held = _LOADED[key]
        return scorer

    @property
    def model(self) -> PUClassifier:
        """The model, loaded once in each process."""
        if self._held is not None:
            return self._held
        key = (self.path, os.stat(self.path).st_mtime_ns)
        if key not in _LOADED:
            _LOADED[key] = PUClassifier.load(self.path)
        return _LOADED[key]

    def __call__(self, batch: Any) -> Any:
        """A table or record batch of pyarrow with the new columns."""
        import pyarrow

        from ._onesided import probabilities

        kept = batch if self.keep is None else batch.select(self.keep)
        for argument, name in zip(("score", "probability"), self.names, strict=True):
            if name in kept.schema.names:
                raise ValueError(
                    f"{argument}: the batch has a column '{name}' already; name the new one {argument}='...', or hand on others with "
                    "keep=[...]"
                )
        model = self.model
        model.n_jobs = self.n_jobs
        scores = model._scores(batch)
        columns = [np.asarray(scores), probabilities(scores, 0.0)]
        arrays = [*kept.columns, *(pyarrow.array(column) for column in columns)]
        return type(batch).from_arrays(arrays, names=[*kept.schema.names, *self.names])

    def map(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Batch by batch, as ``mapInArrow`` hands them over."""
        for batch in batches:
            if batch.num_rows:
                yield self(batch)
