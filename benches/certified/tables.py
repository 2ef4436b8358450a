"""Certified lists on public tables, with the truth at hand; and whether certified rows help as known negatives.

    python benches/certified/tables.py target/release/onesided 2 > benches/certified/tables.jsonl
    python benches/certified/tables.py benches/certified/tables.jsonl > benches/certified/tables.md

Ten tables of the role learn (benches/tables). For each table and seed: 2,000 rows to learn from, half of whose positives are labeled, and up to 2,000
other rows. `new`: half of the labeled positives are reserved, and the other rows are certified. `table`: the table certifies its own unlabeled
rows. `fed`: a model that takes these as known negatives, next to one that does not, both with the true share, by AUC and accuracy on the other rows.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tables"))

TABLES = ["banana", "cells", "grid_stability", "hpc_jobs", "k401k", "mlc_churn", "mushroom", "phoneme", "satimage", "spambase"]
METHODS = {"trees": ["--model", "trees"], "lines": ["--model", "linear"]}
ALPHA = 0.1


def write(path, X, columns):
    frame = X.copy()
    for name, values in columns.items():
        frame[name] = values
    frame.to_csv(path, index=False)


def listed(path, rows):
    held = np.zeros(rows, bool)
    for row in csv.DictReader(open(path)):
        held[int(row["row"]) - 1] = True
    return held


def once(binary, name, X, truth, seed, method, folder):
    rng = np.random.default_rng([seed, TABLES.index(name)])
    order = rng.permutation(len(X))
    train, new = order[:2000] if len(X) > 3000 else order[: len(X) // 2], None
    new = order[len(train) : len(train) + 2000]
    labeled = truth[train] & (rng.random(len(train)) < 0.5)
    write(folder / "train.csv", X.iloc[train], {"y_label": np.where(labeled, 1, 0)})
    write(folder / "new.csv", X.iloc[new], {"t_truth": truth[new].astype(int)})
    share = str(float(truth[train].mean()))
    plain = [*METHODS[method], "--seed", str(seed), "--threads", "1"]
    flags = [*plain, "--prior", share]

    def run(*words):
        done = subprocess.run([binary, *map(str, words), "--json"], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
        return json.loads(done.stdout)

    train_file, new_file, out, model = folder / "train.csv", folder / "new.csv", folder / "list.csv", folder / "m.safetensors"
    found = {"table": name, "method": method, "seed": seed, "share": round(float(truth.mean()), 4), "labeled": int(labeled.sum())}

    def said(how, positive):
        facts = found[how]
        held = listed(out, len(positive))
        found[how] = {
            "fdp": float((held & positive).sum() / max(held.sum(), 1)), "power": float((held & ~positive).sum() / (~positive).sum()),
            "rows": int(held.sum()), "reserved": facts["reserved"], "odds": facts.get("holds_up_to_labeling_odds"),
        }
        return held

    run("fit", train_file, "--label", "y_label", "--reserve", "0.5", *flags, "--out", model)
    found["new"] = run("negatives", model, new_file, "--fdr", ALPHA, "--out", out)
    said("new", truth[new])
    found["own"] = run("negatives", train_file, "--label", "y_label", "--fdr", ALPHA, *flags, "--out", out)
    hidden = truth[train] & ~labeled
    unlabeled = ~labeled
    held = said("own", hidden)
    # Power among unlabeled rows alone.
    found["own"]["power"] = float((held & ~truth[train]).sum() / (unlabeled & ~truth[train]).sum())
    kinds = np.where(labeled, "p", np.where(held, "n", ""))
    write(folder / "fed.csv", X.iloc[train], {"y_label": kinds})
    for how, file, label in [("base", train_file, ["--label", "y_label"]), ("fed", folder / "fed.csv", ["--label", "y_label", "--positive", "p", "--negative", "n"])]:
        if how == "fed" and not held.any():
            found["fed"] = found["base"]
            continue
        # Of the rows that are left unlabeled the true share: certified rows hold positives, so the population's would contradict them.
        left = unlabeled & ~held if how == "fed" else unlabeled
        mu = min(max(float(truth[train][left].mean()), 0.01), 0.99)
        run("fit", file, *label, *plain, "--prior-in-unlabeled", mu, "--out", model)
        measured = run("evaluate", model, new_file, "--truth", "t_truth")
        found[how] = {key: measured[key] for key in ("auc", "accuracy")}
    return found


def measure(binary, seeds):
    import load

    with tempfile.TemporaryDirectory() as folder:
        for name in TABLES:
            X, y = load.load(name)
            truth = np.asarray(y).astype(bool)
            X.columns = [f"c{at}" for at in range(X.shape[1])]
            for method in METHODS:
                for seed in range(seeds):
                    print(json.dumps(once(binary, name, X, truth, seed, method, pathlib.Path(folder))), flush=True)


def summary(path):
    lines = [json.loads(line) for line in open(path)]
    print("# Certified lists on ten tables\n")
    print(f"Made by `tables.py` from `tables.jsonl`; alpha = {ALPHA}. FDR is the mean share of positives in a list, power the share of the negatives that it")
    print("holds; reserved is how many positives calibrate, on average.\n")
    for method in METHODS:
        print(f"## {method}\n")
        print("| table | positives | reserved | new: FDR | power | own table: FDR | power | AUC: fed − plain | accuracy: fed − plain |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|")
        for name in TABLES:
            of = [line for line in lines if (line["table"], line["method"]) == (name, method)]
            if not of:
                continue
            mean = lambda how, key: np.mean([line[how][key] for line in of])
            more = [[line["fed"][key] - line["base"][key] for line in of] for key in ("auc", "accuracy")]
            error = lambda values: np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0.0
            told = " | ".join(f"{np.mean(values):+.4f} ± {error(values):.4f}" for values in more)
            print(f"| {name} | {of[0]['share']:.2f} | {mean('own', 'reserved'):.0f} | {mean('new', 'fdp'):.3f} | {mean('new', 'power'):.2f} | {mean('own', 'fdp'):.3f} | {mean('own', 'power'):.2f} | {told} |")
        of = [line for line in lines if line["method"] == method]
        print()
        for how in ("new", "own"):
            fdp = np.array([line[how]["fdp"] for line in of])
            print(f"* {how}: mean share of positives {fdp.mean():.4f} ± {fdp.std(ddof=1) / len(fdp) ** 0.5:.4f} over {len(fdp)} lists.")
        better = sum(line["fed"]["auc"] > line["base"]["auc"] for line in of)
        print(f"* fed: a higher AUC in {better} of {len(of)} fits, {np.mean([line['fed']['auc'] - line['base']['auc'] for line in of]):+.4f} on average.\n")


if __name__ == "__main__":
    summary(sys.argv[1]) if sys.argv[1].endswith(".jsonl") else measure(sys.argv[1], int(sys.argv[2]))
