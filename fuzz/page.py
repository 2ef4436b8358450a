"""The table of docs/promises.md from executions.csv, as Markdown, and the sum."""

import csv
from pathlib import Path

with open(Path(__file__).resolve().parent / "executions.csv") as file:
    rows = list(csv.DictReader(file))
print(f"{sum(int(row['executions']) for row in rows):,} executions\n")
print("| target | executions | features | crashes |\n|---|---|---|---|")
for row in rows:
    print(f"| `{row['target']}` | {int(row['executions']):,} | {row['features']} | {row['crashes']} |")
