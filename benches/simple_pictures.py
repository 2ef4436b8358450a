"""The simple models of docs/pictures-results.md's last table: trees and a line on hand-made features of small photographs.

    python3 benches/simple_pictures.py known/ rest/ others/ truth.csv [list.csv]

`truth.csv` has a line `file,0 or 1` for each picture of `others/`; those of `rest/` among them are left out. Features: the mean color of
4 x 4 squares, the square roots of a histogram of 64 colors, and the directions of edges in 4 x 4 squares (8 each). LightGBM sees the known pictures
and as many of the rest, 30 times; logistic regression sees all. `list.csv` is what `onesided predict others/` wrote.
Needs numpy, pillow, scikit-learn and lightgbm.
"""
import csv
import os
import sys

import lightgbm
import numpy as np
from PIL import Image
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def features(path):
    image = np.asarray(Image.open(path).convert("RGB").resize((32, 32), Image.BILINEAR)).astype(float) / 255
    squares = image.reshape(4, 8, 4, 8, 3).mean((1, 3)).ravel()
    level = (image * 3.999).astype(int)
    colors = np.bincount((level @ [16, 4, 1]).ravel(), minlength=64) / 1024
    gray = image.mean(2)
    across, down = np.gradient(gray, axis=1), np.gradient(gray, axis=0)
    strength, direction = np.hypot(across, down), ((np.arctan2(down, across) % np.pi) / np.pi * 8).astype(int) % 8
    place = np.add.outer(np.arange(32) // 8 * 4, np.arange(32) // 8)
    edges = np.bincount((place * 8 + direction).ravel(), strength.ravel(), 128)
    return np.r_[squares, np.sqrt(colors), edges / (np.linalg.norm(edges) + 1e-6)]


def read(folder):
    names = sorted(os.listdir(folder))
    return names, np.array([features(os.path.join(folder, name)) for name in names])


def main():
    known, rest, others, truth, *lists = sys.argv[1:]
    with open(truth, newline="") as file:
        truth = {name: int(is_positive) for name, is_positive in csv.reader(file)}
    (_, p), (seen, u), (names, x) = read(known), read(rest), read(others)
    new = [at for at, name in enumerate(names) if name not in set(seen)]
    y, x = np.array([truth[names[at]] for at in new]), x[new]
    line = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=2000, class_weight="balanced"))
    line.fit(np.r_[p, u], np.r_[np.ones(len(p)), np.zeros(len(u))])
    print("logistic regression", roc_auc_score(y, line.decision_function(x)))
    chance, score = np.random.default_rng(0), 0
    for _ in range(30):
        some = u[chance.choice(len(u), len(p), replace=False)]
        trees = lightgbm.LGBMClassifier(n_estimators=60, learning_rate=0.1, num_leaves=15, min_child_samples=5, verbose=-1)
        score = score + trees.fit(np.r_[p, some], np.r_[np.ones(len(p)), np.zeros(len(p))]).predict_proba(x)[:, 1]
    print("LightGBM on bags", roc_auc_score(y, score))
    for path in lists:
        with open(path, newline="") as file:
            scores = {os.path.basename(row["file"]): float(row["score"]) for row in csv.DictReader(file)}
        print(path, roc_auc_score(y, [scores[names[at]] for at in new]))


if __name__ == "__main__":
    main()
