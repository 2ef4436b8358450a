"""Our boosted trees compared with LightGBM's: the same rows, objective and settings, so the AUC should be the same.

    cargo build --release -p onesided-tools --bin naive_trees
    python equal.py ../../target/release/naive_trees

Five tables of the role learn, a share of .4 labeled, five seeds; "labeled" is what is learned, the AUC is against the truth.
"""

import pathlib
import subprocess
import sys
import tempfile

import lightgbm as lgb
import numpy as np
from sklearn.metrics import roc_auc_score

import load
from load import write_parts

SETTINGS = dict(n_estimators=100, num_leaves=31, learning_rate=0.1, min_child_samples=20, reg_lambda=1.0, n_jobs=1, verbose=-1)

print("| table | LightGBM | onesided | difference (standard error) |\n|---|--:|--:|--:|")
for name in ("adult", "nass_crashes", "letter", "mlc_churn", "covid_tests"):
    both = []
    for seed in range(5):
        parts = load.split(name, 0.4, seed)
        theirs = lgb.LGBMClassifier(**SETTINGS, random_state=seed).fit(parts["X_train"], parts["s"])
        theirs = theirs.predict_proba(parts["X_test"])[:, 1]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            write_parts(parts, folder)
            said = subprocess.run([sys.argv[1], folder / "train.csv", folder / "test.csv"], capture_output=True, text=True, check=True)
        ours = np.array([float(line) for line in said.stdout.split()])
        both.append([roc_auc_score(parts["y_test"], scores) for scores in (theirs, ours)])
    both = np.array(both)
    gap = both[:, 1] - both[:, 0]
    print(f"| {name} | {both[:, 0].mean():.4f} | {both[:, 1].mean():.4f} | {gap.mean():+.4f} ({gap.std(ddof=1) / 5**0.5:.4f}) |", flush=True)
