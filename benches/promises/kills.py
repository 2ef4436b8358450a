"""Ends fit, predict, prior and experiment at random moments, and looks at what is left; then several writers on one results file.

python3 benches/promises/kills.py target/release/onesided [--kills 200] [--seed 1] [--json FILE]

After every kill: what was there before is there to the byte or replaced by the whole of what a run left alone writes; lines of a
results file that were finished are still there; SIGTERM leaves nothing else behind; SIGKILL may leave temporary files, which the
next run to its end takes away. Two, four and eight processes on one results file, ten times each: every run is there, once.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("binary")
parser.add_argument("--kills", type=int, default=200)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--json", type=Path)
arguments = parser.parse_args()
BINARY = str(Path(arguments.binary).resolve())
out = arguments.json and arguments.json.resolve()
draw = random.Random(arguments.seed)

SPEC = """title = "kills"
hidden = [0.3, 0.6]
seeds = {seeds}
[train]
network = "linear"
epochs = {epochs}
[[data]]
name = "digits"
positive = ["0", "2"]
[[method]]
name = "collective"
[[method]]
name = "naive"
"""
COMMANDS = {
    "fit": "fit t.csv --label y --prior 0.3 --model mlp:32 --epochs 120 --patience 120 --checkpoint c --out m.safetensors",
    "predict": "predict sound.safetensors new.csv --out list.csv",
    "prior": "prior t.csv --label y --plot prior.png",
    "experiment": "experiment spec.toml --results results.jsonl",
}
OUTPUTS = {"fit": ["m.safetensors", "m.safetensors.rows"], "predict": ["list.csv"], "prior": ["prior.png"], "experiment": ["results.jsonl"]}


def is_kept(name, file):
    """What may stay when a command is ended: checkpoints, one per candidate, are what an ended fit is resumed from."""
    return name == "fit" and file.startswith("c.")


def run(command, **more):
    return subprocess.run([BINARY, *command.split()], capture_output=True, text=True, **more)


def table(path, rows, seed):
    rng = random.Random(seed)
    with open(path, "w") as file:
        file.write("a,b,c,d,y\n")
        for i in range(rows):
            positive = rng.random() < 0.4
            cells = [rng.gauss(1.5 * positive, 1) for _ in range(3)]
            file.write(",".join(f"{cell:.4f}" for cell in cells) + f",{rng.choice('uvw')},{int(positive and i % 2 == 0)}\n")


def records(path):
    """The finished lines of a results file, without their times."""
    if not path.exists():
        return {}
    lines = path.read_bytes().split(b"\n")[:-1]
    kept = [json.loads(line) for line in lines if line.strip()]
    return {record["fingerprint"]: {k: v for k, v in record.items() if k != "seconds"} for record in kept}


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def prepared(folder):
    table(folder / "t.csv", 2000, 1)
    table(folder / "new.csv", 60_000, 2)
    (folder / "spec.toml").write_text(SPEC.format(seeds=[1, 2, 3], epochs=20))
    said = run("fit t.csv --label y --prior 0.3 --method weighted-lr --out sound.safetensors", cwd=folder)
    assert said.returncode == 0, said.stderr


def left_alone(folder):
    """What each command writes and how long it takes, when left to finish."""
    found = {}
    for name, command in COMMANDS.items():
        before = set(files(folder))
        started = time.monotonic()
        said = run(command, cwd=folder)
        seconds = time.monotonic() - started
        assert said.returncode == 0, said.stderr
        written = {key: files(folder)[key] for key in OUTPUTS[name] if key in files(folder)}
        found[name] = (written, seconds, records(folder / "results.jsonl"))
        stray = set(files(folder)) - before - set(OUTPUTS[name])
        assert not stray, f"{name} left {stray}"
        for key in written:
            (folder / key).unlink()
    return found


def check(name, folder, before, whole, politely, runs):
    """What is wrong after a command was ended, in words."""
    wrong, now = [], files(folder)
    for key, content in before.items():
        if key in OUTPUTS[name] or is_kept(name, key):
            continue
        if now.get(key) != content:
            wrong.append(f"{key} changed or is gone")
    for key in OUTPUTS[name]:
        if name == "experiment":
            have = records(folder / key)
            wrong += [f"run {one} is not what it should be" for one in have if have[one] != runs.get(one)]
        elif key in now and now[key] not in (before.get(key), whole.get(key)):
            wrong.append(f"{key} is neither the old nor the new one")
        elif key not in now and key in before and not key.endswith(".rows"):
            wrong.append(f"{key} is gone")
    stray = {key for key in set(now) - set(before) - set(OUTPUTS[name]) if not is_kept(name, key)}
    if politely and stray:
        wrong.append(f"left behind: {sorted(stray)}")
    return wrong, stray


counts, wrong = {}, []
with tempfile.TemporaryDirectory() as place:
    folder = Path(place)
    prepared(folder)
    alone = left_alone(folder)
    swept, finished, number = 0, 0, -1
    # Those that were done before the signal came are looked at, too, and not counted.
    while sum(counts.values()) < arguments.kills:
        number += 1
        name = list(COMMANDS)[number % len(COMMANDS)]
        whole, seconds, runs = alone[name]
        how = draw.choice([signal.SIGKILL, signal.SIGTERM])
        politely = how == signal.SIGTERM
        # Half of the time something is to be replaced.
        if name in ("fit", "predict", "prior") and draw.random() < 0.5:
            (folder / OUTPUTS[name][0]).write_bytes(b"what was there before")
        before = files(folder)
        child = subprocess.Popen([BINARY, *COMMANDS[name].split()], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draw.random() * seconds)
        ended = child.poll() is None
        child.send_signal(how)
        code = child.wait()
        finished += not ended
        # In its first milliseconds a process does not listen yet; then it must have done nothing.
        unheard = code == -signal.SIGTERM and files(folder) == before
        if politely and code not in (0, 130) and not unheard:
            wrong.append(f"{number} {name}: exit code {code}")
        trouble, stray = check(name, folder, before, whole, politely, runs)
        wrong += [f"{number} {name} ({how.name}): {what}" for what in trouble]
        if ended:
            counts[name, how.name] = counts.get((name, how.name), 0) + 1
        # A run to its end removes what a hard kill left, and continues from what is there.
        if stray or number % 10 < len(COMMANDS):
            said = run(COMMANDS[name], cwd=folder)
            now = files(folder)
            still = [one for one in stray if one in now]
            swept += len(stray) - len(still)
            if said.returncode != 0 or still:
                wrong.append(f"{number} {name}: the next run said {said.stderr[-200:]!r}, and {still} are still there")
            if name == "experiment" and records(folder / "results.jsonl") != runs:
                wrong.append(f"{number} {name}: runs are missing after all")
            for one in OUTPUTS[name]:
                if name != "experiment" and one in whole and now.get(one) != whole[one]:
                    wrong.append(f"{number} {name}: {one} is not what a run left alone writes")
        for one in files(folder):
            if is_kept(name, one) or one in OUTPUTS[name] and (name != "experiment" or draw.random() < 0.3):
                (folder / one).unlink()
    for (name, how), count in sorted(counts.items()):
        print(f"{name:10} {how:8} {count}")
    print(f"{arguments.kills} ended, {finished} more were done before; {swept} temporary files of hard kills swept")

    unions = []
    (folder / "spec.toml").write_text(SPEC.format(seeds=list(range(1, 9)), epochs=2))
    (folder / "results.jsonl").unlink(missing_ok=True)
    assert run("experiment spec.toml --results results.jsonl", cwd=folder).returncode == 0
    expected = records(folder / "results.jsonl")
    for writers in (2, 4, 8):
        whole = 0
        for _ in range(10):
            (folder / "shared.jsonl").unlink(missing_ok=True)
            parts = [[f"*/*/*/{seed}" for seed in range(1, 9) if seed % writers == part] for part in range(writers)]
            children = [
                subprocess.Popen([BINARY, "experiment", "spec.toml", "--results", "shared.jsonl", "--threads", "1",
                                  *(flag for only in part for flag in ("--only", only))],
                                 cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                for part in parts
            ]
            codes = [(child.communicate()[1], child.returncode) for child in children]
            lines = (folder / "shared.jsonl").read_bytes().count(b"\n")
            good = records(folder / "shared.jsonl") == expected and lines == len(expected)
            whole += good
            if not good or any(code for _, code in codes):
                wrong.append(f"{writers} writers: {lines} lines of {len(expected)}, {[code for _, code in codes]}, {codes[0][0][-200:]}")
        unions.append((writers, whole))
        print(f"{writers} writers, {len(expected)} runs: the union {whole} times of 10")

for what in wrong:
    print("WRONG:", what)
if out:
    out.write_text(json.dumps({
        "kills": [{"command": name, "signal": how, "times": count} for (name, how), count in sorted(counts.items())],
        "done_before": finished, "swept": swept, "writers": unions, "wrong": wrong,
    }, indent=1) + "\n")
sys.exit(1 if wrong else 0)
