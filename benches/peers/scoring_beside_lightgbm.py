"""How long people wait for scores: `onesided` beside LightGBM, in turns, in one run.

    cargo build --release -p onesided-cli
    python benches/peers/scoring_beside_lightgbm.py --binary target/release/onesided --turns 5 --out scoring.jsonl

Needs lightgbm, numpy and pandas. With `--before` an older binary takes its turn, too. The rows are random, with missing cells and
categories. Jobs: `predict` of 200,000 x 9 from CSV to CSV; `predict` of one row; `importance` of 879 x 81; `predict --explain` of
6,341 x 14; `fit` of `--fit-rows` x 5, if that is given. Both sides read CSV and write CSV, from the start of the process. LightGBM has 200 trees of
31 leaves. Prints medians, lowest and highest, in seconds of the clock and of the processor, and the ratio of the medians.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd

PEER = """
import sys, lightgbm, pandas as pd
job, model, table, out = sys.argv[1:]
frame = pd.read_csv(table)
for name in frame.columns[frame.columns.str.startswith("c")]:
    frame[name] = pd.Categorical(frame[name], categories=list("abcdefgh"))
if job == "fit":
    rows = lightgbm.Dataset(frame.drop(columns="label"), frame["label"])
    settings = {"objective": "binary", "num_leaves": 31, "verbose": -1, "num_threads": 0}
    lightgbm.train(settings, rows, 200).save_model(model)
else:
    lightgbm.Booster(model_file=model).predict(frame, pred_contrib=job == "explain")
    frame.to_csv(out, index=False)
"""


def table(rows, columns, categories, path, labeled):
    rng = np.random.default_rng(rows + columns)
    numbers = rng.standard_normal((rows, columns - categories)).round(4)
    frame = pd.DataFrame(numbers, columns=[f"x{at}" for at in range(columns - categories)])
    logit = numbers[:, 0] * numbers[:, 1] + numbers[:, 2] - np.abs(numbers[:, 3])
    for at in range(categories):
        level = rng.integers(0, 8, rows)
        logit = logit + np.where(level % 3 == 0, 1, -0.3)
        frame[f"c{at}"] = np.array(list("abcdefgh"))[level]
    frame.loc[rng.random(rows) < 0.05, "x0"] = np.nan
    if labeled:
        positive = rng.random(rows) < 1 / (1 + np.exp(-logit))
        frame["label"] = (positive & (rng.random(rows) < 0.3)).astype(int)
    frame.to_csv(path, index=False)
    return str(path)


def timed(command):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"clock": time.monotonic() - start, "processor": spent}


JOBS = ["predict 200,000 x 9", "predict 1 x 9", "importance 879 x 81", "explain 6,341 x 14"]

parser = argparse.ArgumentParser()
parser.add_argument("--binary", required=True)
parser.add_argument("--before")
parser.add_argument("--turns", type=int, default=5)
parser.add_argument("--fit-rows", type=int, default=0)
parser.add_argument("--only", default="", help="a part of the names of the jobs to run")
parser.add_argument("--out", required=True)
options = parser.parse_args()

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    fits = {9: table(6000, 9, 2, folder / "fit9.csv", True), 14: table(6341, 14, 4, folder / "fit14.csv", True)}
    fits[81] = table(879, 81, 10, folder / "fit81.csv", True)
    many = table(200_000, 9, 2, folder / "many.csv", False)
    one = table(1, 9, 2, folder / "one.csv", False)
    listed = table(6341, 14, 4, folder / "listed.csv", False)
    model = {width: str(folder / f"m{width}.safetensors") for width in fits}
    peer = {width: str(folder / f"m{width}.txt") for width in fits}
    out = str(folder / "out.csv")
    for width, rows in fits.items():
        if not any(options.only in job and job.endswith(f"x {width}") for job in JOBS):
            continue
        timed([options.binary, "fit", rows, "--label", "label", "--out", model[width]])
        timed([sys.executable, "-c", PEER, "fit", peer[width], rows, out])

    def theirs(job, width, rows):
        return [sys.executable, "-c", PEER, job, peer[width], rows, out]

    sides = [
        (["predict", model[9], many, "--out", out], theirs("predict", 9, many)),
        (["predict", model[9], one, "--out", out], theirs("predict", 9, one)),
        (["importance", model[81], fits[81], "--label", "label"], None),
        (["predict", model[14], listed, "--explain", "3", "--out", out], theirs("explain", 14, listed)),
    ]
    jobs = {job: both for job, both in zip(JOBS, sides, strict=True) if options.only in job}
    if options.fit_rows:
        large = table(options.fit_rows, 5, 1, folder / "large.csv", True)
        new, of_peer = str(folder / "large.safetensors"), str(folder / "large.txt")
        ours = ["fit", large, "--label", "label", "--out", new]
        jobs[f"fit {options.fit_rows:,} x 5"] = (ours, [sys.executable, "-c", PEER, "fit", of_peer, large, out])
    with open(options.out, "w") as lines:
        for job, (ours, other) in jobs.items():
            sides = {"onesided": [options.binary, *ours]}
            if options.before:
                sides["before"] = [options.before, *ours]
            if other:
                sides["lightgbm"] = other
            readings = {side: [] for side in sides}
            for turn in range(options.turns):
                for side, command in sides.items():
                    reading = timed(command)
                    readings[side].append(reading)
                    lines.write(json.dumps({"job": job, "side": side, "turn": turn, "cores": os.cpu_count(), **reading}) + "\n")
                    lines.flush()
            for clock in ["clock", "processor"]:
                middle = {side: statistics.median(r[clock] for r in all) for side, all in readings.items()}
                for side, all in readings.items():
                    low, high = min(r[clock] for r in all), max(r[clock] for r in all)
                    ratio = middle["onesided"] / middle[side]
                    print(f"{job}, {clock}: {side} {middle[side]:.3f} ({low:.3f} - {high:.3f}), ratio {ratio:.2f}", flush=True)
