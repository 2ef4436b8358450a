"""Quantiles for twelve tasks by the Python of `learn.py`, for the test in `crates/prior/src/experience/mod.rs`.

    python golden.py seen.csv ../../../crates/prior/src/experience/tasks.csv ../../../crates/prior/src/experience/golden.csv
"""

import sys

import numpy as np
import pandas as pd

from learn import features, logit, quantiles, sigmoid

seen = pd.read_csv(sys.argv[1]).iloc[::230]
tasks = pd.read_csv(sys.argv[2])
spread, tasks = tasks.iloc[0, :4].to_numpy(), tasks.iloc[1:].to_numpy()
names = ["bound_10", "bound_30", "bound_50", "bound_70", "auc", "positive", "unlabeled", "consensus"]
out = seen[names].copy()
guess = logit(seen["consensus"].clip(0.003, 0.997).to_numpy())
found = np.array([g + quantiles(at, tasks[:, :4], tasks[:, 4], tasks[:, 5], [0.025, 0.5, 0.975])
                  for at, g in zip(features(seen) / spread, guess)])
for column, level in enumerate((0.025, 0.5, 0.975)):
    out[f"q{level}"] = sigmoid(found[:, column]).round(8)
out.to_csv(sys.argv[3], index=False)
