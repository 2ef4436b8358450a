"""Seconds of LightGBM to bin, to grow 100 trees and to score: the peer of `benches/tools/src/bin/boosting_speed.rs`.

    python3 benches/peers/lightgbm_trees.py ROWS FEATURES THREADS

Every seventh feature is a category of 50 levels; settings are those of the example (31 leaves, rate .1, lambda 1).
"""

import sys
import time

import lightgbm as lgb
import numpy as np

rows, cols, threads = map(int, sys.argv[1:4])
random = np.random.default_rng(0)
X = random.standard_normal((rows, cols), dtype=np.float32)
categories = [col for col in range(cols) if col % 7 == 6]
for col in categories:
    X[:, col] = random.integers(0, 50, rows)
y = (X[:, 0] * X[:, 1] + X[:, 2] - X[:, 3] + X[:, 6] % 3 - 1 + random.standard_normal(rows) > 0.5).astype(int)

settings = {"num_threads": threads, "verbose": -1}
start = time.perf_counter()
data = lgb.Dataset(X, y, categorical_feature=categories, params=settings).construct()
binned = time.perf_counter()
model = lgb.train(settings | {"objective": "binary", "num_leaves": 31, "learning_rate": 0.1, "lambda_l2": 1.0}, data, 100)
grown = time.perf_counter()
model.predict(X, num_threads=threads)
scored = time.perf_counter()
print(f"{rows} x {cols}, {threads} threads: bins {binned - start:.3f} s, 100 trees {grown - binned:.3f} s, scores {scored - grown:.3f} s")
