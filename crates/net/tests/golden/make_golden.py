#!/usr/bin/env python3
"""Golden values for the CPU executor, made by PyTorch in f64 (f32 for the trajectory's order of magnitude only).

    python3 crates/net/tests/golden/make_golden.py

writes `layers.json` (scores and gradients of small networks that together hold every layer), `optimizers.json`
(parameters after each step) and `trajectory.json` (20 training steps of a small CNN with batch norm under the
collective loss). Weights are stored as `onesided` stores them: dense (outputs, inputs), convolution (outputs, 3, 3,
inputs), images height, width, channel.
"""
import json
import pathlib

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
HERE = pathlib.Path(__file__).parent
rounded = lambda t: [float(f"{x:.9g}") for x in t.detach().reshape(-1).tolist()]


def uniform_norm(channels):
    norm = nn.BatchNorm2d(channels)
    nn.init.uniform_(norm.weight, 0.5, 1.5)
    nn.init.uniform_(norm.bias, -0.5, 0.5)
    return norm


class Residual(nn.Module):
    """A residual block, with batch norm after (He et al., 2016) or before each convolution (Zagoruyko and Komodakis)."""

    def __init__(self, inputs, outputs, stride, pre):
        super().__init__()
        self.pre = pre
        self.conv3 = self.norm3 = None
        if inputs != outputs or stride != 1:
            self.conv3 = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.norm3 = None if pre else uniform_norm(outputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = uniform_norm(inputs if pre else outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = uniform_norm(outputs)

    def forward(self, x):
        if self.pre:
            h = F.relu(self.norm1(x))
            return self.conv2(F.relu(self.norm2(self.conv1(h)))) + (self.conv3(h) if self.conv3 else x)
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(y + (self.norm3(self.conv3(x)) if self.conv3 else x))

    def parts(self):
        """In the order of `onesided`."""
        if self.pre:
            names = ("norm1", "conv3", "conv1", "norm2", "conv2")
        else:
            names = ("conv3", "norm3", "conv1", "norm1", "conv2", "norm2")
        return [(name, getattr(self, name)) for name in names if getattr(self, name) is not None]


class Net(nn.Module):
    """Runs a list of layer descriptions on NHWC rows."""

    def __init__(self, shape, layers):
        super().__init__()
        self.shape, self.layers, self.blocks = shape, layers, nn.ModuleList()
        c, h, w = shape
        for layer in layers:
            kind = layer["layer"]
            block = nn.Identity()
            if kind == "dense":
                block, c = nn.Linear(c, layer["outputs"], bias=layer["bias"]), layer["outputs"]
            elif kind == "conv":
                block, c = nn.Conv2d(c, layer["outputs"], 3, padding=1, bias=layer["bias"]), layer["outputs"]
            elif kind == "batch-norm":
                block = nn.BatchNorm2d(c) if h * w > 1 else nn.BatchNorm1d(c)
                nn.init.uniform_(block.weight, 0.5, 1.5)
                nn.init.uniform_(block.bias, -0.5, 0.5)
            elif kind == "residual":
                block = Residual(c, layer["outputs"], layer["stride"], layer["pre"])
                c, h, w = layer["outputs"], -(-h // layer["stride"]), -(-w // layer["stride"])
            elif kind == "mean-pool":
                h = w = 1
            elif kind == "max-pool":
                h, w = h // 2, w // 2
            elif kind == "flatten":
                c, h, w = c * h * w, 1, 1
            self.blocks.append(block)

    def forward(self, rows):
        c, h, w = self.shape
        x = rows.reshape(-1, h, w, c).permute(0, 3, 1, 2) if h * w > 1 else rows
        for layer, block in zip(self.layers, self.blocks):
            kind = layer["layer"]
            if kind == "activate":
                x = F.relu(x) if layer["activation"] == "relu" else F.softsign(x)
            elif kind == "max-pool":
                x = F.max_pool2d(x, 2)
            elif kind == "mean-pool":
                x = x.mean(dim=(2, 3))
            elif kind == "flatten" and x.dim() == 4:
                x = x.permute(0, 2, 3, 1).reshape(len(x), -1)
            else:
                x = block(x)
        return x.squeeze(1)

    def tensors(self, of=lambda p: p):
        """Every tensor in the order and layout of `onesided`; `of` picks the value or the gradient."""
        out = []
        for index, block in enumerate(self.blocks):
            parts = block.parts() if isinstance(block, Residual) else [("", block)]
            for part, one in parts:
                for ours, theirs in (("weight", "weight"), ("bias", "bias"), ("mean", "running_mean"), ("variance", "running_var")):
                    t = getattr(one, theirs, None)
                    if t is None:
                        continue
                    value = of(t)
                    if value is None:
                        continue
                    if value.dim() == 4:
                        value = value.permute(0, 2, 3, 1)
                    name = ".".join(filter(None, (str(index), part, ours)))
                    out.append({"name": name, "shape": list(value.shape), "data": rounded(value)})
        return out


def dense(n, bias=True): return {"layer": "dense", "outputs": n, "bias": bias}
def conv(n, bias=True): return {"layer": "conv", "outputs": n, "bias": bias}
def act(name): return {"layer": "activate", "activation": name}
def block(n, stride=1, pre=False): return {"layer": "residual", "outputs": n, "stride": stride, "pre": pre}
MEAN = {"layer": "mean-pool"}
NORM, POOL, FLAT = {"layer": "batch-norm"}, {"layer": "max-pool"}, {"layer": "flatten"}

NETWORKS = {
    "dense": ((5, 1, 1), 7, [dense(1)]),
    "softsign": ((6, 1, 1), 9, [dense(8), act("softsign"), dense(5, False), act("softsign"), dense(1)]),
    "norm on rows": ((4, 1, 1), 11, [NORM, dense(6, False), NORM, act("relu"), dense(3), NORM, act("softsign"), dense(1)]),
    "plain convolutions": ((2, 5, 6), 4, [conv(3), act("relu"), POOL, conv(4), act("softsign"), FLAT, dense(1)]),
    "norm and pooling": ((3, 7, 5), 6, [conv(4, False), NORM, act("relu"), POOL, conv(5, False), NORM, FLAT, dense(1)]),
    "norm and pooling in one": ((3, 7, 9), 5, [conv(16, False), NORM, act("relu"), POOL, conv(16), NORM, act("relu"), FLAT, dense(1)]),
    "wide convolutions": ((16, 9, 6), 3, [conv(32, False), NORM, act("relu"), conv(16), act("relu"), POOL, FLAT, dense(1)]),
    "residual blocks": ((3, 7, 6), 5, [conv(16, False), NORM, act("relu"), block(16), block(16, 2), MEAN, dense(1)]),
    "residual blocks, norm first": ((2, 6, 5), 5, [conv(6, False), block(8, 1, True), block(8, 1, True), block(9, 2, True), NORM, act("relu"), MEAN, dense(1)]),
    "residual block first": ((5, 4, 4), 6, [block(5), block(4, 2), FLAT, dense(3), act("relu"), dense(1)]),
}


def collective(logits, positives, mu):
    eta = torch.sigmoid(logits)
    return -eta[:positives].log().mean() - torch.log(1 - (eta[positives:].mean() - mu).abs())


def f32(t):
    return t.float().double()


def layers():
    torch.manual_seed(0)
    cases = []
    for name, (shape, rows, spec) in NETWORKS.items():
        net = Net(shape, spec).train()
        with torch.no_grad():
            for p in net.parameters():
                p.copy_(f32(p))
        x = f32(torch.randn(rows, shape[0] * shape[1] * shape[2]))
        before = net.tensors()
        scores = net(x)
        weights = f32(torch.randn(rows))
        (scores * weights).sum().backward()
        after = net.tensors()
        gradients = net.tensors(lambda p: p.grad if isinstance(p, nn.Parameter) else None)
        net.eval()
        cases.append({
            "name": name, "shape": list(shape), "layers": spec, "input": rounded(x), "weights": before,
            "score_gradient": rounded(weights), "scores": rounded(scores), "gradients": gradients,
            "statistics": [t for t in after if t["name"].endswith(("mean", "variance"))],
            "predictions": rounded(net(x)),
        })
    (HERE / "layers.json").write_text(json.dumps(cases))


def optimizers():
    torch.manual_seed(1)
    cases = []
    makers = {
        "nadam": lambda p, d: torch.optim.NAdam([p], lr=0.01, weight_decay=d),
        "adam": lambda p, d: torch.optim.Adam([p], lr=0.01, weight_decay=d),
        "nadamw": lambda p, d: torch.optim.NAdam([p], lr=0.01, weight_decay=d, decoupled_weight_decay=True),
        "adamw": lambda p, d: torch.optim.AdamW([p], lr=0.01, weight_decay=d),
        "sgd": lambda p, d: torch.optim.SGD([p], lr=0.01, momentum=0.9, weight_decay=d),
    }
    for name, maker in makers.items():
        for decay in (0.0, 0.1):
            p = nn.Parameter(f32(torch.randn(5)))
            optimizer, start, steps = maker(p, decay), rounded(p), []
            for _ in range(12):
                g = f32(torch.randn(5))
                p.grad = g.clone()
                optimizer.step()
                steps.append({"gradient": rounded(g), "parameters": rounded(p)})
            cases.append({"optimizer": name, "weight_decay": decay, "start": start, "steps": steps})
    (HERE / "optimizers.json").write_text(json.dumps(cases))


def trajectory():
    torch.manual_seed(2)
    shape, rows, positives, mu = (1, 12, 12), 24, 10, 0.3
    spec = [conv(16, False), NORM, act("relu"), POOL, conv(16, False), NORM, act("relu"), POOL, FLAT, dense(8), act("relu"), dense(1)]
    net = Net(shape, spec).train()
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(f32(p))
    start = net.tensors()
    optimizer = torch.optim.NAdam(net.parameters(), lr=5e-3)
    data = f32(torch.randn(4 * rows, shape[0] * shape[1] * shape[2]))
    losses = []
    for k in range(20):
        x = data[(k % 4) * rows:(k % 4 + 1) * rows]
        optimizer.zero_grad()
        loss = collective(net(x), positives, mu)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    net.eval()
    (HERE / "trajectory.json").write_text(json.dumps({
        "shape": list(shape), "layers": spec, "rows": rows, "positives": positives, "prior": mu, "learning_rate": 5e-3,
        "data": rounded(data), "weights": start, "losses": losses, "final": net.tensors(), "predictions": rounded(net(data)),
    }))


if __name__ == "__main__":
    layers()
    optimizers()
    trajectory()
