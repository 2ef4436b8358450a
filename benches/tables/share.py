"""What `onesided prior` says of the share of positives on the tables of a role, next to an earlier version.

    python share.py --role report-2 --binary onesided --before onesided-before --out results/share-report-2.jsonl
    python share.py --summary results/share-report-2.jsonl

`unknown_prior.py` fits models as well; this asks for the share alone and takes seconds per table. One JSON line for each table,
labeled share and seed. The first seed is measured on every table, the others on those of up to 12,000 rows.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import load
from unknown_prior import score


def said(binary, path, seed):
    command = [binary, "prior", path, "--label", "label", "--seed", str(seed), "--threads", "1", "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def answer(of):
    return {"mu": of["prior_in_unlabeled"], "interval": of["prior_in_unlabeled_interval"], "one_sided": of["one_sided"]}


def line(name, share, seed, binary, before):
    parts = load.split(name, share, seed)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "train.csv"
        table = parts["X_train"].copy()
        table.insert(0, "label", parts["s"])
        load.write(table, path)
        now = said(binary, path, seed)
        found = {"table": name, "share": share, "seed": seed, "mu": float(parts["y_train"][parts["s"] == 0].mean())}
        found |= {"seen": now["seen"], "bound": now["bound"], "consensus": now["consensus"]["prior_in_unlabeled"]}
        found |= {"consensus_interval": now["consensus"]["prior_in_unlabeled_interval"], "now": answer(now)}
        if before:
            found["before"] = answer(said(before, path, seed))
    return found


def summary(path):
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    tables = sorted({one["table"] for one in lines})
    counts = {name: sum(one["table"] == name for one in lines) for name in tables}
    weights = np.array([1 / counts[one["table"]] for one in lines])
    mean = lambda values: float(np.average(values, weights=weights))
    mu = np.array([one["mu"] for one in lines])
    print(f"{len(lines)} runs on {len(tables)} tables, each table counted once; shares {mu.min():.3f} to {mu.max():.3f}")
    for key in ("now", "before"):
        if key not in lines[0]:
            continue
        guess = np.array([one[key]["mu"] for one in lines])
        low, high = np.array([one[key]["interval"] for one in lines]).T
        two = np.array([not one[key]["one_sided"] for one in lines])
        of_consensus = np.array([np.subtract(*one["consensus_interval"][::-1]) for one in lines])
        scores = [score(m, (a, b)) for m, a, b in zip(mu, low, high)]
        print(f"{key}: mean absolute error {mean(np.abs(guess - mu)):.4f}, median of guess / truth {np.median(guess / mu):.2f}, "
              f"mean |ln(guess / truth)| {mean(np.abs(np.log(guess / mu))):.3f}")
        print(f"  interval holds {100 * mean((low <= mu) & (mu <= high)):.1f} %, at most holds {100 * mean(mu <= high):.1f} %, "
              f"median width {np.median(high - low):.3f}, interval score {mean(scores):.4f}")
        if two.any():
            print(f"  {two.sum()} runs with both ends: hold {100 * np.mean(((low <= mu) & (mu <= high))[two]):.1f} %, median width "
                  f"{np.median((high - low)[two]):.3f}, of the consensus {np.median(of_consensus[two]):.3f}")
        for least, most in ((0, 0.1), (0.1, 0.25), (0.25, 0.45), (0.45, 1)):
            some = (mu > least) & (mu <= most)
            if some.any():
                print(f"  shares {least} to {most}: {some.sum()} runs, error {np.mean(np.abs(guess - mu)[some]):.3f}, "
                      f"median of guess / truth {np.median((guess / mu)[some]):.2f}")
    consensus, bound = (np.array([one[key] for one in lines]) for key in ("consensus", "bound"))
    inside = np.array([a <= m <= b for m, (a, b) in zip(mu, (one["consensus_interval"] for one in lines))])
    scores = [score(m, one["consensus_interval"]) for m, one in zip(mu, lines)]
    print(f"consensus: error {mean(np.abs(consensus - mu)):.4f}, holds {100 * mean(inside):.1f} %, interval score {mean(scores):.4f}")
    print(f"[0, bound]: holds {100 * mean(mu <= bound):.1f} %, interval score {mean([score(m, (0, b)) for m, b in zip(mu, bound)]):.4f}")


def main():
    parser = argparse.ArgumentParser(description="what prior says of the share")
    parser.add_argument("--role", nargs="*", default=[])
    parser.add_argument("--binary", default="onesided")
    parser.add_argument("--before", default="")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--summary", type=pathlib.Path)
    given = parser.parse_args()
    if given.summary:
        return summary(given.summary)
    done = set()
    if given.out.exists():
        done = {(one["table"], one["share"], one["seed"]) for one in map(json.loads, given.out.read_text().splitlines())}
    rows = lambda name: int(load.register()[name]["rows"])
    works = [(name, share, seed) for seed in range(given.seeds) for name in sorted(load.names(*given.role), key=rows)
             for share in (0.1, 0.4) if seed == 0 or rows(name) <= 12_000]
    with given.out.open("a") as file:
        for name, share, seed in works:
            if (name, share, seed) not in done:
                file.write(json.dumps(line(name, share, seed, given.binary, given.before)) + "\n")
                file.flush()


if __name__ == "__main__":
    sys.exit(main())
