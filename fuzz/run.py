"""Runs fuzz targets one after the other and adds up their executions in executions.csv.

    RUSTC_BOOTSTRAP=1 cargo fuzz build --sanitizer address
    python3 fuzz/run.py fuzz/target/x86_64-unknown-linux-gnu/release --seconds 60 [TARGET ...]
    python3 fuzz/run.py fuzz/target/x86_64-unknown-linux-gnu/release --total 10000000

A target starts from the files of the tests and from what it found before (fuzz/corpus). A crash is kept in fuzz/artifacts.
With --total every target runs for --seconds, and then the three fastest take turns until the executions of all add up to it.
The exit status is 1 where a target crashed.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CRATES = HERE.parent / "crates"
SEEDS = {"csv": CRATES / "data/tests/corpus/csv", "parquet": CRATES / "data/tests/corpus/parquet",
         "set": CRATES / "experiment/tests/corpus/set", "model": CRATES / "onesided/tests/corpus"}
TABLE = HERE / "executions.csv"
# The longest input of readers of short texts: longer ones cost time and reach nothing new.
LONGEST = {"formula": 256, "date": 512, "spec": 4096, "printed": 4096, "results": 4096, "audit": 4096, "text": 4096}


def totals():
    if not TABLE.exists():
        return {}
    with open(TABLE) as file:
        return {row["target"]: [int(row[key]) for key in ("executions", "seconds", "features", "crashes")] for row in csv.DictReader(file)}


def one(binary, target, seconds):
    found = HERE / "corpus" / target
    found.mkdir(parents=True, exist_ok=True)
    artifacts = HERE / "artifacts" / target
    artifacts.mkdir(parents=True, exist_ok=True)
    seeds = SEEDS.get(target, CRATES / "cli/tests/corpus" / target)
    longest = [f"-max_len={LONGEST[target]}"] if target in LONGEST else []
    command = [binary, str(found), str(seeds), *longest, f"-max_total_time={seconds}", "-print_final_stats=1", "-timeout=30", "-rss_limit_mb=4096",
               f"-artifact_prefix={artifacts}/"]
    said = subprocess.run(command, capture_output=True, text=True, errors="replace", cwd=HERE,
                          env={**os.environ, "ASAN_OPTIONS": "detect_odr_violation=0:detect_leaks=0"})
    executions = re.findall(r"stat::number_of_executed_units: (\d+)", said.stderr) or re.findall(r"#(\d+)", said.stderr)[-1:]
    features = re.findall(r" ft: (\d+)", said.stderr)
    log = artifacts / "last.log"
    log.write_text(said.stderr[-20_000:])
    return int((executions or [0])[0]), int((features or [0])[-1]), said.returncode


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("folder", type=Path)
parser.add_argument("targets", nargs="*")
parser.add_argument("--seconds", type=int, default=60)
parser.add_argument("--total", type=int, default=0)
parser.add_argument("--uncounted", action="store_true", help="leave executions.csv as it is")
arguments = parser.parse_intermixed_args()
known = sorted(path.stem for path in (HERE / "fuzz_targets").glob("*.rs"))


def run(target):
    """Runs a target, adds up, and returns its executions per second."""
    executions, features, code = one(str(arguments.folder.resolve() / target), target, arguments.seconds)
    sums = totals()
    old = sums.get(target, [0, 0, 0, 0])
    sums[target] = [old[0] + executions, old[1] + arguments.seconds, max(old[2], features), old[3] + (code != 0)]
    if not arguments.uncounted:
        with open(TABLE, "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(["target", "executions", "seconds", "features", "crashes"])
            out.writerows([name, *values] for name, values in sorted(sums.items()))
    print(f"{target:11} {executions:>10} executions, {features} features{'' if code == 0 else f', ended with {code}: see fuzz/artifacts/{target}'}", flush=True)
    # A target that crashed is not run again before somebody has looked.
    return executions / arguments.seconds if code == 0 else 0


speeds = {target: run(target) for target in arguments.targets or known}
fastest = [target for target in sorted(speeds, key=speeds.get, reverse=True)[:3] if speeds[target] > 0]
turn = 0
while fastest and sum(row[0] for row in totals().values()) < arguments.total:
    target = fastest[turn % len(fastest)]
    speeds[target] = run(target)
    if speeds[target] == 0:
        break
    turn += 1
sys.exit(any(speed == 0 for speed in speeds.values()))
