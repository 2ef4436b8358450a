"""Times scikit-learn and pulearn on the texts of speed.rs: TF-IDF, the linear solvers, and what pulearn has.

    python speed.py FOLDER

Settings are those of speed.rs: a fifth of the positives hidden, C = 1, 30 machines in the bag.
"""

import glob
import os
import sys
import time
import warnings

import numpy as np
from pulearn import BaggingPuClassifier, ElkanotoPuClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

warnings.filterwarnings("ignore")
root = os.path.join(sys.argv[1], "20news", "20news-bydate-train")
texts, truth = [], []
for number, group in enumerate(sorted(os.listdir(root))):
    for path in sorted(glob.glob(os.path.join(root, group, "*"))):
        texts.append(open(path, "rb").read().decode("latin-1"))
        truth.append(number < 11)
positives = np.flatnonzero(truth)
y = np.zeros(len(texts), dtype=int)
y[np.random.default_rng(1).permutation(positives)[round(0.2 * len(positives)) :]] = 1


def timed(name, work, describe=lambda result: ""):
    start = time.perf_counter()
    try:
        result = work()
        print(f"{name:24} {time.perf_counter() - start:7.2f} s  {describe(result)}", flush=True)
        return result
    except Exception as error:
        print(f"{name:24} fails: {error}", flush=True)


x = timed("tf-idf", lambda: TfidfVectorizer(token_pattern=r"(?u)[^\W_]{2,}", min_df=2).fit_transform(texts))
sign = 2 * y - 1


def objective(model, loss, bias):
    w, b = model.coef_[0], model.intercept_[0]
    return f"objective {(w @ w + bias * b * b) / 2 + loss(sign * (x @ w + b)).sum():.3f}"


hinge = lambda z: np.maximum(0, 1 - z)
timed("logistic, lbfgs", lambda: LogisticRegression().fit(x, y), lambda m: objective(m, lambda z: np.logaddexp(0, -z), 0))
timed("hinge", lambda: LinearSVC(loss="hinge", random_state=0).fit(x, y), lambda m: objective(m, hinge, 1))
timed("squared hinge", lambda: LinearSVC(random_state=0).fit(x, y), lambda m: objective(m, lambda z: hinge(z) ** 2, 1))
timed("elkan-noto (pulearn)", lambda: ElkanotoPuClassifier(LogisticRegression(C=10), hold_out_ratio=0.1).fit(x, y))
timed("bagging (pulearn)", lambda: BaggingPuClassifier(LinearSVC(loss="hinge"), n_estimators=30).fit(x, y))
