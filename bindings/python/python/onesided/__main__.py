"""``python -m onesided`` is the command."""

import sys

from ._command import main

sys.exit(main())
