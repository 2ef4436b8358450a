"""The share that `fit --teacher on` finds on a CPU: USPS, even digits positive, `cnn`, from two folders of pictures.

    python3 benches/few_labels/estimated_share.py DIR OUTFILE LABELS SEED...

DIR holds zip.train.gz. Each SEED draws LABELS labeled digits; all other training images are unlabeled. OUTFILE gets a JSON line for
each. The command is the one named by ONESIDED, else `onesided`. Needs numpy and Pillow.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

COMMAND = os.environ.get("ONESIDED", "onesided")


def main():
    source, out, labels = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with gzip.open(source / "zip.train.gz") as file:
        rows = np.loadtxt(file)
    images = ((rows[:, 1:].reshape(-1, 16, 16) + 1) * 127.5).round().astype(np.uint8)
    truth = rows[:, 0].astype(int) % 2 == 0
    for seed in map(int, sys.argv[4:]):
        labeled = np.zeros(len(truth), bool)
        labeled[np.random.default_rng(seed).choice(np.flatnonzero(truth), labels, replace=False)] = True
        with tempfile.TemporaryDirectory() as work:
            work = Path(work)
            for name in ("labeled", "rest"):
                (work / name).mkdir()
            for row, image in enumerate(images):
                Image.fromarray(image).save(work / ("labeled" if labeled[row] else "rest") / f"{row:05d}.png")
            done = subprocess.run(
                [COMMAND, "fit", "--positives", work / "labeled", "--unlabeled", work / "rest", "--scenario", "single-sample",
                 "--device", "cpu", "--threads", "1", "--model", "cnn", "--teacher", "on", "--epochs", "20", "--seed", str(seed),
                 "--json", "-q", "--out", work / "model.safetensors"], capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
        estimate = json.loads(done.stdout)["prior_estimate"]
        line = dict(
            labels=labels, seed=seed, truth=round(float(truth[~labeled].mean()), 4), found=round(estimate["mu"], 4),
            plateau=round(next(one["mu"] for one in estimate["estimates"] if one["estimator"] == "plateau"), 4))
        with open(out, "a") as file:
            print(json.dumps(line), file=file)


main()
