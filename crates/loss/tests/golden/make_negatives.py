"""Values and gradients of objectives with known negatives and weights, from the formulas of the papers.

Derivatives are taken by complex steps, so nothing of the gradients in Rust is repeated here. Python alone is needed:

    python3 make_negatives.py > negatives.txt

A line: method, reduction or surrogate, value, then the gradients of P, U and N.
"""

import cmath

P, WP = [1.625, -0.375, 3.25], [0.5, 2.0, 1.25]
U, WU = [0.875, -2.5, 1.75, -0.25], [0.5, 2.0, 1.25, 3.0]
N, WN = [-1.375, 0.4375, 2.25], [0.5, 2.0, 1.25]
MU, V, SHARE = 0.3, 0.7, 0.375  # the prior in U, the weight of negatives, the labeled share of one sample


def sigmoid(z):
    return 1 / (1 + cmath.exp(-z))


LOSSES = {"sigmoid": lambda z: sigmoid(-z), "logistic": lambda z: cmath.log(1 + cmath.exp(-z))}


def mean(scores, weights, of):
    return sum(w * of(f) for f, w in zip(scores, weights)) / sum(weights)


def collective(reduction):
    def value(p, u, n):
        log = LOSSES["logistic"]
        d = mean(u, WU, sigmoid) - MU
        far = d if d.real > 0 else -d
        n_p, n_u = sum(WP), sum(WU)
        on_p, on_u = {
            "sample-mean": (n_p / (n_p + n_u), n_u / (n_p + n_u)),
            "sum-of-means": (1, 1),
            "prior-weighted": (MU, 1),
        }[reduction]
        known = V * (1 - MU) * mean(n, WN, lambda f: log(-f))
        return on_p * mean(p, WP, log) - on_u * cmath.log(1 - far) + known

    return value


def risk(surrogate):
    """Sakai et al. 2017: R_PU + v R_PN, in one sample."""

    def value(p, u, n):
        loss = LOSSES[surrogate]
        pi = SHARE + (1 - SHARE) * MU
        on_p = pi * mean(p, WP, loss)
        hidden = (1 - SHARE) * (mean(u, WU, lambda f: loss(-f)) - MU * mean(p, WP, lambda f: loss(-f)))
        return on_p + hidden + V * (on_p + (1 - pi) * mean(n, WN, lambda f: loss(-f)))

    return value


def naive(p, u, n):
    log = LOSSES["logistic"]
    n_p, n_u = sum(WP), sum(WU)
    pool = n_p * mean(p, WP, log) + n_u * mean(u, WU, lambda f: log(-f))
    return (pool + V * n_u * mean(n, WN, lambda f: log(-f))) / (n_p + n_u)


def line(method, option, value):
    scores, step = [P, U, N], 1e-30
    grads = []
    for kind in range(3):
        for i in range(len(scores[kind])):
            moved = [list(part) for part in scores]
            moved[kind][i] += step * 1j
            grads.append(value(*moved).imag / step)
    numbers = [complex(value(*scores)).real, *grads]
    print(method, option, *(repr(number) for number in numbers))


for name in ("sample-mean", "sum-of-means", "prior-weighted"):
    line("collective", name, collective(name))
for name in LOSSES:
    line("upu", name, risk(name))
line("naive", "-", naive)
