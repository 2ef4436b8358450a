"""Do certified rows help a model that takes them as known negatives? Ways to weigh them, next to a model that never sees them.

    python benches/certified/feedback.py 4 > benches/certified/feedback.jsonl
    python benches/certified/feedback.py benches/certified/feedback.jsonl > benches/certified/feedback.md

Ten tables of the role learn. For each table and seed 2,000 rows, of whose positives a fifth or half are labeled, and 2,000 others to measure on. The
table certifies its own unlabeled rows as docs/certified.md says (AdaDetect, alpha = .1, half of the labeled positives calibrate, a ridge logistic
regression on columns and squares). Let C be these rows, U' the other unlabeled ones, n and n' the numbers of U and U', mu the share of positives in U
and mu' in U', which is the true one. A network of 50 units learns by the non-negative risk (nnPU, logistic loss), with

* plain: mu mean_P l(f) + max(0, mean_U l(-f) - mu mean_P l(-f)): U as it is.
* counted: mu mean_P l(f) + |C|/n mean_C l(-f) + max(0, n'/n mean_U' l(-f) - mu mean_P l(-f)): each certified row counts as it did in U. It is the one
  form whose risk is that of plain; where nothing is cut off at 0, it is the same number.
* twice: counted, with C a second time.
* picked: plain over U' with mu', and v (1 - mu') mean_C l(-f) with v = |C| / (|C| + 100): as negatives are weighed that are like the others.
* left out: plain over U' with mu'.
"""

import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tables")]

from simulate import cut, learn  # noqa: E402
from tables import TABLES  # noqa: E402

ALPHA, HIDDEN, EPOCHS, RATE, DECAY = 0.1, 50, 60, 0.01, 1e-3
FORMS = ["plain", "counted", "twice", "picked", "left out"]
LABELED = [0.2, 0.5]


def columns(X):
    import pandas as pd

    wide = pd.get_dummies(X, dummy_na=False).to_numpy(dtype=float)
    wide = np.where(np.isfinite(wide), wide, 0.0)
    return (wide - wide.mean(0)) / (wide.std(0) + 1e-9)


def auc(scores, positive):
    from scipy.stats import rankdata

    n = positive.sum()
    return (rankdata(scores)[positive].sum() - n * (n + 1) / 2) / (n * (~positive).sum())


class Network:
    def __init__(self, width, rng):
        self.w = [rng.normal(size=(width, HIDDEN)) / width**0.5, np.zeros(HIDDEN), rng.normal(size=HIDDEN) / HIDDEN**0.5, np.zeros(1)]
        self.m, self.v, self.t = [np.zeros_like(w) for w in self.w], [np.zeros_like(w) for w in self.w], 0

    def scores(self, x):
        a, b, c, d = self.w
        return np.maximum(x @ a + b, 0) @ c + d[0]

    def step(self, x, slope):
        """One step of Adam, for the slope of the risk by each row's score."""
        a, b, c, d = self.w
        h = np.maximum(x @ a + b, 0)
        back = np.outer(slope, c) * (h > 0)
        grads = [x.T @ back + DECAY * a, back.sum(0), h.T @ slope + DECAY * c, slope.sum(keepdims=True)]
        self.t += 1
        for w, g, m, v in zip(self.w, grads, self.m, self.v):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            w -= RATE * (m / (1 - 0.9**self.t)) / (np.sqrt(v / (1 - 0.999**self.t)) + 1e-8)


def fitted(form, x, p, u, c, mu, mu_left, rng):
    """Rows x; numbers of labeled, unlabeled and certified ones."""
    left = np.setdiff1d(u, c)
    # Parts: rows, the weight of l(f), of l(-f), and whether these belong to what is cut off at 0.
    of_c = len(c) / len(u)
    if form == "plain":
        parts, share = [(u, 1.0, True)], mu
    elif form in ("counted", "twice"):
        parts, share = [(left, 1.0 - of_c, True), (c, of_c * (2 if form == "twice" else 1), False)], mu
    elif form == "picked":
        parts, share = [(left, 1.0, True), (c, (1 - mu_left) * len(c) / (len(c) + 100), False)], mu_left
    else:
        parts, share = [(left, 1.0, True)], mu_left
    network = Network(x.shape[1], rng)
    batches = 8
    for _ in range(EPOCHS):
        shuffled = [rng.permutation(rows) for rows in [p, *(rows for rows, _, _ in parts)]]
        for at in range(batches):
            rows = [of[at::batches] for of in shuffled]
            scores = [network.scores(x[some]) for some in rows]
            sigmoid = [1 / (1 + np.exp(-np.clip(f, -30, 30))) for f in scores]
            loss = lambda f: np.logaddexp(0, f)  # l(-f)
            mean = lambda values: values.mean() if len(values) else 0.0
            negative = sum(w * mean(loss(f)) for (_, w, inside), f in zip(parts, scores[1:]) if inside) - share * mean(loss(scores[0]))
            sign = 1.0 if negative >= 0 else -1.0  # Kiryo and others, 2017: a step back where the risk is negative
            n = lambda values: max(len(values), 1)
            of_p = -share * (1 - sigmoid[0]) / n(rows[0]) * (negative >= 0) - sign * share * sigmoid[0] / n(rows[0])
            of_u = [(sign if inside else float(negative >= 0)) * w * q / n(some) for (_, w, inside), q, some in zip(parts, sigmoid[1:], rows[1:])]
            network.step(x[np.concatenate(rows)], np.concatenate([of_p, *of_u]))
    return network


def once(name, X, truth, seed, labeled_share):
    rng = np.random.default_rng([seed, TABLES.index(name), int(100 * labeled_share)])
    order = rng.permutation(len(X))
    size = 2000 if len(X) > 3000 else len(X) // 2
    rows, new = order[:size], order[size : size + 2000]
    labeled = truth[rows] & (rng.random(size) < labeled_share)
    p, u = rows[labeled], rows[~labeled]
    mixed = rng.permutation(p)
    p1, p2 = mixed[: len(p) // 2], mixed[len(p) // 2 :]
    squares = np.hstack([np.ones((len(X), 1)), X, X * X])
    w = learn(squares[p1], squares[np.concatenate([p2, u])])
    held, _ = cut(squares[p2] @ w, squares[u] @ w, ALPHA)
    c, left = u[held], u[~held]
    share = lambda some: float(np.clip(truth[some].mean(), 0.005, 0.995))
    found = {"table": name, "seed": seed, "labeled": labeled_share, "certified": len(c), "of": len(u), "positive": float(truth[c].mean()) if len(c) else 0.0}
    for form in FORMS:
        if not len(c) and form != "plain":
            found[form] = found["plain"]
            continue
        network = fitted(form, X, p, u, c, share(u), share(left), np.random.default_rng(seed))
        scores = network.scores(X[new])
        found[form] = {"auc": float(auc(scores, truth[new])), "accuracy": float(((scores > 0) == truth[new]).mean())}
    return found


def measure(seeds):
    import load

    for name in TABLES:
        X, y = load.load(name)
        X, truth = columns(X), np.asarray(y).astype(bool)
        for labeled_share in LABELED:
            for seed in range(seeds):
                print(json.dumps(once(name, X, truth, seed, labeled_share)), flush=True)


def summary(path):
    lines = [json.loads(line) for line in open(path)]
    print("# Certified rows fed back, simulated\n\nMade by `feedback.py` from `feedback.jsonl`; what each form is stands there. The change against plain on new rows, with its standard error over tables.\n")
    for labeled_share in LABELED:
        of = [line for line in lines if line["labeled"] == labeled_share and line["certified"]]
        tables = sorted({line["table"] for line in of})
        print(f"## {100 * labeled_share:.0f} % of the positives labeled\n")
        print(f"{len(of)} fits of {len(tables)} tables with certified rows, {100 * np.mean([line['certified'] / line['of'] for line in of]):.0f} % of the unlabeled rows on average.\n")
        print("| form | AUC | worst table | accuracy | worst table |\n|---|--:|--:|--:|--:|")
        for form in FORMS[1:]:
            cells = []
            for key in ("auc", "accuracy"):
                by = np.array([np.mean([line[form][key] - line["plain"][key] for line in of if line["table"] == name]) for name in tables])
                cells += [f"{by.mean():+.4f} ± {by.std(ddof=1) / len(by) ** 0.5:.4f}", f"{by.min():+.4f}"]
            print(f"| {form} | {' | '.join(cells)} |")
        print(f"| plain itself | {np.mean([line['plain']['auc'] for line in of]):.4f} | | {np.mean([line['plain']['accuracy'] for line in of]):.4f} | |\n")


if __name__ == "__main__":
    summary(sys.argv[1]) if sys.argv[1].endswith(".jsonl") else measure(int(sys.argv[1]))
