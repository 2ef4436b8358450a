"""Writes solvers.json: weighted problems, and the objectives that scikit-learn reaches on them.

    python solvers.py

Made with scikit-learn 1.9. A row with a weight as positive and one as negative is two rows there, with sample_weight.
The objectives are computed here, from the fitted coefficients, as the formulas in the Rust docs have them. Naive Bayes
is given as the log-odds of each row and as smoothed word weights.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import SVC, LinearSVC

rng = np.random.default_rng(11)
n, d = 240, 9
truth = rng.random(n) < 0.4
x = rng.standard_normal((n, d)) + 0.6 * np.where(truth, 1, -1)[:, None] * (np.arange(d) % 3 == 0)
x[rng.random((n, d)) < 0.3] = 0
x = x.round(2).astype(np.float32).astype(np.float64)
positive = np.where(truth, rng.random(n) * 3, np.where(rng.random(n) < 0.2, rng.random(n), 0)).round(3)
negative = np.where(truth, 0, rng.random(n) * 2).round(3)
both = np.concatenate([x[positive > 0], x[negative > 0]])
y = np.concatenate([np.ones((positive > 0).sum()), -np.ones((negative > 0).sum())])
weight = np.concatenate([positive[positive > 0], negative[negative > 0]])


def linear(kind, scale):
    if kind == "logistic":
        model = LogisticRegression(C=scale, tol=1e-10, max_iter=10_000)
    else:
        loss = "hinge" if kind == "hinge" else "squared_hinge"
        model = LinearSVC(C=scale, loss=loss, dual=True, tol=1e-9, max_iter=2_000_000, random_state=0)
    model.fit(both, y, sample_weight=weight)
    w, b = model.coef_[0], model.intercept_[0]
    z = y * (both @ w + b)
    if kind == "logistic":
        return w @ w / 2 + scale * (weight * np.logaddexp(0, -z)).sum()
    short = np.maximum(0, 1 - z)
    # LIBLINEAR's intercept is regularized.
    return (w @ w + b * b) / 2 + scale * (weight * (short if kind == "hinge" else short**2)).sum()


def kernel(name, scale, **arguments):
    model = SVC(C=scale, kernel=name, tol=1e-8, **arguments).fit(both, y, sample_weight=weight)
    z = y * model.decision_function(both)
    dual = model.dual_coef_[0]
    sv = model.support_vectors_
    gram = {
        "linear": lambda: sv @ sv.T,
        "rbf": lambda: np.exp(-model.gamma * ((sv[:, None] - sv[None]) ** 2).sum(-1)),
        "poly": lambda: (model.gamma * sv @ sv.T + model.coef0) ** model.degree,
    }[name]()
    return dual @ gram @ dual / 2 + scale * (weight * np.maximum(0, 1 - z)).sum()


counts = rng.poisson(np.where(truth[:, None], [2, 0.5, 1, 0.2, 1.5, 0], [0.5, 2, 1, 0.3, 1.2, 0.01]))
bayes = []
for smoothing in (1.0, 0.3):
    model = MultinomialNB(alpha=smoothing)
    model.fit(np.concatenate([counts[positive > 0], counts[negative > 0]]), y, sample_weight=weight)
    joint = model.predict_joint_log_proba(counts)
    bayes.append(
        dict(
            smoothing=smoothing,
            odds=(joint[:, 1] - joint[:, 0]).tolist(),
            weights=(model.feature_log_prob_[1] - model.feature_log_prob_[0]).tolist(),
        )
    )

golden = dict(
    cols=d,
    x=x.ravel().tolist(),
    positive=positive.tolist(),
    negative=negative.tolist(),
    linear=[
        dict(kind=kind, scale=scale, objective=linear(kind, scale))
        for kind in ("hinge", "squared-hinge", "logistic")
        for scale in (0.01, 1.0, 30.0)
    ],
    kernel=[
        dict(kernel=ours, scale=scale, objective=kernel(name, scale, **arguments))
        for ours, name, arguments in [
            ("linear", "linear", {}),
            ({"rbf": {"gamma": 0.15}}, "rbf", dict(gamma=0.15)),
            (
                {"polynomial": {"gamma": 0.2, "constant": 1.0, "degree": 3}},
                "poly",
                dict(gamma=0.2, coef0=1.0, degree=3),
            ),
        ]
        for scale in (0.05, 1.0, 10.0)
    ],
    count_cols=6,
    counts=counts.ravel().tolist(),
    bayes=bayes,
)
Path(__file__).with_suffix(".json").write_text(json.dumps(golden))
