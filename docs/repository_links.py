"""A preprocessor of mdBook: links that lead out of docs/ become links into the repository.

The pages are read in the repository, too, where `../benches/README.md` is right. ARCHITECTURE.md and CONTRIBUTING.md are chapters of the
book whose own links start at the root.
"""

import json
import posixpath
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ADDRESS = re.search(r'^repository = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE).group(1)
CHAPTERS = {"ARCHITECTURE.md": "architecture.md", "CONTRIBUTING.md": "contributing.md"}


def target(link: str, folder: str) -> str:
    """Where a link of a page in `folder`, relative to the root, leads in the book."""
    if re.match(r"[a-z]+:|#", link):
        return link
    path, _, anchor = link.partition("#")
    path = posixpath.normpath(posixpath.join(folder, path))
    anchor = f"#{anchor}" if anchor else ""
    if path in CHAPTERS:
        path = f"docs/{CHAPTERS[path]}"
    if path.startswith("docs/"):
        return posixpath.relpath(path, folder or "docs") + anchor
    return f"{ADDRESS}/blob/main/{path}{anchor}"


def rewrite(chapter: dict) -> None:
    page = chapter.get("path") or ""
    folder = "" if page in CHAPTERS.values() else posixpath.dirname(f"docs/{page}")
    replaced = lambda found: f"]({target(found.group(1), folder)})"  # noqa: E731
    chapter["content"] = re.sub(r"\]\(([^)\s]+)\)", replaced, chapter["content"])
    for part in chapter.get("sub_items", []):
        if "Chapter" in part:
            rewrite(part["Chapter"])


def main() -> None:
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    for part in book.get("items", book.get("sections", [])):
        if "Chapter" in part:
            rewrite(part["Chapter"])
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
