"""The losses as modules: gradients of autograd on the definitions, devices, and a training loop."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F
from onesided import objectives
from onesided.torch import PULoss

MU, SHARE = 0.3, 0.4


def batch(seed=0):
    generator = torch.Generator().manual_seed(seed)
    p = torch.randn(7, generator=generator) * 2 + 1
    u = torch.randn(11, generator=generator) * 2 - 1
    return p.requires_grad_(), u.requires_grad_()


def written(name, p, u):
    """The losses as their papers have them."""
    if name == "collective":  # Xie et al. 2020: sum of means
        q = torch.sigmoid(u).mean()
        return -F.logsigmoid(p).mean() - torch.log(1 - (q - MU).abs())
    if name == "naive":
        return -(F.logsigmoid(p).sum() + F.logsigmoid(-u).sum()) / (len(p) + len(u))
    if name == "supervised":
        return -(F.logsigmoid(p).sum() + F.logsigmoid(-u).sum()) / (len(p) + len(u))
    s = torch.sigmoid
    negative = s(u).mean() - MU * s(p).mean()
    if name == "upu":  # du Plessis et al. 2015
        return MU * s(-p).mean() + negative
    return MU * s(-p).mean() + torch.clamp(negative, min=0)  # nnpu, Kiryo et al. 2017


@pytest.mark.parametrize("name", ["collective", "naive", "supervised", "upu", "nnpu"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_value_and_gradient_are_autograds(name, seed):
    p, u = batch(seed)
    expected = written(name, p, u)
    grads = torch.autograd.grad(expected, (p, u))
    found = PULoss(name, MU if name not in ("naive", "supervised") else None).parts(p, u)
    assert found.item() == pytest.approx(expected.item(), rel=1e-5)
    for mine, theirs in zip(torch.autograd.grad(found, (p, u)), grads, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", [one.name for one in objectives()])
def test_every_objective_passes_gradcheck(name):
    needs = next(one.needs_prior for one in objectives() if one.name == name)
    loss = PULoss(name, MU if needs else None)
    p, u = (part.detach().double().requires_grad_() for part in batch(3))
    # Scores come to Rust as float32, hence the wide step.
    assert torch.autograd.gradcheck(loss.parts, (p, u), eps=1e-2, atol=2e-3, rtol=1e-2, nondet_tol=0.0)


def test_labels_part_the_batch_and_types_stay():
    p, u = batch()
    loss = PULoss("upu", MU)
    logits = torch.cat([p, u]).detach().requires_grad_()
    for unlabeled in (0, -1):
        labels = torch.tensor([1] * 7 + [unlabeled] * 11)
        assert loss(logits, labels).item() == pytest.approx(loss.parts(p, u).item())
    half = logits.detach().bfloat16().requires_grad_()
    value = loss(half[:, None], labels)
    value.backward()
    assert value.dtype == torch.bfloat16 and half.grad.dtype == torch.bfloat16
    with pytest.raises(ValueError, match="labels: 3 labels for 18 logits"):
        loss(logits, torch.zeros(3))
    assert "upu" in repr(loss) and not list(loss.parameters())


def test_a_network_learns_with_it(made):
    torch.manual_seed(0)
    x, y = torch.tensor(made.X, dtype=torch.float32), torch.tensor(made.y)
    network = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    loss = PULoss("nnpu", float(made.truth[made.y == 0].mean()), labeled_share=float(made.y.mean()))
    optimizer = torch.optim.Adam(network.parameters(), 0.02)
    for _ in range(150):
        optimizer.zero_grad()
        loss(network(x), y).backward()
        optimizer.step()
    right = (network(x).reshape(-1) > 0).numpy() == made.truth
    assert right.mean() > 0.8


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_on_a_gpu():
    p, u = batch()
    on_host = torch.autograd.grad(PULoss("collective", MU).parts(p, u), (p, u))
    q, v = p.detach().cuda().requires_grad_(), u.detach().cuda().requires_grad_()
    value = PULoss("collective", MU).cuda().parts(q, v)
    assert value.device.type == "cuda"
    for mine, theirs in zip(torch.autograd.grad(value, (q, v)), on_host, strict=True):
        torch.testing.assert_close(mine.cpu(), theirs)
