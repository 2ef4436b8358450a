"""Mean AUC and accuracy by the number of known negatives, and the change against none with its standard error.

    python summary.py results/report.jsonl
"""

import json
import sys

import numpy as np


def main():
    lines = [json.loads(line) for path in sys.argv[1:] for line in open(path)]
    for method in dict.fromkeys(line["method"] for line in lines):
        cells = {(l["table"], l["seed"], l["negatives"]): l for l in lines if l["method"] == method}
        numbers = sorted({key[2] for key in cells})
        print(f"{method}\n")
        print("| table |" + "".join(f" {n} |" for n in numbers) + "\n|---|" + "--:|" * len(numbers))
        for measure in ("auc", "accuracy"):
            for table in dict.fromkeys(key[0] for key in cells):
                row = []
                for n in numbers:
                    pairs = [(s, c) for (t, s, m), c in cells.items() if t == table and m == n]
                    if not pairs:
                        row.append("-")
                        continue
                    change = np.array([c[measure] - cells[table, s, 0][measure] for s, c in pairs])
                    mean = np.mean([c[measure] for _, c in pairs])
                    error = change.std(ddof=1) / len(change) ** 0.5 if n and len(change) > 1 else None
                    row.append(f"{mean:.4f}" if error is None else f"{mean:.4f} ({change.mean():+.4f} ± {error:.4f})")
                print(f"| {table}, {measure} |" + "".join(f" {cell} |" for cell in row))
        print()


if __name__ == "__main__":
    main()
