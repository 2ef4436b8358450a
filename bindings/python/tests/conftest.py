"""Data that tests share."""

from __future__ import annotations

import numpy as np
import pytest


class Made:
    """Two clouds of points, of which half of one is labeled."""

    def __init__(self, rows: int, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.truth = rng.random(rows) < 0.4
        self.X = rng.normal(size=(rows, 4)) + 1.5 * self.truth[:, None] * np.array([1, 1, 1, 0])
        self.y = (self.truth & (rng.random(rows) < 0.5)).astype(int)


@pytest.fixture(scope="session")
def made() -> Made:
    return Made(1200)
