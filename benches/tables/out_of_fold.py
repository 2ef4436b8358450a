"""Measures how well the training table itself is ranked, compared with new rows: one JSON line for each table, share and seed.

    python out_of_fold.py --binary onesided --out results/out-of-fold.jsonl
    python out_of_fold.py --tables german hmda --seeds 3 --binary onesided --out some.jsonl
    python out_of_fold.py --tables adult --flags "--model trees --cross-fit" --binary onesided --out trees.jsonl
    python out_of_fold.py --summary results/out-of-fold.jsonl

`fit` sees the training rows with their labels. Then `predict` ranks the unlabeled ones among them, which is the list that
people work through: once as it does by default, by scores out of fold, and once with --in-sample. Their AUC against the truth
(U-AUC) is shown next to the AUC on test rows, to which it should come close. Test rows are few, and the AUC on 700 of them scatters by
.025; so the default tables are five of the roles learn and choose with 9,000 to 20,000 rows and about a fifth of positives or more. They took the place of
smaller ones that had been looked at.
"""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

import load
from load import write_parts

TABLES = ["letter", "grid_stability", "smoke_ban", "k401k", "loans"]


def run(command, limit):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=limit)
    if done.returncode != 0:
        raise RuntimeError(f"{command[1]}: {done.stderr.strip()[-300:]}")
    return done


def ranking(given, model, table, flags, folder):
    """Scores by row, NaN for rows that are not in the list."""
    out = folder / "scores.csv"
    run([given.binary, "predict", model, table, "--out", out, "--threads", given.threads, *flags], given.limit)
    ranked = pd.read_csv(out)
    scores = np.full(sum(1 for _ in table.open()) - 1, np.nan)
    scores[ranked["row"].to_numpy() - 1] = ranked["score"]
    return scores


def measure(name, share, seed, given):
    parts = load.split(name, share, seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_parts(parts, folder)
        model = folder / "m.onesided"
        fit = [given.binary, "fit", folder / "train.csv", "--label", "label", "--prior", f"{parts['prior']:.10g}"]
        run([*fit, "--out", model, "--seed", seed, "--threads", given.threads, *shlex.split(given.flags)], given.limit)
        listed = ranking(given, model, folder / "train.csv", [], folder)
        in_sample = ranking(given, model, folder / "train.csv", ["--in-sample"], folder)
        new = ranking(given, model, folder / "test.csv", [], folder)
    unlabeled = parts["s"] == 0
    if not np.array_equal(np.isfinite(listed), unlabeled):
        raise RuntimeError("the list is not that of the unlabeled rows")
    truth = parts["y_train"][unlabeled]
    return {
        "out_of_fold": roc_auc_score(truth, listed[unlabeled]),
        "in_sample": roc_auc_score(truth, in_sample[unlabeled]),
        "new": roc_auc_score(parts["y_test"], new),
        "unlabeled": int(unlabeled.sum()),
        "labeled": int((~unlabeled).sum()),
    }


def summary(path):
    lines = pd.DataFrame([json.loads(line) for line in path.read_text().splitlines()])
    lines["difference"] = lines["out_of_fold"] - lines["new"]
    by = lines.groupby(["flags", "table", "share"], sort=False)
    means = by[["out_of_fold", "in_sample", "new", "difference"]].mean()
    means["error"] = by["difference"].sem()
    means["seeds"] = by.size()
    print(means.round(4).to_string())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--shares", nargs="+", type=float, default=[0.1, 0.5])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--binary", default="onesided")
    parser.add_argument("--flags", default="")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--limit", type=float, default=1800)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--summary", type=pathlib.Path)
    given = parser.parse_args()
    if given.summary:
        return summary(given.summary)
    if not given.out:
        sys.exit("name a file of results with --out")
    there = given.out.read_text().splitlines() if given.out.exists() else []
    done = {(line["table"], line["share"], line["seed"], line["flags"]) for line in map(json.loads, there)}
    for seed in range(given.seeds):
        for name in given.tables:
            for share in given.shares:
                if (name, share, seed, given.flags) in done:
                    continue
                line = {"table": name, "share": share, "seed": seed, "flags": given.flags}
                line |= measure(name, share, seed, given)
                print(json.dumps(line), flush=True)
                with given.out.open("a") as file:
                    file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
