"""The id trap: how much the AUC on new rows falls when a table has columns that name its rows.

    python id_trap.py --binary onesided --out results/id_trap.jsonl                    # 20 tables of learn and choose
    python id_trap.py --binary onesided --tables phoneme german --flags="--model trees" --out /tmp/id_trap.jsonl

Training rows come in the order of the table, or with the labeled ones first, as where positives were exported first. To each
is added, under a name that says nothing:

    rising   a whole number that rises with the row
    random   a different number of nine digits in every row
    time     a date and time that rises with the row, half a minute apart on average
    shuffled a number that rose with the row before the rows were shuffled, so that labeled rows have low numbers
    all      rising, random and time

New rows have numbers and times after those of training. The target is a fall of less than .005 against the same rows without
the column; lines that are in the file already are not measured again.
"""

import argparse
import concurrent.futures
import json
import pathlib
import sys

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

import load
from run import ours

ORDERS = ("mixed", "first")
COLUMNS = ("none", "rising", "random", "time", "shuffled", "all")
TARGET = 0.005
MOST_TABLES = 20


def made(column, rows, rng):
    """The values of a column that names this many rows."""
    if column == "rising":
        return 10_000 + np.cumsum(rng.integers(1, 4, rows))
    if column == "random":
        return rng.choice(900_000_000, rows, replace=False) + 100_000_000
    seconds = np.cumsum(rng.integers(1, 60, rows))
    return (pd.Timestamp("2023-01-02") + pd.to_timedelta(seconds, unit="s")).strftime("%Y-%m-%d %H:%M:%S")


def trapped(name, share, seed, order, column):
    """The split of a table with its rows in an order and a column that names them."""
    parts = load.split(name, share, seed)
    rng = np.random.default_rng(load.seed_of(name, seed, "trap"))
    train, test = len(parts["s"]), len(parts["y_test"])
    rows = np.arange(train) if order == "mixed" else np.argsort(-parts["s"], kind="stable")
    added = {}
    for one in ("rising", "random", "time") if column == "all" else (column,):
        if one == "shuffled":
            # The rows of `first` under their numbers, shuffled; no order is left.
            added[one] = 10_000 + 7 * np.argsort(np.argsort(-parts["s"], kind="stable"))[rows], 10_000 + 7 * (train + np.arange(test))
        elif one != "none":
            both = made(one, train + test, rng)
            added[one] = both[:train], both[train:]
    X_train, X_test = parts["X_train"].iloc[rows].reset_index(drop=True), parts["X_test"].copy()
    for at, (of_train, of_test) in enumerate(added.values()):
        X_train.insert(0, f"q{at}", of_train)
        X_test.insert(0, f"q{at}", of_test)
    return parts | {"X_train": X_train, "X_test": X_test, "s": parts["s"][rows], "y_train": parts["y_train"][rows]}


def measured(key, given):
    name, share, seed, order, column = key
    parts = trapped(name, share, seed, order, column)
    line = {"table": name, "share": share, "seed": seed, "order": order, "column": column, "flags": given["flags"]}
    try:
        scores, _, _ = ours(parts, seed, given)
        return line | {"auc": float(roc_auc_score(parts["y_test"], scores))}
    except (RuntimeError, ValueError) as error:
        return line | {"error": str(error)}


def key_of(line):
    return line["table"], line["share"], line["seed"], line["order"], line["column"]


def summary(lines):
    """The fall of each column in each order: mean, worst, and the tables that miss the target."""
    auc = {}
    for line in lines:
        if "auc" in line:
            auc.setdefault((line["table"], line["order"], line["column"]), []).append(line["auc"])
    auc = {key: float(np.mean(values)) for key, values in auc.items()}
    print(f"{'order':8} {'column':9} {'tables':>6} {'mean fall':>10} {'worst':>7}  missed")
    for order in ORDERS:
        for column in COLUMNS[1:]:
            falls = {t: auc[t, o, "none"] - value for (t, o, c), value in auc.items() if (o, c) == (order, column) and (t, o, "none") in auc}
            if falls:
                missed = [f"{table} {fall:.4f}" for table, fall in falls.items() if fall >= TARGET]
                worst = max(falls.values())
                print(f"{order:8} {column:9} {len(falls):6} {np.mean(list(falls.values())):10.4f} {worst:7.4f}  {', '.join(missed)}")
    for line in lines:
        if "error" in line:
            print(line["table"], line["order"], line["column"], line["error"], file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default="onesided")
    parser.add_argument("--tables", nargs="+", help="the first 20 of learn and choose unless named")
    parser.add_argument("--columns", nargs="+", default=list(COLUMNS), choices=COLUMNS)
    parser.add_argument("--orders", nargs="+", default=list(ORDERS), choices=ORDERS)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.4)
    parser.add_argument("--flags", default="", help="more flags of fit")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=3600, help="seconds of a fit")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    tables = arguments.tables or load.names("learn", "choose")[:MOST_TABLES]
    lines = [json.loads(line) for line in arguments.out.read_text().splitlines()] if arguments.out.exists() else []
    there = {key_of(line) for line in lines if "auc" in line}
    columns = ["none", *[column for column in arguments.columns if column != "none"]]
    wanted = [
        (table, arguments.share, seed, order, column)
        for table in tables
        for seed in range(arguments.seeds)
        for order in arguments.orders
        for column in columns
    ]
    given = vars(arguments)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool, arguments.out.open("a") as file:
        for line in pool.map(lambda key: measured(key, given), [key for key in wanted if key not in there]):
            lines.append(line)
            file.write(json.dumps(line) + "\n")
            file.flush()
    summary(lines)


if __name__ == "__main__":
    main()
