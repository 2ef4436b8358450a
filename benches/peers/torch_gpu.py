#!/usr/bin/env python3
"""PyTorch's speed at the jobs `onesided bench --device cuda` times: training steps under the collective loss with NAdam.

    python3 benches/peers/torch_gpu.py && onesided bench --device cuda

One JSON object a line: network, batch, mode, precision, and the median, lowest and highest rate over the repeats.
Run the two one after the other on the same idle card and quote the ratio of the medians.

The modes, from what most programs do to the best that PyTorch offers:

    eager           one kernel after the other
    graph           the whole step captured as a CUDA graph and replayed
    compile+graph   forward and loss through torch.compile, then captured

VGG-16 (batch norm, 32x32x3) runs in bf16 autocast with channels-last memory. The MLP is 300 inputs, five softsign
layers of 300 and the score, which is `mlp:300x5:softsign`; it runs in f32, in f32 with TF32 products (`tf32`) and in
bf16 autocast. Each step takes another slice of random data that is on the card already, as a data set would be.
"""
import argparse
import json
import statistics
import sys
import time

import torch
from torch import nn

VGG16 = (64, 64, "pool", 128, 128, "pool", 256, 256, 256, "pool", 512, 512, 512, "pool", 512, 512, 512, "pool")
MODES = ("eager", "graph", "compile+graph")
SLICES = 4
PRIOR = 0.3


def vgg16():
    layers, channels = [], 3
    for width in VGG16:
        if width == "pool":
            layers.append(nn.MaxPool2d(2))
            continue
        layers += [nn.Conv2d(channels, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
        channels = width
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(channels, 1))


def softsign_mlp(inputs=300, width=300, hidden=5):
    layers = []
    for _ in range(hidden):
        layers += [nn.Linear(inputs, width), nn.Softsign()]
        inputs = width
    return nn.Sequential(*layers, nn.Linear(inputs, 1))


def collective(scores, positives):
    """Sum of means: -mean ln eta on positives, -ln(1 - |mean eta - mu|) on unlabeled rows."""
    eta = torch.sigmoid(scores.float()).squeeze(1)
    positive, unlabeled = eta[:positives], eta[positives:]
    return -torch.log(positive.clamp_min(1e-6)).mean() - torch.log(1 - (unlabeled.mean() - PRIOR).abs())


class Trainer:
    """A network with its data on the card; `step(k)` trains on slice k."""

    def __init__(self, network, data, batch, mode, bf16):
        self.captured = "graph" in mode
        self.network = network.cuda()
        self.layout = torch.preserve_format
        if bf16 and data.dim() == 4:
            self.layout = torch.channels_last
            self.network = self.network.to(memory_format=self.layout)
            data = data.contiguous(memory_format=self.layout)
        self.slices = data.split(batch)
        self.optimizer = torch.optim.NAdam(
            self.network.parameters(), lr=5e-4, foreach=True, capturable=self.captured)

        def loss(rows):
            with torch.autocast("cuda", dtype=torch.bfloat16, enabled=bf16):
                scores = self.network(rows)
            return collective(scores, batch // 2)

        # A second batch size would otherwise be compiled for sizes of any kind, which is slower.
        self.loss = torch.compile(loss, dynamic=False) if "compile" in mode else loss
        if self.captured:
            self.capture()

    def train_on(self, rows):
        self.optimizer.zero_grad(set_to_none=not self.captured)
        self.loss(rows).backward()
        self.optimizer.step()

    def capture(self):
        self.input = self.slices[0].clone(memory_format=torch.preserve_format)
        # Allocations, engine choices and compilation must be over before the capture, on a stream of their own.
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(5):
                self.train_on(self.input)
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.train_on(self.input)

    def step(self, k):
        rows = self.slices[k % len(self.slices)]
        if self.captured:
            self.input.copy_(rows)
            self.graph.replay()
        else:
            self.train_on(rows)


def seconds_of(trainer, steps):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for k in range(steps):
        trainer.step(k)
    torch.cuda.synchronize()
    return time.perf_counter() - start


def measure(name, network, shape, batch, mode, precision, args):
    start = time.perf_counter()
    torch._dynamo.reset()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision != "f32"
    data = torch.randn(SLICES * batch, *shape, device="cuda")
    trainer = Trainer(network(), data, batch, mode, precision == "bf16")
    trainer.step(0)
    torch.cuda.synchronize()
    first = time.perf_counter() - start
    seconds_of(trainer, 8)
    # As many steps as fill the time asked for, the same number in each repeat.
    steps = max(4, round(args.seconds * 8 / max(seconds_of(trainer, 8), 1e-6)))
    rates = [steps / seconds_of(trainer, steps) for _ in range(args.repeats)]
    spread = lambda unit: dict(median=statistics.median(rates) * unit, min=min(rates) * unit, max=max(rates) * unit)
    print(json.dumps(dict(
        peer="torch", version=torch.__version__, device=torch.cuda.get_device_name(), network=name, batch=batch,
        mode=mode, precision=precision, rows_per_second=spread(batch), steps_per_second=spread(1),
        steps=steps, repeats=args.repeats, first_step_after_s=first)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vgg16", nargs="*", type=int, default=[128, 512, 2048], metavar="BATCH")
    parser.add_argument("--mlp", nargs="*", type=int, default=[512], metavar="BATCH")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a repeat")
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("torch_gpu.py: PyTorch sees no CUDA device here")
    torch.backends.cudnn.benchmark = True
    for mode in args.modes:
        for batch in args.vgg16:
            measure("vgg16", vgg16, (3, 32, 32), batch, mode, "bf16", args)
        # One step of the MLP in eager mode is launches alone, which says nothing about the card.
        for batch in args.mlp if mode != "eager" else ():
            for precision in ("f32", "tf32", "bf16"):
                measure("mlp:300x5:softsign", softsign_mlp, (300,), batch, mode, precision, args)


if __name__ == "__main__":
    main()
