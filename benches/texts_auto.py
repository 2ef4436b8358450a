"""What `fit` does with texts where nothing is said, compared with `--method naive`: 20 Newsgroups.

    python3 benches/texts_auto.py BINARY 20NEWS-FOLDER [choose|report]

One group against the nineteen others, 40 % of its training posts labeled, the test posts judged against the truth. A group is
of "choose" or of "report" by its place in the alphabet: the first, third, … choose, the second, fourth, … report. 4,000 of the
training posts are learned from, drawn once. Every fit is told the true share, so that accuracies can be compared.
"""

import csv
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRAINING = 4_000
FITS = {
    "auto": [],
    "naive": ["--method", "naive"],
    "naive linear": ["--method", "naive", "--model", "linear"],
    "collective": ["--method", "collective"],
}


def posts(folder: Path) -> list[tuple[str, str]]:
    """(group, text) without the header, which names the group."""
    found = []
    for group in sorted(folder.iterdir()):
        for file in sorted(group.iterdir()):
            text = file.read_text(encoding="latin-1").partition("\n\n")[2]
            found.append((group.name, " ".join(text.split())[:4_000] or "nothing"))
    return found


def write(path: Path, rows: list[tuple[str, int]], column: str) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["body", column])
        writer.writerows(rows)


def main() -> None:
    binary, place, role = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    training, test = posts(place / "20news-bydate-train"), posts(place / "20news-bydate-test")
    training = random.Random(0).sample(training, TRAINING)
    groups = sorted({group for group, _ in test})[0 if role == "choose" else 1 :: 2]
    for group in groups:
        draw = random.Random(group)
        rows = [(text, int(of == group and draw.random() < 0.4)) for of, text in training]
        share = sum(of == group for of, _ in training) / len(training)
        with tempfile.TemporaryDirectory() as folder:
            here = Path(folder)
            write(here / "train.csv", rows, "y")
            write(here / "test.csv", [(text, int(of == group)) for of, text in test], "truth")
            for name, flags in FITS.items():
                start = time.perf_counter()
                fit = [binary, "fit", "train.csv", "--label", "y", "--text", "body", *flags, "--prior", f"{share:.4f}", "--out", "m"]
                subprocess.run(fit, cwd=here, check=True, capture_output=True)
                seconds = time.perf_counter() - start
                judge = [binary, "evaluate", "m", "test.csv", "--truth", "truth", "--json"]
                said = json.loads(subprocess.run(judge, cwd=here, check=True, capture_output=True).stdout)
                values = {one: round(said[one], 4) for one in ("auc", "average_precision", "accuracy")}
                print(json.dumps({"group": group, "role": role, "fit": name, **values, "seconds": round(seconds, 1)}), flush=True)


main()
