"""Runs the prior estimators of pulearn and pu-toolbox on the rows that the benchmark wrote out.

    pip install pulearn pu-toolbox
    python peers.py ROWS RUNS.jsonl OUT.jsonl [SECONDS]

ROWS is the folder TABLES/rows of prior_grid with grid-peers.json, RUNS what it wrote: it has the truth. Each estimator
runs with its own defaults, in its own process, on one thread and for at most SECONDS (60). Their answers are priors of
the pool P and U or of U; what each means is said in its table entry below, and all are turned into the share of positives
in U. Answers are appended one by one; those that are there already are not repeated.
"""

import json
import os
import sys
import time
from multiprocessing import Process, Queue
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np


def pulearn(name, **settings):
    def run(x, y):
        import pulearn as package

        # pulearn answers with the prior of the pool: pi = (n_p + mu n_u) / n.
        pi = getattr(package, name)(**settings).fit(x, y).estimate().pi
        return (pi * len(y) - y.sum()) / (len(y) - y.sum())

    return run


def pu_toolbox(name, **settings):
    def run(x, y):
        import pu_toolbox as package

        # pu-toolbox answers with the share in the mixture, which is U.
        return float(getattr(package, name)(**settings).fit(x, y).estimate())

    return run


PEERS = {
    "pulearn/histogram-match": pulearn("HistogramMatchPriorEstimator"),
    "pulearn/scar-em": pulearn("ScarEMPriorEstimator"),
    "pu-toolbox/pen-l1": pu_toolbox("ClassPriorEstimator"),
    "pu-toolbox/km1": pu_toolbox("KernelMeanPriorEstimator", variant="km1", random_state=0),
    "pu-toolbox/km2": pu_toolbox("KernelMeanPriorEstimator", variant="km2", random_state=0),
    "pu-toolbox/recpe": pu_toolbox("ReCPEEstimator"),
}


def work(peer, x, y, queue):
    try:
        # Once on a few rows, so that importing and compiling are not timed.
        few = np.r_[0:20, len(y) - 40 : len(y)]
        try:
            PEERS[peer](x[few], y[few])
        except Exception:
            pass
        started = time.perf_counter()
        mu = PEERS[peer](x, y)
        queue.put({"mu": float(mu), "seconds": time.perf_counter() - started})
    except Exception as error:
        queue.put({"error": f"{type(error).__name__}: {error}"[:200]})


def main():
    rows, runs, out = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    limit = float(sys.argv[4]) if len(sys.argv) > 4 else 60.0
    done = set()
    if out.exists():
        done = {(r["peer"], r["set"], r["mu_true"], r["seed"]) for r in map(json.loads, out.open())}
    for line in runs.open():
        run = json.loads(line)
        table = np.loadtxt(rows / f"{run['set']}_{run['mu']}_{run['seed']}.csv", delimiter=",")
        y, x = table[:, 0].astype(int), table[:, 1:]
        for peer in PEERS:
            key = (peer, run["set"], run["truth"], run["seed"])
            if key in done:
                continue
            queue = Queue()
            process = Process(target=work, args=(peer, x, y, queue))
            process.start()
            try:
                answer = queue.get(timeout=limit + 30)
            except Exception:
                answer = {"error": f"no answer after {limit + 30:.0f} s"}
                process.terminate()
            process.join()
            record = {"peer": peer, "set": run["set"], "mu_true": run["truth"], "seed": run["seed"], **answer}
            with out.open("a") as file:
                file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
