"""Writes labeling.txt: what is left of recalls and promises if labels favor some positives.

    python labeling.py

With scipy 1.17. The formulas of labeling.rs are not used: the worst labeling is searched for over positives in groups above and
below the cut, each with odds of being labeled of its own at either end of the range that gamma allows, and what a promise needs
is found by bisection.
"""

from itertools import product
from pathlib import Path

from scipy.optimize import brentq
from scipy.stats import beta


def hidden(labeled, gamma):
    """The least and the most recall among hidden positives, given that among labeled ones."""
    found = []
    for base in (0.01, 0.5, 4.0):
        for odds in product((base, gamma * base), repeat=4):
            chance = [o / (1 + o) for o in odds]
            # Two groups of labeled positives above the cut and two below it; of each there are so many positives in all.
            share = [0.3 * labeled, 0.7 * labeled, 0.6 * (1 - labeled), 0.4 * (1 - labeled)]
            left = [part / e * (1 - e) for part, e in zip(share, chance)]
            found.append((left[0] + left[1]) / sum(left))
    return min(found), max(found)


def needed(recall, gamma):
    return brentq(lambda labeled: hidden(labeled, gamma)[0] - recall, 1e-9, 1 - 1e-12, xtol=1e-15, rtol=1e-14)


lines = []
for gamma in (1.0, 1.5, 3.0, 20.0):
    for labeled in (0.05, 0.5, 0.9, 0.99):
        low, high = hidden(labeled, gamma)
        lines.append(f"recall {gamma} {labeled} {low!r} {high!r}")
for recall, confidence in [(0.9, 0.95), (0.8, 0.9), (0.5, 0.99)]:
    for m in (60, 100, 250, 1000):
        for gamma in (1.0, 1.2, 2.0, 5.0):
            labeled = needed(recall, gamma)
            good = [k for k in range(1, m + 1) if beta.cdf(labeled, m - k + 1, k) <= 1 - confidence + 1e-12]
            k = max(good, default=0)
            if k == 0:
                lines.append(f"promise {recall} {confidence} {m} {gamma} 0 0")
                continue
            gap = lambda log: beta.cdf(needed(recall, 2.0**log), m - k + 1, k) - (1 - confidence)
            holds = 2.0 ** brentq(gap, -1e-6, 12, xtol=1e-12)
            lines.append(f"promise {recall} {confidence} {m} {gamma} {k} {holds!r}")
Path(__file__).with_suffix(".txt").write_text("\n".join(lines) + "\n")
