"""Draws icons for a fit of few small pictures: 1,139 of 48 x 48, in two folders.

    python benches/icons.py icons
    onesided fit --positives icons/pos --unlabeled icons/rest --prior-in-unlabeled 0.3 --out model.safetensors

Disks are positive, other shapes (squares, triangles, crosses) are not, on noise; each of any color, size and place. 250 disks are labeled,
0.3 of the 889 others are disks, too. Needs numpy and pillow.
"""

import pathlib
import sys

import numpy as np
from PIL import Image, ImageDraw

SIDE, LABELED, UNLABELED, SHARE = 48, 250, 889, 0.3

folder = pathlib.Path(sys.argv[1])
rng = np.random.default_rng(0)


def icon(disk):
    noise = rng.integers(60, 196, (SIDE, SIDE, 3)).astype("uint8")
    picture = Image.fromarray(noise)
    draw = ImageDraw.Draw(picture)
    size = int(rng.integers(8, 20))
    x, y = (int(rng.integers(size + 1, SIDE - size - 1)) for _ in range(2))
    color = tuple(int(part) for part in rng.integers(0, 256, 3))
    if disk:
        draw.ellipse([x - size, y - size, x + size, y + size], fill=color)
        return picture
    kind = rng.integers(3)
    if kind == 0:
        draw.rectangle([x - size, y - size, x + size, y + size], fill=color)
    elif kind == 1:
        draw.polygon([(x - size, y + size), (x + size, y + size), (x, y - size)], fill=color)
    else:
        draw.rectangle([x - size, y - size // 3, x + size, y + size // 3], fill=color)
        draw.rectangle([x - size // 3, y - size, x + size // 3, y + size], fill=color)
    return picture


for name, number, share in [("pos", LABELED, 1.0), ("rest", UNLABELED, SHARE)]:
    (folder / name).mkdir(parents=True, exist_ok=True)
    for at in range(number):
        icon(rng.random() < share).save(folder / name / f"{at:04}.png")
