"""How long a teacher should teach rows that are no pictures: AUC and accuracy on test rows of three tables to choose on.

    venv/bin/python benches/benchmark/tables.py DIR
    venv/bin/python benches/benchmark/teacher_of_rows.py DIR --binary onesided --out benches/benchmark/results/teacher_of_rows.jsonl

Banana, Phoneme and Satimage, 100 and 30 labeled positives, three draws each; a quarter of the rows is for testing, the share of positives
is told. What was chosen, 15 epochs and a ramp of 5, is what `fit --teacher` does now.
"""
import argparse
import csv
import json
import pathlib
import random
import subprocess
import tempfile

POSITIVE = {"banana": "1.0", "phoneme": "1", "satimage": "1"}
VARIANTS = {
    "alone": [],
    "alone, 30 epochs": ["--epochs", "30", "--patience", "30"],
    "100 epochs": ["--teacher", "ramp=10", "--epochs", "100"],
    "30 epochs": ["--teacher", "ramp=10", "--epochs", "30"],
    "15 epochs": ["--teacher", "ramp=5", "--epochs", "15"],
    "30 epochs, strength .5": ["--teacher", "ramp=10,strength=0.5", "--epochs", "30"],
}


def written(path, header, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def ran(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def measured(folder, binary, name, labels, draw):
    with open(folder / "benchmark" / f"{name}.csv", newline="") as file:
        header, *rows = csv.reader(file)
    chance = random.Random(7 * draw + 1)
    chance.shuffle(rows)
    test, train = rows[: len(rows) // 4], rows[len(rows) // 4 :]
    positives = [at for at, row in enumerate(train) if row[-1] == POSITIVE[name]]
    labeled = set(chance.sample(positives, labels))
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        written(place / "train.csv", header[:-1] + ["y"], [row[:-1] + [int(at in labeled)] for at, row in enumerate(train)])
        written(place / "test.csv", header, [row[:-1] + ["pn"[row[-1] != POSITIVE[name]]] for row in test])
        for variant, flags in VARIANTS.items():
            share = f"{len(positives) / len(train):.4f}"
            ran(binary, "fit", place / "train.csv", "--label", "y", "--prior", share, "--method", "collective", "--threads", 1,
                "--out", place / "m.onesided", "-q", *flags)
            said = ran(binary, "evaluate", place / "m.onesided", place / "test.csv", "--truth", "target", "--positive", "p", "--json", "-q")
            said = json.loads(said)
            yield {"table": name, "labels": labels, "draw": draw, "variant": variant, "auc": said["auc"], "accuracy": said["accuracy"]}


def main():
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("dir", type=pathlib.Path, help="the folder of data sets")
    flags.add_argument("--binary", default="onesided")
    flags.add_argument("--out", type=pathlib.Path, required=True)
    given = flags.parse_args()
    with given.out.open("w") as out:
        for labels in (100, 30):
            for name in POSITIVE:
                for draw in range(3):
                    for line in measured(given.dir, given.binary, name, labels, draw):
                        print(json.dumps(line), file=out, flush=True)


if __name__ == "__main__":
    main()
