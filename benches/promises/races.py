"""Fits and predicts on one model file at once: does a list ever come from one model with the rows of another?

    python3 benches/promises/races.py target/release/onesided [--predicts 200] [--writers 2]

Two models of one table, at two shares of positives, replace one another all the while, and some of the fits are killed on the way. Every
list must be that of one of the two, ranked out of fold. Exits with 1 if one is not, or if rows were lost.
"""

import argparse
import collections
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

SHARES = ("0.3", "0.4")


def table(rows=600, seed=1):
    draw = random.Random(seed)
    lines = ["a,b,c,y"]
    for _ in range(rows):
        positive = draw.random() < 0.4
        cells = [f"{draw.gauss(1.0 if positive else 0.0, 1.0):.4f}" for _ in range(3)]
        lines.append(",".join([*cells, str(int(positive and draw.random() < 0.4))]))
    return "\n".join(lines) + "\n"


def main():
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("onesided")
    parse.add_argument("--predicts", type=int, default=200)
    parse.add_argument("--writers", type=int, default=2)
    given = parse.parse_args()
    command = os.path.abspath(given.onesided)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "table.csv"), "w") as file:
            file.write(table())

        def start(*words):
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            return subprocess.Popen([command, *words], cwd=folder, text=True, **pipes)

        def fit(share, out):
            return start("fit", "table.csv", "--label", "y", "--method", "weighted-lr", "--prior", share, "--threads", "1", "--out", out)

        def predict(model, *more):
            process = start("predict", model, "table.csv", "--out", "-", *more)
            out, said = process.communicate()
            return process.returncode, out, said

        whole = {}
        for share in SHARES:
            fit(share, f"{share}.m").communicate()
            whole[predict(f"{share}.m")[1]] = f"share {share}, out of fold"
            whole[predict(f"{share}.m", "--in-sample")[1]] = f"share {share}, in sample"
        fit(SHARES[0], "raced.m").communicate()
        done, fits, killed = threading.Event(), collections.Counter(), collections.Counter()

        def write(number):
            draw = random.Random(number)
            while not done.is_set():
                process = fit(draw.choice(SHARES), "raced.m")
                if draw.random() < 0.3:
                    time.sleep(draw.random() * 0.1)
                    process.kill()
                    killed[number] += 1
                process.communicate()
                fits[number] += 1

        writers = [threading.Thread(target=write, args=(number,)) for number in range(given.writers)]
        for writer in writers:
            writer.start()
        found = collections.Counter()
        # Until there were as many fits as predicts.
        while found.total() < given.predicts or fits.total() < given.predicts:
            code, out, said = predict("raced.m")
            warned = [line for line in said.splitlines() if "another model" in line or "damaged" in line or "in sample" in line]
            found[code, whole.get(out, "neither"), *warned[:1]] += 1
        done.set()
        for writer in writers:
            writer.join()
        left = sorted(name for name in os.listdir(folder) if "raced" in name or name.startswith("."))
    print(f"{fits.total()} fits ({killed.total()} of them killed), {found.total()} predicts")
    for what, times in sorted(found.items(), key=str):
        print(f"{times:6}  {what}")
    print("left:", ", ".join(left))
    wrong = [what for what in found if what[0] != 0 or not what[1].endswith("out of fold") or len(what) > 2]
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
