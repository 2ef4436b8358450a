"""Writes glyphs.txt: the outlines of DejaVu Sans that PNG pictures are lettered with.

    python glyphs.py /path/to/DejaVuSans.ttf > glyphs.txt

Needs fonttools. One line per glyph: code point in hexadecimal, advance width, then its outline, in font units (2048 an em,
y pointing up): M x y starts a contour, L x y a straight line, Q cx cy x y a quadratic curve. Contours are closed.
"""

import sys

from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont

CHARACTERS = (
    [chr(c) for c in range(0x20, 0x7F)]
    + [chr(c) for c in range(0xA1, 0x100)]
    + [chr(c) for c in range(0x391, 0x3CA) if c != 0x3A2]
    + list("\u0302\u0304–—‘’“”…†•₀₁₂₃₄₅₆₇₈₉ₙₚᵤ←↑→↓∂∈∑−√∞∫≈≠≤≥½¼✓")
)


class Written(BasePen):
    def __init__(self, glyphs):
        super().__init__(glyphs)
        self.parts = []

    def _moveTo(self, p):
        self.parts += ["M", p[0], p[1]]

    def _lineTo(self, p):
        self.parts += ["L", p[0], p[1]]

    def _qCurveToOne(self, c, p):
        self.parts += ["Q", c[0], c[1], p[0], p[1]]

    def _curveToOne(self, a, b, c):
        raise ValueError("a cubic curve in a TrueType font")


def main():
    font = TTFont(sys.argv[1])
    assert font["head"].unitsPerEm == 2048
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    print("# DejaVu Sans, a part of its outlines; made by glyphs.py; license in LICENSE.")
    for character in sorted(set(CHARACTERS)):
        name = names.get(ord(character))
        if name is None:
            continue
        pen = Written(glyphs)
        glyphs[name].draw(pen)
        parts = [part if isinstance(part, str) else str(round(part)) for part in pen.parts]
        print(f"{ord(character):x}", glyphs[name].width, *parts)


main()
