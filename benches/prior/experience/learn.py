"""Judges how well tasks like a given one tell where its share of positives lies, and writes the tasks for Rust.

    python learn.py seen.csv ../../../crates/prior/src/experience/tasks.csv

`seen.csv` has one row for each task: what was seen of it (see `crates/prior/src/experience/mod.rs`), what the estimators
said together, and `mu`, the truth. The model: of the 200 tasks most like this one, weighted by likeness, the quantiles of
logit(mu) - logit(consensus). Everything that is printed leaves the task's own table out.
"""

import sys

import numpy as np
import pandas as pd

NEIGHBORS = 200


def logit(p):
    return np.log(p / (1 - p))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def features(seen):
    """What likeness is measured by, in the order of `Seen::features`."""
    bound = np.exp(np.minimum(seen["bound_30"], seen["bound_50"])).clip(0.001, 0.98)
    separation = logit(((seen["auc"] - bound / 2) / (1 - bound)).clip(0.5, 0.9995))
    rise = seen["bound_70"] - seen["bound_10"]
    guess = logit(seen["consensus"].clip(0.003, 0.997))
    return np.column_stack([separation, rise, np.log(seen["positive"]), guess])


def weights(seen):
    """A table with many tasks counts as the root of their number, and shares as if their logits were normal around that
    of 0.2 with deviation 1.6: 0.01 to 0.85 in 95 %. They were drawn half by their logits and half evenly."""
    mu = seen["mu"].to_numpy().clip(1e-3, 1 - 1e-3)
    t = logit(mu)
    low, high = logit(0.01), logit(0.9)
    drawn = 0.5 * ((t >= low) & (t <= high)) / (high - low) + 0.5 * ((mu >= 0.02) & (mu <= 0.9)) / 0.88 * mu * (1 - mu)
    wanted = np.exp(-0.5 * ((t - logit(0.2)) / 1.6) ** 2) / 1.6 / np.sqrt(2 * np.pi)
    of_shares = (wanted / np.maximum(drawn, 0.02)).clip(0, 8)
    of_tables = 1 / np.sqrt(seen.groupby("table")["mu"].transform("count").to_numpy())
    found = of_shares * of_tables
    return found / found.mean()


def quantiles(at, x, e, w, levels):
    """Weighted quantiles of e over the tasks nearest to `at`."""
    distance = ((x - at) ** 2).sum(axis=1)
    nearest = np.argsort(distance, kind="stable")[:NEIGHBORS]
    distance = distance[nearest] / max(distance[nearest[-1]], 1e-300)
    near = (1 - distance**1.5) ** 2 * w[nearest] + 1e-9
    order = np.argsort(e[nearest], kind="stable")
    sums = np.cumsum(near[order])
    places = np.searchsorted(sums, np.array(levels) * sums[-1], side="left").clip(0, len(order) - 1)
    return e[nearest][order][places]


def main():
    seen = pd.read_csv(sys.argv[1])
    x, w = features(seen), weights(seen)
    x = x / np.sqrt(np.average((x - np.average(x, axis=0, weights=w)) ** 2, axis=0, weights=w))
    mu = seen["mu"].to_numpy().clip(1e-3, 1 - 1e-3)
    guess = logit(seen["consensus"].clip(0.003, 0.997).to_numpy())
    e, tables = logit(mu) - guess, seen["table"].to_numpy()
    found = np.zeros((len(e), 3))
    for table in np.unique(tables):
        others = tables != table
        for i in np.flatnonzero(~others):
            found[i] = sigmoid(guess[i] + quantiles(x[i], x[others], e[others], w[others], [0.025, 0.5, 0.975]))
    low, middle, high = found.T
    high = np.minimum(high, seen["data_bound"])
    held = (low <= mu) & (mu <= high)
    penalty = 40 * np.maximum(0, low - mu) + 40 * np.maximum(0, mu - high)
    mean = lambda v: np.average(v, weights=w)
    print(f"tasks {len(e)}, tables {len(set(tables))}")
    print(f"mean absolute error {mean(np.abs(middle - mu)):.4f}, held {mean(held):.3f}, width {mean(high - low):.3f}, "
          f"interval score {mean(high - low + penalty):.4f}")
    for edge, to in [(0, 0.55), (0.55, 0.65), (0.65, 0.75), (0.75, 0.85), (0.85, 0.95), (0.95, 1.01)]:
        some = ((seen["auc"] >= edge) & (seen["auc"] < to)).to_numpy()
        mean = lambda v: np.average(v[some], weights=w[some])
        print(f"  AUC of P against U {edge:.2f} to {to:.2f}: {some.sum():4d} tasks, held {mean(held):.3f}, "
              f"width {mean(high - low):.3f}, error {mean(np.abs(middle - mu)):.3f}")
    columns = ["separation", "rise", "ln_positive", "guess"]
    spread = np.sqrt(np.average((features(seen) - np.average(features(seen), axis=0, weights=w)) ** 2, axis=0, weights=w))
    with open(sys.argv[2], "w") as out:
        # The first row holds the spreads by which columns were divided, and the number of tables.
        out.write(",".join([*columns, "off", "weight"]) + "\n")
        out.write(",".join(f"{v:.5f}" for v in spread) + f",0,{len(set(tables))}\n")
        for row, off, weight in zip(x, e, w):
            out.write(",".join(f"{v:.3f}" for v in row) + f",{off:.4f},{weight:.3f}\n")


if __name__ == "__main__":
    main()
