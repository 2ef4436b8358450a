"""Time and memory of each prior estimator from a thousand rows to a million. Needs Python only.

    cargo build --release -p onesided-tools --bin prior_growth
    python growth.py target/release/prior_growth OUT.jsonl [ESTIMATOR,...]

Each estimator runs in its own process on simulated rows of five columns with true scores (benches/tools/src/bin/prior_growth.rs),
point estimate and interval together; the peak memory is that of the whole process, the rows included. A size that takes more
than LIMIT seconds ends the row. Lines that are there already are not repeated.
"""

import json
import os
import re
import subprocess
import sys
from threading import Timer

SIZES = [1_000, 10_000, 100_000, 1_000_000]
NAMES = ["plateau", "bbe", "dedpul", "alphamax", "elkan-noto-top", "elkan-noto", "tice", "km1", "km2", "pen-l1"]
LIMIT = 300


def run(binary, rows, name):
    process = subprocess.Popen([binary, str(rows), "5", "0.3", "3", name], stdout=subprocess.PIPE, text=True)
    timer = Timer(LIMIT, process.kill)
    timer.start()
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    line = next((line for line in text.splitlines() if line.split()[:1] == [name]), "")
    found = re.search(r"([0-9.]+) +\[.*\] +([0-9.]+) s", line)
    if status or not found:
        return {"error": f"more than {LIMIT} s" if status else line}
    return {"mu": float(found[1]), "seconds": float(found[2]), "peak_mib": round(usage.ru_maxrss / 1024, 1)}


def main():
    binary, out = sys.argv[1], sys.argv[2]
    names = sys.argv[3].split(",") if len(sys.argv) > 3 else NAMES
    done = set()
    if os.path.exists(out):
        done = {(r["estimator"], r["rows"]) for r in map(json.loads, open(out))}
    for name in names:
        for rows in SIZES:
            if (name, rows) in done:
                continue
            answer = run(binary, rows, name)
            with open(out, "a") as file:
                file.write(json.dumps({"estimator": name, "rows": rows, **answer}) + "\n")
            if "error" in answer:
                break


if __name__ == "__main__":
    main()
