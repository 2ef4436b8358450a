"""Fit and scores of 1,000,000 x 50 from Python; the same by the command is printed, for you to run next to it.

    python million.py make FOLDER     # writes the array and the Parquet file
    python million.py run FOLDER      # seconds of wall and CPU, and the peak of memory after each step
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np

ROWS, COLUMNS = 1_000_000, 50


def make(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    truth = rng.random(ROWS) < 0.3
    X = rng.normal(size=(ROWS, COLUMNS)).astype(np.float32)
    X[:, :10] += 0.6 * truth[:, None]
    y = (truth & (rng.random(ROWS) < 0.3)).astype(np.int8)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    table = pa.table({f"x{at}": X[:, at] for at in range(COLUMNS)}).append_column("y", pa.array(y))
    pq.write_table(table, folder / "t.parquet", compression="none", use_dictionary=False)
    print(f"time onesided fit {folder}/t.parquet --label y --model trees --prior 0.3 --threads 2 --out {folder}/c.model")
    print(f"time onesided predict {folder}/c.model {folder}/t.parquet --threads 2")


def told(what: str, started: float) -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = used.ru_maxrss / 1024
    print(f"{what}: {time.time() - started:.1f} s, {used.ru_utime:.1f} s of CPU so far, peak so far {peak:.0f} MiB", flush=True)
    return time.time()


def run(folder: Path) -> None:
    now = time.time()
    from onesided import PUClassifier

    now = told("import", now)
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    now = told(f"an array of {X.nbytes / 2**20:.0f} MiB", now)
    model = PUClassifier(model="trees", prior=0.3, n_jobs=2).fit(X, y)
    now = told("fit", now)
    model.save(folder / "p.model")
    model.decision_function(X)
    told("scores", now)


if __name__ == "__main__":
    {"make": make, "run": run}[sys.argv[1]](Path(sys.argv[2]))
