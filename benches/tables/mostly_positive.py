"""Tables with few rows whose unlabeled part is mostly positive, as in Liu, Chang, Cheng, Tian and Li, "In-Context
Positive-Unlabeled Learning" (arXiv 2605.05591): 200 labeled rows, 500 unlabeled ones, AUC over the unlabeled rows.

    python mostly_positive.py --sets nine --binary onesided --out results/mostly_positive.jsonl
    python mostly_positive.py --sets learn choose --shares 0.2 0.5 0.8 --draws 2 --binary onesided --out results/some.jsonl
    python mostly_positive.py --summary results/mostly_positive.jsonl

A draw takes one class as the positive one (the table's own in even draws, the other in odd ones), 200 labeled rows of it, and 500
unlabeled rows of which `share` are positive; where a class has fewer rows, all numbers shrink alike. Scores of the fitted table are
those out of fold. `ceiling` is LightGBM with every true label, in five folds.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

import load

LABELED, UNLABELED = 200, 500
LEAST = 40  # labeled rows; a table that allows fewer is left out
MOST_LEVELS = 10  # of a category: the paper leaves out columns with more, and rows with missing cells

# The paper's sets that packages carry: the register's table, and what is positive where the paper splits it elsewhere.
NINE = {
    "wine": ("wine_white", ">5"),  # white and red
    "abalone": ("abalone", ">8"),
    "magic": ("magic", None),
    "adult": ("adult", None),
    "car": ("car", "good|vgood"),
    "default": ("card_default", None),
    "mushroom": ("mushroom", None),
    "spambase": ("spambase", None),
    "wdbc": ("wdbc", None),
}


def table_of(name):
    """(X, y) of one of the nine, or of a table of the register."""
    source, positive = NINE.get(name, (name, None))
    row = load.register()[source]
    X, y = load.load(source) if positive is None else load.build(dict(row, positive=positive))
    if name == "wine":
        red = load.build(dict(row, how=row["how"].replace("white", "red"), positive=positive))
        X, y = pd.concat([X, red[0]], ignore_index=True), np.concatenate([y, red[1]])
    if name in NINE:
        X = X[[c for c in X if not isinstance(X[c].dtype, pd.CategoricalDtype) or X[c].nunique() <= MOST_LEVELS]]
        kept = X.notna().all(axis=1).to_numpy()
        X, y = X[kept].reset_index(drop=True), y[kept]
    return X, y


def draw(X, y, name, share, number):
    """(X, s, y) of one draw, or None where the table is too small."""
    y = y if number % 2 == 0 else ~y
    hidden = round(UNLABELED * share)
    fits = min(1.0, y.sum() / (LABELED + hidden), (~y).sum() / (UNLABELED - hidden))
    labeled, hidden, others = (int(fits * n) for n in (LABELED, hidden, UNLABELED - hidden))
    if labeled < LEAST:
        return None
    of = lambda value: load.shuffled(load.seed_of("mostly positive", name, number, value), np.flatnonzero(y == value))
    positive, negative = of(True), of(False)
    rows = np.concatenate([positive[: labeled + hidden], negative[:others]])
    s = np.arange(len(rows)) < labeled
    order = load.shuffled(load.seed_of("mostly positive", name, number, "order"), np.arange(len(rows)))
    rows, s = rows[order], s[order]
    part = X.iloc[rows].reset_index(drop=True)
    for column in part:
        if isinstance(part[column].dtype, pd.CategoricalDtype):
            part[column] = part[column].cat.remove_unused_categories()
    return part[[c for c in part if part[c].nunique(dropna=True) > 1]], s.astype(int), y[rows]


def ours(X, s, y, seed, given):
    """AUC over the unlabeled rows, out of fold, and processor seconds of the fit."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        train = X.copy()
        train.insert(0, "label", s)
        load.write(train, folder / "t.csv")
        fit = [given.binary, "fit", folder / "t.csv", "--label", "label", "--out", folder / "m.onesided"]
        fit += ["--seed", seed, "--threads", 1, "--prior", f"{y.mean():.10g}", *given.flags.split()]
        predict = [given.binary, "predict", folder / "m.onesided", folder / "t.csv", "--out", folder / "p.csv", "--all"]
        for command in (fit, predict):
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(done.stderr.strip()[-300:])
        said = pd.read_csv(folder / "p.csv").sort_values("row")
        scores = said["score"].to_numpy()
        hidden = s == 0
        if len(scores) != len(s):
            raise RuntimeError(f"{len(scores)} scores for {len(s)} rows")
        return float(roc_auc_score(y[hidden], scores[hidden]))


def ceiling(X, s, y):
    import lightgbm

    numbers = X.copy()
    numbers.columns = [f"f{i}" for i in range(X.shape[1])]
    scores = np.zeros(len(y))
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(numbers, y):
        model = lightgbm.LGBMClassifier(n_estimators=100, learning_rate=0.05, num_leaves=15, n_jobs=1, verbose=-1)
        scores[test] = model.fit(numbers.iloc[train], y[train]).predict_proba(numbers.iloc[test])[:, 1]
    return float(roc_auc_score(y[s == 0], scores[s == 0]))


def summary(paths):
    lines = pd.DataFrame([json.loads(text) for path in paths for text in pathlib.Path(path).read_text().splitlines()])
    for share, some in lines.groupby("share"):
        wide = some.pivot_table(index="set", columns="method", values="auc")
        print(f"share {share}, draws {some['draw'].nunique()}")
        print(wide.round(4).to_string())
        print("macro", wide.mean().round(4).to_dict(), "\n")


def main():
    parser = argparse.ArgumentParser(description="measures on small tables whose unlabeled part is mostly positive")
    parser.add_argument("--sets", nargs="+", default=["nine"], help="nine, a role, or tables of the register")
    parser.add_argument("--shares", nargs="+", type=float, default=[0.2, 0.5, 0.8], help="of U that are positive")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--methods", nargs="+", default=["ours", "ceiling"])
    parser.add_argument("--binary", default="onesided")
    parser.add_argument("--flags", default="")
    parser.add_argument("--name", default="ours", help="what to call the binary with these flags")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--summary", nargs="+")
    given = parser.parse_args()
    if given.summary:
        return summary(given.summary)
    sets = [n for one in given.sets for n in (NINE if one == "nine" else load.names(one) or [one])]
    done = set()
    if given.out.exists():
        for text in given.out.read_text().splitlines():
            line = json.loads(text)
            done.add((line["set"], line["share"], line["draw"], line["method"]))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    with given.out.open("a") as file:
        for name in sets:
            X, y = table_of(name)
            for share in given.shares:
                for number in range(given.draws):
                    drawn = draw(X, y, name, share, number)
                    if drawn is None:
                        continue
                    part, s, truth = drawn
                    for method in given.methods:
                        called = given.name if method == "ours" else method
                        if (name, share, number, called) in done:
                            continue
                        begin = time.perf_counter()
                        auc = ours(part, s, truth, number, given) if method == "ours" else ceiling(part, s, truth)
                        line = {"set": name, "share": share, "draw": number, "method": called, "auc": round(auc, 6)}
                        line |= {"labeled": int(s.sum()), "unlabeled": int((s == 0).sum()), "columns": part.shape[1]}
                        line["seconds"] = round(time.perf_counter() - begin, 2)
                        file.write(json.dumps(line) + "\n")
                        file.flush()
            print(name, flush=True)


if __name__ == "__main__":
    main()
