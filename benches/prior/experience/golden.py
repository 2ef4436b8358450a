"""Quantiles for twelve tasks by the Python of `learn.py`, for the test in `crates/prior/src/experience/mod.rs`.

    python golden.py seen.csv ../../../crates/prior/src/experience/golden.csv
"""

import sys

import pandas as pd

from learn import START, USUAL, WIDE, likelihoods, posterior, quantiles

seen = pd.read_csv(sys.argv[1]).iloc[::230]
names = ["bound_10", "bound_30", "bound_50", "bound_70", "auc", "positive", "unlabeled", "consensus"]
out = seen[names].copy()
found, n = likelihoods(seen).astype(float), seen["positive"].to_numpy(float)
wide, usual = posterior(found, n, START, WIDE), posterior(found, n, START, USUAL)
for name, values in zip(("q0.025", "q0.975"), quantiles(wide, [0.025, 0.975]).T):
    out[name] = values.round(8)
for name, values in zip(("usual0.3", "usual0.5"), quantiles(usual, [0.3, 0.5]).T):
    out[name] = values.round(8)
out.to_csv(sys.argv[2], index=False)
