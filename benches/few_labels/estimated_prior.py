"""`fit --teacher on` from two folders of pictures, with the share of positives told and estimated.

    python3 benches/few_labels/estimated_prior.py DIR OUTFILE SEED [LABELS [HOLD_OUT]]

DIR holds the binary version of CIFAR-10. SEED draws the labeled vehicles, 1,000 of them unless LABELS says otherwise; all other
training images are unlabeled. HOLD_OUT is the share of rows that `fit` holds out, once; of few labels it holds each fifth out in turn
otherwise, and trains six networks in place of one. Both fits score the test images, which are called positive from a probability of one half on.
OUTFILE gets a JSON line for each. The command is the one named by ONESIDED, else `onesided`. Needs numpy and Pillow.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image

VEHICLES = [0, 1, 8, 9]
COMMAND = os.environ.get("ONESIDED", "onesided")


def load(folder, names):
    rows = np.concatenate([np.fromfile(folder / f"{name}.bin", np.uint8).reshape(-1, 3073) for name in names])
    return rows[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), np.isin(rows[:, 0], VEHICLES)


def write(job):
    path, image = job
    Image.fromarray(image).save(path, compress_level=0)


def run(*words):
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def main():
    source, out, seed = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    labels = int(sys.argv[4]) if len(sys.argv) > 4 else 1000
    hold_out = ["--hold-out", sys.argv[5]] if len(sys.argv) > 5 else []
    train, truth = load(source, [f"data_batch_{number}" for number in range(1, 6)])
    test, test_truth = load(source, ["test_batch"])
    labeled = np.zeros(len(truth), bool)
    labeled[np.random.default_rng(seed).choice(np.flatnonzero(truth), labels, replace=False)] = True
    share = float(truth[~labeled].mean())
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        for name in ("labeled", "rest", "test"):
            (work / name).mkdir()
        place = lambda row: work / ("labeled" if labeled[row] else "rest") / f"{row:05d}.png"
        jobs = [(place(row), image) for row, image in enumerate(train)]
        jobs += [(work / "test" / f"{row:05d}.png", image) for row, image in enumerate(test)]
        with ProcessPoolExecutor() as pool:
            list(pool.map(write, jobs, chunksize=500))
        for how, told in (("estimated", []), ("told", ["--prior-in-unlabeled", f"{share:.6f}"])):
            model, ranked, start = work / "model.safetensors", work / "ranked.csv", time.time()
            said = json.loads(run(
                "fit", "--positives", work / "labeled", "--unlabeled", work / "rest", "--scenario", "single-sample", "--device",
                "cuda", "--model", "vgg16", "--teacher", "on", "--epochs", 60, "--seed", seed, "--json", "-q", "--out", model, *told, *hold_out))
            seconds = time.time() - start
            run("predict", model, work / "test", "--device", "cuda", "-q", "--out", ranked)
            with open(ranked) as file:
                right = [(float(row["probability"]) >= 0.5) == test_truth[int(Path(row["file"]).stem)] for row in csv.DictReader(file)]
            estimate = said["prior_estimate"]
            line = dict(
                role="report", seed=seed, labels=labels, prior=how, truth=round(share, 4),
                told=round(estimate["mu"] if estimate else share, 4), accuracy=round(float(np.mean(right)), 4), seconds=round(seconds))
            if hold_out:
                line["hold_out"] = float(sys.argv[5])
            with open(out, "a") as file:
                print(json.dumps(line), file=file)


main()
