"""The grid of `grid.json` for sets that the register has in role learn, by the command: what `prior` says of six shares.

    python grid_shares.py --binary onesided --before onesided-before --out results/grid-shares.jsonl
    python grid_shares.py --summary results/grid-shares.jsonl

P and U are drawn separately, at most 1,000 and 4,000 rows, as in `benches/tools/src/bin/prior_grid.rs`; one seed.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tables"))
import load
from share import answer, said

SHARES = (0.05, 0.1, 0.3, 0.5, 0.7, 0.9)
NAMES = ("banana", "phoneme", "mushroom", "spambase", "satimage")


def sets():
    chance, n = np.random.default_rng(5), 20_000
    y = np.arange(n) % 2 == 0
    yield "two-gaussian", pd.DataFrame(chance.normal(size=(n, 2)) + np.where(y, 1, -1)[:, None]).rename(columns=str), y
    for name in NAMES:
        yield name, *load.load(name)


def run(name, X, y, mu, binary, before):
    chance = np.random.default_rng(load.seed_of(name, mu) % 2**32)
    yes, no = chance.permutation(np.flatnonzero(y)), chance.permutation(np.flatnonzero(~y))
    positive = min(1000, len(yes) // 3)
    unlabeled = int(min(4000, (len(yes) - positive) / mu, len(no) / (1 - mu)))
    hidden = round(mu * unlabeled)
    rows = np.concatenate([yes[: positive + hidden], no[: unlabeled - hidden]])
    table = X.iloc[rows].reset_index(drop=True)
    table.insert(0, "label", (np.arange(len(rows)) < positive).astype(int))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.csv"
        load.write(table, path)
        now = said(binary, path, 0)
        line = {"table": name, "mu": hidden / unlabeled, "consensus": now["consensus"]["prior_in_unlabeled"], "now": answer(now)}
        return line | ({"before": answer(said(before, path, 0))} if before else {})


def summary(path):
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    mu = np.array([line["mu"] for line in lines])
    values = {key: np.array([line[key]["mu"] for line in lines]) for key in ("now", "before") if key in lines[0]}
    values["consensus"] = np.array([line["consensus"] for line in lines])
    for key, value in values.items():
        off = np.abs(value - mu)
        print(f"{key}: {len(lines)} runs, error {off.mean():.3f};", ", ".join(f"{at}: {off[np.abs(mu - at) < 0.03].mean():.3f}" for at in SHARES))
        if key != "consensus":
            held = [line[key]["interval"][0] <= line["mu"] <= line[key]["interval"][1] for line in lines]
            print(f"  interval holds {100 * np.mean(held):.1f} %")


def main():
    parser = argparse.ArgumentParser(description="six shares of six sets")
    parser.add_argument("--binary", default="onesided")
    parser.add_argument("--before", default="")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--summary", type=pathlib.Path)
    given = parser.parse_args()
    if given.summary:
        return summary(given.summary)
    with given.out.open("w") as file:
        for name, X, y in sets():
            for mu in SHARES:
                file.write(json.dumps(run(name, X, y, mu, given.binary, given.before)) + "\n")


if __name__ == "__main__":
    sys.exit(main())
