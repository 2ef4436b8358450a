"""Fits on a real local Ray: the files of the command, whatever the workers and however often they die."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import types

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
engines = pytest.mark.skipif(not os.environ.get("ONESIDED_ENGINES"), reason="set ONESIDED_ENGINES=1 to start a local Ray")

ROWS = 600


def table() -> pa.Table:
    """Numbers and categories with missing cells, dates, whole numbers, flags, 400 levels and weights."""
    rng = np.random.default_rng(3)
    truth = rng.random(ROWS) < 0.35
    day = np.datetime64("2022-01-01") + rng.integers(0, 700, ROWS).astype("timedelta64[D]")
    kind = rng.choice(["red", "green", "blue"], ROWS)
    return pa.table(
        {
            "x": pa.array(rng.normal(size=ROWS) + 1.3 * truth, mask=rng.random(ROWS) < 0.1),
            "kind": pa.array(kind, mask=rng.random(ROWS) < 0.05),
            "day": pa.array(day),
            "count": rng.poisson(2 + truth),
            "flag": pa.array(rng.random(ROWS) < 0.3 + 0.3 * truth),
            "level": pa.array([f"l{one}" for one in rng.integers(0, 400, ROWS)]),
            "w": 1.0 + rng.integers(0, 3, ROWS),
            "y": (truth & (rng.random(ROWS) < 0.4)).astype(np.int64),
        }
    )


def write(rows: pa.Table, folder, cuts: list[int]) -> str:
    folder.mkdir(exist_ok=True)
    edges = [0, *cuts, rows.num_rows]
    for at, (start, end) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        parquet.write_table(rows.slice(start, end - start), folder / f"part-{at:03}.parquet", row_group_size=70)
    return str(folder / "*.parquet")


@pytest.fixture(scope="module")
def cluster():
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=8, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.fixture(scope="module")
def of_command(tmp_path_factory):
    """The file that the command writes of the same rows in one file."""
    from onesided._onesided import main

    folder = tmp_path_factory.mktemp("command")
    write(table(), folder / "one", [])
    flags = "--label y --weight w --model trees --method naive --prior 0.35 --seed 4".split()
    assert main(["onesided", "fit", str(folder / "one" / "part-000.parquet"), *flags, "--out", str(folder / "m.model")]) == 0
    return (folder / "m.model").read_bytes()


SETTINGS = {"weight": "w", "method": "naive", "prior": 0.35, "random_state": 4}


def left(ray) -> list:
    from ray.util.state import list_actors

    return [actor for actor in list_actors() if actor.state != "DEAD"]


@engines
@pytest.mark.parametrize(
    ("workers", "cuts"), [(1, []), (2, [300]), (3, [1, 480]), (7, [100, 200, 300, 400, 599]), (5, list(range(60, 600, 60)))]
)
def test_the_file_is_that_of_the_command(cluster, of_command, tmp_path, workers, cuts):
    from onesided.ray import fit

    model = fit(write(table(), tmp_path / "parts", cuts), label="y", num_workers=workers, **SETTINGS)
    assert model.to_bytes() == of_command
    assert model.cluster_["sent"] > 0 and model.cluster_["restarts"] == 0


@engines
def test_killed_workers_change_no_byte_and_none_is_left(cluster, of_command, tmp_path):
    from onesided import ray as ours

    place = write(table(), tmp_path / "parts", [200])
    stop, killed, rng = threading.Event(), [], np.random.default_rng(0)
    held = []
    check = ours._Actors.check

    def checked(self):
        check(self)
        held.append(self)

    def kill():
        while not stop.wait(float(rng.uniform(0.05, 1.0))) and len(killed) < 5:
            if held:
                actor = held[-1].actors[int(rng.integers(3))]
                try:
                    pid = cluster.get(actor.about.remote(), timeout=5)[1]
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                except Exception:
                    pass

    ours._Actors.check = checked
    thread = threading.Thread(target=kill)
    thread.start()
    try:
        model = ours.fit(place, label="y", num_workers=3, **SETTINGS)
    finally:
        stop.set()
        thread.join()
        ours._Actors.check = check
    assert model.to_bytes() == of_command
    assert killed and model.cluster_["restarts"] >= 1
    time.sleep(1)
    assert not left(cluster)


@engines
def test_datasets_frames_and_lists_are_scored_as_predict_scores_them(cluster, of_command, tmp_path):
    from onesided import PUClassifier
    from onesided.ray import fit, predict_proba, rank

    rows = table()
    model = fit(rows, label="y", num_workers=2, **SETTINGS)
    assert model.to_bytes() == of_command
    assert fit(rows.to_pandas(), label="y", num_workers=2, **{**SETTINGS, "weight": None}).prior_ == 0.35
    place = write(rows, tmp_path / "parts", [70, 190])
    path = tmp_path / "m.model"
    model.save(path)
    scores = PUClassifier.load(path).decision_function(rows)
    scored = predict_proba(model, place, 2, keep=["kind"]).to_pandas()
    assert list(scored.columns) == ["row", "kind", "score", "probability"]
    assert (scored["row"] == np.arange(ROWS)).all()
    assert (scored["score"].to_numpy(dtype=np.float32) == np.asarray(scores, dtype=np.float32)).all()
    ranked = rank(model, place, 2).to_pandas()
    order = np.lexsort((np.arange(ROWS), -scored["score"].to_numpy()))
    assert (ranked["row"].to_numpy() == order).all()
    data = cluster.data.from_arrow(rows)
    assert fit(data, label="y", num_workers=2, **SETTINGS).prior_ == 0.35


@engines
def test_what_cannot_be_is_one_sentence(cluster, tmp_path):
    from onesided.ray import fit

    rows = table()
    place = write(rows, tmp_path / "parts", [100])
    with pytest.raises(FileNotFoundError, match="no Parquet file at"):
        fit(str(tmp_path / "nothing*.parquet"))
    parquet.write_table(rows.drop_columns("y"), tmp_path / "parts" / "part-900.parquet")
    with pytest.raises(ValueError, match="has no column 'y'; write all parts with the same columns"):
        fit(place, num_workers=2, **SETTINGS)
    (tmp_path / "parts" / "part-900.parquet").unlink()
    with pytest.raises(ValueError, match="takes 'trees' alone"):
        fit(place, num_workers=2, **{**SETTINGS, "model": "linear"})
    with pytest.raises(ValueError, match="num_workers: must be a whole number of at least 1, but is 0"):
        fit(place, num_workers=0)
    assert fit(write(rows.slice(0, 200), tmp_path / "few", []), num_workers=2, **SETTINGS).prior_ == 0.35
    time.sleep(1)
    assert not left(cluster)


def test_without_ray_it_is_said_what_to_install(monkeypatch):
    from onesided.ray import fit

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"onesided.ray needs Ray, which is not installed: pip install 'ray\[data\]'"):
        fit("t.parquet")


def test_other_versions_are_refused(monkeypatch):
    from onesided import ray as ours

    class Worker:
        def options(self, **_):
            return self

        def remote(self):
            return self

    worker = Worker()
    worker.about = types.SimpleNamespace(remote=lambda: ("0.0.1", 1))
    fake = types.SimpleNamespace(
        remote=lambda kind: worker, wait=lambda refs, **_: (refs, []), get=lambda refs: refs, exceptions=None
    )
    monkeypatch.setattr(ours, "_ray", lambda: fake)
    with pytest.raises(RuntimeError, match="a worker 0.0.1; install the same version on all machines"):
        ours._Actors(2, {}).check()
