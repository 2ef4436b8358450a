"""Golden values of Pictures::described, from the definitions and NumPy alone.

    python3 crates/data/tests/golden/described.py > crates/data/tests/golden/described.json

Pictures are drawn by a small generator that the test repeats: byte i is the high byte of x_i, where x_0 = seed and
x_{i+1} = (1103515245 x_i + 12345) mod 2^31, smoothed along each line so that there are edges of all directions.
"""
import json

import numpy as np


def drawn(seed, count):
    values, x = [], seed
    for _ in range(count):
        x = (1103515245 * x + 12345) % 2**31
        values.append(x >> 23)
    return values


def picture(seed, channels, height, width):
    raw = np.array(drawn(seed, height * width * channels)).reshape(height, width, channels)
    lines = np.arange(height)[:, None, None] * 9 + np.arange(width)[None, :, None] * 5
    return ((raw // 4 + lines) % 256).astype(np.uint8)


def areas(source, target):
    """How much of each source pixel lies in each target pixel; rows sum to 1."""
    edges = np.arange(target + 1) * source / target
    overlap = np.minimum(edges[1:, None], np.arange(1, source + 1)) - np.maximum(edges[:-1, None], np.arange(source))
    return np.maximum(overlap, 0) / (source / target)


def shrunk(image):
    height, width, _ = image.shape
    small = np.einsum("yh,hwc,xw->yxc", areas(height, min(height, 32)), image.astype(float), areas(width, min(width, 32)))
    return np.floor(small + 0.5).astype(np.uint8)


def described(image, side, coarse):
    image = shrunk(image)
    height, width, channels = image.shape
    level = image / 255.0
    place = np.add.outer(np.arange(height) * side // height * side, np.arange(width) * side // width)
    means = [4 * (level[place == square].mean(0) - 0.5) for square in range(side * side)]
    gray = level.mean(2)
    if channels == 3:
        color = (image.astype(int) * 4 // 256) @ [16, 4, 1]
        counts = np.bincount(color.ravel(), minlength=64)
    else:
        counts = np.bincount(np.minimum((gray * 16).astype(int), 15).ravel(), minlength=16)
    down, across = np.gradient(gray)
    direction = np.minimum(((np.arctan2(down, across) / np.pi) % 1.0 * 8).astype(int), 7)
    edges = np.bincount((place * 8 + direction).ravel(), np.hypot(across, down).ravel(), side * side * 8)
    edges = edges / (np.sqrt((edges**2).sum()) + 1e-6)
    colors = 8 * np.sqrt(counts / gray.size)
    parts = [np.concatenate(means), colors, 16 * edges] if coarse else [np.concatenate(means), 14 * np.sqrt(edges)]
    return np.concatenate(parts)


cases = []
for seed, channels, height, width in ((1, 3, 32, 32), (2, 1, 28, 28), (3, 3, 9, 13), (4, 1, 8, 8), (5, 3, 64, 64), (6, 1, 20, 128)):
    image = picture(seed, channels, height, width)
    cases.append(dict(seed=seed, shape=[channels, height, width],
                      coarse=[round(float(x), 5) for x in described(image, 4, True)],
                      fine=[round(float(x), 5) for x in described(image, 8, False)]))
print(json.dumps(cases))
