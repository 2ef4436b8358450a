"""Golden values for the objectives, from PyTorch's automatic differentiation in float64.

    python make_golden.py > objectives.txt

Each loss is written here in the form its definition has (the single-sample risk over the pool of P and U, the
collective loss with the absolute value as it stands), not in the rearranged, stable form of the Rust code. Written for
PyTorch 2.11 on the CPU; any version with float64 gives the same digits.

Format: `batch NAME`, `positive SCORES`, `unlabeled SCORES`; then for each case one line
`case METHOD BATCH PRIOR LABELED_SHARE REDUCTION SURROGATE BETA GAMMA SMOOTHING` (LABELED_SHARE is `-` in the
case-control scenario), and `value`, `corrected` (0 or 1), `grad_p`, `grad_u`.
"""

from itertools import product

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, softplus

SURROGATES = {
    "sigmoid": lambda z: torch.sigmoid(-z),
    "logistic": lambda z: softplus(-z, threshold=1e9),
    "squared": lambda z: (z - 1) ** 2 / 4,
    "double-hinge": lambda z: torch.maximum(-z, torch.clamp((1 - z) / 2, min=0)),
}
REDUCTIONS = ["sample-mean", "sum-of-means", "prior-weighted"]


def batches():
    """An ordinary batch, one that is fitted too well (R_n < 0 for most losses), one far into the tails."""
    rng = np.random.default_rng(2020)
    single = lambda scores: [float(np.float32(score)) for score in scores]
    return {
        "ordinary": (single(rng.normal(1, 1.5, 5)), single(rng.normal(-0.5, 2, 7))),
        "overfitted": (single(rng.normal(4, 0.5, 3)), single(rng.normal(-1.5, 0.4, 6))),
        "saturated": (single([18.5, -21.25, 30.0]), single([25.0, 19.0, -33.5, 27.75])),
    }


def collective(p, u, mu, reduction, smoothing):
    d = torch.sigmoid(u).mean() - mu
    gap = torch.sqrt(d**2 + smoothing**2) - smoothing if smoothing else d.abs()
    unlabeled = -torch.log(1 - gap)
    positive = -torch.log(torch.sigmoid(p))
    if reduction == "sample-mean":
        return torch.cat([positive, unlabeled.expand(len(u))]).mean()
    return (mu if reduction == "prior-weighted" else 1) * positive.mean() + unlabeled


def parts(p, u, mu, share, loss):
    """R_p, R_n and the class prior, each from the definition in its scenario."""
    if share is None:
        prior, marginal = mu, loss(-u).mean()
    else:
        prior = share + mu * (1 - share)
        marginal = share * loss(-p).mean() + (1 - share) * loss(-u).mean()
    return prior * loss(p).mean(), marginal - prior * loss(-p).mean(), prior


def objective(method, p, u, mu, share, reduction, surrogate, beta, gamma, smoothing):
    """What is reported, what is descended, and whether the non-negative correction was made."""
    if method == "collective":
        value = collective(p, u, mu, reduction, smoothing)
        return value, value, 0
    if method in ("naive", "supervised"):
        targets = torch.cat([torch.ones_like(p), torch.zeros_like(u)])
        value = binary_cross_entropy_with_logits(torch.cat([p, u]), targets)
        return value, value, 0
    loss = SURROGATES[surrogate]
    r_p, r_n, prior = parts(p, u, mu, share, loss)
    if method == "upu":
        return r_p + r_n, r_p + r_n, 0
    factor = 1.0
    if method == "imbalanced-nnpu":
        r_p, factor = 0.5 * loss(p).mean(), 0.5 / (1 - prior)
    if r_n >= -beta:
        return r_p + factor * r_n, r_p + factor * r_n, 0
    return r_p - factor * beta, -gamma * factor * r_n, 1


def cases():
    default = ("sum-of-means", "sigmoid", 0.0, 1.0, 0.0)
    for mu, reduction, smoothing in product([1e-6, 0.25, 0.8], REDUCTIONS, [0.0, 0.05]):
        yield "collective", mu, None, reduction, *default[1:4], smoothing
    for mu, share, surrogate in product([0.25, 0.6], [None, 0.3], SURROGATES):
        yield "upu", mu, share, default[0], surrogate, *default[2:]
        for method, (beta, gamma) in product(["nnpu", "imbalanced-nnpu"], [(0.0, 1.0), (0.02, 0.5)]):
            yield method, mu, share, default[0], surrogate, beta, gamma, 0.0
    yield "naive", 0.25, None, *default
    yield "supervised", 0.25, None, *default


def line(name, numbers):
    print(name, *(f"{number:.12g}" for number in numbers))


def main():
    torch.set_default_dtype(torch.float64)
    print("# Made by make_golden.py, which describes the format.")
    for name, (positive, unlabeled) in batches().items():
        print("batch", name)
        print("positive", *positive)
        print("unlabeled", *unlabeled)
    for (method, mu, share, *options), (name, scores) in product(cases(), batches().items()):
        p, u = (torch.tensor(part, requires_grad=True) for part in scores)
        value, descended, corrected = objective(method, p, u, mu, share, *options)
        grad_p, grad_u = torch.autograd.grad(descended, (p, u), allow_unused=True)
        print("case", method, name, mu, "-" if share is None else share, *options)
        line("value", [value.item()])
        print("corrected", corrected)
        line("grad_p", grad_p.tolist())
        line("grad_u", grad_u.tolist())


main()
