#!/usr/bin/env python3
"""Training on a machine that has other work: threads by default and one thread, alone and next to busy loops.

    cargo bench -p onesided-net --bench busy --no-run     # names the program
    python3 benches/busy.py PROGRAM [--against PROGRAM] [--rounds 7] [--loops 2] [--quiet 0.05] [--out FILE]

Every reading is its own process. A round takes each reading once, in turn, so that a change of the machine meets all
of them. The table has medians over rounds with the lowest and highest, and ratios within a round likewise. `--against` is the
same program built from another version: it is read in the same rounds and must learn the same weights, bit for bit.
A reading during which other programs used more than `--quiet` of a core is taken again, up to `--tries` times, and counted
in the last column if it never was quiet. Linux only, since it asks /proc who used the cores.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time

JOBS = ["mlp 128", "mlp 512", "cnn 64"]


def used():
    """Seconds that all cores were busy since the start of the machine."""
    with open("/proc/stat") as file:
        user, nice, system, _idle, _wait, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def reading(program, job, threads, loops):
    """Seconds, the weights' hash, and the share of a core that others had."""
    before, own, start = used(), of_children(), time.time()
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(loops)]
    try:
        text = subprocess.run([program, str(job), str(threads)], check=True, capture_output=True, text=True).stdout
    finally:
        for loop in busy:
            loop.kill()
            loop.wait()
    seconds, weights = text.split()
    foreign = (used() - before - (of_children() - own)) / (time.time() - start)
    return {"seconds": float(seconds), "weights": weights, "others": round(foreign, 3)}


def spread(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f} – {max(values):.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--against")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--loops", type=int, default=os.cpu_count())
    parser.add_argument("--quiet", type=float, default=0.05)
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--out", help="a file for every reading, a line of JSON each")
    flags = parser.parse_args()
    versions = {"this": flags.program} | ({"other": flags.against} if flags.against else {})
    out = open(flags.out, "w") if flags.out else None
    print("| job | busy loops | version | threads by default, s | one thread, s | default / one | not quiet |")
    print("|---|---|---|---|---|---|---|")
    for number, job in enumerate(JOBS):
        for loops in (0, flags.loops):
            taken = {}
            for round_ in range(flags.rounds):
                for version, program in versions.items():
                    for threads in (0, 1):
                        for attempt in range(flags.tries):
                            one = reading(program, number, threads, loops)
                            if one["others"] <= flags.quiet:
                                break
                            time.sleep(1)
                        taken.setdefault((version, threads), []).append(one)
                        if out:
                            line = {"job": job, "loops": loops, "version": version, "threads": threads, "round": round_}
                            out.write(json.dumps(line | one) + "\n")
                            out.flush()
            for threads in (0, 1):
                if len({one["weights"] for version in versions for one in taken[version, threads]}) != 1:
                    sys.exit(f"{job}: versions differ in what they learn")
            seconds = {key: [one["seconds"] for one in all_] for key, all_ in taken.items()}
            loud = {key: sum(one["others"] > flags.quiet for one in all_) for key, all_ in taken.items()}
            for version in versions:
                both = seconds[version, 0], seconds[version, 1]
                ratios = [a / b for a, b in zip(*both)]
                noisy = f"{loud[version, 0]} + {loud[version, 1]} of {flags.rounds}"
                print(f"| {job} | {loops} | {version} | {spread(both[0])} | {spread(both[1])} | {spread(ratios)} | {noisy} |")
            if flags.against:
                ratios = [
                    spread([a / b for a, b in zip(seconds["this", t], seconds["other", t])]) for t in (0, 1)
                ]
                print(f"| {job} | {loops} | this / other | {ratios[0]} | {ratios[1]} | | |", flush=True)


if __name__ == "__main__":
    main()
