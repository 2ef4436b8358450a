"""Writes trust.txt: values of the beta law and of the negative hypergeometric law.

    python trust.py

With scipy 1.17.1; the negative hypergeometric law is the beta-binomial with whole parameters.
"""

from pathlib import Path

from scipy.special import betainc, betaincinv
from scipy.stats import betabinom, beta

lines = []
for a, b in [(0.5, 0.5), (1, 59), (196, 5), (3.5, 47.5), (0.5, 20.5), (5000, 12), (0.2, 3.1), (1e5, 2e4)]:
    mean = a / (a + b)
    for x in [mean / 2, mean, min(1 - 1e-9, 1.5 * mean), 0.95]:
        lines.append(f"cdf {a} {b} {x!r} {float(betainc(a, b, x))!r}")
    for p in [0.025, 0.5, 0.975]:
        lines.append(f"quantile {a} {b} {p} {float(betaincinv(a, b, p))!r}")
# The number of M positives below the k-th lowest of m others: beta-binomial with a = k, b = m - k + 1.
for recall, confidence in [(0.9, 0.95), (0.95, 0.95), (0.8, 0.9)]:
    for m in [30, 59, 100, 200, 400, 1000]:
        whole = [k for k in range(1, m + 1) if beta.cdf(recall, m - k + 1, k) <= 1 - confidence + 1e-12]
        lines.append(f"population {recall} {confidence} {m} {max(whole, default=0)}")
        for all in [1, 19, 50, 200, 1000]:
            missable = int((1 - recall) * all + 1e-9)
            good = [k for k in range(1, m + 1) if betabinom.cdf(missable, all, k, m - k + 1) >= confidence - 1e-12]
            lines.append(f"file {recall} {confidence} {m} {all} {max(good, default=0)}")
Path(__file__).with_name("trust.txt").write_text("\n".join(lines) + "\n")
