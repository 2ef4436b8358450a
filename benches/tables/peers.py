"""What others do with a table of positives and unlabeled rows, one function each.

    scores, probabilities = PEERS["lightgbm"](X_train, s, X_test, prior, seed)

X_train and X_test are data frames as `load.load` gives them, s is 1 for labeled rows and 0 for unlabeled ones, prior is the
share of positives in the training rows. Higher scores are more positive; probabilities are of y = 1. Every peer may use
the prior, and uses it as its notes say; `naive told the same` divides the probability of being labeled by the share of
positives that are labeled, which the prior implies. Everything runs on one thread.
"""

import warnings

import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")

ROUNDS = (50, 100, 200, 400)
MOST_LEVELS = 30  # of a category, one-hot; rarer levels share one column


# Tables as the libraries want them.


def native(*tables):
    """Names that LightGBM and XGBoost accept; categories stay categories."""
    return [table.set_axis([f"f{i}" for i in range(table.shape[1])], axis=1) for table in tables]


def is_category(column):
    return isinstance(column.dtype, pd.CategoricalDtype)


def levels(column):
    return list(column.value_counts().loc[lambda counts: counts > 0].index[:MOST_LEVELS])


def one_hot(train, test, column):
    known = levels(train[column])
    few = [(t[column] == level).to_numpy(dtype=float) for t in (train, test) for level in known]
    return np.array(few[: len(known)]).reshape(len(known), -1), np.array(few[len(known) :]).reshape(len(known), -1)


def for_trees(train, test):
    """Numbers with NaN for missing values; categories one-hot, with more than 30 levels by number of their level."""
    a, b = [], []
    for column in train:
        if is_category(train[column]) and train[column].nunique() <= MOST_LEVELS:
            hot = one_hot(train, test, column)
            a.extend(hot[0])
            b.extend(hot[1])
        else:
            for table, out in ((train, a), (test, b)):
                values = table[column]
                if is_category(values):
                    values = values.cat.codes.astype(float).replace(-1.0, np.nan)
                out.append(values.to_numpy(dtype=float))
    return np.column_stack(a).astype(np.float32), np.column_stack(b).astype(np.float32)


def for_lines(train, test):
    """Standardized numbers, the median for missing ones with a column that says so, categories one-hot."""
    a, b = [], []
    for column in train:
        if is_category(train[column]):
            hot = one_hot(train, test, column)
            a.extend(hot[0])
            b.extend(hot[1])
            continue
        x, z = train[column].to_numpy(dtype=float), test[column].to_numpy(dtype=float)
        gone = np.isnan(x)
        if gone.all():
            continue
        if gone.any():
            a.append(gone.astype(float))
            b.append(np.isnan(z).astype(float))
        middle = np.nanmedian(x)
        a.append(np.where(gone, middle, x))
        b.append(np.where(np.isnan(z), middle, z))
    a, b = np.column_stack(a), np.column_stack(b)
    mean, deviation = a.mean(axis=0), a.std(axis=0)
    keep = deviation > 1e-12
    a, b = (a[:, keep] - mean[keep]) / deviation[keep], (b[:, keep] - mean[keep]) / deviation[keep]
    return np.clip(a, -20, 20), np.clip(b, -20, 20)


# Probabilities of y from what a method gives.


def labeled_share(s, prior):
    """Of the positives, the share that is labeled."""
    return min(1.0, s.sum() / (prior * len(s)))


def told(labeled, s, prior):
    """From the probability of being labeled to that of being positive."""
    return np.minimum(1.0, labeled / labeled_share(s, prior))


def told_even(even, s, prior):
    """From the probability of being labeled where as many unlabeled rows were drawn as labeled ones."""
    even = np.clip(even, 1e-6, 1 - 1e-6)
    ratio = even / (1 - even) * s.sum() / (len(s) - s.sum())
    return told(ratio / (1 + ratio), s, prior)


def prior_in_unlabeled(s, prior):
    return float(np.clip((prior * len(s) - s.sum()) / (len(s) - s.sum()), 1e-4, 1 - 1e-4))


def sigmoid(values):
    return 1 / (1 + np.exp(-np.clip(values, -30, 30)))


# LightGBM and XGBoost.


def booster(X, s, rounds=100, rate=0.1, seed=0):
    import lightgbm

    settings = {"objective": "binary", "learning_rate": rate, "num_threads": 1, "seed": seed % 2**31, "verbosity": -1}
    return lightgbm.train(settings, lightgbm.Dataset(X, label=s), num_boost_round=rounds)


def lightgbm_naive(X_train, s, X_test, prior, seed):
    """Labeled against unlabeled rows, the defaults and 100 rounds, native categories."""
    X_train, X_test = native(X_train, X_test)
    score = booster(X_train, s, seed=seed).predict(X_test)
    return score, told(score, s, prior)


def lightgbm_tuned(X_train, s, X_test, prior, seed):
    """As above at rate 0.05, the rounds chosen in five folds by the AUC of labeled against unlabeled rows."""
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    X_train, X_test = native(X_train, X_test)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed % 2**31)
    quality = np.zeros(len(ROUNDS))
    for fit, held in folds.split(X_train, s):
        model = booster(X_train.iloc[fit], s[fit], max(ROUNDS), 0.05, seed)
        for i, rounds in enumerate(ROUNDS):
            quality[i] += roc_auc_score(s[held], model.predict(X_train.iloc[held], num_iteration=rounds))
    score = booster(X_train, s, ROUNDS[int(quality.argmax())], 0.05, seed).predict(X_test)
    return score, told(score, s, prior)


def lightgbm_elkan_noto(X_train, s, X_test, prior, seed):
    """Elkan and Noto (2008): c is the mean score of a fifth of the labeled rows, held out; the prior is not used."""
    X_train, X_test = native(X_train, X_test)
    draw = np.random.default_rng(seed)
    held = np.zeros(len(s), dtype=bool)
    for value in (0, 1):
        rows = draw.permutation(np.flatnonzero(s == value))
        held[rows[: max(1, len(rows) // 5)]] = True
    model = booster(X_train[~held], s[~held], seed=seed)
    c = max(1e-6, float(model.predict(X_train[held & (s == 1)]).mean()))
    score = model.predict(X_test)
    return score, np.minimum(1.0, score / c)


def lightgbm_bagging(X_train, s, X_test, prior, seed):
    """30 models of the labeled rows against as many drawn unlabeled ones; the mean of their probabilities."""
    X_train, X_test = native(X_train, X_test)
    draw = np.random.default_rng(seed)
    labeled, others = np.flatnonzero(s == 1), np.flatnonzero(s == 0)
    total = np.zeros(len(X_test))
    for i in range(30):
        rows = np.concatenate([labeled, draw.choice(others, min(len(labeled), len(others)), replace=False)])
        total += booster(X_train.iloc[rows], s[rows], seed=seed + i).predict(X_test)
    return total / 30, told_even(total / 30, s, prior)


def xgboost_naive(X_train, s, X_test, prior, seed):
    """Labeled against unlabeled rows, the defaults (100 rounds), native categories."""
    import xgboost

    X_train, X_test = native(X_train, X_test)
    model = xgboost.XGBClassifier(n_jobs=1, tree_method="hist", enable_categorical=True, random_state=seed % 2**31)
    score = model.fit(X_train, s).predict_proba(X_test)[:, 1]
    return score, told(score, s, prior)


def ceiling(X_train, y, X_test, prior, seed):
    """LightGBM told every true label of the training rows: what could be reached. Not ranked."""
    X_train, X_test = native(X_train, X_test)
    score = booster(X_train, y.astype(int), seed=seed).predict(X_test)
    return score, score


# scikit-learn.


def trees_bagging(X_train, s, X_test, prior, seed):
    """Mordelet and Vert (2014): 100 decision trees of the labeled rows (drawn anew each time) against as many unlabeled
    ones; the mean of their votes."""
    from sklearn.tree import DecisionTreeClassifier

    a, b = for_trees(X_train, X_test)
    draw = np.random.default_rng(seed)
    labeled, others = np.flatnonzero(s == 1), np.flatnonzero(s == 0)
    total = np.zeros(len(b))
    for _ in range(100):
        rows = np.concatenate([draw.choice(labeled, len(labeled)), draw.choice(others, len(labeled))])
        tree = DecisionTreeClassifier(random_state=int(draw.integers(2**31))).fit(a[rows], s[rows])
        total += tree.predict_proba(b)[:, 1]
    return total / 100, told_even(total / 100, s, prior)


def logistic_naive(X_train, s, X_test, prior, seed):
    from sklearn.linear_model import LogisticRegression

    a, b = for_lines(X_train, X_test)
    score = LogisticRegression(max_iter=300).fit(a, s).predict_proba(b)[:, 1]
    return score, told(score, s, prior)


def forest(seed, trees=100):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(trees, n_jobs=1, random_state=seed % 2**31)


def forest_naive(X_train, s, X_test, prior, seed):
    a, b = for_trees(X_train, X_test)
    score = forest(seed).fit(a, s).predict_proba(b)[:, 1]
    return score, told(score, s, prior)


# pulearn.


def filled(train, test):
    """For libraries that take no missing values: the median, and one column more."""
    a, b = for_trees(train, test)
    gone = np.isnan(a).any(axis=0)
    middle = np.nan_to_num(np.nanmedian(a, axis=0))
    more = [np.isnan(part[:, gone]).astype(np.float32) for part in (a, b)]
    return [np.hstack([np.where(np.isnan(part), middle, part), extra]) for part, extra in zip((a, b), more)]


def pulearn_elkanoto(X_train, s, X_test, prior, seed):
    """ElkanotoPuClassifier over a random forest; the prior is not used."""
    from pulearn import ElkanotoPuClassifier

    a, b = filled(X_train, X_test)
    model = ElkanotoPuClassifier(forest(seed), hold_out_ratio=0.2, random_state=seed % 2**31).fit(a, s)
    score = np.asarray(model.predict_proba(b))[:, 1]
    return score, np.clip(score, 0, 1)


def pulearn_weighted_elkanoto(X_train, s, X_test, prior, seed):
    """WeightedElkanotoPuClassifier over a random forest; the prior is not used."""
    from pulearn import WeightedElkanotoPuClassifier

    a, b = filled(X_train, X_test)
    model = WeightedElkanotoPuClassifier(
        forest(seed), int(s.sum()), int((s == 0).sum()), hold_out_ratio=0.2, random_state=seed % 2**31
    ).fit(a, s)
    score = np.asarray(model.predict_proba(b))[:, 1]
    return score, np.clip(score, 0, 1)


def pulearn_bagging(X_train, s, X_test, prior, seed):
    """BaggingPuClassifier of 30 random forests of 20 trees, as many unlabeled rows as labeled ones in each."""
    from pulearn import BaggingPuClassifier

    a, b = filled(X_train, X_test)
    draws = int(min(s.sum(), (s == 0).sum()))
    model = BaggingPuClassifier(
        forest(seed, 20), n_estimators=30, max_samples=draws, oob_score=False, n_jobs=1, random_state=seed % 2**31
    ).fit(a, s)
    score = np.asarray(model.predict_proba(b))[:, 1]
    return score, told_even(score, s, prior)


def pulearn_nnpu(X_train, s, X_test, prior, seed):
    """NNPUClassifier, a line, told the share of positives among the unlabeled rows."""
    from pulearn import NNPUClassifier

    a, b = for_lines(X_train, X_test)
    model = NNPUClassifier(prior=prior_in_unlabeled(s, prior), random_state=seed % 2**31).fit(a, s)
    score = np.asarray(model.decision_function(b)).ravel() if hasattr(model, "decision_function") else None
    chance = np.asarray(model.predict_proba(b))[:, 1]
    return (chance if score is None else score), np.clip(chance, 0, 1)


def pulearn_bayes(kind):
    def run(X_train, s, X_test, prior, seed):
        import pulearn

        a, b = filled(X_train, X_test)
        model = getattr(pulearn, kind)().fit(a, s)
        score = np.asarray(model.predict_proba(b))[:, 1]
        return score, np.clip(score, 0, 1)

    run.__doc__ = f"{kind} with its defaults; the prior is not used."
    return run


# pu-toolbox. Not here: its PUSBClassifier scores as `logistic` does, its KLDCE keeps a matrix of all pairs of rows, and its
# nnPU, Dist-PU, Self-PU, InfoMax, contrastive and generative methods need PyTorch.


def chances(model, b):
    if hasattr(model, "predict_proba"):
        chance = np.asarray(model.predict_proba(b))
        return chance[:, 1] if chance.ndim == 2 else chance
    return None


def toolbox_elkan_noto(X_train, s, X_test, prior, seed):
    """ElkanNotoClassifier with its defaults (logistic, retraining with weights); the prior is not used. Over a random
    forest it ends with "probabilities are not non-negative" on some tables."""
    from pu_toolbox.estimators.classic.elkan_noto import ElkanNotoClassifier

    a, b = for_lines(X_train, X_test)
    score = chances(ElkanNotoClassifier(random_state=seed % 2**31).fit(a, s), b)
    return score, np.clip(score, 0, 1)


def toolbox_upu(basis):
    def run(X_train, s, X_test, prior, seed):
        from pu_toolbox.estimators.risk.upu import UPUClassifier

        a, b = for_lines(X_train, X_test)
        more = {}
        if basis == "rbf":  # as wide as rows are apart
            some = np.random.default_rng(seed).choice(len(a), (2, 1000))
            apart = float(np.median(np.linalg.norm(a[some[0]] - a[some[1]], axis=1)))
            more = {"n_centers": min(300, len(a)), "kernel_width": max(apart, 1e-3)}
        model = UPUClassifier(prior_in_unlabeled(s, prior), basis=basis, random_state=seed % 2**31, **more).fit(a, s)
        score = np.asarray(model.decision_function(b)).ravel()
        return score, np.clip((score + 1) / 2, 0, 1)

    run.__doc__ = f"UPUClassifier, squared loss, {basis}, told the share of positives among the unlabeled rows."
    return run


def toolbox_lbe(X_train, s, X_test, prior, seed):
    """LBEClassifier with its defaults; the prior is not used."""
    from pu_toolbox.estimators.bias_aware.lbe import LBEClassifier

    a, b = for_lines(X_train, X_test)
    score = chances(LBEClassifier().fit(a, s), b)
    return score, np.clip(score, 0, 1)


def toolbox_ldce(X_train, s, X_test, prior, seed):
    """LDCEClassifier, told the share of positives that are not labeled."""
    from pu_toolbox.estimators.risk.ldce import LDCEClassifier

    a, b = for_lines(X_train, X_test)
    flip = float(np.clip(1 - labeled_share(s, prior), 0, 0.99))
    model = LDCEClassifier(flip, random_state=seed % 2**31).fit(a, s)
    score = np.asarray(model.decision_function(b)).ravel()
    return score, sigmoid(score)


def toolbox_llsvm(X_train, s, X_test, prior, seed):
    """LLSVMClassifier with its defaults; the prior is not used."""
    from pu_toolbox.estimators.classic.llsvm import LLSVMClassifier

    a, b = for_lines(X_train, X_test)
    score = np.asarray(LLSVMClassifier(random_state=seed % 2**31).fit(a, s).decision_function(b)).ravel()
    return score, sigmoid(score)


def toolbox_pusb_kernel(X_train, s, X_test, prior, seed):
    """PUSBKernelClassifier with its defaults, told the prior."""
    from pu_toolbox.estimators.bias_aware.pusb_kernel import PUSBKernelClassifier

    a, b = for_lines(X_train, X_test)
    model = PUSBKernelClassifier(random_state=seed % 2**31).fit(a, s, class_prior=prior)
    score = np.asarray(model.decision_function(b)).ravel()
    return score, sigmoid(score)


PEERS = {
    "lightgbm": lightgbm_naive,
    "lightgbm-tuned": lightgbm_tuned,
    "lightgbm-elkan-noto": lightgbm_elkan_noto,
    "lightgbm-bagging": lightgbm_bagging,
    "xgboost": xgboost_naive,
    "trees-bagging": trees_bagging,
    "logistic": logistic_naive,
    "forest": forest_naive,
    "pulearn-elkanoto": pulearn_elkanoto,
    "pulearn-weighted-elkanoto": pulearn_weighted_elkanoto,
    "pulearn-bagging": pulearn_bagging,
    "pulearn-nnpu": pulearn_nnpu,
    "pulearn-naive-bayes": pulearn_bayes("PositiveNaiveBayesClassifier"),
    "pulearn-weighted-naive-bayes": pulearn_bayes("WeightedNaiveBayesClassifier"),
    "pulearn-tan": pulearn_bayes("PositiveTANClassifier"),
    "pulearn-weighted-tan": pulearn_bayes("WeightedTANClassifier"),
    "toolbox-elkan-noto": toolbox_elkan_noto,
    "toolbox-upu": toolbox_upu("linear"),
    "toolbox-upu-rbf": toolbox_upu("rbf"),
    "toolbox-lbe": toolbox_lbe,
    "toolbox-pusb-kernel": toolbox_pusb_kernel,
    "toolbox-ldce": toolbox_ldce,
    "toolbox-llsvm": toolbox_llsvm,
    "ceiling": ceiling,
}

# Slow peers run on tables of fewer rows and of at most this many columns.
LIMITS = {
    "lightgbm-tuned": (10**9, 1_800),
    "pulearn-weighted-elkanoto": (5_000, 2_000),
    "pulearn-nnpu": (50_000, 2_000),
    "pulearn-tan": (5_000, 100),
    "pulearn-weighted-tan": (5_000, 100),
    "toolbox-elkan-noto": (5_000, 2_000),
    "toolbox-upu-rbf": (50_000, 2_000),
    "toolbox-lbe": (5_000, 200),
    "toolbox-ldce": (5_000, 200),
    "toolbox-llsvm": (5_000, 200),
    "toolbox-pusb-kernel": (1_200, 200),
}
