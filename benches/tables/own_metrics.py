"""Compares the AUC that `fit` prints of its own held-out rows with that of test rows, one JSON line for each table and method.

    python own_metrics.py --binary onesided --out results/own_metrics-learn.jsonl
    python own_metrics.py --summary results/own_metrics-learn.jsonl

Tables of the role learn, cut to 6,000 rows; a tenth of the positives is labeled at random, the share of positives is told, one seed.
Test rows scatter, too: what counts is the mean over tables, and how often the truth is outside of the interval that was printed.
`called` is the share of test rows that are called positive, next to the share that is.
"""

import argparse
import json
import pathlib
import tempfile

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

import load
from load import write
from out_of_fold import run

METHODS = {
    "auto": [],
    "collective": ["--method", "collective"],
    "collective, teacher": ["--method", "collective", "--teacher", "on"],
    "nnpu": ["--method", "nnpu"],
    "pusb": ["--method", "pusb"],
    "collective, trees": ["--method", "collective", "--model", "trees"],
}
MOST, SHARE, SEED, LIMIT = 6_000, 0.1, 0, 600


def measure(name, binary):
    parts = load.split(name, SHARE, SEED, load.cut(name, MOST, SEED))
    y = parts["y_test"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        train = parts["X_train"].copy()
        train.insert(0, "label", parts["s"])
        write(train, folder / "train.csv")
        write(parts["X_test"], folder / "test.csv")
        for method, flags in METHODS.items():
            model, scores = folder / "m.onesided", folder / "scores.csv"
            fit = [binary, "fit", folder / "train.csv", "--label", "label", "--prior", f"{parts['prior']:.10g}", "--out", model, "--threads", 1]
            said = json.loads(run([*fit, *flags, "--json"], LIMIT).stdout)
            run([binary, "predict", model, folder / "test.csv", "--out", scores, "--yes-no", "--threads", 1], LIMIT)
            ranked = pd.read_csv(scores).sort_values("row")
            low, high = said["metrics"].get("auc_interval") or (None, None)
            yield {
                "table": name, "method": method, "labeled": int(parts["s"].sum()), "share": round(float(np.mean(y)), 4),
                "printed": said["metrics"].get("auc"), "low": low, "high": high,
                "auc": round(float(roc_auc_score(y, ranked["score"])), 6),
                "called": round(float((ranked["positive"] == "yes").mean()), 4),
            }


def summary(path):
    lines = pd.read_json(path, lines=True)
    lines = lines[lines["printed"].notna() & lines["low"].notna()]
    for method, of in lines.groupby("method", sort=False):
        gap, off = of["printed"].clip(upper=1) - of["auc"], (of["called"] - of["share"]).abs()
        above, below = (of["low"] > of["auc"]).sum(), (of["high"] < of["auc"]).sum()
        print(f"{method}: {len(of)} tables, printed {gap.mean():+.3f} (standard error {gap.sem():.3f}), truth below the interval "
              f"{above} times, above it {below} times; called positive off by {off.median():.3f} (median)")


def main():
    parser = argparse.ArgumentParser(description="compares printed metrics with test rows")
    parser.add_argument("--binary", default="onesided")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--summary", type=pathlib.Path)
    flags = parser.parse_args()
    if flags.summary:
        return summary(flags.summary)
    with flags.out.open("w") as out:
        for name in load.names("learn"):
            for line in measure(name, flags.binary):
                print(json.dumps(line), file=out, flush=True)


if __name__ == "__main__":
    main()
