"""What answers show of who was labeled: level and power of the test of `audit read` and `fit --audit`, by a second program.

    python answers.py > answers.md     # some minutes on one core; only numpy

The test of crates/eval/src/audit/labels.rs, written again from its formula. A table has 3,000 rows, of which a share is positive; three tenths of the
positives are labeled, at random or by a bias; scores tell the classes apart more or less. The unlabeled rows are a list in ten strata; 150 of them
are drawn, two thirds evenly and a third from the upper half, each stratum without replacement, and answered by the truth. Labeled rows are put into the
strata by their scores.
"""
import numpy as np
from math import lgamma

ROWS, LABELED, STRATA, DRAWS = 3_000, 0.3, 10, 199
SETS = {"random": 200, "easy": 60, "boundary": 60, "column": 60}


def law(sizes, rates, k):
    """Logs of own and of later terms of Fisher's noncentral hypergeometric law by strata."""
    own = [np.array([lgamma(n + 1) - lgamma(j + 1) - lgamma(n - j + 1) + j * np.log(max(p, 1e-300)) for j in range((min(n, k) if p > 0 else 0) + 1)])
           for n, p in zip(sizes, rates)]
    rest = [np.zeros(1)]
    for o in reversed(own):
        after, most = rest[-1], min(len(o) + len(rest[-1]) - 2, k)
        new = np.full(most + 1, -np.inf)
        for total in range(most + 1):
            j = np.arange(max(0, total - len(after) + 1), min(total, len(o) - 1) + 1)
            terms = o[j] + after[total - j]
            new[total] = terms.max() + np.log(np.exp(terms - terms.max()).sum())
        rest.append(new)
    return own, rest[::-1]


def draw(members, own, rest, k, rng):
    chosen, left = [], k
    for at, rows in enumerate(members):
        o, after = own[at], rest[at + 1]
        j = np.arange(max(0, left - len(after) + 1), min(left, len(o) - 1) + 1)
        p = np.exp(o[j] + after[left - j] - rest[at][left])
        here = int(rng.choice(j, p=p / p.sum()))
        chosen.extend(rng.choice(rows, here, replace=False))
        left -= here
    return np.array(chosen, int)


def ranks(values):
    order = np.argsort(np.argsort(values, kind="stable"), kind="stable") + 0.5
    _, inverse = np.unique(values, return_inverse=True)
    return (np.bincount(inverse, order) / np.bincount(inverse))[inverse] / len(values)


def refuted(bias, share, distance, answers, rng):
    truth = rng.random(ROWS) < share
    column, score = rng.normal(size=ROWS), rng.normal(size=ROWS) + distance * truth
    at = {"random": np.zeros(ROWS), "easy": (score - distance), "boundary": -(score - distance), "column": column}[bias]
    place = np.argsort(np.argsort(at)) / ROWS
    lift = np.ones(ROWS) if bias == "random" else 10.0 ** place
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        odds = np.exp(middle) * lift
        low, high = (middle, high) if (odds / (1 + odds))[truth].mean() < LABELED else (low, middle)
    labeled = truth & (rng.random(ROWS) < (lambda odds: odds / (1 + odds))(np.exp(low) * lift))
    listed = np.flatnonzero(~labeled)[np.argsort(-score[~labeled])]
    parts = np.array_split(listed, STRATA)
    each = [min(len(part), int(answers * (2 / 3 / STRATA + (1 / 3 / (STRATA // 2) if h < STRATA // 2 else 0)))) for h, part in enumerate(parts)]
    rates = np.array([n / len(part) for n, part in zip(each, parts)])
    answered = [(row, h) for h, part in enumerate(parts) for row in rng.choice(part, each[h], replace=False) if truth[row]]
    ends = np.array([score[part].min() for part in parts])
    known = [(row, min(int((ends > score[row]).sum()), STRATA - 1)) for row in np.flatnonzero(labeled)] + answered
    rows, strata = np.array([row for row, _ in known]), np.array([h for _, h in known])
    k, m = len(answered), int(labeled.sum())
    if k < 5 or m < 5:
        return None
    of = np.stack([ranks(-strata), ranks(column[rows])])
    weight = 1 / rates[strata]

    def statistic(chosen):
        w = weight[chosen]
        return (of.sum(1) - of[:, chosen].sum(1)) / (len(rows) - k) - (of[:, chosen] * w).sum(1) / w.sum()

    members = [np.flatnonzero(strata == h) for h in range(STRATA)]
    own, rest = law([len(part) for part in members], rates, k)
    drawn = np.stack([statistic(draw(members, own, rest, k, rng)) for _ in range(DRAWS)])
    mean, deviation = drawn.mean(0), drawn.std(0)
    odd = lambda of: (np.abs(of - mean) / deviation).max(-1)
    return (1 + (odd(drawn) >= odd(statistic(np.arange(m, m + k))) - 1e-9).sum()) / (DRAWS + 1) < 0.05


if __name__ == "__main__":
    print("# What answers show of who was labeled\n\nWritten by `answers.py`.\n")
    print(f"How often random labels are refuted at a nominal 5 %, of {SETS['random']} sets with random labels and {SETS['easy']} with others each: {ROWS} rows, {LABELED:.0%} of the positives labeled, "
          "with odds of 10 between the likeliest and the least likely to be.\n")
    print("| share of positives | scores apart by | answers | random | easy first | hard first | one column |\n|---|---|---|---|---|---|---|")
    for share in (0.1, 0.3):
        for distance in (2.5,):
            for answers in (150,):
                cells = []
                for number, bias in enumerate(("random", "easy", "boundary", "column")):
                    rng = np.random.default_rng([int(100 * share), int(10 * distance), answers, number])
                    found = [refuted(bias, share, distance, answers, rng) for _ in range(SETS[bias])]
                    found = [one for one in found if one is not None]
                    cells.append(f"{np.mean(found):.3f}" + (f" (of {len(found)})" if len(found) < SETS[bias] else ""))
                print(f"| {share} | {distance} | {answers} | {' | '.join(cells)} |", flush=True)
