"""How often does the interval of `watch` cover the share of positives, by what the model keeps of its fit?

    python benches/trust/watch_share.py target/release/onesided satimage nass_crashes caravan letter hmda phoneme mlc_churn attrition covid_tests spambase loans german > benches/trust/watch_share.md

Tables and fits are those of watch.py, with `--effort quick`. Each model scores 6,000 rows (or all there are) of the other half of its table, of which months are
drawn: 100 per fit like the table, and 100 with twice as many positives. The interval is written a second time here, with NumPy: Fieller's, by the means that the model keeps. `folds`
has the scores of held-out rows by single folds alone; `both` is what `watch` prints, which also has the scores of unlabeled rows by the
finished model, a mean of the folds' models, and spans the two.
"""

import collections
import json
import math
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import watch
from watch import DAYS, FITS, LABELED, ROWS, TABLES, rendered, run, write

NORMAL, LEVEL, SAME_ODDS = 1.959964, 0.05 / 8, 1.2
MONTHS, POOL = 100, 6_000
KINDS = [("the same", 500), ("twice as many", 500), ("twice as many", 2_000)]


def kept(model):
    """What a model keeps of its fit's scores."""
    bytes_ = Path(model).read_bytes()
    (size,) = struct.unpack("<Q", bytes_[:8])
    for text in json.loads(bytes_[8 : 8 + size])["__metadata__"].values():
        try:
            document = json.loads(text)
        except ValueError:
            continue
        if isinstance(document, dict) and document.get("scores"):
            return document["scores"]
    raise SystemExit(f"{model} keeps no scores")


def interval(positive, other, of, month, share):
    """The share of positives of a month with its interval, the chance of means so far apart, and whether it is more; None where nothing is told."""
    tell = 1 + of["folds"] / (of["folds"] - 1) if of["folds"] > 1 else 1.0
    v_p, v_u, v_n = positive["variance"] * tell / of["positive"]["rows"], other["variance"] * tell / of["other"]["rows"], month.var() / len(month)
    apart, gap, z = positive["mean"] - other["mean"], month.mean() - other["mean"], NORMAL**2
    two, one, none = apart**2 - z * (v_p + v_u), gap * apart - z * v_u, gap**2 - z * (v_n + v_u)
    if apart <= 0 or two <= 0:
        return None
    root, a0 = math.sqrt(max(one * one - two * none, 0.0)), of["labeled"]
    mu = (share - a0) / (1 - a0)
    at = lambda a: 1 - (1 - min(max(a, -mu / (1 - mu)), 1.0)) * (1 - mu)
    odds = share / (1 - share)
    least, most = (1 - (1 - a0) * (1 - o / (1 + o)) / (1 - share) for o in (odds / SAME_ODDS, odds * SAME_ODDS))
    nearest = min(max(gap / apart, least), most)
    off = gap - nearest * apart
    p = 1.0 if abs(off) < 1e-12 else math.erfc(abs(off) / math.sqrt(2 * (v_n + nearest**2 * v_p + (1 - nearest) ** 2 * v_u)))
    return at((one - root) / two), at((one + root) / two), p, gap / apart > a0


def spanned(several):
    several = [one for one in several if one is not None]
    p = max(one[2] for one in several) if len({one[3] for one in several}) == 1 else 1.0
    return min(one[0] for one in several), max(one[1] for one in several), p


def measure(binary, tables):
    from load import load

    found = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        model, train, new, scores = (str(Path(folder) / name) for name in ("m.onesided", "train.csv", "new.csv", "scores.csv"))
        for name in tables:
            X, y = load(name)
            X, y = X.reset_index(drop=True), np.asarray(y).astype(bool)
            share, usual = float(y.mean()), rendered(X)
            for fit in range(FITS):
                rng = np.random.default_rng([TABLES.index(name), fit])
                order = rng.permutation(len(X))
                rows, pool = order[: min(len(X) // 2, ROWS)], order[len(X) // 2 :][:POOL]
                labeled = y[rows] & (rng.random(len(rows)) < LABELED)
                write(train, usual, rows, rng.choice(DAYS, len(rows)), labeled)
                run(binary, "fit", train, "--label", "pu_label", "--prior", f"{share:.6f}", *watch.METHODS["auto"], "--seed", "0", "--out", model)
                write(new, usual, pool, rng.choice(DAYS, len(pool)), np.zeros(len(pool)))
                run(binary, "predict", model, new, "--out", scores)
                listed, q = pd.read_csv(scores), np.empty(len(pool))
                q[listed["row"].to_numpy() - 1] = 1 / (1 + np.exp(-listed["score"].to_numpy()))
                of, truth, rng = kept(model), y[pool], np.random.default_rng(fit)
                for kind, size in KINDS:
                    if kind != "the same" and share > 0.45:
                        continue
                    for _ in range(MONTHS):
                        if kind == "the same":
                            month, true = rng.choice(len(pool), size, replace=size > len(pool)), truth.mean()
                        else:
                            true = 2 * share
                            month = np.where(rng.random(size) < true, rng.choice(np.flatnonzero(truth), size), rng.choice(np.flatnonzero(~truth), size))
                        of_folds = interval(of["positive"], of["other"], of, q[month], share)
                        if of_folds is None:
                            continue
                        of_both = interval(of["met"][0], of["met"][1], of, q[month], share)
                        for rule, (low, high, p) in (("folds", spanned([of_folds])), ("both", spanned([of_folds, of_both]))):
                            found[name, kind, size, rule].append((low - 1e-12 <= true <= high + 1e-12, p <= LEVEL, high - low))
            print(f"{name} done", file=sys.stderr, flush=True)
    return found


def tell(found, tables):
    print("# The share's interval of `watch`\n\nMade by [watch_share.py](watch_share.py), which says what the columns are. Covered and told to have moved, of all months, and the mean width of the interval.\n")
    for kind, size in KINDS:
        print(f"## Months of {size:,} rows, {kind} positives\n\n| table | folds: covered | moved | width | both: covered | moved | width |\n|---|--:|--:|--:|--:|--:|--:|")
        cells = lambda lines: " | ".join(f"{np.mean([line[0] for line in lines]):.3f} | {np.mean([line[1] for line in lines]):.3f} | {np.mean([line[2] for line in lines]):.3f}" for lines in lines)
        for name in tables:
            both = [found[name, kind, size, rule] for rule in ("folds", "both")]
            if both[0]:
                print(f"| {name} | {cells(both)} |")
        print(f"| all | {cells([sum((found[name, kind, size, rule] for name in tables), []) for rule in ('folds', 'both')])} |\n")


if __name__ == "__main__":
    named = sys.argv[2:] or TABLES
    tell(measure(sys.argv[1], named), named)
