#!/usr/bin/env python3
"""Golden values for augmentation: reflect-padded crops and mirrored images by PyTorch, in f32.

    python3 crates/net/tests/golden/make_augment.py

writes `augment.json`: bytes (height, width, channel), the scale and shift of each channel, draws (row, down, right,
mirror) and the images that result. The numbers are f32 and are stored so that they read back as the same bits.
"""
import json
import pathlib

import torch
import torch.nn.functional as F

HERE = pathlib.Path(__file__).parent
CROP = 4


def case(channels, height, width, rows, count):
    data = torch.randint(0, 256, (rows, height, width, channels), dtype=torch.uint8)
    scale, shift = torch.rand(channels) / 64 + 1e-3, torch.randn(channels)
    images = (data.float() * scale + shift).permute(0, 3, 1, 2)
    padded = F.pad(images, (CROP, CROP, CROP, CROP), mode="reflect")
    corners = [(0, d, r, m) for d in (-CROP, 0, CROP) for r in (-CROP, 0, CROP) for m in (0, 1)]
    drawn = [
        (int(torch.randint(rows, ())), *(int(x) for x in torch.randint(-CROP, CROP + 1, (2,))), int(torch.randint(2, ())))
        for _ in range(count)
    ]
    out = []
    for row, down, right, mirror in corners + drawn:
        cut = padded[row, :, CROP + down:CROP + down + height, CROP + right:CROP + right + width]
        cut = cut.flip(-1) if mirror else cut
        out.append(cut.permute(1, 2, 0).reshape(-1))
    flat = lambda t: [float(f"{x:.9g}") for x in t.reshape(-1).tolist()]
    return {
        "shape": [channels, height, width], "bytes": data.reshape(-1).tolist(), "scale": flat(scale),
        "shift": flat(shift), "draws": corners + drawn, "images": flat(torch.cat(out)),
    }


if __name__ == "__main__":
    torch.manual_seed(3)
    cases = [case(3, 8, 8, 2, 12), case(1, 5, 7, 3, 12), case(2, 9, 5, 2, 12)]
    (HERE / "augment.json").write_text(json.dumps(cases))
