"""Golden values for the regularizer of VPU, from PyTorch's automatic differentiation in float64.

    python make_mixup.py > mixup.txt

The lines are those of HC-Feynman/vpu (vpu.py, train), whose network ends in a log-softmax: its log phi is ln sigma(f) here.
Each line has the share g, the term times 0.3, and the gradients of U and of the mixed rows.
"""

import torch

torch.set_default_dtype(torch.float64)
U, MIXED = [1.625, -0.375, -3.25, 0.0], [0.5, -1.75, 0.25, 2.0]
print("# Made by make_mixup.py.")
for lam in [0.125, 0.5, 0.96]:
    u, mixed = (torch.tensor(scores, requires_grad=True) for scores in (U, MIXED))
    target_x = torch.nn.functional.logsigmoid(u).exp()
    target = lam * target_x + (1 - lam) * torch.ones(len(U))
    reg_mix_log = ((torch.log(target) - torch.nn.functional.logsigmoid(mixed)) ** 2).mean()
    value = 0.3 * reg_mix_log
    grads = torch.autograd.grad(value, (u, mixed))
    print(lam, *(f"{number:.12g}" for number in [value.item(), *grads[0].tolist(), *grads[1].tolist()]))
