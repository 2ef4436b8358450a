"""Growing and scoring 100 trees next to LightGBM: both in turn on the same cores, seconds and peak memory, a JSON line each.

    cargo build --release -p onesided-tools --bin boosting_speed
    python3 benches/peers/trees_beside_lightgbm.py --ours target/release/boosting_speed --out speed.jsonl

`--before` takes another build of the example, which is measured in the same turns. The processes are held to `--cores` cores
and use as many threads. At the end: medians, the lowest and highest, and the ratio of times.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LINE = re.compile(r"bins ([\d.]+) s, 100 trees ([\d.]+) s, scores ([\d.]+) s(?:, ([0-9a-f]{16}))?")


def measure(command, cores):
    """What a command prints, and its peak memory in MiB."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command, stdout=out, preexec_fn=lambda: os.sched_setaffinity(0, cores))
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        found = LINE.search(out.read())
    if child.returncode != 0 or not found:
        raise RuntimeError(f"{command}: exit status {child.returncode}")
    bins, trees, scores = map(float, found.groups()[:3])
    line = {"bins": bins, "trees": trees, "both": round(bins + trees, 3), "scores": scores, "mib": used.ru_maxrss // 1024}
    return line | ({"hash": found.group(4)} if found.group(4) else {})


def main():
    parser = argparse.ArgumentParser(description="trees next to LightGBM")
    parser.add_argument("--ours", required=True, help="the example boosting_speed")
    parser.add_argument("--before", help="an earlier build of it")
    parser.add_argument("--sizes", nargs="+", default=["30000x14", "1000000x50"])
    parser.add_argument("--turns", type=int, default=5, help="of each; three of a large table")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no turn begins after this many")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    cores = set(sorted(os.sched_getaffinity(0))[: given.cores])
    programs = {"LightGBM": [sys.executable, str(HERE / "lightgbm_trees.py")], "onesided": [given.ours]}
    if given.before:
        programs["onesided before"] = [given.before]
    began, lines = time.time(), []
    with given.out.open("a") as file:
        for size in given.sizes:
            rows, columns = size.split("x")
            for turn in range(given.turns if int(rows) < 200_000 else min(3, given.turns)):
                if time.time() - began > given.seconds:
                    break
                for name, program in programs.items():
                    line = {"size": size, "turn": turn, "program": name, "threads": len(cores)}
                    line |= measure([*program, rows, columns, str(len(cores))], cores)
                    lines.append(line)
                    file.write(json.dumps(line) + "\n")
                    file.flush()
    for size in given.sizes:
        for part in ("bins", "trees", "both", "scores", "mib"):
            of = {name: [line[part] for line in lines if (line["size"], line["program"]) == (size, name)] for name in programs}
            if not all(of.values()):
                continue
            middle = {name: statistics.median(values) for name, values in of.items()}
            text = [f"{name} {middle[name]:g} ({min(of[name]):g} - {max(of[name]):g})" for name in programs]
            ratio = middle["onesided"] / middle["LightGBM"] if middle["LightGBM"] else float("nan")
            print(f"{size} {part}: {', '.join(text)}, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
