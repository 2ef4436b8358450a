"""Writes digits.bin: 1,797 labels, then 1,797 x 64 pixels, one byte each (0 to 16).

Run with scikit-learn installed: python make.py
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

digits = load_digits()
pixels = digits.data.astype(np.uint8)
assert pixels.shape == (1797, 64) and (pixels == digits.data).all() and pixels.max() == 16
Path(__file__).with_name("digits.bin").write_bytes(digits.target.astype(np.uint8).tobytes() + pixels.tobytes())

# The numbers that the tests in mod.rs compare with.
print("labels", np.bincount(digits.target).tolist(), digits.target[:10].tolist())
print("sum of pixels", int(pixels.sum()), "sum of row * pixel sum", int((np.arange(1797) * pixels.sum(1, dtype=int)).sum()))
print("last image", pixels[-1].tolist())
