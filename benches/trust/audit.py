"""Do intervals of audits cover the share of positives? A second program for what `crates/eval/src/audit` does.

    python audit.py > audit.md

Files of 20,000 rows, as in `benches/tools/src/bin/trust.rs`, with other seeds: 50 files per setting, 60 draws each. Next to today's
rule for the answer that was not seen (`u` in `interval.rs`) the one before, half an answer always.
"""

import numpy as np
from scipy.stats import beta

ROWS, STRATA, EVEN, FILES, DRAWS = 20_000, 10, 2 / 3, 50, 60
ANSWERS = (50, 200, 1000)
RULES = {"half": lambda seen: 0.5 + 0 * seen, "now": lambda seen: 0.3 + 0.2 * np.exp(-seen / 5)}
rng = np.random.default_rng(4242)


def ranked(share, model):
    """Probabilities from high to low, and the truth."""
    truth = rng.random(ROWS) < share
    x = rng.normal(size=ROWS) + np.where(truth, 2.5, 0)
    if model == "hiding":
        x = np.where(truth & (rng.random(ROWS) < 0.2), x - 5, x)
    score = 2.5 * x - 3.125
    if model == "inverted":
        score = -score
    if model == "useless":
        score = 2.5 * rng.normal(size=ROWS) - 1.5
    q = 1 / (1 + np.exp(-score - np.log(share / (1 - share))))
    order = np.argsort(-q)
    return q[order], truth[order]


def strata(q):
    spread = np.sqrt(q * (1 - q))
    rate = EVEN + (1 - EVEN) * spread / spread.mean()
    step, total = rate.sum() / STRATA, np.cumsum(rate)
    cut = int((q >= 0.5).sum())
    cuts = [cut] if 0 < cut < ROWS else []
    after, before = np.floor(total / step), np.floor((total - rate) / step)
    found = {0, ROWS, *cuts}
    for row in np.flatnonzero((after < STRATA) & (after != before)) + 1:
        if all(abs(row - cut) > ROWS // (4 * STRATA) for cut in cuts):
            found.add(int(row))
    return sorted(found), rate


def allocated(totals, sizes, answers):
    wanted = totals / totals.sum() * answers
    drawn = np.minimum(np.maximum(np.floor(wanted).astype(int), 2), sizes)
    while drawn.sum() < answers:
        drawn[np.argmax(np.where(drawn < sizes, wanted - drawn, -np.inf))] += 1
    while drawn.sum() > answers:
        drawn[np.argmax(np.where(drawn > 2, drawn - wanted, -np.inf))] -= 1
    return drawn


def upper(rows, answered, positive, rule, tail=0.025):
    p, unseen, certain = positive / answered, rows - answered, positive.sum(1)
    possible = (rows - (answered - positive)).sum(1)
    mean = (rows * p).sum(1)
    variance = (rows * unseen * p * (1 - p) / np.maximum(answered - 1, 1)).sum(1)
    weight = (rows * (1 - p) ** 2 * unseen / answered).sum(1) / np.maximum((rows * (1 - p)).sum(1), 1e-12)
    part = rule(certain)
    mean, variance = mean + part * weight, variance + part * weight**2
    span = np.maximum(possible - certain, 1e-12)
    m, v = (mean - certain) / span, np.maximum(variance / span**2, 1e-300)
    size = np.maximum(m * (1 - m) / v - 1, 1e-3)
    inside = np.clip(m, 1e-12, 1 - 1e-12)
    found = certain + span * beta.ppf(1 - tail, inside * size, (1 - inside) * size)
    return np.where((variance <= 0) | (m >= 1), np.minimum(mean, possible), found)


def main():
    print("| share | model | answers | positives | half: covered | width | now: covered | width |\n|---|---|---|---|---|---|---|---|")
    for share in (0.01, 0.1, 0.5):
        for model in ("good", "useless", "inverted", "hiding"):
            held = {(answers, rule): [0.0, 0.0] for answers in ANSWERS for rule in RULES}
            seen = dict.fromkeys(ANSWERS, 0.0)
            for _ in range(FILES):
                q, truth = ranked(share, model)
                borders, rate = strata(q)
                pairs = list(zip(borders, borders[1:]))
                sizes = np.diff(borders)
                totals = np.array([rate[a:b].sum() for a, b in pairs])
                positives = np.array([truth[a:b].sum() for a, b in pairs])
                for answers in ANSWERS:
                    drawn = allocated(totals, sizes, answers)
                    draws = zip(positives, sizes - positives, drawn)
                    found = np.column_stack([rng.hypergeometric(a, b, n, DRAWS) for a, b, n in draws]).astype(float)
                    seen[answers] += found.sum()
                    for name, rule in RULES.items():
                        high = upper(sizes, drawn, found, rule)
                        low = ROWS - upper(sizes, drawn, drawn - found, rule)
                        one = held[answers, name]
                        one[0] += ((low <= truth.sum()) & (truth.sum() <= high)).sum()
                        one[1] += ((high - low) / ROWS).sum()
            for answers in ANSWERS:
                runs = FILES * DRAWS
                cells = [f"{value / runs:.{digits}f}" for name in RULES for value, digits in zip(held[answers, name], (3, 4))]
                print(f"| {share} | {model} | {answers} | {seen[answers] / runs:.1f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
