"""Turns the results of the prior benchmark into the tables of docs/share-results.md. Needs Python only.

    python summary.py results/grid.jsonl [results/kernel.jsonl] [--peers results/peers-ours.jsonl results/peers.jsonl]
"""

import json
import sys
from collections import defaultdict
from statistics import mean


def read(path):
    return [json.loads(line) for line in open(path)]


def answers(run):
    """Every estimator's (mu, low, high, seconds) and the consensus's."""
    found = {e["estimator"]: (e["mu"], e["low"], e["high"], e["seconds"]) for e in run["estimates"] if "mu" in e}
    c = run["consensus"]
    return {"consensus": (c["mu"], c["low"], c["high"], None)} | found


def overall(runs):
    by = defaultdict(list)
    for run in runs:
        for name, (mu, low, high, seconds) in answers(run).items():
            inside = low - 1e-9 <= run["truth"] <= high + 1e-9
            by[name].append((abs(mu - run["truth"]), mu - run["truth"], inside, high - low, seconds))
    print("| | runs | mean absolute error | mean error | interval holds the truth | mean width | seconds after scoring |")
    print("|---|---|---|---|---|---|---|")
    order = sorted(by, key=lambda name: (name != "consensus", mean(e[0] for e in by[name])))
    for name in order:
        error, bias, inside, width = (mean(e[k] for e in by[name]) for k in range(4))
        seconds = "" if name == "consensus" else f"{mean(e[4] for e in by[name]):.2f}"
        print(f"| {name} | {len(by[name])} | {error:.4f} | {bias:+.4f} | {100 * inside:.1f} % | {width:.3f} | {seconds} |")


def grid(runs):
    sets, shares = list(dict.fromkeys(r["set"] for r in runs)), sorted({r["mu"] for r in runs})
    print("| consensus: mean absolute error (share of intervals that hold the truth) | P / U at most | "
          + " | ".join(f"μ = {mu}" for mu in shares) + " | all |")
    print("|---|---|" + "---|" * (len(shares) + 1))
    for name in [*sets, "all"]:
        here = [r for r in runs if name in ("all", r["set"])]
        cells = []
        for mu in [*shares, None]:
            cell = [r for r in here if mu in (None, r["mu"])]
            if not cell:
                cells.append("")
                continue
            error = mean(abs(r["consensus"]["mu"] - r["truth"]) for r in cell)
            inside = mean(r["consensus"]["low"] - 1e-9 <= r["truth"] <= r["consensus"]["high"] + 1e-9 for r in cell)
            cells.append(f"{error:.3f} ({100 * inside:.0f} %)")
        size = "" if name == "all" else f"{max(r['positive'] for r in here)} / {max(r['unlabeled'] for r in here)}"
        print(f"| {name} | {size} | " + " | ".join(cells) + " |")


def agreement(runs):
    parted = [r for r in runs if not r["consensus"]["agreement"]]
    error = lambda some: mean(abs(r["consensus"]["mu"] - r["truth"]) for r in some) if some else float("nan")
    agreed = [r for r in runs if r["consensus"]["agreement"]]
    print(f"no agreement in {len(parted)} of {len(runs)} runs: mean absolute error {error(parted):.3f} there, "
          f"{error(agreed):.3f} elsewhere")
    reasons = defaultdict(int)
    for r in parted:
        reasons[r["consensus"]["reason"]] += 1
    print("reasons:", dict(reasons))
    rising = [r for r in runs if not r["consensus"]["level_top"]]
    bias = lambda some: mean(r["consensus"]["mu"] - r["truth"] for r in some) if some else float("nan")
    level = [r for r in runs if r["consensus"]["level_top"]]
    print(f"top not level in {len(rising)} runs: mean error {bias(rising):+.3f} there, {bias(level):+.3f} elsewhere")
    print(f"scoring: {mean(r['scoring_seconds'] for r in runs):.2f} s a run on one thread")


def peers(ours, theirs):
    truth = {(r["set"], r["truth"], r["seed"]): r for r in ours}
    by = defaultdict(lambda: ([], [], 0))
    for r in theirs:
        if (r["set"], r["mu_true"], r["seed"]) in truth:
            errors, seconds, failed = by[r["peer"]]
            if "mu" in r:
                errors.append(abs(r["mu"] - r["mu_true"]))
                seconds.append(r["seconds"])
            else:
                by[r["peer"]] = (errors, seconds, failed + 1)
    print("| | answers | mean absolute error | seconds |")
    print("|---|---|---|---|")
    mine = defaultdict(list)
    for r in ours:
        c = r["consensus"]
        quick = sum(e.get("seconds", 0) for e in r["estimates"] if e["estimator"] not in ("tice", "km1", "km2", "pen-l1"))
        mine["consensus, scoring included"].append((abs(c["mu"] - r["truth"]), r["scoring_seconds"] + quick))
        for e in r["estimates"]:
            if "mu" in e:
                mine[e["estimator"]].append((abs(e["mu"] - r["truth"]), e["seconds"]))
    for name, rows in mine.items():
        print(f"| onesided: {name} | {len(rows)} | {mean(r[0] for r in rows):.3f} | {mean(r[1] for r in rows):.3f} |")
    for name, (errors, seconds, failed) in by.items():
        if errors:
            print(f"| {name} | {len(errors)}{f' ({failed} without)' if failed else ''} | {mean(errors):.3f} | {mean(seconds):.3f} |")
        else:
            print(f"| {name} | 0 ({failed} without) | | |")


def main():
    words = sys.argv[1:]
    if "--peers" in words:
        at = words.index("--peers")
        words, (ours, theirs) = words[:at], words[at + 1 : at + 3]
        print("## peers\n")
        peers(read(ours), read(theirs))
        print()
    for path in words:
        runs = read(path)
        print(f"## {path}: {len(runs)} runs\n")
        overall(runs)
        print()
        grid(runs)
        print()
        agreement(runs)


if __name__ == "__main__":
    main()
