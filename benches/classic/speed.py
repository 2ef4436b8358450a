"""Times scikit-learn and pulearn on the texts of classic_speed.rs: TF-IDF, the linear solvers, and what pulearn has.

    python benches/classic/speed.py FOLDER [REPEATS]

Settings are those of classic_speed.rs: a fifth of the positives hidden, C = 1, 30 machines in the bag. A line has the median of the
repeats and the quickest and the slowest of them, in seconds. pulearn's Elkan-Noto refuses sparse rows, so it is given the 2,000 most
frequent terms as dense ones; what it does is also put together from scikit-learn's parts on all terms.
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
repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 1
root = os.path.join(sys.argv[1], "20news", "20news-bydate-train")
texts, truth = [], []
for number, group in enumerate(sorted(os.listdir(root))):
    for path in sorted(glob.glob(os.path.join(root, group, "*"))):
        texts.append(open(path, "rb").read().decode("latin-1"))
        truth.append(number < 11)
y = np.array(truth, dtype=int)
y[np.flatnonzero(truth)[::5]] = 0  # every fifth positive is hidden


def timed(name, work, describe=lambda result: ""):
    seconds = []
    try:
        for _ in range(repeats):
            start = time.perf_counter()
            result = work()
            seconds.append(time.perf_counter() - start)
    except Exception as error:
        return print(f"{name:34} fails: {str(error).splitlines()[0]}", flush=True)
    seconds.sort()
    median = seconds[len(seconds) // 2]
    print(f"{name:34} {median:8.3f} ({seconds[0]:.3f} to {seconds[-1]:.3f})  {describe(result)}", flush=True)
    return result


def vectorizer(most=None):
    return TfidfVectorizer(token_pattern=r"(?u)[^\W_]{2,}", min_df=2, max_features=most)


x = timed("tf-idf", lambda: vectorizer().fit_transform(texts), lambda x: f"{x.shape[0]} x {x.shape[1]}")
sign = 2 * y - 1


def objective(model, loss, bias):
    w, b = model.coef_[0], model.intercept_[0]
    return f"objective {(w @ w + bias * b * b) / 2 + loss(sign * (x @ w + b)).sum():.3f}"


def elkan_noto():
    """pulearn's steps on sparse rows: a model of nine tenths of the rows, c on the positives of the last tenth."""
    order = np.random.default_rng(1).permutation(len(y))
    held, kept = order[: len(y) // 10], order[len(y) // 10 :]
    model = LogisticRegression(C=10).fit(x[kept], y[kept])
    return model, model.predict_proba(x[held[y[held] == 1]])[:, 1].mean()


def bagging():
    """pulearn's steps on sparse rows: 30 machines on all positives and as many unlabeled rows, scored out of bag."""
    random = np.random.default_rng(1)
    p, u = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    scores, counts = np.zeros(len(y)), np.zeros(len(y))
    for _ in range(30):
        drawn = random.choice(u, len(p))
        rows = np.concatenate([p, drawn])
        machine = LinearSVC(loss="hinge").fit(x[rows], y[rows])
        unseen = np.setdiff1d(u, drawn)
        scores[unseen] += machine.decision_function(x[unseen])
        counts[unseen] += 1
    return scores / np.maximum(counts, 1)


def chosen(machine, candidates):
    """The protocol of our systems: each candidate on four fifths of the rows, judged on the last, then one on all."""
    order = np.random.default_rng(1).permutation(len(y))
    held, kept = order[: len(y) // 5], order[len(y) // 5 :]
    (x_kept, x_held), scores = (x[kept], x[held]), []
    for candidate in candidates:
        called = machine(candidate).fit(x_kept, y[kept]).decision_function(x_held) > 0
        scores.append(called[y[held] == 1].mean() ** 2 / max(called[y[held] == 0].mean(), 1e-9))
    return machine(candidates[int(np.argmax(scores))]).fit(x, y)


share = y.mean()
weighted_lr = lambda cost: LogisticRegression(C=cost, class_weight={1: 1 - share, 0: share}, max_iter=1000)
biased_svm = lambda pair: LinearSVC(loss="hinge", C=pair[0], class_weight={1: pair[1], 0: 1})
pairs = [(cost, ratio) for cost in (0.01, 0.04, 0.16, 0.61) for ratio in (1, 2, 4, 10, 30, 100)]
hinge = lambda z: np.maximum(0, 1 - z)
logistic = lambda z: np.logaddexp(0, -z)
timed("logistic, lbfgs, C = 1", lambda: LogisticRegression().fit(x, y), lambda m: objective(m, logistic, 0))
timed("logistic, lbfgs, tol 1e-8", lambda: LogisticRegression(tol=1e-8, max_iter=1000).fit(x, y), lambda m: objective(m, logistic, 0))
timed("hinge, C = 1", lambda: LinearSVC(loss="hinge", random_state=0).fit(x, y), lambda m: objective(m, hinge, 1))
timed("squared hinge, C = 1", lambda: LinearSVC(random_state=0).fit(x, y), lambda m: objective(m, lambda z: hinge(z) ** 2, 1))
timed("weighted-lr, 4 costs", lambda: chosen(weighted_lr, [0.1, 1, 10, 100]))
timed("biased-svm, 24 pairs of costs", lambda: chosen(biased_svm, pairs))
timed("elkan-noto, C = 10, all terms", elkan_noto)
timed("bagging of 30, C = 1, all terms", bagging)
en = lambda rows: ElkanotoPuClassifier(LogisticRegression(C=10), hold_out_ratio=0.1).fit(rows, y)
bag = lambda rows: BaggingPuClassifier(LinearSVC(loss="hinge"), n_estimators=30).fit(rows, y)
timed("elkan-noto (pulearn), all terms", lambda: en(x))
timed("bagging (pulearn), all terms", lambda: bag(x))
few = vectorizer(2000).fit_transform(texts).toarray()
timed("elkan-noto (pulearn), 2,000 terms", lambda: en(few))
timed("bagging (pulearn), 2,000 terms", lambda: bag(few))
