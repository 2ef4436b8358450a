"""Fitting and scoring on a Ray cluster, with the model file of one machine, to the byte."""

from __future__ import annotations

import glob as globbing
import importlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._classifier import PUClassifier
from ._estimator import Teller, say
from ._onesided import ClusterWorker, __version__, add_messages, fit_in_cluster
from ._settings import check_columns, reading_of, settings_of

# Seconds between two looks at whether a fit is to stop, after which it is said that workers are waited for, and that one has to come back.
_PAUSE, _LONG, _PATIENCE = 0.2, 30.0, 600.0


def _ray() -> Any:
    """Ray, or what to install."""
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise ImportError("onesided.ray needs Ray, which is not installed: pip install 'ray[data]'") from error
    return ray


class _Holder:
    """What a Ray actor is: some rows of the table."""

    def __init__(self) -> None:
        self.worker = ClusterWorker()

    def about(self) -> tuple[str, int]:
        return __version__, os.getpid()

    def answer(self, message: bytes) -> bytes:
        return self.worker.answer(message)

    def add(self, one: bytes, other: bytes) -> bytes:
        return add_messages(one, other)


class _Actors:
    """Hands messages to Ray actors. Ray starts those anew that die."""

    def __init__(self, num_workers: int, options: dict[str, Any]) -> None:
        self.ray = _ray()
        kind = self.ray.remote(_Holder)
        # A message that was lost is sent again by the coordinator, once it has told the worker what it must know.
        options = {"num_cpus": 1, "scheduling_strategy": "SPREAD", **options, "max_restarts": -1, "max_task_retries": 0}
        self.actors = [kind.options(**options).remote() for _ in range(num_workers)]

    def check(self) -> None:
        """Waits for all workers, and refuses those of another version."""
        refs = [actor.about.remote() for actor in self.actors]
        ready, late = self.ray.wait(refs, num_returns=len(refs), timeout=_LONG)
        if late:
            say([(f"{len(ready)} of {len(refs)} workers have started; Ray waits for room for the others", "fit")], 1)
        for version, _ in self.ray.get(refs):
            if version != __version__:
                raise RuntimeError(
                    f"the driver has onesided {__version__} and a worker {version}; install the same version on all machines"
                )

    def _lost(self) -> tuple[type[Exception], ...]:
        errors = self.ray.exceptions
        return (errors.RayActorError, errors.OutOfMemoryError, errors.ObjectLostError, errors.WorkerCrashedError)

    def _wait(self, refs: list[Any], stopped: Callable[[], bool]) -> None:
        while self.ray.wait(refs, num_returns=len(refs), timeout=_PAUSE)[1]:
            if stopped():
                raise KeyboardInterrupt

    def each(self, messages: list[tuple[int, bytes]], stopped: Callable[[], bool]) -> list[bytes | None]:
        """The answers of some workers; None of one that died."""
        refs = [self.actors[worker].answer.remote(message) for worker, message in messages]
        self._wait(refs, stopped)
        answers: list[bytes | None] = []
        for ref in refs:
            try:
                answers.append(self.ray.get(ref))
            except self._lost():
                answers.append(None)
        for (worker, _), answer in zip(messages, answers, strict=True):
            if answer is None:
                self._await(worker, stopped)
        return answers

    def _await(self, worker: int, stopped: Callable[[], bool]) -> None:
        """Waits until Ray has started a worker anew."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            ref = self.actors[worker].about.remote()
            self._wait([ref], stopped)
            try:
                self.ray.get(ref)
                return
            except self._lost():
                time.sleep(_PAUSE)

    def sum(self, messages: list[tuple[int, bytes]], stopped: Callable[[], bool]) -> bytes | None:
        """The sum of all answers: workers add pairs, and the driver the last one."""
        refs = [self.actors[worker].answer.remote(message) for worker, message in messages]
        while len(refs) > 2:
            pairs = list(zip(refs[::2], refs[1::2], strict=False))
            rest = refs[2 * len(pairs) :]
            refs = [self.actors[2 * at % len(self.actors)].add.remote(*pair) for at, pair in enumerate(pairs)] + rest
        self._wait(refs, stopped)
        try:
            one, *other = self.ray.get(refs)
        except (*self._lost(), self.ray.exceptions.RayTaskError):
            return None
        return add_messages(one, other[0]) if other else one

    def close(self) -> None:
        """Leaves no actor behind."""
        for actor in self.actors:
            self.ray.kill(actor, no_restart=True)


@contextmanager
def _started() -> Iterator[None]:
    """Ray as it is, or a local one while this lasts."""
    ray = _ray()
    if ray.is_initialized():
        yield
        return
    ray.init(include_dashboard=False, log_to_driver=False, logging_level="warning")
    try:
        yield
    finally:
        ray.shutdown()


@contextmanager
def _files(data: Any, folder: str | os.PathLike[str] | None) -> Iterator[list[str]]:
    """The Parquet files of a table, in the order of their names; of what is no file, files that last as long as this."""
    if isinstance(data, (str, os.PathLike)):
        yield _found(os.fspath(data))
        return
    if isinstance(data, (list, tuple)):
        yield [os.path.abspath(os.fspath(path)) for path in data]
        return
    made = tempfile.mkdtemp(prefix="onesided-", dir=folder)
    try:
        if hasattr(data, "write_parquet") and hasattr(data, "map_batches"):
            data.write_parquet(made)
            yield _found(made)
        else:
            import pyarrow
            from pyarrow import parquet

            table = data if isinstance(data, pyarrow.Table) else _as_arrow(data)
            path = os.path.join(made, "rows.parquet")
            parquet.write_table(table, path)
            yield [path]
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _as_arrow(data: Any) -> Any:
    import pyarrow

    if hasattr(data, "to_arrow"):
        return data.to_arrow()
    if hasattr(data, "columns") and hasattr(data, "index"):
        return pyarrow.Table.from_pandas(data, preserve_index=False)
    raise TypeError(
        f"data: must be a path or glob of Parquet files, a list of them, a Ray Dataset, or a frame, but is {type(data).__name__}"
    )


def _found(path: str) -> list[str]:
    """A file, the Parquet files of a folder, or those of a glob."""
    path = os.path.abspath(path)
    if os.path.isdir(path):
        found = globbing.glob(os.path.join(globbing.escape(path), "*.parquet"))
    elif os.path.exists(path):
        found = [path]
    else:
        found = globbing.glob(path)
    if not found:
        raise FileNotFoundError(f"data: no Parquet file at '{path}'; check the path")
    return sorted(found, key=lambda file: (os.path.basename(file), file))


def fit(
    data: Any,
    label: str = "y",
    num_workers: int = 8,
    *,
    positive: str | None = None,
    negative: str | None = None,
    weight: str | None = None,
    group: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    ray_options: dict[str, Any] | None = None,
    **settings: Any,
) -> PUClassifier:
    """Grow boosted trees on a Ray cluster, with the model file of one machine, to the byte.

    Each worker is a Ray actor that holds one byte per cell of its rows. The model does not depend on how many workers there are, nor
    on how the rows are spread over files: it is that of ``onesided fit 'files/*.parquet' --label y --model trees``. A worker that dies is
    started anew by Ray and told again what it must know.

    Parameters
    ----------
    data : path, glob, list of paths, Ray Dataset or frame
        The rows, as Parquet files that the driver and all workers can read. Rows are in the order of the files' names, then of each
        file. A Ray Dataset or a frame is written to ``folder`` first, and removed at the end.
    label : str, default="y"
        The column of labels, read as the command reads it.
    num_workers : int, default=8
        How many actors hold rows.
    positive, negative : str, optional
        The value of ``label`` that means positive, and the one that means a known negative.
    weight, group : str, optional
        Columns of weights, and of which rows belong together.
    folder : path, optional
        Where rows that are in no file are written: a folder that all machines share. The system's folder for temporary files by default,
        which is right for one machine.
    ray_options : dict, optional
        Options of the actors, such as ``{"num_cpus": 0.5, "memory": 2 << 30}``.
    **settings
        Parameters of :class:`PUClassifier`. ``model`` is ``"trees"``.

    Returns
    -------
    PUClassifier
        The fitted model. ``cluster_`` says how many bytes were sent and received, and how often a worker was started anew.
    """
    _ray()
    if isinstance(num_workers, bool) or not isinstance(num_workers, int) or num_workers < 1:
        raise ValueError(f"num_workers: must be a whole number of at least 1, but is {num_workers!r}")
    for name in ("pos_label",):
        if name in settings:
            raise ValueError(f"{name}: labels are read from a column here; say positive='...' instead")
    model = PUClassifier(**{"model": "trees", **settings})
    params = model.get_params()
    check_columns(params, "table")
    reading = reading_of(params)
    roles = {"label": label, "positive": positive, "negative": negative, "weight": weight, "group": group}
    reading |= {name: [str(value)] for name, value in roles.items() if value is not None}
    with _files(data, folder) as files, _started():
        actors = _Actors(num_workers, ray_options or {})
        try:
            actors.check()
            with Teller(model.verbose) as teller:
                fitted, said, columns, (sent, received, restarts) = fit_in_cluster(
                    files, settings_of(params), reading, actors, num_workers, teller.callback
                )
        finally:
            actors.close()
    say(said, model.verbose)
    result = PUClassifier._of_model(fitted)
    result.verbose, result.n_jobs = model.verbose, model.n_jobs
    result.columns_ = json.loads(columns)
    result.cluster_ = {"sent": sent, "received": received, "restarts": restarts, "workers": num_workers}
    return result


def predict_proba(model: PUClassifier, data: Any, num_workers: int = 8, **options: Any) -> Any:
    """Score rows on a Ray cluster: a Ray Dataset with their numbers (``row``, from 0), scores and probabilities, in their order.

    Parameters
    ----------
    model : PUClassifier
        A fitted model of any kind.
    data : path, glob, list of paths, Ray Dataset or frame
        The rows, as for :func:`fit`.
    num_workers : int, default=8
        How many tasks score at a time.
    keep : list of str, optional
        Columns to hand on.
    folder, ray_options
        As for :func:`fit`.

    Returns
    -------
    ray.data.Dataset
        Its numbers are those of ``onesided predict``.
    """
    return _scored(model, data, num_workers, sort=False, **options)


def rank(model: PUClassifier, data: Any, num_workers: int = 8, **options: Any) -> Any:
    """The same as a list, the likeliest positives first, and rows of equal scores in their order: sorted by Ray.

    Rows that the model was fitted on have the scores of the model itself here; ``onesided predict`` scores those out of fold.
    """
    return _scored(model, data, num_workers, sort=True, **options)


def _score(model: bytes, file: str, groups: list[int], first: int, keep: list[str]) -> Any:
    """Some row groups of a file, scored: what a task does."""
    import pyarrow
    from pyarrow import parquet

    from ._batches import BatchScorer

    scorer = BatchScorer._of_bytes(model, keep=keep)
    parts = []
    for batch in parquet.ParquetFile(file).iter_batches(row_groups=groups, use_threads=False):
        rows = pyarrow.array(range(first, first + batch.num_rows), pyarrow.int64())
        parts.append(scorer(pyarrow.Table.from_batches([batch])).add_column(0, "row", rows))
        first += batch.num_rows
    return pyarrow.concat_tables(parts)


def _scored(
    model: PUClassifier,
    data: Any,
    num_workers: int,
    *,
    sort: bool,
    keep: list[str] | None = None,
    folder: str | os.PathLike[str] | None = None,
    ray_options: dict[str, Any] | None = None,
) -> Any:
    ray = _ray()
    importlib.import_module("ray.data")  # the part of Ray that holds tables
    from pyarrow import parquet

    model._check_fitted()
    task = ray.remote(_score).options(**{"num_cpus": 1, "scheduling_strategy": "SPREAD", **(ray_options or {})})
    with _files(data, folder) as files:
        if not ray.is_initialized():
            ray.init(include_dashboard=False, log_to_driver=False, logging_level="warning")
        held = ray.put(model.to_bytes())
        refs: list[Any] = []
        running: list[Any] = []
        first = 0
        for file in files:
            about = parquet.ParquetFile(file).metadata
            for group in range(about.num_row_groups):
                rows = about.row_group(group).num_rows
                if rows == 0:
                    continue
                if len(running) >= num_workers:
                    _, running = ray.wait(running, num_returns=1, fetch_local=False)
                refs.append(task.remote(held, file, [group], first, keep or []))
                running.append(refs[-1])
                first += rows
        if not refs:
            raise ValueError("data: there are no rows; check the files")
        scored = ray.data.from_arrow_refs(refs)
        if sort:
            scored = scored.sort(["score", "row"], descending=[True, False])
        return scored.materialize()
