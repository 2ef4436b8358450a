"""Compares the AUC that `fit` prints of its own held-out rows with that of test rows, one JSON line for each seed, table and method.

    python own_metrics.py --binary onesided --out results/own_metrics-learn.jsonl
    python own_metrics.py --summary results/own_metrics-learn.jsonl

Tables of a role, learn unless another is named, cut to 6,000 rows; a tenth of the positives is labeled at random, the share of positives is told. A seed draws
the rows, the labels and what `fit` draws. One seed says little: with few labels it is luck which ones there are, and all methods share it.
Test rows scatter, too: `error` is the standard error of their AUC (DeLong, DeLong and Clarke-Pearson, 1988). The summary counts how often
that AUC lies inside of what was printed, and how often it would if the interval made room for this error: √(a² + (1.96 error)²) in the
place of a, the distance from the value to the end. An interval that holds the AUC of endless test rows 95 % of the time does so 95 % of the time.
`called` is the share of test rows that are called positive, next to the share that is. `said_recall` is the recall that was printed, with its
interval, next to that of test rows.
"""

import argparse
import json
import pathlib
import tempfile

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

import load
from load import write_parts
from out_of_fold import run

METHODS = {
    "auto": [],
    "collective": ["--method", "collective"],
    "collective, teacher": ["--method", "collective", "--teacher", "on"],
    "nnpu": ["--method", "nnpu"],
    "pusb": ["--method", "pusb"],
    "collective, trees": ["--method", "collective", "--model", "trees"],
}
MOST, SHARE, LIMIT = 6_000, 0.1, 600


def error_of_auc(y, scores):
    """The standard error of an AUC, from the share of the other class that each row is on the right side of."""
    positive, negative = scores[y], scores[~y]
    ranks = rankdata(np.concatenate([positive, negative]))
    above = (ranks[: len(positive)] - rankdata(positive)) / len(negative)
    below = 1 - (ranks[len(positive) :] - rankdata(negative)) / len(positive)
    return float(np.sqrt(above.var(ddof=1) / len(positive) + below.var(ddof=1) / len(negative)))


def measure(name, seed, binary, methods):
    parts = load.split(name, SHARE, seed, load.cut(name, MOST, seed))
    y = parts["y_test"]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_parts(parts, folder)
        for method in methods:
            model, scores = folder / "m.onesided", folder / "scores.csv"
            fit = [binary, "fit", folder / "train.csv", "--label", "label", "--prior", f"{parts['prior']:.10g}", "--out", model, "--threads", 1, "--seed", seed]
            said = json.loads(run([*fit, *METHODS[method], "--json"], LIMIT).stdout)
            run([binary, "predict", model, folder / "test.csv", "--out", scores, "--yes-no", "--threads", 1], LIMIT)
            ranked = pd.read_csv(scores).sort_values("row")
            low, high = said["metrics"].get("auc_interval") or (None, None)
            recall = said["metrics"].get("recall_interval") or (None, None)
            called = (ranked["positive"] == "yes").to_numpy()
            yield {
                "seed": seed, "table": name, "method": method, "labeled": int(parts["s"].sum()), "share": round(float(np.mean(y)), 4),
                "printed": said["metrics"].get("auc"), "low": low, "high": high,
                "auc": round(float(roc_auc_score(y, ranked["score"])), 6), "error": round(error_of_auc(y, ranked["score"].to_numpy()), 6),
                "called": round(float(called.mean()), 4), "recall": round(float(called[y].mean()), 4),
                "said_recall": said["metrics"].get("recall"), "recall_low": recall[0], "recall_high": recall[1],
            }


def summary(path):
    lines = pd.read_json(path, lines=True)
    lines = lines[lines["printed"].notna() & lines["low"].notna()]
    lines["printed"] = lines["printed"].clip(upper=1)
    for method, of in lines.groupby("method", sort=False):
        gap, off = of["printed"] - of["auc"], (of["called"] - of["share"]).abs()
        below, above = of["auc"] < of["low"], of["auc"] > of["high"]
        end = np.where(gap > 0, of["printed"] - of["low"], of["high"] - of["printed"])
        holds = gap.abs() <= np.hypot(end, 1.96 * of["error"])
        tables = gap.groupby(of["table"]).mean()
        print(f"{method}: {of['seed'].nunique()} seeds of {len(tables)} tables, AUC {of['auc'].mean():.4f}, printed {gap.mean():+.3f} (standard error "
              f"over tables {tables.sem():.3f}), inside {(~below & ~above).mean():.3f}, with room for the test rows' error {holds.mean():.3f}; "
              f"below {below.mean():.3f}, above {above.mean():.3f}; width {(of['high'] - of['low']).mean():.3f}; "
              f"called positive off by {off.median():.3f} (median)")
        if "recall" in of and of["recall"].notna().all():
            gap, inside = of["said_recall"] - of["recall"], of["recall"].between(of["recall_low"], of["recall_high"])
            print(f"  recall: printed {gap.mean():+.3f}, inside {inside.mean():.3f}, above {(of['recall'] > of['recall_high']).mean():.3f}")


def main():
    parser = argparse.ArgumentParser(description="compares printed metrics with test rows")
    parser.add_argument("--binary", default="onesided")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(8)))
    parser.add_argument("--role", default="learn")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--summary", type=pathlib.Path)
    flags = parser.parse_args()
    if flags.summary:
        return summary(flags.summary)
    with flags.out.open("w") as out:
        for seed in flags.seeds:
            for name in load.names(flags.role):
                for line in measure(name, seed, flags.binary, flags.methods):
                    print(json.dumps(line), file=out, flush=True)


if __name__ == "__main__":
    main()
