"""The command ``onesided``, as the wheel puts it on the PATH."""

from __future__ import annotations

import sys

from ._onesided import main as run


def main() -> int:
    """Run the command with the arguments of this process and return its exit code."""
    return run(["onesided", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
