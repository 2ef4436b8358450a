"""The README in a new user's hands: runs its commands, its Python and its Rust from top to bottom, and compares what they print.

Run by `.ci/packages readme` and `.ci/release try`, in a folder with `examples/`, where `onesided` is on the path, and with `--rust`
`user`, the README's Rust.

    readme.py README.md [--python] [--rust]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

# Lines for people with a clone, which a new user does not have: they are how this command was built.
OF_THE_CLONE = ("cargo ", "pip ")

# What the README's Python takes as given.
ARRAYS = """
import numpy
_table = numpy.genfromtxt("examples/train.csv", delimiter=",", skip_header=1)
X, y = _table[:, :-1], _table[:, -1]
X_new = numpy.genfromtxt("examples/new.csv", delimiter=",", skip_header=1)[:, 1:7]
"""


def steps(page: str):
    """Commands of a page and blocks of code, in their order: kind and lines."""
    lines = page.splitlines()
    at = 0
    while at < len(lines):
        if match := re.match(r"```(\w+)$", lines[at]):
            end = lines.index("```", at)
            yield match[1], lines[at + 1 : end]
            at = end
        elif lines[at].startswith("    "):
            yield "command", [lines[at].strip()]
        at += 1


def is_shown(shown: str, printed: str) -> bool:
    """Whether a printed line is the one shown: up to `…`, the last digits of numbers, and seconds."""
    words = [[word for word in re.split(r"[\s\[\](),]+", line) if word] for line in (shown.rstrip("…"), printed)]
    if len(words[0]) > len(words[1]) or (not shown.endswith("…") and len(words[0]) < len(words[1])):
        return False
    for at, (a, b) in enumerate(zip(*words)):
        is_time = words[0][at + 1 : at + 2] == ["s"]
        try:
            alike = abs(float(a) - float(b)) <= 0.05 * max(abs(float(a)), 0.1)
        except ValueError:
            alike = a == b
        if not (alike or is_time):
            return False
    return True


def run(command: list[str] | str) -> str:
    done = subprocess.run(command, shell=isinstance(command, str), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stderr + done.stdout


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--rust", action="store_true")
    arguments = parser.parse_args()
    printed, counts = "", {"command": 0, "text": 0, "python": 0, "rust": 0}
    fresh = True
    for kind, lines in steps(arguments.page.read_text(encoding="utf-8")):
        if kind == "command":
            if lines[0].startswith(OF_THE_CLONE):
                continue
            # A block of text shows what the commands since the last one printed.
            printed = ("" if fresh else printed) + run(lines[0])
            fresh = False
        elif kind == "text":
            for line in lines:
                if line.strip("…") and not any(is_shown(line, other) for other in printed.splitlines()):
                    sys.exit(f"the README shows\n{line}\nwhich is not in\n{printed}")
            fresh = True
        elif kind == "python":
            if not arguments.python:
                continue
            run([sys.executable, "-W", "ignore", "-c", ARRAYS + "\n".join(lines)])
        elif kind == "rust":
            if not arguments.rust:
                continue
            print("Rust:", run(["user"]).strip())
        counts[kind] += len(lines)
    if counts["command"] < 4 or counts["text"] < 12 or (arguments.rust and counts["rust"] < 4):
        sys.exit(f"too little of the README was found: {counts}")
    print("the README holds for a new user:", ", ".join(f"{count} lines of {kind}" for kind, count in counts.items()))


if __name__ == "__main__":
    main()
