"""The numbers of line.rs: the logistic model on a line that minimizes the population risk, and how far samples stray.

python line.py
"""

import numpy as np
from scipy.optimize import minimize

MU, LABELED, UNLABELED = 0.25, 20_000, 40_000
WEIGHTS = {"sample-mean": (1 / 3, 2 / 3), "sum-of-means": (1, 1), "prior-weighted": (MU, 1)}


def risk(line, w, p, u):
    """p and u are (points, masses) of positives and of U."""
    score = lambda x: line[0] * x + line[1]
    mean = np.sum(u[1] / (1 + np.exp(-score(u[0]))))
    return w[0] * np.sum(p[1] * np.logaddexp(0, -score(p[0]))) - w[1] * np.log1p(-abs(mean - MU))


def fit(w, p, u):
    options = {"xatol": 1e-8, "fatol": 1e-13, "maxiter": 4000}
    starts = [(2, -1), (3, 1), (2.5, 0)]
    found = [minimize(risk, s, args=(w, p, u), method="Nelder-Mead", options=options) for s in starts]
    line = min(found, key=lambda result: result.fun).x
    return line, np.sum(u[1] / (1 + np.exp(-line[0] * u[0] - line[1])))


x = np.linspace(-9, 9, 4001)
density = lambda mean: np.exp(-((x - mean) ** 2) / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0])
grid = (x, density(1)), (x, MU * density(1) + (1 - MU) * density(-1))
random = np.random.default_rng(0)
for name, w in WEIGHTS.items():
    (slope, offset), mean = fit(w, *grid)
    lines = []
    for _ in range(10):
        hidden = int(MU * UNLABELED)
        p = 1 + random.standard_normal(LABELED)
        u = np.r_[np.ones(hidden), -np.ones(UNLABELED - hidden)] + random.standard_normal(UNLABELED)
        lines.append(fit(w, (p, 1 / LABELED), (u, 1 / UNLABELED))[0])
    print(f"{name}: {slope:.4f} x {offset:+.4f}, mean {mean:.5f}; spread of samples {np.std(lines, axis=0)}")
