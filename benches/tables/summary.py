"""What `run.py` measured, in short and then table by table, in Markdown.

    python summary.py results/peers-choose.jsonl results/ours.jsonl --ours ours

A cell is a table and a share of labeled positives; its value is the mean over seeds. A method's rank in a cell is one more
than the number of full methods that are better (ties count half); full methods are those that were tried in every cell. A
method that failed with every seed of a cell is last there. The ceiling, which is told every label, is not ranked.
"""

import argparse
import collections
import json
import math
import pathlib
import sys

HIGHER = {"auc": True, "ap": True, "brier": False, "accuracy": True}
CEILING = "ceiling"


def read(paths):
    """cells[(table, share)][method][seed] = line; of two lines for one measurement the later one that did not fail holds."""
    cells = collections.defaultdict(lambda: collections.defaultdict(dict))
    for path in paths:
        for text in pathlib.Path(path).read_text().splitlines():
            line = json.loads(text)
            seeds = cells[line["table"], line["share"]][line["method"]]
            if "error" not in line or "error" in seeds.get(line["seed"], {"error": ""}):
                seeds[line["seed"]] = line
    return cells


def mean(values):
    return sum(values) / len(values)


def value(seeds, metric):
    """The mean over the seeds that did not fail, or None."""
    found = [line[metric] for line in seeds.values() if "error" not in line]
    return mean(found) if found else None


def differences(a, b, metric, other=None):
    """Seed by seed, a less b (positive: a is better), where neither failed; `other` is the field of b."""
    sign = 1 if HIGHER[metric] else -1
    seeds = [s for s in sorted(set(a) & set(b)) if "error" not in a[s] and "error" not in b[s]]
    return [sign * (a[s][metric] - b[s][other or metric]) for s in seeds]


def behind(found):
    """Whether the mean of paired differences is below 0 by more than two standard errors; None with fewer than two."""
    if len(found) < 2:
        return None
    middle = mean(found)
    spread = math.sqrt(sum((x - middle) ** 2 for x in found) / (len(found) - 1) / len(found))
    return middle < 0 and middle < -2 * spread


def rank(values, method, full, metric):
    own, total = values[method], 1.0
    for other in full:
        if other == method:
            continue
        theirs = values.get(other)
        if own is None:
            total += 0.5 if theirs is None else 1
        elif theirs is not None:
            gap = (theirs - own) * (1 if HIGHER[metric] else -1)
            total += 1 if gap > 1e-9 else 0.5 if abs(gap) <= 1e-9 else 0
    return total


def share_of(flags):
    known = [flag for flag in flags if flag is not None]
    if not known:
        return "none could be compared"
    return f"{sum(known)} of {len(known)} cells ({100 * sum(known) / len(known):.1f} %)"


def ranks(cells, full, methods):
    lines = ["| method | cells | failed fits | rank AUC | rank AP | rank Brier | mean AUC | median seconds |", "|---|--:|--:|--:|--:|--:|--:|--:|"]
    rows = []
    for method in methods:
        its = [cell for cell in cells.values() if method in cell]
        found = {metric: [] for metric in ("auc", "ap", "brier")}
        for cell in its:
            for metric, out in found.items():
                values = {m: value(cell[m], metric) for m in {*full, method} if m in cell}
                out.append(rank(values, method, full, metric))
        failed = sum("error" in line for cell in its for line in cell[method].values())
        aucs = [v for cell in its if (v := value(cell[method], "auc")) is not None]
        seconds = sorted(line["seconds"] for cell in its for line in cell[method].values() if "error" not in line)
        rows.append((method not in full, mean(found["auc"]), method, len(its), failed, found, aucs, seconds))
    for part, auc, method, count, failed, found, aucs, seconds in sorted(rows, key=lambda row: row[:2]):
        cut = " (not every cell)" if part else ""
        lines.append(
            f"| {method}{cut} | {count} | {failed} | {auc:.2f} | {mean(found['ap']):.2f} | {mean(found['brier']):.2f} "
            f"| {mean(aucs):.4f} | {seconds[len(seconds) // 2]:.2f} |"
            if aucs
            else f"| {method}{cut} | {count} | {failed} | - | - | - | - | - |"
        )
    return lines


def verdict(cells, ours, naive, peers):
    best, lines = [], []
    for cell in cells.values():
        if ours in cell:
            own = value(cell[ours], "auc")
            rivals = [v for m in peers if m in cell and (v := value(cell[m], "auc")) is not None]
            if rivals:
                best.append(own is not None and own >= max(rivals) - 0.002)
    lines.append(f"- best, or within 0.002 AUC of the best peer: {share_of(best)}")
    for other in naive:
        both = [cell for cell in cells.values() if ours in cell and other in cell]
        for metric in ("auc", "accuracy"):
            flags = [behind(differences(cell[ours], cell[other], metric)) for cell in both]
            lines.append(f"- {metric} behind {other} beyond two standard errors: {share_of(flags)}")
    flags = [behind(differences(c[ours], c[ours], "accuracy", "all_negative")) for c in cells.values() if ours in c]
    lines.append(f"- accuracy behind calling every row negative beyond two standard errors: {share_of(flags)}")
    failed = sum("error" in line for c in cells.values() if ours in c for line in c[ours].values())
    lines.append(f"- failed fits: {failed}")
    return lines


def by_cell(cells, methods, metric):
    shown = [m for m in methods if m != CEILING]
    head = ["table", "labeled", *shown, CEILING]
    lines = [f"| {' | '.join(head)} |", "|---|--:" + "|--:" * (len(shown) + 1) + "|"]
    for (table, share), cell in sorted(cells.items()):
        values = {m: value(cell[m], metric) for m in [*shown, CEILING] if m in cell}
        present = [values[m] for m in shown if values.get(m) is not None]
        top = (max(present) if HIGHER[metric] else min(present)) if present else None
        row = [table, f"{share:g}"]
        for method in [*shown, CEILING]:
            if method not in cell:
                row.append("")
            elif values[method] is None:
                row.append("failed")
            else:
                text = f"{values[method]:.4f}"
                row.append(f"**{text}**" if method != CEILING and values[method] == top else text)
        lines.append(f"| {' | '.join(row)} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description="sums up what run.py measured")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--ours", nargs="*", default=["ours"], help="names of our method")
    parser.add_argument("--naive", nargs="*", default=["ours-naive", "lightgbm"], help="what ours must not be behind")
    parser.add_argument("--metric", nargs="*", default=["auc"], choices=list(HIGHER), help="of the tables by cell")
    given = parser.parse_args()
    cells = read(given.files)
    methods = sorted({method for cell in cells.values() for method in cell} - {CEILING})
    full = [m for m in methods if all(m in cell for cell in cells.values())]
    seeds = sorted({seed for cell in cells.values() for m in cell.values() for seed in m})
    tables = {table for table, _ in cells}
    print(f"{len(tables)} tables, {len(cells)} cells, {len(seeds)} seeds, {len(full)} methods in every cell\n")
    print(*ranks(cells, full, methods), sep="\n")
    peers = [m for m in methods if not any(m == o for o in [*given.ours, *given.naive[:1]])]
    peers = [m for m in peers if not m.startswith("ours")]
    for ours in given.ours:
        if ours in methods:
            print(f"\n{ours}:\n")
            print(*verdict(cells, ours, given.naive, peers), sep="\n")
    for metric in given.metric:
        print(f"\n{metric}, mean over seeds\n")
        print(*by_cell(cells, methods, metric), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
