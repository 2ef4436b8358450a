#!/usr/bin/env python3
"""PyTorch's speed at the jobs `onesided bench --device cuda` times: training steps under the collective loss with NAdam.

    python3 benches/peers/torch_gpu.py && onesided bench --device cuda

One JSON object a line: network, batch, mode, precision, and the median, lowest and highest rate over the repeats.
Run the two one after the other on the same idle card and quote the ratio of the medians.

The modes, from what most programs do to the best that PyTorch offers:

    eager           one kernel after the other
    graph           the whole step captured as a CUDA graph and replayed
    compile+graph   forward and loss through torch.compile, then captured

VGG-16 and ResNet-18 (batch norm, 32x32x3) run in bf16 autocast with channels-last memory. The MLP is 300 inputs, five softsign
layers of 300 and the score, which is `mlp:300x5:softsign`; it runs in f32, in f32 with TF32 products (`tf32`) and in
bf16 autocast. `--taught 512` times steps with a teacher, as `fit --teacher on` takes them: a batch of 64 positives and the
rest unlabeled goes through the network as it is and as strong views, and unlabeled rows through the moving average; rates
count the rows of the batch once. Each step takes another slice of random data that is on the card already, as a data set would be.
`--gathered 512` does so with all that training on images has besides: the data set is 50,000 images of bytes on the card, a step
is sent the numbers of its rows and how each is moved and mirrored, and gathers, scales, crops and mirrors them.
"""
import argparse
import copy
import json
import statistics
import sys
import time

import torch
import torch.nn.functional as F
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


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.short = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.short = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)), inplace=True)
        return F.relu(self.norm2(self.conv2(y)) + self.short(x), inplace=True)


def resnet18():
    layers, channels = [nn.Conv2d(3, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)], 64
    for width in (64, 128, 256, 512):
        layers += [Residual(channels, width, 1 if width == 64 else 2), Residual(width, width, 1)]
        channels = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1))


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

        self.batch = batch
        self.loss = self.build(bf16, "compile" in mode)
        if self.captured:
            self.capture()

    def build(self, bf16, compiled):
        def loss(rows):
            with torch.autocast("cuda", dtype=torch.bfloat16, enabled=bf16):
                scores = self.network(rows)
            return collective(scores, self.batch // 2)

        # A second batch size would otherwise be compiled for sizes of any kind, which is slower.
        return torch.compile(loss, dynamic=False) if compiled else loss

    def train_on(self, rows):
        self.optimizer.zero_grad(set_to_none=not self.captured)
        self.loss(rows).backward()
        self.optimizer.step()

    def capture(self):
        self.input = self.slices[0].clone(memory_format=torch.preserve_format)
        # Allocations, engine choices and compilation must be over before the capture, on their own stream.
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


def strong_views(images):
    """Warped, recolored and with a hole, drawn on the card."""
    n, device = len(images), images.device
    draw = lambda most, *shape: (2 * torch.rand(n, *shape, device=device) - 1) * most * (torch.rand(n, *shape, device=device) < 0.6)
    angle, wide, high, shear = draw(0.5), draw(0.3), draw(0.3), draw(0.3)
    sine, cosine = torch.sin(angle), torch.cos(angle)
    first = torch.stack([cosine * (1 + wide), (cosine * shear - sine) * (1 + high), draw(0.5)], 1)
    second = torch.stack([sine * (1 + wide), (sine * shear + cosine) * (1 + high), draw(0.5)], 1)
    grid = F.affine_grid(torch.stack([first, second], 1), images.shape, align_corners=False)
    x = F.grid_sample(images, grid, align_corners=False)
    gray = x.mean(1, keepdim=True)
    column = lambda v: v.view(n, 1, 1, 1)
    contrast = torch.exp(draw(0.5)) * torch.where(torch.rand(n, device=device) < 0.1, -1.0, 1.0)
    x = column(contrast) * (gray + column(1 + draw(0.9)) * (x - gray)) + column(draw(0.5)) + draw(0.4, 3).view(n, 3, 1, 1)
    side = torch.where(torch.rand(n, device=device) < 0.6, torch.randint(8, 21, (n,), device=device), 0)
    at, middle = torch.arange(32, device=device), lambda: torch.randint(0, 32, (n, 1), device=device)
    inside = lambda: (at - middle() + side[:, None] // 2).remainder(64) < side[:, None]
    return x * ~(inside()[:, None, :, None] & inside()[:, None, None, :])


class Taught(Trainer):
    """Steps with a teacher: the loss on weak views, and what the teacher is sure of on strong views."""

    POSITIVES = 64

    def __init__(self, network, data, batch, mode, bf16):
        self.teacher = copy.deepcopy(network).cuda()
        if bf16:
            self.teacher = self.teacher.to(memory_format=torch.channels_last)
        self.teacher.requires_grad_(False)
        self.shift = torch.zeros((), device="cuda")
        super().__init__(network, data, batch, mode, bf16)

    def build(self, bf16, compiled):
        positives = self.POSITIVES

        def targets(rows):
            with torch.no_grad(), torch.autocast("cuda", dtype=torch.bfloat16, enabled=bf16):
                scores = self.teacher(rows[positives:]).float().squeeze(1)
            with torch.no_grad():
                shift = self.shift
                for _ in range(5):
                    q = torch.sigmoid(scores + shift)
                    shift = shift - (q.mean() - PRIOR) / (q * (1 - q)).mean().clamp_min(1e-4)
                self.shift.copy_(0.98 * self.shift + 0.02 * shift.clamp(-20, 20))
                q = torch.sigmoid(scores + self.shift)
                return (q > 0.5).float(), ((q > 0.95) | (q < 0.05)).float()

        def loss(rows, target, sure):
            both = torch.cat([rows, strong_views(rows)])
            with torch.autocast("cuda", dtype=torch.bfloat16, enabled=bf16):
                scores = self.network(both).float().squeeze(1)
            weak, strong = scores.split(len(rows))
            lesson = (F.binary_cross_entropy_with_logits(strong[positives:], target, reduction="none") * sure).mean()
            lesson = lesson + PRIOR / 2 * F.softplus(-strong[:positives]).mean()
            return collective(weak.unsqueeze(1), positives) + 4 * lesson

        if compiled:
            loss, targets = torch.compile(loss, dynamic=False), torch.compile(targets, dynamic=False)
        self.followed = list(self.network.parameters())
        self.following = list(self.teacher.parameters())
        return lambda rows: loss(rows, *targets(rows))

    def train_on(self, rows):
        super().train_on(rows)
        with torch.no_grad():
            torch._foreach_lerp_(self.following, self.followed, 0.01)


class Gathered(Taught):
    """The same from a data set of bytes, whose rows are gathered, scaled, moved by up to 4 pixels and mirrored."""

    IMAGES = 50_000

    def __init__(self, network, data, batch, mode, bf16):
        self.bytes = torch.randint(0, 256, (self.IMAGES, 32, 32, 3), dtype=torch.uint8, device="cuda")
        # What a step is sent: row numbers, how far right and down, and whether mirrored.
        sent = lambda: torch.stack([torch.randint(0, most, (batch,)) for most in (self.IMAGES, 9, 9, 2)]).pin_memory()
        self.sent = [sent() for _ in range(64)]
        self.place = self.sent[0].cuda()
        super().__init__(network, data, batch, mode, bf16)

    def build(self, bf16, compiled):
        at = torch.arange(32, device="cuda")

        def rows(place):
            numbers, right, down, mirror = place
            inside = lambda moved: 31 - (31 - (at + moved[:, None] - 4).abs()).abs()
            lines, columns = inside(down), inside(right)
            columns = torch.where(mirror[:, None] > 0, columns.flip(1), columns)
            images = self.bytes[numbers[:, None, None], lines[:, :, None], columns[:, None, :]]
            return ((images.float() - 127.5) / 64).permute(0, 3, 1, 2)

        learned = super().build(bf16, compiled)
        gathered = torch.compile(rows, dynamic=False) if compiled else rows
        return lambda place: learned(gathered(place))

    def capture(self):
        self.slices = [self.place]
        super().capture()

    def step(self, k):
        if self.captured:
            self.input.copy_(self.sent[k % len(self.sent)], non_blocking=True)
            self.graph.replay()
        else:
            self.train_on(self.sent[k % len(self.sent)].cuda(non_blocking=True))


def seconds_of(trainer, steps):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for k in range(steps):
        trainer.step(k)
    torch.cuda.synchronize()
    return time.perf_counter() - start


def measure(name, network, shape, batch, mode, precision, args, trainer=Trainer):
    start = time.perf_counter()
    torch._dynamo.reset()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision != "f32"
    data = torch.randn(SLICES * batch, *shape, device="cuda")
    trainer = trainer(network(), data, batch, mode, precision == "bf16")
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
    parser.add_argument("--resnet18", nargs="*", type=int, default=[128, 512, 2048], metavar="BATCH")
    parser.add_argument("--taught", nargs="*", type=int, default=[512], metavar="BATCH")
    parser.add_argument("--gathered", nargs="*", type=int, default=[512], metavar="BATCH")
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
        for batch in args.resnet18:
            measure("resnet18", resnet18, (3, 32, 32), batch, mode, "bf16", args)
        for batch in args.taught:
            for name, network in (("vgg16", vgg16), ("resnet18", resnet18)):
                measure(f"{name}, taught", network, (3, 32, 32), batch, mode, "bf16", args, Taught)
        for batch in args.gathered:
            for name, network in (("vgg16", vgg16), ("resnet18", resnet18)):
                measure(f"{name}, taught, gathered", network, (3, 32, 32), batch, mode, "bf16", args, Gathered)
        # One step of the MLP in eager mode is launches alone, which says nothing about the card.
        for batch in args.mlp if mode != "eager" else ():
            for precision in ("f32", "tf32", "bf16"):
                measure("mlp:300x5:softsign", softsign_mlp, (300,), batch, mode, precision, args)


if __name__ == "__main__":
    main()
