"""Writes with_truth.txt: probabilities with many ties, true labels, and scikit-learn's metrics of them.

    python with_truth.py

Made with scikit-learn 1.9 and numpy 2.4. The expected calibration error, which scikit-learn lacks, is computed from
bin edges by numpy.
"""

from pathlib import Path

import numpy as np
from sklearn import metrics

rng = np.random.default_rng(20)
truth = rng.random(300) < 0.35
logit = np.where(truth, 0.8, -0.9) + 1.2 * rng.standard_normal(300)
# Two decimals make ties; single precision is what the library reads.
text = [f"{q:.2f}" for q in np.clip(1 / (1 + np.exp(-logit)), 0.01, 0.99)]
q = np.array(text, dtype=np.float32).astype(np.float64)
predicted = q >= 0.4

edges = np.linspace(0, 1, 16)
which = np.clip(np.digitize(q, edges) - 1, 0, 14)
ece = sum(
    (which == k).mean() * abs(q[which == k].mean() - truth[which == k].mean()) for k in range(15) if (which == k).any()
)

values = {
    "accuracy": metrics.accuracy_score(truth, predicted),
    "balanced_accuracy": metrics.balanced_accuracy_score(truth, predicted),
    "precision": metrics.precision_score(truth, predicted),
    "recall": metrics.recall_score(truth, predicted),
    "f1": metrics.f1_score(truth, predicted),
    "auc": metrics.roc_auc_score(truth, q),
    "average_precision": metrics.average_precision_score(truth, q),
    "brier": metrics.brier_score_loss(truth, q),
    "log_loss": metrics.log_loss(truth, q),
    "ece": ece,
}
with open(Path(__file__).with_suffix(".txt"), "w") as out:
    for name, value in values.items():
        out.write(f"{name} {value:.17g}\n")
    for y, row in zip(truth, text):
        out.write(f"row {row} {int(y)}\n")
