"""Runs the pages of the gallery as their readers would, and compares what they show.

    python .ci/gallery.py ONESIDED [--keep FOLDER] [PAGE …]

ONESIDED is the command. Every page is run in an empty folder with the repository's scripts in it; what it writes is kept in FOLDER,
for `examples/gallery/pictures.mjs`. Needs what `examples/gallery/data.py` needs, and PyPI.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from readme import is_shown, run, steps  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]


def try_page(page: Path) -> int:
    printed, fresh, commands = "", True, 0
    for kind, lines in steps(page.read_text(encoding="utf-8")):
        if kind == "command":
            printed = ("" if fresh else printed) + run(lines[0])
            fresh, commands = False, commands + 1
        elif kind == "text":
            for line in lines:
                if line.strip("…") and not any(is_shown(line, other) for other in printed.splitlines()):
                    sys.exit(f"{page.name} shows\n{line}\nwhich is not in\n{printed}")
            fresh = True
    return commands


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", type=Path)
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    names, keep = arguments.pages, arguments.keep and arguments.keep.resolve()
    os.environ["PATH"] = f"{Path(arguments.command).resolve().parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    pages = [ROOT / "docs" / "gallery" / f"{name}.md" for name in names] or sorted((ROOT / "docs" / "gallery").glob("*.md"))
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("examples", "benches"):
                os.symlink(ROOT / name, Path(folder, name))
            os.chdir(folder)
            start = time.monotonic()
            commands = try_page(page)
            if commands < 4:
                sys.exit(f"{page.name}: only {commands} commands were found")
            print(f"{page.name}: {commands} commands, {time.monotonic() - start:.0f} s", flush=True)
            if keep:
                shutil.copytree(Path(folder, page.stem), keep / page.stem, dirs_exist_ok=True)
            os.chdir(ROOT)


if __name__ == "__main__":
    main()
