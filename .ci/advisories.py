"""Advisories on the crates in the lock files, from a snapshot of the RustSec database: no network is needed.

python3 .ci/advisories.py                     # says which crates have one; exit code 1 if there are any
python3 .ci/advisories.py --update FOLDER     # makes the snapshot anew from a clone of github.com/rustsec/advisory-db
python3 .ci/advisories.py --test

The snapshot (advisories.json) holds number, crate, date, title and versions; the database is in the public domain (CC0 1.0).
Notes that a crate is no longer maintained are printed and do not fail the check.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
SNAPSHOT = HERE / "advisories.json"
LOCKS = [HERE.parent / "Cargo.lock", HERE.parent / "fuzz/Cargo.lock"]


def numbers(version):
    """Major, minor, patch, and whether it is a release: a pre-release comes before its release."""
    core, _, before = version.split("+")[0].partition("-")
    parts = [int(part) for part in core.split(".")]
    return (*(parts + [0, 0])[:3], 0 if before else 1)


def holds(version, requirement):
    """Whether a version meets a requirement such as `>= 1.2, < 2` or `^0.3.1`, as Cargo reads them."""
    for part in requirement.split(","):
        operator, wanted = re.fullmatch(r"\s*(>=|<=|>|<|=|\^|~)?\s*(\S+)\s*", part).groups()
        found, low = numbers(version), numbers(wanted)
        given = wanted.split("-")[0].count(".") + 1
        if operator in ("^", None):
            first = next((at for at in range(given) if low[at]), given - 1)
            high = (*low[:first], low[first] + 1, 0, 0, 0)[:3] + (0,)
            good = low <= found < high
        elif operator == "~":
            good = low <= found and found[: min(given, 2)] == low[: min(given, 2)]
        else:
            good = {">=": found >= low, "<=": found <= low, ">": found > low, "<": found < low, "=": found == low}[operator]
        if not good:
            return False
    return True


def update(folder):
    files = sorted(Path(folder).glob("crates/*/RUSTSEC-*.md"))
    entries = []
    for file in files:
        text = file.read_text()
        facts = tomllib.loads(text.split("```toml", 1)[1].split("```", 1)[0])
        about, versions = facts["advisory"], facts.get("versions", {})
        if "withdrawn" in about:
            continue
        title = re.search(r"^# (.*)$", text, re.M)
        entry = {"id": about["id"], "crate": about["package"], "date": str(about["date"]), "title": title[1] if title else ""}
        entry |= {"kind": about.get("informational"), "fine": versions.get("patched", []) + versions.get("unaffected", [])}
        entries.append(entry)
    commit = subprocess.run(["git", "-C", folder, "log", "-1", "--format=%H %cs"], capture_output=True, text=True, check=True)
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    SNAPSHOT.write_text(f'{{"database": "{commit.stdout.strip()}", "advisories": [\n{lines}\n]}}\n')


def check():
    snapshot = json.loads(SNAPSHOT.read_text())
    crates = {(package["name"], package["version"]) for lock in LOCKS
              for package in tomllib.loads(lock.read_text())["package"] if "source" in package}
    looked_at, found = 0, 0
    for entry in snapshot["advisories"]:
        for name, version in sorted(crates):
            if name != entry["crate"]:
                continue
            looked_at += 1
            if any(holds(version, fine) for fine in entry["fine"]):
                continue
            harmless = entry["kind"] in ("unmaintained", "notice")
            print(f"{'note' if harmless else 'FOUND'}: {name} {version}: {entry['title']} ({entry['id']}, {entry['date']})")
            found += not harmless
    print(f"{len(crates)} crates, {looked_at} advisories on them of {len(snapshot['advisories'])} as of {snapshot['database'].split()[1]}: {found} hold")
    return found


def test():
    for version, requirement, answer in [
        ("1.2.3", ">= 1.2, < 2", True), ("2.0.0", ">= 1.2, < 2", False), ("0.3.2", "^0.3.1", True), ("0.4.0", "^0.3.1", False),
        ("1.9.0", "^1.2", True), ("2.0.0", "^1.2", False), ("0.0.3", "^0.0.3", True), ("0.0.4", "^0.0.3", False),
        ("1.2.9", "~1.2.3", True), ("1.3.0", "~1.2.3", False), ("1.0.0-rc.1", ">= 1.0.0", False), ("1.0.0", "1", True),
        ("1.1.8+spec-1.1.0", ">= 1.1.8", True), ("25.12.19", ">= 22.9.29", True),
    ]:
        assert holds(version, requirement) == answer, (version, requirement)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--update", metavar="FOLDER")
parser.add_argument("--test", action="store_true")
arguments = parser.parse_args()
if arguments.test:
    test()
elif arguments.update:
    update(arguments.update)
else:
    sys.exit(1 if check() else 0)
