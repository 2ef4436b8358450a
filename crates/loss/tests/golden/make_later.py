"""Golden values for the losses that came after the collective loss, from PyTorch's automatic differentiation in float64.

    python make_later.py > later.txt

Each loss is written here as its definition reads: the count of positives by the sum over all choices of that many examples,
the entropy by its logarithms, the variational objective by the mean itself. Written for PyTorch 2.11 on the CPU; batches and
format are those of make_golden.py, whose output is read. The saturated batch is left out: these definitions lose their digits
there.
"""

import math
from itertools import combinations, product
from pathlib import Path

import torch


def batches():
    lines = (Path(__file__).parent / "objectives.txt").read_text().splitlines()
    scores = lambda line: [float(word) for word in line.split()[1:]]
    return {
        line.split()[1]: (scores(lines[i + 1]), scores(lines[i + 2]))
        for i, line in enumerate(lines)
        if line.startswith("batch")
    }


def entropy(q):
    return -q * torch.log(q) - (1 - q) * torch.log(1 - q)


def dist_pu(p, u, mu, share):
    p, u = torch.sigmoid(p), torch.sigmoid(u)
    distributions = (1 - p.mean()).abs() + (u.mean() - mu).abs() / (2 * mu)
    return 2 * mu * (distributions + 2e-3 * entropy(u).mean())


def rounded(sharpness, a, b):
    soft = lambda x: torch.log(1 + torch.exp(sharpness * x)) / sharpness
    return soft(a - b) + soft(b - a) - 2 * torch.log(torch.tensor(2.0)) / sharpness


def pulda(p, u, mu, share):
    s, m = torch.sigmoid, 0.6
    barely = s(p) * s(-(p - m))
    nearly = lambda z: s(z + m) * s(-z)
    mu = torch.tensor(mu)
    margins = mu * barely.mean() + rounded(1.0, nearly(u).mean(), mu * nearly(p).mean())
    return 2 * mu * (1 - s(p).mean()) + rounded(3.5, s(u).mean(), mu) + margins


def count(p, u, mu, share):
    q = torch.sigmoid(u)
    k = int(mu * len(u) + 0.5)
    total = 0
    for chosen in combinations(range(len(u)), k):
        total = total + torch.stack([q[i] if i in chosen else 1 - q[i] for i in range(len(u))]).prod()
    return -torch.log(torch.sigmoid(p)).mean() - torch.log(total)


def cvir(p, u, mu, share):
    # The share mu of U with the highest scores is left out; the last of it in part.
    order = torch.argsort(u.detach(), descending=True)
    kept = torch.ones(len(u))
    rest = mu * len(u)
    for i in order.tolist():
        kept[i] = 1 - min(1.0, rest)
        rest = max(0.0, rest - 1)
    cross = torch.nn.functional.softplus
    return cross(-p).mean() / 2 + (kept * cross(u)).sum() / kept.sum() / 2


def tedn(p, u, mu, share):
    # CVIR at the share of the best bin, whatever share was told.
    above = lambda scores, cut: (scores >= cut).double().mean().item()
    noise = 1.01 * sum(math.sqrt(math.log(4 / 0.1) / (2 * len(scores))) for scores in (p, u))
    cuts = [(above(p, cut), above(u, cut)) for cut in torch.cat([p, u]).detach() if above(p, cut) > 0]
    q_p, q_u = min(cuts, key=lambda cut: (cut[1] + noise) / cut[0])
    return cvir(p, u, min(q_u / q_p, 0.99), share)


def robust_pu(p, u, mu, share):
    # What the self-paced weights settle to at a threshold of 1: Welsch's function of the logistic loss of both kinds.
    hard = torch.nn.functional.softplus(torch.cat([-p, u]))
    return (1 - torch.exp(-hard)).mean()


def vpu(p, u, mu, share):
    p, u = torch.sigmoid(p), torch.sigmoid(u)
    population = u.mean() if share is None else share * p.mean() + (1 - share) * u.mean()
    return torch.log(population) - torch.log(p).mean()


def pusb(p, u, mu, share):
    # The risk by the logistic loss; where its negative part is below 0 that part alone is climbed.
    cross = torch.nn.functional.softplus
    share = 0 if share is None else share
    on_positive = (share + (1 - share) * mu) * cross(-p).mean()
    on_negative = (1 - share) * (cross(u).mean() - mu * cross(p).mean())
    return (on_positive + on_negative, None) if on_negative >= 0 else (on_positive, -on_negative)


def line(name, numbers):
    print(name, *(f"{number:.12g}" for number in numbers))


def main():
    torch.set_default_dtype(torch.float64)
    print("# Made by make_later.py; the format is that of make_golden.py.")
    for name, (positive, unlabeled) in batches().items():
        print("batch", name)
        print("positive", *positive)
        print("unlabeled", *unlabeled)
    losses = {"dist-pu": dist_pu, "pulda": pulda, "count": count, "vpu": vpu, "cvir": cvir, "tedn": tedn, "robust-pu": robust_pu, "pusb": pusb}
    for (method, loss), mu, share, name in product(losses.items(), [0.05, 0.3, 0.8], [None, 0.2], batches()):
        if name == "saturated":
            continue
        p, u = (torch.tensor(part, requires_grad=True) for part in batches()[name])
        value = loss(p, u, mu, share)
        value, climbed = value if isinstance(value, tuple) else (value, None)
        grad_p, grad_u = torch.autograd.grad(value if climbed is None else climbed, (p, u))
        print("case", method, name, mu, "-" if share is None else share, "sum-of-means sigmoid 0.0 1.0 0.0")
        line("value", [value.item()])
        print("corrected", int(climbed is not None))
        line("grad_p", grad_p.tolist())
        line("grad_u", grad_u.tolist())


main()
