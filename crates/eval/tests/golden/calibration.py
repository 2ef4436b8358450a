"""Writes calibration.txt: scores of positives and unlabeled rows, and the slope and offset that calibrate them.

    python calibration.py

Solves the constrained problem of calibrate.rs as a whole with scipy's SLSQP (scipy 1.17), from several starts, where the
library eliminates the offset and searches over the slope alone.
"""

from pathlib import Path

import numpy as np
from scipy.optimize import minimize

rng = np.random.default_rng(8)
positive = [f"{x:.3f}" for x in 1.5 * (1 + rng.standard_normal(120)) + 0.7]
hidden = rng.random(300) < 0.3
unlabeled = [f"{x:.3f}" for x in 1.5 * (np.where(hidden, 1, -1) + rng.standard_normal(300)) + 0.7]
p, u = (np.array(x, dtype=np.float32).astype(np.float64) for x in (positive, unlabeled))


def cost(theta):
    log_slope, offset = theta
    return np.logaddexp(0, -(np.exp(log_slope) * p + offset)).mean() + log_slope**2 / (2 * len(p))


def solve(mu):
    gap = lambda theta: (1 / (1 + np.exp(-(np.exp(theta[0]) * u + theta[1])))).mean() - mu
    tries = [
        minimize(
            cost,
            [start, 0.0],
            method="SLSQP",
            constraints={"type": "eq", "fun": gap},
            options={"ftol": 1e-15, "maxiter": 500},
        )
        for start in (-1.0, 0.0, 1.0)
    ]
    best = min((t for t in tries if abs(gap(t.x)) < 1e-9), key=lambda t: t.fun)
    return np.exp(best.x[0]), best.x[1]


with open(Path(__file__).with_suffix(".txt"), "w") as out:
    for mu in (0.1, 0.3, 0.6):
        slope, offset = solve(mu)
        out.write(f"fit {mu} {slope:.9g} {offset:.9g}\n")
    for score in positive:
        out.write(f"positive {score}\n")
    for score in unlabeled:
        out.write(f"unlabeled {score}\n")
