"""Writes genpu.json: small players of GenPU, what they see, and their losses and gradients by PyTorch's autograd.

    python genpu.py

Made with PyTorch 2.11, in double precision from numbers that single precision holds exactly. The losses are written here
from the formulas in the Rust docs, with torch.nn.functional's binary cross entropy rather than a softplus.
"""

import json
from pathlib import Path

import torch
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy
from torch.nn.functional import leaky_relu

torch.manual_seed(5)
torch.set_default_dtype(torch.float64)
LATENT, HIDDEN, COLS, BATCH = 3, [7, 5], 4, 6
MU, SMOOTH = 0.3, 0.9
LAMBDA = {"p": 0.8, "u": 1.0, "n": 1.7}


def exact(*shape):
    """Random numbers that single precision holds."""
    return torch.randn(*shape).to(torch.float32).to(torch.float64)


class Net:
    def __init__(self, widths, tanh):
        self.widths, self.tanh = widths, tanh
        pairs = list(zip(widths, widths[1:]))
        self.parameters = [p for a, b in pairs for p in (exact(a, b) * 0.5, exact(b) * 0.5)]
        for p in self.parameters:
            p.requires_grad_(True)

    def __call__(self, x):
        layers = len(self.parameters) // 2
        for layer in range(layers):
            x = x @ self.parameters[2 * layer] + self.parameters[2 * layer + 1]
            if layer + 1 < layers:
                x = leaky_relu(x, 0.2)
        return torch.tanh(x) if self.tanh else x

    def flat(self):
        return torch.cat([p.detach().flatten() for p in self.parameters]).tolist()

    def stored(self):
        return {"widths": self.widths, "output": "tanh" if self.tanh else "linear", "parameters": self.flat()}

    def gradient(self, loss):
        parts = torch.autograd.grad(loss, self.parameters, retain_graph=True)
        return torch.cat([p.flatten() for p in parts]).tolist()


def pay(logits, target):
    return cross_entropy(logits, torch.full_like(logits, target))


def case(tanh):
    g_p, g_n = (Net([LATENT, *HIDDEN, COLS], tanh) for _ in range(2))
    d_p, d_u, d_n = (Net([COLS, *HIDDEN, 1], False) for _ in range(3))
    p, u, z_p, z_n = exact(BATCH, COLS), exact(BATCH, COLS), exact(BATCH, LATENT), exact(BATCH, LATENT)
    x_p, x_n = g_p(z_p), g_n(z_n)
    losses = {
        "d_p": (d_p, pay(d_p(p), SMOOTH) + pay(d_p(x_p.detach()), 0.0)),
        "d_u": (
            d_u,
            pay(d_u(u), SMOOTH) + MU * pay(d_u(x_p.detach()), 0.0) + (1 - MU) * pay(d_u(x_n.detach()), 0.0),
        ),
        "d_n": (d_n, pay(d_n(p), SMOOTH) + pay(d_n(x_n.detach()), 0.0)),
        # A generator wants its rows taken for real; G_n wants D_n to see that its rows are not positives.
        "g_p": (g_p, LAMBDA["p"] * pay(d_p(x_p), 1.0) + LAMBDA["u"] * pay(d_u(x_p), 1.0)),
        "g_n": (g_n, LAMBDA["u"] * pay(d_u(x_n), 1.0) + LAMBDA["n"] * pay(d_n(x_n), 0.0)),
    }
    return {
        "nets": {name: net.stored() for name, (net, _) in losses.items()},
        "positive": p.flatten().tolist(),
        "unlabeled": u.flatten().tolist(),
        "latent_p": z_p.flatten().tolist(),
        "latent_n": z_n.flatten().tolist(),
        "made_p": x_p.flatten().tolist(),
        "losses": {name: loss.item() for name, (_, loss) in losses.items()},
        "gradients": {name: net.gradient(loss) for name, (net, loss) in losses.items()},
    }


golden = {"mu": MU, "smooth": SMOOTH, "lambda": LAMBDA, "cases": [case(False), case(True)]}
Path(__file__).with_suffix(".json").write_text(json.dumps(golden))
