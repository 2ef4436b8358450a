"""Golden values for what a student learns from a teacher, from SciPy's root finder and PyTorch's automatic differentiation.

    python make_lesson.py > lesson.txt

Each case: share, confidence and weight; the teacher's logits of two batches; the student's logits of positives and unlabeled
rows for the second; then the two shifts, the loss, and its slopes at the positives and the unlabeled rows. The second shift
is .98 of the first and .02 of what the second batch asks for. Written for PyTorch 2.11 and SciPy 1.16, in float64.
"""

import torch
import torch.nn.functional as F
from scipy.optimize import brentq

torch.set_default_dtype(torch.float64)
torch.manual_seed(3)
f32 = lambda t: t.float().double()
line = lambda name, values: print(name, *(repr(float(v)) for v in values))


def wanted(scores, share):
    return brentq(lambda b: float(torch.sigmoid(scores + b).mean()) - share, -60, 60, xtol=1e-12)


for share, confidence, weight, spread in [(0.3, 0.95, 4.0, 4.0), (0.1, 0.8, 1.0, 1.5), (0.7, 0.6, 2.0, 0.7)]:
    first, second = f32(spread * torch.randn(11)), f32(spread * torch.randn(9) + 1)
    positive, unlabeled = f32(torch.randn(4)).requires_grad_(), f32(torch.randn(9)).requires_grad_()
    before = wanted(first, share)
    after = 0.98 * before + 0.02 * wanted(second, share)
    q = torch.sigmoid(second + after)
    sure = (q > confidence) | (q < 1 - confidence)
    each = F.binary_cross_entropy_with_logits(unlabeled, (q > 0.5).double(), reduction="none")
    loss = weight * ((each * sure).mean() + share / 2 * F.softplus(-positive).mean())
    loss.backward()
    line("setting", [share, confidence, weight])
    line("first", first)
    line("second", second)
    line("positive", positive)
    line("unlabeled", unlabeled)
    line("shifts", [before, after])
    line("loss", [loss])
    line("positive_slopes", positive.grad)
    line("unlabeled_slopes", unlabeled.grad)
