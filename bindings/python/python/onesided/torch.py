"""The losses as modules of PyTorch, on any device.

>>> from onesided.torch import PULoss
>>> loss = PULoss("nnpu", prior_in_unlabeled=0.3)
>>> loss(network(x), y).backward()            # y: 1 is positive, anything else unlabeled

A batch has a few kilobytes of scores: they come to the CPU, Rust gives value and gradient, and the gradient goes back to
where the scores were. It is the exact one that ``onesided`` trains with; for the non-negative risks (Kiryo et al., 2017)
it is that of the corrected step, which is not the derivative of the value.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from .losses import Loss

__all__ = ["PULoss"]


class _Evaluate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, positive: Tensor, unlabeled: Tensor, loss: Loss) -> Tensor:
        on_host = [part.detach().to("cpu", torch.float32).numpy() for part in (positive, unlabeled)]
        value, grad_p, grad_u = loss.value_and_grad(*on_host)
        ctx.save_for_backward(
            torch.from_numpy(grad_p).to(positive.device, positive.dtype),
            torch.from_numpy(grad_u).to(unlabeled.device, unlabeled.dtype),
        )
        return positive.new_tensor(value)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, above: Tensor) -> tuple[Tensor, Tensor, None]:
        grad_p, grad_u = ctx.saved_tensors
        return above * grad_p, above * grad_u, None


class PULoss(nn.Module):
    """A loss of positives and unlabeled rows on logits.

    Parameters
    ----------
    name, prior_in_unlabeled, **options
        As for :class:`onesided.losses.Loss`.
    """

    def __init__(self, name: str = "collective", prior_in_unlabeled: float | None = None, **options: Any) -> None:
        super().__init__()
        self.loss = Loss(name, prior_in_unlabeled, **options)

    def forward(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss of a batch whose labels are 1 where a row is positive and anything else where it is unlabeled."""
        logits, labels = logits.reshape(-1), labels.reshape(-1)
        if logits.shape != labels.shape:
            raise ValueError(f"labels: {len(labels)} labels for {len(logits)} logits")
        positive = labels == 1
        return self.parts(logits[positive], logits[~positive])

    def parts(self, positive: Tensor, unlabeled: Tensor) -> Tensor:
        """The loss of positives and unlabeled rows that come separately."""
        found: Tensor = _Evaluate.apply(positive.reshape(-1), unlabeled.reshape(-1), self.loss)
        return found

    def extra_repr(self) -> str:
        return repr(self.loss)
