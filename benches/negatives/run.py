"""Accuracy and AUC against the number of known negatives.

A tenth of the training positives is labeled (see ../tables/README.md), the true share of positives is told, and n of the
training negatives, drawn at random, are told too. Test rows are those of ../tables.

    python run.py --role learn --tables phoneme mlc_churn --numbers 0 20 100 --seeds 3 --binary onesided --out results.jsonl
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tables"))
from load import load, register, seed_of, shuffled, split  # noqa: E402
from run import write  # noqa: E402


def labels(parts, name, seed, negatives):
    """1 for labeled positives, -1 for known negatives, 0 for the rest."""
    label = parts["s"].copy()
    known = np.flatnonzero(~parts["y_train"])
    label[shuffled(seed_of(name, "negatives", seed), known)[:negatives]] = -1
    return label


def measure(parts, label, seed, binary, flags, threads):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        train = parts["X_train"].copy()
        train.insert(0, "label", label)
        write(train, folder / "train.csv")
        write(parts["X_test"], folder / "test.csv")
        model, scores = folder / "m.onesided", folder / "scores.csv"
        fit = [binary, "fit", folder / "train.csv", "--label", "label", "--prior", f"{parts['prior']:.10g}"]
        fit += ["--out", model, "--seed", seed, "--threads", threads, *flags]
        if (label == -1).any():
            fit += ["--negative", "-1"]
        predict = [binary, "predict", model, folder / "test.csv", "--out", scores, "--threads", threads]
        for command in (fit, predict):
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(f"{command[1]}: {done.stderr.strip()[-300:]}")
        ranked = pd.read_csv(scores).sort_values("row")
        called = ranked["probability"].to_numpy() >= 0.5
        return {
            "auc": float(roc_auc_score(parts["y_test"], ranked["score"].to_numpy())),
            "accuracy": float((called == parts["y_test"]).mean()),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--role", default="learn", help="every table must have this role")
    parser.add_argument("--tables", nargs="+", required=True)
    parser.add_argument("--numbers", nargs="+", type=int, default=[0, 5, 20, 100, 400])
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--binary", default="onesided")
    parser.add_argument("--flags", default="--effort quick")
    parser.add_argument("--name", default="auto, quick")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--out", required=True)
    given = parser.parse_args()
    roles = {name: row["role"] for name, row in register().items()}
    wrong = [name for name in given.tables if roles.get(name) != given.role]
    if wrong:
        sys.exit(f"not of the role {given.role}: {', '.join(wrong)}")
    for name in given.tables:
        table = load(name)
        for seed in range(given.seeds):
            parts = split(name, given.share, seed, table)
            for negatives in given.numbers:
                if negatives > (~parts["y_train"]).sum() // 2:
                    continue
                label = labels(parts, name, seed, negatives)
                found = measure(parts, label, seed, given.binary, given.flags.split(), given.threads)
                line = {"table": name, "seed": seed, "negatives": negatives, "method": given.name, **found}
                with open(given.out, "a") as out:
                    out.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
