"""Writes estimators.json: a small table, its scores, and what each estimator should find in them.

    python estimators.py

Every estimator is written here from its formula, in the plainest way (all pairs, no grids, no cells), where the library
sorts once, bins, bisects or moves weights about. Penalized L1 takes every row as a center, so that nothing is drawn; the
folds of TIcE come from the library's random stream, which is restated here. Made with numpy 2.4, scipy 1.17.
"""

import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize, minimize_scalar, nnls
from scipy.special import expit

rng = np.random.default_rng(20)
N_P, N_U, MU = 60, 140, 0.3


def rows(n, share):
    positive = rng.random(n) < share
    x = rng.standard_normal((n, 2)) + np.where(positive, 1.5, -1.5)[:, None] * [1.0, 0.5]
    return np.round(x, 3).astype(np.float32).astype(np.float64)


P, U = rows(N_P, 1.0), rows(N_U, MU)
# Scores: the first column, rounded so that there are ties.
p, u = np.round(P[:, 0] * 1.7, 2), np.round(U[:, 0] * 1.7, 2)


def bbe(gamma=0.01, delta=0.1):
    dev = sum(np.sqrt(np.log(4 / delta) / (2 * n)) for n in (N_P, N_U))
    cuts = np.unique(np.concatenate([p, u]))
    best = min(
        ((np.mean(u >= c) + (1 + gamma) * dev) / np.mean(p >= c), np.mean(u >= c) / np.mean(p >= c))
        for c in cuts
        if np.mean(p >= c) > 0
    )
    return min(1.0, best[1])


def platt():
    s = np.concatenate([p, u])
    t = np.r_[np.full(N_P, (N_P + 1) / (N_P + 2)), np.full(N_U, 1 / (N_U + 2))]
    cost = lambda ab: np.sum(np.logaddexp(0, ab[0] * s + ab[1]) - t * (ab[0] * s + ab[1]))
    ab = minimize(cost, [0.0, 0.0], method="BFGS", options={"gtol": 1e-10}).x
    return expit(ab[0] * p + ab[1])


def isotonic():
    """The least-squares rising fit by its minimax formula: max over starts of the min over ends of means."""
    s = np.concatenate([p, u])
    y = np.r_[np.ones(N_P), np.zeros(N_U)]
    values = np.unique(s)
    weight = np.array([np.sum(s == v) for v in values])
    total = np.array([np.sum(y[s == v]) for v in values])
    n = len(values)
    mean = lambda i, j: total[i : j + 1].sum() / weight[i : j + 1].sum()
    g = np.array([max(min(mean(i, j) for j in range(k, n)) for i in range(k + 1)) for k in range(n)])
    return values, g


def frequency(c):
    return N_P / N_U * (1 - c) / c


def elkan_noto():
    return frequency(platt().mean())


def elkan_noto_top():
    values, g = isotonic()
    place = max(v for v in values if np.sum(p >= v) >= 0.05 * N_P and np.sum(p >= v) > 0)
    return frequency(g[list(values).index(place)])


def dedpul():
    def density(sample, width, at):
        h = width * sample.std(ddof=1)
        return np.exp(-0.5 * ((at[:, None] - sample) / h) ** 2).mean(axis=1) / h

    at = np.sort(u)
    r = np.minimum(density(p, 0.1, at) / density(u, 0.05, at), 50)

    def running(v, k):
        reach = [min(k, i, len(v) - 1 - i) for i in range(len(v))]
        return np.array([np.median(v[i - k : i + k + 1]) for i, k in enumerate(reach)])

    r = running(r, 5)
    middle = (expit(p).mean() + expit(u).mean()) / 2
    above = expit(at) >= middle
    r = np.r_[r[~above], np.maximum.accumulate(r[above])]
    r = np.sort(running(r, N_U // 20))
    explained = lambda mu: np.minimum(1, mu * r).mean()
    fixed = 1.0
    for _ in range(1000):
        if abs(explained(fixed) - fixed) < 1e-5 or fixed * r.max() < 1:
            break
        fixed = explained(fixed)
    grid = 1 - np.arange(1000) * 0.001
    error = np.array([mu - explained(mu) for mu in grid])
    second = error[2:] - 2 * error[1:-1] + error[:-2]
    allowed = error[1:-1] < 0.05
    kink = grid[1:-1][allowed][np.argmax(second[allowed])]
    return fixed if kink <= fixed or (np.sum(error < 0) > 1 and fixed > 0.001) else kink


def alphamax():
    """The bins of the library, its likelihood by a general optimizer, and the noise rule on a fine grid."""
    bins = np.clip(np.round(2 * np.cbrt(N_P)), 5, 50)
    edges, below = [], 0
    for score in np.unique(p):
        if below >= N_P / bins * len(edges) - 1e-9:
            edges.append(score)
        below += np.sum(p == score)
    a = np.bincount(np.searchsorted(edges, p, side="right"), minlength=len(edges) + 1)
    b = np.bincount(np.searchsorted(edges, u, side="right"), minlength=len(edges) + 1)
    k = len(a)
    own = sum(n * np.log(n / N_P) for n in a if n) + sum(n * np.log(n / N_U) for n in b if n)

    def fit(alpha):
        # q by a softmax; v = alpha q + (1 - alpha) r with a density r of negatives, which is the constraint alpha q <= v.
        def cost(x):
            q, r = (np.exp(z - z.max()) / np.exp(z - z.max()).sum() for z in (x[:k], x[k:]))
            v = alpha * q + (1 - alpha) * r
            return -(a @ np.log(q + 1e-300) + b @ np.log(v + 1e-300)) + own

        q0, r0 = np.log(a / N_P + 1e-3), np.log(b / N_U + 1e-3)
        found = minimize(cost, np.r_[q0, r0], method="BFGS", options={"gtol": 1e-7, "maxiter": 5000})
        q, r = (np.exp(z - z.max()) / np.exp(z - z.max()).sum() for z in (found.x[:k], found.x[k:]))
        bound = np.sum((a > 0) & ((1 - alpha) * r < 1e-4))
        return -found.fun, int(bound)

    heights = {str(alpha): fit(alpha)[0] for alpha in (0.2, 0.3, 0.4, 0.6, 0.8)}
    inside = [alpha for alpha in np.linspace(0.005, 0.995, 199) if -2 * fit(alpha)[0] <= fit(alpha)[1]]
    return heights, max(inside)


def pen_l1(width=0.6, lam=0.01):
    Z = np.r_[P, U]
    D = np.sqrt(((Z[:, None] - Z) ** 2).sum(-1))
    K = np.exp(-0.5 * (D / (width * np.median(D))) ** 2)
    mp, mu = K[:N_P].mean(0), K[N_P:].mean(0)
    J = lambda t: (np.maximum(0, t * mp - mu) ** 2).sum() / lam - t + 1
    return minimize_scalar(J, bounds=(0, 1), method="bounded", options={"xatol": 1e-10}).x


def km():
    """d by non-negative least squares on Cholesky's factor with a heavy row for the sum; slopes by differences."""
    Z = np.r_[U, P]
    S = ((Z[:, None] - Z) ** 2).sum(-1)
    median = np.sqrt(np.median(S))
    side = np.r_[np.full(N_U, 1 / N_U), np.full(N_P, -1 / N_P)]
    width = max((side @ np.exp(-S / (2 * w**2)) @ side, w) for w in median * np.logspace(-1, 1, 5))[1]
    K = np.exp(-S / (2 * width**2))
    L = np.linalg.cholesky(K + 1e-10 * np.eye(len(K))).T
    mmd = np.sqrt(side @ K @ side)

    def d(lam):
        t = np.r_[np.full(N_U, lam / N_U), np.full(N_P, (1 - lam) / N_P)]
        A, y = np.vstack([L, 1e4 * np.ones(len(K))]), np.r_[L @ t, 1e4]
        w, _ = nnls(A, y, maxiter=100000)
        return np.sqrt(max(0.0, (t - w) @ K @ (t - w)))

    def bend(level):
        low, high = 0.0, 0.99
        while high - low > 5e-4:
            kappa = (low + high) / 2
            lam = 1 / (1 - kappa)
            slope = (d(lam + 1e-3) - d(lam - 1e-3)) / 2e-3
            low, high = (low, kappa) if slope > level else (kappa, high)
        return (low + high) / 2

    km1 = bend(0.8 * (d(1.05) - d(1.0)) / 0.05 + 0.2 * mmd)
    by_size = 1 / np.sqrt(min(N_P, N_U))
    return km1, bend(by_size) if by_size <= 0.9 * mmd else km1, mmd


MASK = (1 << 64) - 1


def stream(seed, name):
    """The draws of 0 to 4 of the library's stream: FNV-1a, SplitMix64, xoshiro256++, Lemire."""
    rotate = lambda x, k: ((x << k) | (x >> (64 - k))) & MASK
    h = 0xCBF29CE484222325
    for byte in name.encode():
        h = ((h ^ byte) * 0x100000001B3) & MASK
    mix, s = seed ^ rotate(h, 32), []
    for _ in range(4):
        mix = (mix + 0x9E3779B97F4A7C15) & MASK
        z = mix
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        s.append(z ^ (z >> 31))
    while True:
        result = (rotate((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)
        product = result * 5
        if product & MASK >= (2**64 - 5) % 5:
            yield product >> 64


def tice():
    Z = np.r_[P, U]
    labeled = np.r_[np.ones(N_P, bool), np.zeros(N_U, bool)]
    scaled = (Z - Z.min(0)) / (Z.max(0) - Z.min(0))
    piece = np.minimum((scaled * 4).astype(int), 3)
    draws = stream(0, "tice-folds")
    fold = np.array([next(draws) for _ in Z])

    def bound(rows, c, delta, least):
        if rows.sum() < max(least, 1):
            return 0.0
        return labeled[rows].mean() - np.sqrt(c * (1 - c) * (1 - delta) / (delta * rows.sum()))

    def tree(grow, judge, c, delta):
        best = max(labeled[judge].mean(), bound(judge, c, delta, 10))
        queue, needed = [(grow, judge, {0, 1})], 1.0
        for _ in range(500):
            if not queue:
                break
            key = lambda node: (bound(node[0], c, delta, 0), labeled[node[0]].sum())
            at = max(range(len(queue)), key=lambda i: key(queue[i]))
            grow, judge, free = queue.pop(at)
            scored = []
            for col in sorted(free):
                parts = [piece[:, col] == k for k in range(4)]
                if max(labeled[judge & part].sum() for part in parts) >= needed:
                    score = max(labeled[grow & part].sum() / ((grow & part).sum() + 5) for part in parts)
                    scored.append((score, -col))
            if not scored:
                continue
            score, col = max(scored)
            parts = [piece[:, -col] == k for k in range(4)]
            if score <= 0 or sum((judge & part).any() for part in parts) <= 1:
                continue
            for part in parts:
                best = max(best, bound(judge & part, c, delta, 10))
            needed = c * (1 - c) * (1 - delta) / (delta * (1 - best) ** 2)
            left = {-other for _, other in scored} - {-col}
            for part in parts:
                pure = labeled[grow & part].all() or not labeled[grow & part].any()
                if labeled[judge & part].sum() > needed and (grow & part).sum() > 10 and not pure:
                    queue.append((grow & part, judge & part, left))
        return best

    c = 0.5
    for _ in range(2):
        delta = lambda f: max(0.025, 1 / (1 + 0.004 * (fold != f).sum()))
        c = np.mean([tree(fold == f, fold != f, c, delta(f)) for f in range(5)])
    return frequency(c)


heights, alpha = alphamax()
km1, km2, mmd = km()
found = {
    "bbe": bbe(),
    "elkan-noto": elkan_noto(),
    "elkan-noto-top": elkan_noto_top(),
    "dedpul": dedpul(),
    "alphamax": alpha,
    "tice": min(1.0, tice()),
    "pen-l1": pen_l1(),
    "km1": km1,
    "km2": km2,
}
print(found, heights, "mmd", mmd)
with open(Path(__file__).with_suffix(".json"), "w") as out:
    json.dump(
        {
            "positive_rows": P.tolist(),
            "unlabeled_rows": U.tolist(),
            "positive_scores": p.tolist(),
            "unlabeled_scores": u.tolist(),
            "found": found,
        },
        out,
    )
    out.write("\n")
