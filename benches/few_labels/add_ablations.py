"""Appends the runs of ablations.sh to results.csv, those that are not there yet.

    python3 benches/few_labels/add_ablations.py OUTFILE && python3 benches/few_labels/table.py

Runs with hidden animals are judged on the test images and have the role "report", all others "ablation". Seeds train side by
side, so their seconds are left out.
"""

import json
import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parent / "results.csv"
there = set(RESULTS.read_text().splitlines())
with open(sys.argv[1]) as runs, open(RESULTS, "a") as results:
    for run in map(json.loads, runs):
        labels, name = run["run"].split(", ", 1)
        taught = run["teacher"] != "off"
        hidden = run["hidden"]
        other = name.replace(", nadam", "").replace(", ", "; ")
        if other == "teacher":
            other = ""
        if hidden is not None:
            other = "; ".join(part for part in (f"animals with {hidden} hidden", other) if part)
        decay = f"{run['weight_decay']:g}".replace("0.0001", "1e-4")
        cells = [
            "ablation" if run["judged_on"] == "kept out" else "report", run["judged_on"], run["network"],
            run["labels"] or round(30_000 * (1 - hidden)), run["images"], run["epochs"], run["optimizer"], decay,
            8 if taught else 0, other, run["seed"], round(run["accuracy"], 4), "",
        ]
        line = ",".join(map(str, cells))
        if line not in there:
            print(line, file=results)
