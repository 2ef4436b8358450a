"""Learns from tasks with a known answer what scores of positives and unlabeled rows look like, and judges it.

    python learn.py seen.csv targets.csv

The model (`crates/prior/src/experience`): on some scale, the scores of negatives are N(0, 1) and those of positives N(d, s).
Then the share of U above a cut that leaves a share r of P above it, divided by r, is

    mu + (1 - mu) sf(d + s z) / r,  sf(z) = r,

and the AUC of P against U is mu / 2 + (1 - mu) cdf(d / sqrt(1 + s^2)). Four such ratios and the AUC are what is seen; their
noise is that of counts, and a floor for what the model gets wrong. The law of mu is the posterior on a grid of mu, d and s.
Six constants (the power of the likelihood, the law of d, the weights of s) are set by coordinate descent so that the log
density at the true shares is largest. The laws of mu before anything is seen are not learned, since the tasks' shares
were drawn: `WIDE` is for the interval, `USUAL` for the guess; it was chosen on the learn and choose tables at their own
shares of positives.
"""

import sys

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from scipy.stats import norm

LOGITS = np.linspace(np.log(0.002 / 0.998), np.log(0.98 / 0.02), 64)
DISTANCES = np.linspace(0, 5, 36)
SPREADS = np.array([0.8, 1.0, 1.25])
RECALLS = np.array([0.1, 0.3, 0.5, 0.7])
FLOOR, AUC_FLOOR = 0.05, 0.01
# Center, deviation of the logit, and how much of it is even between 0 and 1.
WIDE, USUAL = (0.2, 1.6, 0.15), (0.15, 1.3, 0.05)
START = {"power": 0.35, "d0": 1.3, "d1": 0.4, "ds": 1.5, "s0": -0.3, "s2": -0.3}
STEPS = {
    "power": (0.25, 0.35, 0.5, 0.7),
    "d0": (1.0, 1.3, 1.6),
    "d1": (0.1, 0.2, 0.3, 0.4),
    "ds": (1.2, 1.5, 1.8),
    "s0": (-0.3, 0.0, 0.4, 0.8),
    "s2": (-0.7, -0.3, 0.0),
}
NAMES = ["bound_10", "bound_30", "bound_50", "bound_70"]


def logit(p):
    return np.log(p / (1 - p))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def expected():
    mu, d, s = sigmoid(LOGITS)[:, None, None, None], DISTANCES[None, :, None, None], SPREADS[None, None, :, None]
    ratios = np.log(mu + (1 - mu) * norm.sf(d + s * norm.isf(RECALLS)) / RECALLS)
    return ratios, (mu / 2 + (1 - mu) * norm.cdf(d / np.sqrt(1 + s**2)))[..., 0]


def likelihoods(seen):
    ratios, areas = expected()
    found = np.zeros((len(seen), *areas.shape), np.float32)
    for i, (_, one) in enumerate(seen.iterrows()):
        at = one[NAMES].to_numpy(float)
        above = np.exp(at) * RECALLS * one["unlabeled"]
        variance = (1 - RECALLS) / (RECALLS * one["positive"]) + 1 / (above + 1) + FLOOR**2
        of_area = 0.08 / one["positive"] + 0.08 / one["unlabeled"] + AUC_FLOOR**2
        found[i] = -0.5 * (((ratios - at) ** 2 / variance).sum(-1) + (areas - one["auc"]) ** 2 / of_area)
    return found


def posterior(likelihood, positive, h, before):
    center, deviation, even = before
    mu = sigmoid(LOGITS)
    normal = np.exp(-0.5 * ((LOGITS - logit(center)) / deviation) ** 2) / deviation / np.sqrt(2 * np.pi)
    of_mu = np.log((1 - even) * normal + even * mu * (1 - mu))
    mean = h["d0"] + h["d1"] * np.log(positive / 100)
    of_d = -0.5 * ((DISTANCES[None, :] - mean[:, None]) / h["ds"]) ** 2 - norm.logcdf(mean / h["ds"])[:, None]
    of_s = np.array([h["s0"], 0.0, h["s2"]])
    all_of = h["power"] * likelihood + of_mu[None, :, None, None] + of_d[:, None, :, None] + of_s
    law = logsumexp(all_of, axis=(2, 3))
    return np.exp(law - logsumexp(law, axis=1, keepdims=True))


def quantiles(law, levels):
    sums = np.cumsum(law, axis=1) - 0.5 * law
    return sigmoid(np.array([np.interp(levels, one, LOGITS) for one in sums]))


def tasks(columns, targets):
    """All tasks with weights. Any column counts as much as if columns could be told apart as well as targets can (logits of
    the AUC against negatives normal around 2 with deviation 1.3), shares as if drawn by `WIDE`, labels as if 2 to 80 % of the
    positives had one, a table as the root of its number of tasks. Columns, targets and made tasks count 50, 40 and 10 %."""
    # The tables of role choose are kept to judge by.
    columns = columns[~columns["table"].isin(["reg:caravan", "reg:recidivism"])]
    seen = pd.concat([columns, targets], ignore_index=True)
    kind = np.where(seen["table"].str.startswith("r:"), "column", np.where(seen["table"].str.startswith("made"), "made", "target"))
    mu = seen["mu"].clip(1e-3, 1 - 1e-3).to_numpy()
    t, low, high = logit(mu), logit(0.01), logit(0.9)
    drawn = 0.5 * ((t >= low) & (t <= high)) / (high - low) + 0.5 * ((mu >= 0.02) & (mu <= 0.95)) / 0.93 * mu * (1 - mu)
    center, deviation, even = WIDE
    wanted = (1 - even) * norm.pdf((t - logit(center)) / deviation) / deviation + even * mu * (1 - mu)
    of_shares = (wanted / np.maximum(drawn, 0.02)).clip(0, 8)
    labeled = np.log(seen["positive"] / seen["unlabeled"] / mu).to_numpy()
    of_labels = np.exp(-2 * np.maximum(0, np.abs(labeled + 1.25) - 2.65) ** 2)
    area = logit(((seen["auc"] - mu / 2) / (1 - mu)).clip(0.5, 0.9995).to_numpy())
    weights = of_shares * of_labels
    for name, part in (("column", 0.5), ("target", 0.4), ("made", 0.1)):
        some = kind == name
        if name == "column":
            height, edges = np.histogram(area[some], bins=14, density=True)
            there = np.interp(area[some], (edges[1:] + edges[:-1]) / 2, height)
            weights[some] *= ((0.85 * norm.pdf((area[some] - 2) / 1.3) / 1.3 + 0.15 / 8) / np.maximum(there, 0.01)).clip(0, 8)
        if name != "made":
            weights[some] /= np.sqrt(seen[some].groupby("table")["mu"].transform("count").to_numpy())
        weights[some] *= part / weights[some].sum()
    return seen, kind, weights / weights.mean()


def at_truth(law, mu):
    place = np.searchsorted(LOGITS, logit(mu.clip(0.0021, 0.979))).clip(1, len(LOGITS) - 1)
    return np.log(np.maximum(law[np.arange(len(law)), place], 1e-6))


def judged(name, seen, weights, h, likelihood):
    """A line: the guess and the interval next to the truth."""
    mu, n, bound = seen["mu"].to_numpy(), seen["positive"].to_numpy(float), seen["data_bound"].to_numpy()
    low, high = np.minimum(quantiles(posterior(likelihood, n, h, WIDE), [0.025, 0.975]).T, bound)
    guess = np.minimum(quantiles(posterior(likelihood, n, h, USUAL), [0.5])[:, 0], bound)
    mean = lambda v: np.average(v, weights=weights)
    score = high - low + 40 * np.maximum(0, low - mu) + 40 * np.maximum(0, mu - high)
    order = np.argsort(guess / mu)
    middle = (guess / mu)[order][np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)]
    print(f"{name:>20}: {len(mu):4d} tasks, error {mean(np.abs(guess - mu)):.3f}, median of guess / truth {middle:.2f}, "
          f"held {100 * mean((low <= mu) & (mu <= high)):.1f} %, at most {100 * mean(mu <= high):.1f} %, "
          f"width {mean(high - low):.3f}, score {mean(score):.3f}")


def main():
    seen, kind, weights = tasks(pd.read_csv(sys.argv[1]), pd.read_csv(sys.argv[2]))
    found, n, mu = likelihoods(seen), seen["positive"].to_numpy(float), seen["mu"].to_numpy()
    # One in three columns is enough for six constants.
    used = (kind != "column") | (np.arange(len(kind)) % 3 == 0)
    value = lambda h: np.average(at_truth(posterior(found[used], n[used], h, WIDE), mu[used]), weights=weights[used])
    h, best = dict(START), value(START)
    for _ in range(2):
        for key, steps in STEPS.items():
            for step in steps:
                other = h | {key: step}
                if (there := value(other)) > best + 1e-4:
                    h, best = other, there
    print(len(seen), "tasks of", seen["table"].nunique(), "tables;", h, f"{best:.4f}")
    for name in ("column", "target", "made"):
        some = kind == name
        judged(name, seen[some], weights[some], h, found[some])
    for low, high in ((0, 0.55), (0.55, 0.65), (0.65, 0.75), (0.75, 0.85), (0.85, 0.95), (0.95, 1.01)):
        some = ((seen["auc"] >= low) & (seen["auc"] < high)).to_numpy()
        judged(f"AUC {low:.2f} to {high:.2f}", seen[some], weights[some], h, found[some])


if __name__ == "__main__":
    main()
