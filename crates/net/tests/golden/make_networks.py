#!/usr/bin/env python3
"""Golden values for whole residual networks, made by PyTorch in f64.

    python3 crates/net/tests/golden/make_networks.py

writes `networks.json`: of ResNet-18 for small images (He et al., 2016, with a 3x3 first convolution and no pooling after it) and of
wide residual networks 28x2 and 28x10 (Zagoruyko and Komodakis, 2016) the scores of two rows while training, the scores after that
by running statistics, and of every parameter the norm of its gradient and the gradient's product with fixed numbers. The
networks are written down here layer by layer, not read from `onesided`. Weights and rows are hashes of their places, so that a file
of a few kilobytes holds networks of 36 million parameters; `filled` is that hash.
"""
import json
import math
import pathlib

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
HERE = pathlib.Path(__file__).parent


def filled(number, count):
    """Numbers from 0 to 1 for the places of a tensor, by its number."""
    with np.errstate(over="ignore"):
        x = (np.arange(count, dtype=np.uint32) + np.uint32(number * 1_000_003 % 2**32)) * np.uint32(0x9E3779B1)
        x = (x ^ (x >> np.uint32(15))) * np.uint32(0x85EBCA77)
        x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE3D)
    return ((x ^ (x >> np.uint32(16))).astype(np.float64) + 0.5) / 2.0**32


class After(nn.Module):
    """conv, norm, relu, conv, norm, plus what came in, relu."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.short = inputs != outputs or stride != 1
        if self.short:
            self.conv3, self.norm3 = nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
        self.conv1, self.norm1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.conv2, self.norm2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)

    def forward(self, x):
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(y + (self.norm3(self.conv3(x)) if self.short else x))


class Before(nn.Module):
    """norm, relu, conv, norm, relu, conv, plus what came in; where the shape changes, plus a 1x1 convolution of the first relu."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.short = inputs != outputs or stride != 1
        self.norm1 = nn.BatchNorm2d(inputs)
        if self.short:
            self.conv3 = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
        self.conv1, self.norm2 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)

    def forward(self, x):
        h = F.relu(self.norm1(x))
        y = self.conv2(F.relu(self.norm2(self.conv1(h))))
        return y + (self.conv3(h) if self.short else x)


class Mean(nn.Module):
    def forward(self, x):
        return x.mean(dim=(2, 3))


def resnet18():
    blocks, inputs = [], 64
    for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        blocks += [After(inputs, outputs, stride), After(outputs, outputs, 1)]
        inputs = outputs
    first = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    return nn.Sequential(*first, *blocks, Mean(), nn.Linear(512, 1))


def wide(width):
    blocks, inputs = [], 16
    for outputs, stride in ((16 * width, 1), (32 * width, 2), (64 * width, 2)):
        blocks += [Before(inputs, outputs, stride)] + [Before(outputs, outputs, 1) for _ in range(3)]
        inputs = outputs
    return nn.Sequential(nn.Conv2d(3, 16, 3, 1, 1, bias=False), *blocks, nn.BatchNorm2d(inputs), nn.ReLU(), Mean(), nn.Linear(inputs, 1))


def parameters(net):
    """In the order of `onesided`, which is that of the attributes above."""
    for module in net.modules():
        if isinstance(module, (nn.Conv2d, nn.BatchNorm2d, nn.Linear)):
            for name in ("weight", "bias"):
                if getattr(module, name) is not None:
                    yield module, name, getattr(module, name)


def ours(t):
    """Height and width before channels."""
    return t.permute(0, 2, 3, 1) if t.dim() == 4 else t


def values(number, module, name, shape):
    u = filled(number, math.prod(shape))
    if isinstance(module, nn.BatchNorm2d):
        u = 0.5 + u if name == "weight" else u - 0.5
    elif name == "weight":
        u = (2 * u - 1) * math.sqrt(6 / math.prod(shape[1:]))
    else:
        u = u - 0.5
    return torch.from_numpy(u.astype(np.float32).astype(np.float64).reshape(shape))


def case(name, net, rows=2):
    net.train()
    with torch.no_grad():
        for number, (module, kind, p) in enumerate(parameters(net)):
            value = values(number, module, kind, ours(p).shape)
            p.copy_(value.permute(0, 3, 1, 2) if p.dim() == 4 else value)
    x = torch.from_numpy((2 * filled(10_000, rows * 3 * 32 * 32) - 1).astype(np.float32).astype(np.float64))
    x = x.reshape(rows, 32, 32, 3).permute(0, 3, 1, 2)
    scores = net(x).squeeze(1)
    (scores * torch.tensor([1.0, -0.5])).sum().backward()
    gradients = []
    for number, (_, _, p) in enumerate(parameters(net)):
        g = ours(p.grad).reshape(-1)
        product = (g * torch.from_numpy(filled(20_000 + number, len(g)) - 0.5)).sum().item()
        gradients.append([float(f"{g.norm().item():.9g}"), float(f"{product:.9g}")])
    net.eval()
    with torch.no_grad():
        predictions = net(x).squeeze(1)
    return {"name": name, "scores": scores.tolist(), "predictions": predictions.tolist(), "gradients": gradients}


cases = [case("resnet18", resnet18()), case("wide-resnet:28x2", wide(2)), case("wide-resnet:28x10", wide(10))]
(HERE / "networks.json").write_text(json.dumps(cases) + "\n")
