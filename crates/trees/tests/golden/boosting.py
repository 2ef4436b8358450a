"""Writes boosting.json: a table with weights and missing cells, and scikit-learn's held-out log loss on it.

    python boosting.py

Made with scikit-learn 1.9 and numpy 2.4: HistGradientBoostingClassifier with the settings that the test gives ours.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss

rng = np.random.default_rng(3)
rows = 1600
x = np.round(rng.standard_normal((rows, 4)), 2).astype(np.float32)
logit = 1.5 * x[:, 0] - x[:, 1] ** 2 + 2 * (x[:, 2] > 0.3) * x[:, 1]
y = (rng.random(rows) < 1 / (1 + np.exp(-logit))).astype(int)
# Missing more often where the answer is yes, so that the missing bin carries information.
x[rng.random(rows) < np.where(y == 1, 0.3, 0.1), 3] = np.nan
weights = np.round(rng.uniform(0.2, 2.0, rows), 1)
train = slice(0, 800)
test = slice(800, rows)


def loss(leaves, weighted):
    model = HistGradientBoostingClassifier(
        learning_rate=0.1,
        max_iter=60,
        max_leaf_nodes=leaves,
        min_samples_leaf=20,
        l2_regularization=1.0,
        early_stopping=False,
    )
    model.fit(x[train], y[train], sample_weight=weights[train] if weighted else None)
    w = weights[test] if weighted else None
    return log_loss(y[test], model.predict_proba(x[test])[:, 1], sample_weight=w)


cases = [{"leaves": k, "weighted": w, "loss": loss(k, w)} for k in (4, 31) for w in (False, True)]
cells = [[None if np.isnan(v) else float(f"{v:.2f}") for v in row] for row in x.tolist()]
out = {"x": cells, "y": y.tolist(), "weights": weights.tolist(), "train": 800, "cases": cases}
text = json.dumps(out, separators=(",", ":"))
Path(__file__).with_suffix(".json").write_text(text.replace("],[", "],\n[") + "\n")
