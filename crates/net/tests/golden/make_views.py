#!/usr/bin/env python3
"""Golden values for strong views, made by PyTorch's `grid_sample` in f64.

    python3 crates/net/tests/golden/make_views.py

writes `views.json`: images (height, width, channel), how each is changed, and what comes out. The warp is given to PyTorch
in its own coordinates, from -1 to 1 between the middles of the first and last pixel; colors and the hole are set by masks.
"""
import json
import pathlib

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
torch.manual_seed(5)
C, H, W = 3, 7, 9
f32 = lambda t: t.float().double()
listed = lambda t: [float(f"{x:.9g}") for x in t.reshape(-1).tolist()]
cases = []
for k in range(8):
    image = f32(torch.randn(C, H, W))
    a, b, c, d = f32(torch.eye(2).reshape(-1) + 0.4 * torch.randn(4)).tolist()
    right, down = f32(2 * torch.randn(2)).tolist()
    contrast, brightness, saturation = f32(torch.tensor([1.3, 0.2, 0.6]) + 0.3 * torch.randn(3)).tolist()
    contrast = -contrast if k % 3 == 0 else contrast
    shift = f32(0.4 * torch.randn(3))
    hole, side = [int(x) for x in torch.randint(-2, 6, (2,))], [0, 3, 4][k % 3]
    # x' = a u + b v + right around the middle, in pixels; PyTorch's unit is half of the distance of the outermost pixels.
    half_w, half_h = (W - 1) / 2, (H - 1) / 2
    theta = torch.tensor([[a, b * half_h / half_w, right / half_w], [c * half_w / half_h, d, down / half_h]])
    grid = F.affine_grid(theta[None], (1, C, H, W), align_corners=True)
    x = F.grid_sample(image[None], grid, mode="bilinear", padding_mode="zeros", align_corners=True)[0]
    gray = x.mean(0, keepdim=True)
    x = contrast * (gray + saturation * (x - gray)) + brightness + shift[:, None, None]
    lines, columns = torch.arange(H)[:, None], torch.arange(W)[None, :]
    inside = (lines >= hole[0]) & (lines < hole[0] + side) & (columns >= hole[1]) & (columns < hole[1] + side)
    x = x.masked_fill(inside, 0.0)
    cases.append({
        "image": listed(image.permute(1, 2, 0)), "warp": [a, b, right, c, d, down], "contrast": contrast,
        "brightness": brightness, "saturation": saturation, "shift": listed(shift), "hole": hole, "side": side,
        "view": listed(x.permute(1, 2, 0)),
    })
path = pathlib.Path(__file__).parent / "views.json"
path.write_text(json.dumps({"shape": [C, H, W], "cases": cases}))
