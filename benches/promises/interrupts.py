"""Sends SIGINT and SIGTERM to every long command at moments spread over its whole run, and looks how soon it is gone and what it left.

python3 benches/promises/interrupts.py target/release/onesided [--each 7] [--rows 300000] [--seed 1] [--json FILE]

Each command runs once to its end; then a signal comes at `--each` moments, evenly spread with some chance, so that every phase
is met. It must be gone within two seconds, with exit code 130, and the folder must be as it was. The lines of progress of the
run to its end say which phases there are; the longest time between two of them is told, too.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("binary")
parser.add_argument("--each", type=int, default=7)
parser.add_argument("--rows", type=int, default=300_000)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--only", help="commands to run, by comma")
parser.add_argument("--json", type=Path)
arguments = parser.parse_args()
BINARY = str(Path(arguments.binary).resolve())
out = arguments.json and arguments.json.resolve()
draw = random.Random(arguments.seed)
SECONDS = 2.0

SPEC = """title = "interrupts"
hidden = [0.3, 0.6]
seeds = [1, 2, 3, 4, 5, 6, 7, 8]
[train]
network = "mlp:64"
epochs = 1000
[[data]]
name = "digits"
positive = ["0", "2"]
[[method]]
name = "collective"
[[method]]
name = "nnpu"
"""
COMMANDS = {
    "fit": "fit big.csv --label y --prior 0.1 --model trees --out out.onesided",
    "fit --max-unlabeled": "fit big.csv --label y --prior 0.1 --effort quick --max-unlabeled 5000 --out out.onesided",
    "fit --memory": "fit long.csv --label y --prior 0.1 --model trees --method nnpu --memory 76M --out out.onesided",
    "prior": "prior big.csv --label y --plot out.png",
    "predict": "predict blend.onesided big.csv --out out.csv",
    "predict --explain": "predict blend.onesided some.csv --explain --out out.xlsx",
    "evaluate": "evaluate blend.onesided big.csv --label y",
    "importance": "importance blend.onesided big.csv --label y --repeats 2 --out out.svg",
    "audit draw": "audit draw blend.onesided big.csv --label y --out out.csv",
    "experiment": "experiment spec.toml --results out.jsonl",
}


def table(path, rows, seed):
    rng = random.Random(seed)
    with open(path, "w") as file:
        file.write("a,b,c,d,e,f,y\n")
        for _ in range(rows):
            positive = rng.random() < 0.1
            cells = [f"{rng.gauss(1.5 * positive / (i + 1), 1):.4f}" for i in range(5)]
            file.write(",".join(cells) + f",{rng.choice('uvwxyz')},{int(positive and rng.random() < 0.3)}\n")


def files(folder):
    return {path.name: (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.iterdir()}


def start(command, folder, **more):
    return subprocess.Popen([BINARY, *command.split()], cwd=folder, stdout=subprocess.DEVNULL, **more)


def to_its_end(command, folder):
    """How long a command takes, and the longest time that it says nothing in."""
    began = last = time.monotonic()
    silence, child = 0.0, start("-v " + command, folder, stderr=subprocess.PIPE, text=True)
    lines = []
    for line in child.stderr:
        now = time.monotonic()
        silence, last = max(silence, now - last), now
        lines.append(line.rstrip())
    child.wait()
    ended = time.monotonic()
    assert child.returncode == 0, lines[-3:]
    return ended - began, max(silence, ended - last), lines


rows, wrong = [], []
with tempfile.TemporaryDirectory() as place:
    folder = Path(place)
    table(folder / "big.csv", arguments.rows, 1)
    table(folder / "some.csv", max(arguments.rows // 50, 200), 2)
    table(folder / "small.csv", 4_000, 3)
    (folder / "spec.toml").write_text(SPEC)
    fitted = subprocess.run([BINARY, *"fit small.csv --label y --prior 0.1 --effort quick --out blend.onesided".split()],
                            cwd=folder, capture_output=True, text=True)
    assert fitted.returncode == 0, fitted.stderr
    chosen = {name: command for name, command in COMMANDS.items() if not arguments.only or name in arguments.only.split(",")}
    for name, command in chosen.items():
        if "long.csv" in command:
            # Too long for the memory that it is given: read column by column, and kept as one byte per cell.
            table(folder / "long.csv", 400_000, 4)
        before = files(folder)
        seconds, silence, lines = to_its_end(command, folder)
        assert "long.csv" not in command or any("does not fit into the memory" in line for line in lines), lines
        for new in set(files(folder)) - set(before):
            (folder / new).unlink()
        before, took, met = files(folder), [], 0
        for number in range(arguments.each):
            child = start(command, folder, stderr=subprocess.PIPE, text=True)
            wait = seconds * (number + draw.random()) / arguments.each
            time.sleep(wait)
            if child.poll() is not None:
                child.communicate()
            else:
                how = draw.choice([signal.SIGINT, signal.SIGTERM])
                sent = time.monotonic()
                child.send_signal(how)
                said = child.communicate()[1]
                took.append(time.monotonic() - sent)
                met += 1
                if child.returncode not in (130, 0, -how):
                    wrong.append(f"{name}, {how.name} after {wait:.1f} s: exit code {child.returncode}: {said[-200:]}")
                if took[-1] > SECONDS:
                    wrong.append(f"{name}, {how.name} after {wait:.1f} s: gone after {took[-1]:.1f} s: {said[-200:]}")
                now = files(folder)
                left = {key for key in now if now[key] != before.get(key)} | set(before) - set(now)
                # What was done is there; lines of an experiment that were finished stay.
                if left and child.returncode == 130 and name != "experiment" and "after the model was written" not in said:
                    wrong.append(f"{name}, {how.name} after {wait:.1f} s: left {sorted(left)}")
            for new in set(files(folder)) - set(before):
                (folder / new).unlink()
        row = {"command": name, "seconds": round(seconds, 1), "silence": round(silence, 1), "interrupts": met,
               "longest": round(max(took, default=0), 2)}
        rows.append(row)
        print(row, flush=True)
        print("   ", *[line for line in lines if "%" in line][:40], sep="\n      ", file=sys.stderr, flush=True)

print(f"{sum(row['interrupts'] for row in rows)} interrupts, the longest took {max(row['longest'] for row in rows)} s")
for what in wrong:
    print("WRONG:", what)
if out:
    # With --only, other commands keep what was measured of them.
    ran = {row["command"]: row for row in rows}
    old = json.loads(out.read_text())["commands"] if arguments.only and out.exists() else []
    rows = [ran.pop(row["command"], row) for row in old] + list(ran.values())
    out.write_text(json.dumps({"rows": arguments.rows, "commands": rows, "wrong": wrong}, indent=1) + "\n")
sys.exit(1 if wrong else 0)
