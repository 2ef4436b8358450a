"""Golden values for the objectives that weigh rows once an epoch, from PyTorch's automatic differentiation in float64.

    python make_paced.py > paced.txt

Scores before an epoch give the shares; the loss is that of other scores, as training goes on. Weights and losses are
written as in the authors' programs: woriazzc/Robust-PU (calculate_spl_weights with 'welsch', TrainingScheduler with
'linear', bce_loss) and acmi-lab/PU_learning (rank_inputs, train_PU_discard), with the schedules of robust_pu.rs and
cvir.rs. Each case is four lines: the name with the share of the epochs that are done and the prior, the shares of P and U,
the value, and the gradients of P and U.
"""

import math

import torch
import torch.nn.functional as F

BEFORE_P, BEFORE_U = [0.75, -0.5, 2.25], [1.5, -0.75, 0.25, -2.0, 3.0]
P, U = [1.625, -0.375, 3.25], [0.875, -2.5, 1.75, -0.25, 4.125]


def welsch(loss, thresh):
    return torch.exp(-loss / (thresh * thresh))


def robust_pu(done, mu, before_p, before_u):
    thresh = min(0.1 + (1.0 - 0.1) / 0.25 * (done - 0.5), 1.0)
    shares_p = welsch(F.softplus(-before_p), thresh)
    shares_u = welsch(F.softplus(before_u), thresh)

    def loss(p, u):
        z, labels = torch.cat([p, u]), torch.cat([torch.ones(len(p)), torch.zeros(len(u))])
        each = F.binary_cross_entropy(torch.sigmoid(z), labels, reduction="none")
        return torch.mean(each * torch.cat([shares_p, shares_u]))

    return shares_p, shares_u, loss


def cvir(done, mu, before_p, before_u):
    # Whole rows here: the priors are multiples of 1/5.
    size = len(before_u)
    keep = torch.ones(size)
    keep[torch.argsort(before_u)[size - round(mu * size):]] = 0

    def loss(p, u):
        u = u[keep == 1]
        p_loss = F.binary_cross_entropy_with_logits(p, torch.ones(len(p)))
        u_loss = F.binary_cross_entropy_with_logits(u, torch.zeros(len(u)))
        return (p_loss + u_loss) / 2

    return torch.ones(len(before_p)), keep, loss


def tedn(done, mu, before_p, before_u):
    # Every fifth row is set aside; with fewer than five of a kind, all are looked at and none is.
    def halves(scores):
        last = torch.arange(len(scores)) % 5 == 4
        return (scores, torch.ones(len(scores))) if len(scores) < 5 else (scores[last], (~last).double())

    (aside_p, kept_p), (aside_u, kept_u) = halves(before_p), halves(before_u)
    above = lambda scores, cut: (scores >= cut).double().mean().item()
    noise = 1.01 * sum(math.sqrt(math.log(40) / (2 * len(scores))) for scores in (aside_p, aside_u))
    cuts = [(above(aside_p, c), above(aside_u, c)) for c in torch.cat([aside_p, aside_u]) if above(aside_p, c) > 0]
    q_p, q_u = min(cuts, key=lambda cut: (cut[1] + noise) / cut[0])
    rest = 0.0 if done < 0.1 else min(q_u / q_p, 0.99) * kept_u.sum().item()
    shares_u = kept_u.clone()
    for i in torch.argsort(before_u, descending=True).tolist():
        out = min(rest, kept_u[i].item())
        shares_u[i] -= out
        rest -= out

    def loss(p, u):
        of_p = (kept_p * F.softplus(-p)).sum() / kept_p.sum()
        return (of_p + (shares_u * F.softplus(u)).sum() / shares_u.sum()) / 2

    return kept_p, shares_u, loss


def line(*numbers):
    print(*(f"{number:.12g}" for part in numbers for number in part.tolist()))


torch.set_default_dtype(torch.float64)
print("# Made by make_paced.py.")
print("before", *BEFORE_P, "|", *BEFORE_U)
print("scores", *P, "|", *U)
for name, method, dones in [("robust-pu", robust_pu, [0.5, 0.6, 0.9]), ("cvir", cvir, [0.1, 0.9]), ("tedn", tedn, [0.05, 0.1, 0.9])]:
    for done in dones:
        for mu in [0.2, 0.4] if method is not tedn else [0.4]:
            shares_p, shares_u, loss = method(done, mu, torch.tensor(BEFORE_P), torch.tensor(BEFORE_U))
            p, u = (torch.tensor(part, requires_grad=True) for part in (P, U))
            value = loss(p, u)
            print(name, done, mu)
            line(shares_p, shares_u)
            line(value.detach().reshape(1))
            line(*torch.autograd.grad(value, (p, u)))
