"""How often has the first part of a list that an audit names less than the precision asked for?

    python benches/certified/audits.py 500 > benches/certified/audits.md

The rule of `crates/eval/src/audit/first_part.rs`, written a second time: strata of a list of 5,000 rows, drawn at different rates, answers by the truth.
Lists whose precision falls through the one asked for, lists that have it everywhere or nowhere, and lists by a model that hides a fifth of the
negatives at its top.
"""

import sys

import numpy as np
from scipy.stats import binom

ROWS, CONFIDENCE = 5000, 0.95
ENDS = np.array([100, 250, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000])


def p_value(rows, answered, negative, rate, precision):
    few = np.floor((1 - precision) * rows + 1e-9)
    if rate >= 1:
        return 0.0 if negative <= few else 1.0
    mean = rate * (few + 1)
    if mean < negative + 1 or mean >= answered:
        return 1.0
    return binom.cdf(negative, answered, mean / answered)


def longest(strata, precision):
    """Strata are (rows, answered, negative)."""
    parts = []
    for end in range(1, len(strata) + 1):
        n, a, c = strata[:end].sum(0)
        parts.append((n, a, c, (strata[:end, 1] / strata[:end, 0]).min()))
    could = [part for part in parts if p_value(part[0], part[1], 0, part[3], precision) <= 1 - CONFIDENCE]
    level, found = 0.0, None
    for n, a, c, rate in could:
        level += (1 - CONFIDENCE) / len(could)
        if p_value(n, a, c, rate, precision) <= level:
            found = n
        else:
            level = 0.0
    return found


def main():
    sets = int(sys.argv[1])
    place = np.arange(ROWS) / ROWS
    shapes = {"falls from 1 to .6": 1 - 0.4 * place, "falls from .99 to .9": 0.99 - 0.09 * place, "none: .9 everywhere": np.full(ROWS, 0.9), "hides negatives at the top": np.where(place < 0.02, 0.5, 1 - 0.3 * place)}
    print("# First parts of a list by an audit, simulated\n")
    print(f"Made by `audits.py`, {sets} lists of {ROWS} rows per line; confidence {CONFIDENCE}. Wrong is the share of all audits whose named part has less than the")
    print("precision; named, of audits that name one; length, its mean next to that of the longest part that has it.\n")
    print("| precision of the list | asked for | answers | wrong | named | length | longest there is |\n|---|--:|--:|--:|--:|--:|--:|")
    for shape, q in shapes.items():
        for precision in [0.9, 0.95]:
            for answers in [300, 1000]:
                rng = np.random.default_rng([answers, int(100 * precision), len(shape)])
                wrong, lengths, best = 0, [], []
                for _ in range(sets):
                    truth = rng.random(ROWS) < q
                    starts = np.r_[0, ENDS[:-1]]
                    # A quarter of the answers for the first 500 rows, as `audit draw --top` does.
                    share = np.where(ENDS <= 500, 0.25 * (ENDS - starts) / 500, 0.75 * (ENDS - starts) / 4500)
                    strata = []
                    for start, end, part in zip(starts, ENDS, share):
                        n = min(max(2, round(part * answers)), end - start)
                        drawn = rng.choice(end - start, n, replace=False) + start
                        strata.append((end - start, n, (~truth[drawn]).sum()))
                    found = longest(np.array(strata), precision)
                    precise = np.cumsum(truth)[ENDS - 1] / ENDS >= precision
                    best.append(ENDS[precise].max() if precise.any() else 0)
                    if found is not None:
                        lengths.append(found)
                        wrong += truth[:found].mean() < precision
                mean = np.mean(lengths) if lengths else 0
                print(f"| {shape} | {precision} | {answers} | {wrong / sets:.4f} | {len(lengths) / sets:.2f} | {mean:.0f} | {np.mean(best):.0f} |", flush=True)
    print()


if __name__ == "__main__":
    main()
