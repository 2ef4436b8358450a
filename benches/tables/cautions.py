"""False cautions: a share of positives and labels that are both right, and `fit` says that they do not fit together.

    python cautions.py --binary onesided --out results/cautions.jsonl
    python cautions.py --summary results/cautions.jsonl

On each table of learn and choose (at most 20,000 training rows) labels were drawn at random and the true share is told, so every
caution is a false one. So is one after an estimated share, whose guess before and after the second look is kept next to the truth. As a check that there is something to be found, the same tables are
fitted with labels on the positives that are easiest to tell: those that a first model, fitted on all true labels, ranks highest.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile

import numpy as np

import load


def fit(binary, folder, table, labels, seed, *flags):
    load.write(table.assign(label_=labels.astype(int)), folder / "t.csv")
    command = [binary, "--json", "fit", folder / "t.csv", "--label", "label_", "--effort", "quick", "--threads", "1"]
    command += ["--seed", str(seed), "--out", folder / "m", *flags]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": done.stderr.strip().splitlines()[-1]}
    before = re.search(r"scores out of fold: ([0-9.]+) became", done.stderr)
    return json.loads(done.stdout) | {"guess_before": float(before.group(1)) if before else None}


def said(of):
    metrics = of.get("metrics", {})
    found = {"doubt": of.get("doubt"), "auc_pu": metrics.get("auc_pu"), "auc": metrics.get("auc"), "error": of.get("error")}
    if of.get("guess_before") is not None:
        found |= {"guess_before": of["guess_before"], "guess": of["prior_in_unlabeled"], "interval": of["prior_estimate"]["interval"]}
    return found


def line(name, share, seed, binary, folder):
    parts = load.split(name, share, seed)
    table, labels, truth = parts["X_train"][:20_000], parts["s"][:20_000], np.asarray(parts["y_train"])[:20_000].astype(bool)
    labels = np.asarray(labels).astype(bool)
    mu = float(truth[~labels].mean())
    told = ["--prior-in-unlabeled", str(mu)]
    # The easiest positives by a model that was given all answers; as many as were drawn at random.
    load.write(table.assign(label_=truth.astype(int)), folder / "t.csv")
    command = [binary, "fit", folder / "t.csv", "--truth", "label_", "--method", "supervised", "--model", "linear", "--out", folder / "s"]
    subprocess.run([*map(str, command)], capture_output=True, check=True)
    load.write(table, folder / "n.csv")
    command = [binary, "predict", folder / "s", folder / "n.csv", "--in-sample", "--out", folder / "p.csv"]
    subprocess.run([*map(str, command)], capture_output=True, check=True)
    scores = np.full(len(table), -np.inf)
    ranked = np.genfromtxt(folder / "p.csv", delimiter=",", names=True)
    scores[ranked["row"].astype(int) - 1] = ranked["score"]
    easiest = np.zeros(len(table), bool)
    easiest[np.argsort(-np.where(truth, scores, -np.inf), kind="stable")[: labels.sum()]] = True
    easy = ["--prior-in-unlabeled", str(float(truth[~easiest].mean()))]
    return {
        "table": name, "share": share, "seed": seed, "mu": mu, "labeled": int(labels.sum()), "rows": len(table),
        "told": said(fit(binary, folder, table, labels, seed, *told)),
        "estimated": said(fit(binary, folder, table, labels, seed)),
        "easiest": said(fit(binary, folder, table, easiest, seed, *easy)),
    }


def summary(path):
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    for key in ("told", "estimated", "easiest"):
        ran = [one for one in lines if not one[key].get("error")]
        cautions = [one for one in ran if one[key]["doubt"]]
        tables = sorted({one["table"] for one in cautions})
        print(f"{key}: {len(cautions)} cautions in {len(ran)} fits on {len({one['table'] for one in ran})} tables; {', '.join(tables)}")
    looked = [one for one in lines if one["estimated"].get("guess") is not None]
    mu = np.array([one["mu"] for one in looked])
    low, high = np.array([one["estimated"]["interval"] for one in looked]).T
    for key in ("guess_before", "guess"):
        guess = np.array([one["estimated"][key] for one in looked])
        off = np.abs(np.log(guess / mu))
        print(f"{key}: {len(looked)} fits, mean absolute error {np.mean(np.abs(guess - mu)):.4f}, mean |ln(guess / truth)| {np.mean(off):.3f}, "
              f"median of guess / truth {np.median(guess / mu):.2f}")
    print(f"the interval holds the share in {100 * np.mean((low <= mu) & (mu <= high)):.1f} %, median width {np.median(high - low):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--shares", type=float, nargs="*", default=[0.1, 0.4])
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--summary", type=pathlib.Path)
    given = parser.parse_args()
    if given.summary:
        return summary(given.summary)
    done = set()
    if given.out.exists():
        done = {(one["table"], one["share"], one["seed"]) for one in map(json.loads, given.out.read_text().splitlines())}
    rows = lambda name: int(load.register()[name]["rows"]) * int(load.register()[name]["columns"])
    works = [(name, share, seed) for seed in range(given.seeds) for name in sorted(load.names("learn", "choose"), key=rows)
             for share in given.shares]
    with tempfile.TemporaryDirectory() as folder, given.out.open("a") as file:
        for name, share, seed in works:
            if (name, share, seed) not in done:
                file.write(json.dumps(line(name, share, seed, given.binary, pathlib.Path(folder))) + "\n")
                file.flush()


if __name__ == "__main__":
    main()
