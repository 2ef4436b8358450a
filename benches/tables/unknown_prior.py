"""What the command says and decides on the tables of the register if you do not tell it the share of positives.

    python unknown_prior.py --role learn choose --seeds 3 --binary onesided --out results/unknown-choose.jsonl
    python unknown_prior.py --role report --seeds 3 --binary onesided --out results/unknown-report.jsonl
    python unknown_prior.py --summary results/unknown-report.jsonl

One JSON line for each table, labeled share and seed: the share of positives among the unlabeled rows (`mu`), what `fit`
says of it, how its decision and that of `naive` fare on test rows, and whether the ranges it prints hold. `--before`
names a binary of an earlier version whose intervals are shown next to them (its `prior --json`). Lines that are there already are
not measured again.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd

import load
from load import write_parts

TOP = 100


def command(*parts):
    done = subprocess.run([str(part) for part in parts], capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        raise RuntimeError(f"{parts[1]}: {done.stderr.strip()[-300:]}")
    return done.stdout


def decided(y, called):
    hit = float((called & y).sum())
    found, right = hit / max(y.sum(), 1), hit / max(called.sum(), 1)
    return {
        "accuracy": round(float(np.mean(called == y)), 6),
        "f1": round(2 * hit / max(called.sum() + y.sum(), 1), 6),
        "balanced": round((found + float((~called & ~y).sum()) / max((~y).sum(), 1)) / 2, 6),
        "precision": round(right, 6),
        "recall": round(found, 6),
    }


def cell(work):
    name, share, seed, given = work
    parts = load.split(name, share, seed)
    hidden = parts["y_train"][parts["s"] == 0]
    line = {"table": name, "share": share, "seed": seed, "rows": len(parts["s"]), "labeled": int(parts["s"].sum())}
    line |= {"mu": round(float(hidden.mean()), 6), "all_negative": round(float(np.mean(~parts["y_test"])), 6)}
    try:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            write_parts(parts, folder)
            common = [folder / "train.csv", "--label", "label", "--seed", seed, "--threads", "1", "--json"]

            def predict(model, rows):
                out = folder / "out.csv"
                command(given["binary"], "predict", model, folder / rows, "--out", out, "--threads", 1)
                return pd.read_csv(out)

            said = json.loads(command(given["binary"], "fit", *common, "--out", folder / "m"))
            estimate = said["prior_estimate"]
            line["estimate"] = {key: estimate[key] for key in ("mu", "interval", "one_sided", "bound")}
            line["metrics"] = {k: v for k, v in said["metrics"].items() if k.endswith("_interval")}
            line["threshold"] = said["threshold"]
            ranked = predict(folder / "m", "test.csv").sort_values("row")
            y, q = parts["y_test"], ranked["probability"].to_numpy()
            line["ours"] = decided(y, q >= said["threshold"])
            line["brier"] = round(float(np.mean((q - y) ** 2)), 6)
            logits = np.log(np.clip(q, 1e-9, 1 - 1e-9) / np.clip(1 - q, 1e-9, 1))
            line["shifted"] = [[d, *decided(y, logits >= d).values()] for d in (-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)]
            # The precision that is printed is about the unlabeled rows; test rows have the labeled ones among them, too.
            kept = np.ones(len(y), dtype=bool)
            positives = load.shuffled(load.seed_of(name, "kept", share, seed), np.flatnonzero(y))
            kept[positives[: int(round(share * len(positives)))]] = False
            line["like_unlabeled"] = decided(y[kept], (q >= said["threshold"])[kept])
            first = ranked[kept].sort_values("rank")["row"].to_numpy()[:TOP]
            line["top"] = round(float(y[first - ranked["row"].min()].mean()), 6)
            line["top_said"] = round(float(ranked.set_index("row").loc[first, "probability"].mean()), 6)
            for key in ("probability_low", "probability_high"):
                if key in ranked:
                    line[f"top_{key}"] = round(float(ranked.set_index("row").loc[first, key].mean()), 6)
            command(given["binary"], "fit", *common, "--method", "naive", "--model", "trees", "--out", folder / "n")
            naive = predict(folder / "n", "test.csv").sort_values("row")["probability"].to_numpy()
            line["naive"] = decided(y, naive >= 0.5)
            now = json.loads(command(given["binary"], "prior", *common))
            line["consensus"] = now["consensus"]["prior_in_unlabeled"]
            if given["before"]:
                old = json.loads(command(given["before"], "prior", *common))
                line["before"] = {"mu": old["prior_in_unlabeled"], "interval": old["prior_in_unlabeled_interval"]}
    except Exception as error:
        line["error"] = f"{type(error).__name__}: {error}"[:400]
    return line


def score(mu, interval, level=0.95):
    low, high = interval
    return high - low + 2 / (1 - level) * (max(low - mu, 0) + max(mu - high, 0))


def summary(path):
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    failed = [line for line in lines if "error" in line]
    lines = [line for line in lines if "error" not in line]
    print(f"{len(lines)} runs on {len({line['table'] for line in lines})} tables; {len(failed)} failed")
    share = lambda test, some=lines: f"{100 * np.mean([test(line) for line in some]):.1f} %"
    inside = lambda line, key="estimate": line[key]["interval"][0] <= line["mu"] <= line[key]["interval"][1]
    mean = lambda value, some=lines: float(np.mean([value(line) for line in some]))
    sided = [line for line in lines if line["estimate"]["one_sided"]]
    two = [line for line in lines if not line["estimate"]["one_sided"]]
    print(f"interval holds the share: {share(inside)} of all, {share(inside, two) if two else '-'} of the {len(two)} with two ends")
    print(f"'at most' holds: {share(lambda l: l['mu'] <= l['estimate']['interval'][1])} of all, "
          f"{share(lambda l: l['mu'] <= l['estimate']['interval'][1], sided)} of the {len(sided)} one-sided; "
          f"the data's bound holds: {share(lambda l: l['mu'] <= l['estimate']['bound'])}")
    width = lambda line, key="estimate": line[key]["interval"][1] - line[key]["interval"][0]
    print(f"median width {np.median([width(l) for l in lines]):.3f}, mean absolute error {mean(lambda l: abs(l['estimate']['mu'] - l['mu'])):.4f}")
    print(f"interval score {mean(lambda l: score(l['mu'], l['estimate']['interval'])):.4f}, of [0, bound] "
          f"{mean(lambda l: score(l['mu'], (0, l['estimate']['bound']))):.4f}")
    before = [line for line in lines if "before" in line]
    if before:
        print(f"before: holds {share(lambda l: inside(l, 'before'), before)}, width {np.median([width(l, 'before') for l in before]):.3f}, "
              f"error {mean(lambda l: abs(l['before']['mu'] - l['mu']), before):.4f}, "
              f"interval score {mean(lambda l: score(l['mu'], l['before']['interval']), before):.4f} "
              f"(now {mean(lambda l: score(l['mu'], l['estimate']['interval']), before):.4f})")
        if any("before" in line for line in two):
            print(f"  where both ends are named: width {np.median([width(l) for l in two if 'before' in l]):.3f}, before "
                  f"{np.median([width(l, 'before') for l in two if 'before' in l]):.3f}")
    for other in ("all_negative", "naive"):
        of = lambda line: line["all_negative"] if other == "all_negative" else line["naive"]["accuracy"]
        behind = [line["ours"]["accuracy"] - of(line) for line in lines]
        print(f"accuracy more than a point behind {other}: {100 * np.mean(np.array(behind) < -0.01):.1f} %, worst {min(behind):+.3f}, mean {np.mean(behind):+.4f}")
    for key in ("f1", "balanced", "accuracy"):
        base = 0.0 if key == "f1" else 0.5
        none = mean(lambda l: l["all_negative"]) if key == "accuracy" else base
        print(f"mean {key}: ours {mean(lambda l: l['ours'][key]):.4f}, naive {mean(lambda l: l['naive'][key]):.4f}, all negative {none:.4f}")
    low = lambda l: l["metrics"].get("precision_interval", [0.0, 1.0])[0]
    called = [line for line in lines if "precision_interval" in line["metrics"]]
    print(f"lower end of precision not above the truth: {share(lambda l: low(l) <= l['like_unlabeled']['precision'], called)} of {len(called)}")
    if any("top_probability_low" in line for line in lines):
        of = [line for line in lines if "top_probability_low" in line]
        print(f"share of positives in the top {TOP} inside its range: "
              f"{share(lambda l: l['top_probability_low'] - 1e-9 <= l['top'] <= l['top_probability_high'] + 1e-9, of)}, "
              f"median width {np.median([l['top_probability_high'] - l['top_probability_low'] for l in of]):.3f}")
    print(f"Brier {mean(lambda l: l['brier']):.4f}")
    print("threshold moved by: accuracy behind all negative by a point, behind naive, mean F1, balanced")
    for at, row in enumerate(lines[0]["shifted"]):
        pick = lambda l: l["shifted"][at]
        print(f"  {row[0]:+.2f}: {100 * mean(lambda l: pick(l)[1] < l['all_negative'] - 0.01):.1f} %, "
              f"{100 * mean(lambda l: pick(l)[1] < l['naive']['accuracy'] - 0.01):.1f} %, {mean(lambda l: pick(l)[2]):.4f}, {mean(lambda l: pick(l)[3]):.4f}")
    for line in failed:
        print("failed:", line["table"], line["share"], line["seed"], line["error"][:200])


def main():
    parser = argparse.ArgumentParser(description="the command without a prior")
    parser.add_argument("--role", nargs="*", default=[], choices=["learn", "choose", "report", "report-2", "report-3"])
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--leave-out", nargs="*", default=[])
    parser.add_argument("--most-rows", type=int, default=10**9)
    parser.add_argument("--shares", nargs="+", type=float, default=[0.1, 0.4])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--binary", default="onesided")
    parser.add_argument("--before", default="")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--summary", type=pathlib.Path)
    given = parser.parse_args()
    if given.summary:
        return summary(given.summary)
    done = set()
    if given.out.exists():
        lines = [json.loads(text) for text in given.out.read_text().splitlines()]
        done = {(line["table"], line["share"], line["seed"]) for line in lines if "error" not in line}
    register = load.register()
    tables = [name for name in given.tables or load.names(*given.role) if name not in given.leave_out]
    tables = [name for name in tables if int(register[name]["rows"]) <= given.most_rows]
    size = lambda name: int(register[name]["rows"]) * int(register[name]["columns"])
    options = {"binary": given.binary, "before": given.before}
    works = [(name, share, seed, options) for name in tables for share in given.shares for seed in range(given.seeds)]
    works = sorted((work for work in works if work[:3] not in done), key=lambda work: -size(work[0]))
    print(len(works), "cells", flush=True)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    with given.out.open("a") as file, concurrent.futures.ProcessPoolExecutor(given.jobs) as pool:
        for ended in concurrent.futures.as_completed([pool.submit(cell, work) for work in works]):
            line = ended.result()
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(line["table"], line["share"], line["seed"], line.get("error", ""), flush=True)


if __name__ == "__main__":
    sys.exit(main())
