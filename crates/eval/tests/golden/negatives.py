"""Lists of rows that are not positive, by the definition and one row at a time: python3 negatives.py > negatives.txt

A case is four lines: fdr, odds, rows certified, the estimate of how many rows are positive, the e-value of a certified row (0 without one); the
scores of reserved positives; the scores of the rows; and a blank line.
"""

import math

import numpy as np


def p_values(reserved, rows, odds):
    """The largest weighted rank over all weights in [1, odds]: the row's own and those at most as high weigh most."""
    found = []
    for row in rows:
        weights = [odds] + [odds if score <= row else 1.0 for score in reserved]
        hit = [True] + [bool(score <= row) for score in reserved]
        found.append(sum(w for w, h in zip(weights, hit) if h) / sum(weights))
    return found


def certified(reserved, rows, fdr, odds):
    n = len(reserved)
    middle = math.ceil((n + 1) / 2)
    # Rows whose p without weights is at least K / (n + 1).
    plain = [(1 + sum(score <= row for score in reserved)) / (n + 1) for row in rows]
    above = sum(p >= middle / (n + 1) - 1e-12 for p in plain)
    estimate = (1 + above) * (1 + odds * middle / (n - middle))
    small = sorted((p, q) for p, q in zip(p_values(reserved, rows, odds), plain) if q < middle / (n + 1) - 1e-12)
    best, last = 0, None
    for number, (p, _) in enumerate(small, start=1):
        if p * estimate / number <= fdr * (1 + 1e-12):
            best, last = number, p
    return best, estimate, len(rows) / estimate / last if last else 0.0


def main():
    draw = np.random.default_rng(41)
    for reserved, rows in [(9, 40), (40, 120), (99, 200), (200, 60)]:
        for share in [0.05, 0.3, 0.7]:
            for fdr, odds in [(0.05, 1.0), (0.2, 1.0), (0.1, 1.4), (0.3, 3.0)]:
                positives = round(share * rows)
                # Tenths, so that scores tie.
                p = np.round(draw.normal(1.5, 1, reserved), 1)
                u = np.round(np.concatenate([draw.normal(1.5, 1, positives), draw.normal(-1.5, 1, rows - positives)]), 1)
                number, estimate, e = certified(p.tolist(), u.tolist(), fdr, odds)
                print(fdr, odds, number, repr(float(estimate)), repr(float(e)))
                print(*p.tolist())
                print(*u.tolist())
                print()


if __name__ == "__main__":
    main()
