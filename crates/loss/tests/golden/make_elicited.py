"""Golden values for the elicited losses, derived from J alone with SymPy and 60 digits.

    python make_elicited.py > elicited.txt

Each reward is given here by J and nothing else. Savage's formulas I1 = J + (1 - q) J' and I0 = J - q J' and the
derivatives of I1 and I0 are formed symbolically, and evaluated with enough digits that 1 - q may be written as it
stands. Written for SymPy 1.14; the batches and the format are those of make_golden.py, whose output is read.
"""

from itertools import product
from pathlib import Path

import mpmath as mp
import sympy as sp

x = sp.Symbol("x", positive=True)
REWARDS = {
    "log": x * sp.log(x) + (1 - x) * sp.log(1 - x),
    "square": -x * (1 - x),
    "exponential": -2 * sp.sqrt(x * (1 - x)),
    "savage": -x * (1 - x),
    "tangent": -4 * x * (1 - x),
}
REDUCTIONS = ["sample-mean", "sum-of-means", "prior-weighted"]


def batches():
    lines = (Path(__file__).parent / "objectives.txt").read_text().splitlines()
    scores = lambda line: [float(word) for word in line.split()[1:]]
    return [
        (line.split()[1], scores(lines[i + 1]), scores(lines[i + 2]))
        for i, line in enumerate(lines)
        if line.startswith("batch")
    ]


def weights(reduction, mu, n_p, n_u):
    """Of one positive score, and of the unlabeled term."""
    if reduction == "sample-mean":
        return mp.mpf(1) / (n_p + n_u), mp.mpf(n_u) / (n_p + n_u)
    return (mp.mpf(mu) if reduction == "prior-weighted" else mp.mpf(1)) / n_p, mp.mpf(1)


def line(name, numbers):
    print(name, *(f"{float(number):.12g}" for number in numbers))


def main():
    mp.mp.dps = 60
    print("# Made by make_elicited.py; the format is that of make_golden.py.")
    for name, positive, unlabeled in batches():
        print("batch", name)
        print("positive", *positive)
        print("unlabeled", *unlabeled)
    for (reward, J), mu, reduction in product(REWARDS.items(), [0.05, 0.25, 0.8], REDUCTIONS):
        I1, I0 = J + (1 - x) * sp.diff(J, x), J - x * sp.diff(J, x)
        I1, dI1, I0, dI0 = (sp.lambdify(x, f, "mpmath") for f in (I1, sp.diff(I1, x), I0, sp.diff(I0, x)))
        for name, positive, unlabeled in batches():
            n_p, n_u = len(positive), len(unlabeled)
            w_p, w_u = weights(reduction, mu, n_p, n_u)
            p, u = ([1 / (1 + mp.exp(-mp.mpf(f))) for f in part] for part in (positive, unlabeled))
            d = sum(u) / n_u - mp.mpf(mu)
            print("case", f"elicited:{reward}", name, mu, "-", reduction, "sigmoid", 0.0, 1.0, 0.0)
            line("value", [-w_p * sum(I1(q) for q in p) - w_u * I0(abs(d))])
            print("corrected", 0)
            line("grad_p", [-w_p * dI1(q) * q * (1 - q) for q in p])
            line("grad_u", [-w_u * mp.sign(d) * dI0(abs(d)) * q * (1 - q) / n_u for q in u])


main()
