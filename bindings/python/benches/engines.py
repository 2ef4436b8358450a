"""10,000,000 rows scored by two workers of Ray and of Spark, compared with one process: the seconds, and that scores are equal.

    python engines.py [ROWS] [FOLDER] [trees | linear]

The machine's load average is printed with each time: a busy machine says nothing of what a second worker gains.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from onesided import BatchScorer, PUClassifier

COLUMNS, FILES = 10, 20


def make(folder: Path, rows: int, kind: str) -> None:
    """Tables of normal numbers, and a model."""
    rng = np.random.default_rng(0)
    truth = rng.random(20_000) < 0.4
    X = rng.normal(size=(20_000, COLUMNS)) + truth[:, None]
    names = [f"x{at}" for at in range(COLUMNS)]
    table = pa.table(list(X.astype(np.float32).T), names=names)
    settings = {"model": "trees"} if kind == "trees" else {"method": "weighted-lr"}
    model = PUClassifier(prior=0.4, **settings).fit(table, truth & (rng.random(20_000) < 0.5))
    model.save(folder / "m.model")
    (folder / "in").mkdir()
    for file in range(FILES):
        count = rows // FILES
        block = rng.normal(size=(COLUMNS, count)).astype(np.float32)
        ids = np.arange(file * count, (file + 1) * count)
        pq.write_table(pa.table([ids, *block], names=["id", *names]), folder / "in" / f"{file:02}.parquet")


def scores(folder: Path) -> np.ndarray:
    """Scores in the order of the rows."""
    table = ds.dataset(folder, format="parquet").to_table(columns=["id", "score"])
    found = np.empty(len(table), dtype=np.float32)
    found[table["id"].to_numpy()] = table["score"].to_numpy()
    return found


def one_process(folder: Path) -> None:
    scorer = BatchScorer(folder / "m.model", keep=["id"])
    (folder / "one").mkdir()
    for at, file in enumerate(sorted((folder / "in").iterdir())):
        pq.write_table(scorer(pq.read_table(file)), folder / "one" / f"{at:02}.parquet")


def with_ray(folder: Path) -> None:
    import ray

    data = ray.data.read_parquet(str(folder / "in"))
    data.map_batches(
        BatchScorer,
        fn_constructor_args=(folder / "m.model",),
        fn_constructor_kwargs={"keep": ["id"]},
        batch_format="pyarrow",
        batch_size=100_000,
        concurrency=2,
    ).write_parquet(str(folder / "ray"))


def with_spark(folder: Path, session) -> None:
    frame = session.read.parquet(str(folder / "in"))
    scorer = BatchScorer(folder / "m.model", keep=["id"])
    frame.mapInArrow(scorer.map, "id long, score float, probability float").write.parquet(str(folder / "spark"))


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else "engines-data")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    folder = folder.resolve()
    kind = sys.argv[3] if len(sys.argv) > 3 else "trees"
    make(folder, rows, kind)
    found = {"rows": rows, "columns": COLUMNS, "model": kind, "cores": os.cpu_count()}

    def timed(name, work):
        start = time.perf_counter()
        work()
        found[f"{name}_seconds"] = round(time.perf_counter() - start, 1)
        found[f"{name}_load_after"] = round(os.getloadavg()[0], 1)
        print(name, found[f"{name}_seconds"], flush=True)

    timed("one_process", lambda: one_process(folder))
    expected = scores(folder / "one")
    import ray

    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False)
    timed("ray_2_workers", lambda: with_ray(folder))
    ray.shutdown()
    found["ray_same_scores"] = bool(np.array_equal(scores(folder / "ray"), expected))
    from pyspark.sql import SparkSession

    os.environ.update(PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", 100_000).getOrCreate()
    timed("spark_2_workers", lambda: with_spark(folder, session))
    session.stop()
    found["spark_same_scores"] = bool(np.array_equal(scores(folder / "spark"), expected))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
