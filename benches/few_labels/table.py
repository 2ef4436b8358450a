"""The tables of docs/few-labels-results.md from results.csv, as Markdown.

    python3 benches/few_labels/table.py
"""

import csv
import statistics
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results.csv"


def settings(run):
    return tuple(run[key] for key in ("network", "labels", "epochs", "optimizer", "decay", "weight", "other"))


def grouped(role):
    groups = {}
    with open(RESULTS) as file:
        for run in csv.DictReader(file):
            if run["role"] == role:
                groups.setdefault(settings(run), []).append(run)
    return groups


def percent(accuracies):
    if len(accuracies) == 1:
        return f"{100 * accuracies[0]:.2f}"
    return f"{100 * statistics.mean(accuracies):.2f} ± {100 * statistics.stdev(accuracies):.2f}"


def row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |")


for role in ("report", "choose"):
    print(f"\n{role}\n")
    row("network", "labeled", "epochs", "optimizer, decay", "weight", "changed", "seeds", "accuracy, %", "seconds per seed")
    row("---", "--:", "--:", "---", "--:", "---", "--:", "--:", "--:")
    for (network, labels, epochs, optimizer, decay, weight, other), runs in grouped(role).items():
        seconds = [float(run["seconds"]) for run in runs if run["seconds"]]
        row(network, f"{int(labels):,}", epochs, f"{optimizer}, {decay}", weight if weight != "0" else "", other, len(runs),
            percent([float(run["accuracy"]) for run in runs]), round(statistics.mean(seconds)) if seconds else "")


def part(run):
    """What is different in a run of the ablations."""
    if run["optimizer"] == "nadam":
        return f"{run['other']}; nadam with a decay of {run['decay']}"
    return run["other"] or "everything"


print("\nablation\n")
row("changed", "1,000 labels", "100 labels")
row("---", "--:", "--:")
parts = {}
with open(RESULTS) as file:
    for run in csv.DictReader(file):
        if run["role"] == "ablation":
            parts.setdefault(part(run), {}).setdefault(run["labels"], []).append(float(run["accuracy"]))
for name, by_labels in parts.items():
    row(name, *(percent(by_labels[labels]) if labels in by_labels else "" for labels in ("1000", "100")))
