"""Writes entities.json: character entities of web pages, and what Python's html.unescape makes of them.

    python entities.py

Left out: control characters and noncharacters, which Python drops and browsers keep.
"""

import html
import html.entities
import json
from pathlib import Path

written = [f"&{name};" for name in sorted(html.entities.name2codepoint)] + ["&apos;"]
codes = [9, 10, 33, 65, 160, 233, 0x20AC, 0x4E1C, 0xD7FF, 0xE000, 0xFFFD, 0x1F600, 0x10FFFD]
codes += [0, 0xD800, 0xDFFF, 0x110000, 10**9]
codes += [code for code in range(128, 160) if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)]
for code in codes:
    written += [f"&#{code};", f"&#{code} x", f"&#x{code:x};", f"&#X{code:X};y"]

golden = [[entity, html.unescape(entity)] for entity in written]
path = Path(__file__).with_suffix(".json")
path.write_text(json.dumps(golden, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
