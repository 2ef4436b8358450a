"""Does the mean share of positives in certified lists stay below alpha, and what does a learned score lose?

    python simulate.py 2000 > simulated.jsonl     # a few minutes on one core
    python simulate.py simulated.jsonl > simulated.md

The procedures of docs/certified-results.md are written here a second time, with NumPy alone; `crates/eval` has golden lists by a third program. Rows are
drawn from known laws, so that the oracle's score (the likelihood ratio) is there to compare with. The learned score is a ridge logistic regression
on the columns and their squares.

* new: learned from labeled positives against unlabeled rows, 200 reserved positives, 1,000 new rows.
* table: 400 labeled positives, half of them calibrate; learned from the others against these and the 1,000 unlabeled rows together.
* wrong: what must not be done. The model was fitted on the table's unlabeled rows, with its reserve set aside before, and certifies these very rows.
"""

import json
import sys

import numpy as np

ALPHA, ROWS, RESERVED = 0.05, 1000, 200
SHAPES = ["normal", "two groups", "ties"]
SHARES = [0.05, 0.3, 0.7]


def draw(rng, shape, positive, n):
    """Rows, and the oracle's score of each."""
    x = rng.normal(size=(n, 4))
    if positive and shape == "two groups":
        # A tenth of the positives are nearly as the negatives are.
        x[:, :2] += np.where(rng.random(n) < 0.1, 0.3, 2.0)[:, None]
    elif positive:
        x[:, :2] += 1.8
    return x


def oracle(shape, x):
    if shape == "ties":
        x = np.round(x)  # what is left of a row
    shift = lambda by: by * x[:, 0] + by * x[:, 1] - by * by
    if shape == "two groups":
        return np.logaddexp(np.log(0.9) + shift(2.0), np.log(0.1) + shift(0.3))
    return shift(1.8)


def features(shape, x):
    if shape == "ties":
        x = np.round(x)
    return np.hstack([np.ones((len(x), 1)), x, x * x])


def learn(p, u):
    """Ridge logistic regression by Newton's steps."""
    x, y = np.vstack([p, u]), np.r_[np.ones(len(p)), np.zeros(len(u))]
    w = np.zeros(x.shape[1])
    for _ in range(8):
        q = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        h = (x * (q * (1 - q))[:, None]).T @ x + np.eye(len(w))
        step = np.linalg.solve(h, x.T @ (y - q) - w)
        w += step
        if np.abs(step).max() < 1e-3:
            break
    return w


def cut(reserved, rows, alpha, odds=1.0, adaptive=True):
    """Which rows are certified, and p of the last and M."""
    l, m = len(reserved), len(rows)
    rank = np.searchsorted(np.sort(reserved), rows, side="right")
    k = -(-(l + 1) // 2)
    most = (1 + (rank >= k - 1).sum()) * (1 + odds * k / (l - k)) if adaptive else m
    number = np.searchsorted(np.sort(rank), np.arange(l + 1), side="right")
    p = odds * (1 + np.arange(l + 1)) / (odds * (1 + np.arange(l + 1)) + l - np.arange(l + 1))
    ok = (p * most <= alpha * number * (1 + 1e-12)) & (number > 0)
    if adaptive:
        ok[k - 1 :] = False
    if not ok.any():
        return np.zeros(m, bool), np.zeros(m)
    last = np.flatnonzero(ok).max()
    held = rank <= last
    last = rank[held].max()
    return held, np.where(held, m / most / p[last], 0.0)


def e_list(e, alpha):
    order = np.argsort(-e, kind="stable")
    ok = e[order] >= len(e) / (alpha * np.arange(1, len(e) + 1)) * (1 - 1e-12)
    held = np.zeros(len(e), bool)
    if ok.any():
        held[order[: np.flatnonzero(ok).max() + 1]] = True
    return held


def said(held, positive):
    """The share of positives in a list, and of the negatives that it finds."""
    return (held & positive).sum() / max(held.sum(), 1), (held & ~positive).sum() / (~positive).sum()


def one(seed, shape, share, odds):
    """One set. At odds above 1 labels favor positives with a large second column by these odds: for the worst case above their median."""
    rng = np.random.default_rng([seed, SHAPES.index(shape), int(100 * share), int(10 * odds)])
    hidden = round(share * ROWS)

    def labeled(n):
        x = draw(rng, shape, True, 3 * n + 50)
        if odds == 1:
            return x[:n]
        # Labeled above with odds times the rate of below.
        keep = (x[:, 0] > np.median(x[:, 0])) | (rng.random(len(x)) < 1 / odds)
        return x[keep][:n]

    def unlabeled():
        return np.vstack([draw(rng, shape, True, hidden), draw(rng, shape, False, ROWS - hidden)])

    positive = np.arange(ROWS) < hidden
    # P1, and so many that are reserved; one set of unlabeled rows to learn from, one of new rows.
    p1, p2, u, new = labeled(200), labeled(RESERVED), unlabeled(), unlabeled()
    f = lambda x: features(shape, x)
    w = learn(f(p1), f(u))
    both = learn(f(p1), np.vstack([f(p2), f(u)]))
    found = {}
    found["new"] = said(cut(f(p2) @ w, f(new) @ w, ALPHA, odds)[0], positive)
    found["new, oracle"] = said(cut(oracle(shape, p2), oracle(shape, new), ALPHA, odds)[0], positive)
    found["new, not adaptive"] = said(cut(f(p2) @ w, f(new) @ w, ALPHA, odds, False)[0], positive)
    found["table"] = said(cut(f(p2) @ both, f(u) @ both, ALPHA, odds)[0], positive)
    found["table, oracle"] = said(cut(oracle(shape, p2), oracle(shape, u), ALPHA, odds)[0], positive)
    if odds == 1 and seed < 100:
        found["wrong"] = said(cut(f(p2) @ w, f(u) @ w, ALPHA, odds)[0], positive)
        pool = np.vstack([p1, p2])
        for splits, level in [(5, 0.5), (5, 0.7), (15, 0.7)]:
            e = np.zeros(ROWS)
            for _ in range(splits):
                order = rng.permutation(len(pool))
                a, b = pool[order[:200]], pool[order[200:]]
                v = learn(f(a), np.vstack([f(b), f(u)]))
                e += cut(f(b) @ v, f(u) @ v, level * ALPHA)[1] / splits
            found[f"table, {splits} splits at {level}"] = said(e_list(e, ALPHA), positive)
    if odds > 1:
        found["new, odds ignored"] = said(cut(f(p2) @ w, f(new) @ w, ALPHA)[0], positive)
        found["table, odds ignored"] = said(cut(f(p2) @ both, f(u) @ both, ALPHA)[0], positive)
    return found


def simulate(sets):
    for odds in [1.0, 2.0]:
        for shape in SHAPES:
            for share in SHARES:
                # Labels at random are what most people count on.
                number = sets if odds == 1 else sets // 4
                all_sets = [one(seed, shape, share, odds) for seed in range(number)]
                for name in sorted({name for found in all_sets for name in found}):
                    pairs = np.array([found[name] for found in all_sets if name in found])
                    fdp, power = pairs.T
                    line = {
                        "odds": odds, "shape": shape, "share": share, "how": name, "sets": len(pairs),
                        "fdr": round(float(fdp.mean()), 5), "error": round(float(fdp.std(ddof=1) / len(pairs) ** 0.5), 5),
                        "power": round(float(power.mean()), 4), "spread": round(float(power.std(ddof=1)), 4),
                    }
                    print(json.dumps(line), flush=True)


def table(path):
    lines = [json.loads(line) for line in open(path)]
    print("# Certified lists, simulated\n")
    print(f"Made by `simulate.py` from `{path.split('/')[-1]}`. alpha = {ALPHA}, {RESERVED} reserved positives, lists of {ROWS} rows. FDR is the mean")
    print("share of positives in a list (± a standard error), power the share of negatives that are certified.\n")
    for odds in [1.0, 2.0]:
        here = [line for line in lines if line["odds"] == odds]
        print(f"## Labels {'at random' if odds == 1 else f'that favor some positives by odds of {odds:g}'}\n")
        names = sorted({line["how"] for line in here})
        print("| scores | share | " + " | ".join(names) + " |")
        print("|---|--:|" + "--:|" * len(names))
        for shape in SHAPES:
            for share in SHARES:
                of = {line["how"]: line for line in here if (line["shape"], line["share"]) == (shape, share)}
                cell = lambda one: f"{one['fdr']:.4f} ± {one['error']:.4f}, {one['power']:.2f}"
                print(f"| {shape} | {share} | " + " | ".join(cell(of[name]) if name in of else "" for name in names) + " |")
        print()
        for name in names:
            of = [line for line in here if line["how"] == name]
            above = sum(line["fdr"] > ALPHA + 2 * line["error"] for line in of)
            print(f"* {name}: FDR above alpha by more than two standard errors in {above} of {len(of)} settings (largest {max(line['fdr'] for line in of):.4f}).")
        for name in ["new", "table"]:
            pairs = [(line["power"], other["power"]) for line in here for other in here if line["how"] == name and other["how"] == f"{name}, oracle" and (line["shape"], line["share"]) == (other["shape"], other["share"])]
            ratios = [a / b for a, b in pairs if b > 0] or [float("nan")]
            print(f"* {name}: power over the oracle's at least {min(ratios):.2f}, {np.mean(ratios):.2f} on average.")
        print()


if __name__ == "__main__":
    table(sys.argv[1]) if sys.argv[1].endswith(".jsonl") else simulate(int(sys.argv[1]))
