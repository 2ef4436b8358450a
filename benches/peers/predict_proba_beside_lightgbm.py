"""How long `predict_proba` takes: `onesided` beside LightGBM, in turns, in one process.

    cd bindings/python && maturin develop --release    # in a virtual environment with lightgbm and numpy
    python benches/peers/predict_proba_beside_lightgbm.py --turns 5 --out benches/results/predict_proba.jsonl

Fits the default model, `thorough` and `fast` beside 200 trees of 31 leaves, and `--model trees` beside as many trees with as many leaves, on
6,000 x 10 random numbers (the default on 879 x 81, too), and scores 1 row, 10,000 and 200,000 rows, all with two threads. A reading is the mean of as many calls as take
a fifth of a second, after one call; the clock and the seconds of the processor. Prints medians, lowest and highest per call, and rows per
second; `ratio` is the median over the turns of LightGBM's time to ours.
"""

import argparse
import json
import os
import resource
import statistics
import tempfile
import time
import warnings

import lightgbm
import numpy as np
import onesided

warnings.simplefilter("ignore")
ENOUGH = 0.2


def table(rows, columns, seed=0):
    rng = np.random.default_rng(seed + columns)
    X = rng.standard_normal((rows, columns))
    logit = X[:, 0] * X[:, 1] + X[:, 2] - np.abs(X[:, 3])
    positive = rng.random(rows) < 1 / (1 + np.exp(-logit))
    return X, (positive & (rng.random(rows) < 0.3)).astype(int)


def processor():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def reading(call):
    call()
    calls, clock, used = 0, time.perf_counter(), processor()
    while calls == 0 or time.perf_counter() - clock < ENOUGH:
        call()
        calls += 1
    return {"clock": (time.perf_counter() - clock) / calls, "processor": (processor() - used) / calls}


parser = argparse.ArgumentParser()
parser.add_argument("--turns", type=int, default=5)
parser.add_argument("--only", default="")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--out", required=True)
options = parser.parse_args()
threads = options.threads

X, y = table(6000, 10)
W, v = table(879, 81)
fitted = {}


def ours(name, X=X, y=y, **settings):
    if name not in fitted:
        fitted[name] = onesided.PUClassifier(n_jobs=threads, **settings).fit(X, y)
    return fitted[name].predict_proba


def theirs(name, X=X, y=y, trees=200, leaves=31):
    if name not in fitted:
        settings = {"objective": "binary", "num_leaves": leaves, "verbose": -1, "num_threads": threads, "min_data_in_leaf": 5}
        fitted[name] = lightgbm.train(settings, lightgbm.Dataset(X, y), trees)
    return lambda rows: fitted[name].predict(rows, num_threads=threads)


def of_one_size():
    """Boosted trees, and LightGBM's of the same number and leaves."""
    our = ours("trees", method="collective", model="trees")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trees.json")
        fitted["trees"].export(path, format="xgboost-json")
        with open(path) as file:
            trees = json.load(file)["learner"]["gradient_booster"]["model"]["trees"]
    leaves = [sum(child == -1 for child in tree["left_children"]) for tree in trees]
    their = theirs("LightGBM, one size", trees=len(trees), leaves=max(leaves))
    grown = fitted["LightGBM, one size"].dump_model()["tree_info"]
    size = {"onesided": [len(leaves), statistics.mean(leaves)], "lightgbm": [len(grown), statistics.mean(t["num_leaves"] for t in grown)]}
    print(f"trees and leaves a tree: {size}", flush=True)
    return our, their


models = {
    "default": lambda: (ours("default"), theirs("LightGBM")),
    "thorough": lambda: (ours("thorough", effort="thorough"), theirs("LightGBM")),
    "fast": lambda: (ours("fast", fast=True), theirs("LightGBM")),
    "trees": of_one_size,
    "default, 81 columns": lambda: (ours("default 81", W, v), theirs("LightGBM 81", W, v)),
}
with open(options.out, "w") as lines:
    for model, make in models.items():
        if options.only not in model:
            continue
        our, their = make()
        for rows in [1, 10_000, 200_000]:
            new = table(rows, 81 if "81" in model else 10, seed=1)[0]
            readings = {"onesided": [], "lightgbm": []}
            for turn in range(options.turns):
                for side, call in [("onesided", our), ("lightgbm", their)]:
                    one = reading(lambda: call(new))
                    readings[side].append(one)
                    about = {"model": model, "rows": rows, "side": side, "turn": turn, "threads": threads, "cores": os.cpu_count()}
                    lines.write(json.dumps({**about, **one}) + "\n")
                    lines.flush()
            for clock in ["clock", "processor"]:
                of = {side: [one[clock] for one in all] for side, all in readings.items()}
                ratio = [b / a for a, b in zip(of["onesided"], of["lightgbm"])]
                print(
                    f"{model}, {rows:,} rows, {clock}: "
                    + "; ".join(f"{side} {1000 * statistics.median(t):.3f} ({1000 * min(t):.3f} - {1000 * max(t):.3f}) ms" for side, t in of.items())
                    + f"; {rows / statistics.median(of['onesided']):,.0f} rows/s; ratio {statistics.median(ratio):.2f} ({min(ratio):.2f} - {max(ratio):.2f})",
                    flush=True,
                )
