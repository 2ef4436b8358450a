"""Exact sums, rounded once: python3 crates/table/tests/golden/exact_sums.py > crates/table/tests/golden/exact_sums.txt

Sums are those of math.fsum (sums whose parts overflow are left to the property tests). Sums of products are those of fractions:
Python's division of whole numbers rounds to the nearest float, ties to the even one. A line has the kind, the sum and the terms, as
the bits of floats in hexadecimal.
"""

import math
import random
import struct
from fractions import Fraction


def bits(x):
    return format(struct.unpack("<Q", struct.pack("<d", x))[0], "016x")


def show(kind, total, terms):
    print(kind, bits(total), *map(bits, terms))


def any_float(draw, most):
    """A float of any size up to two to the power of `most`, subnormal ones among them."""
    power = draw.randint(-1074, most)
    return math.ldexp(draw.uniform(-1, 1), power)


draw = random.Random(37)
print("# kind sum terms")
for terms in (
    [], [0.0], [1e100, 0.1, -1e100, 0.2], [0.1] * 10, [1.0, 2.0**-53], [1.0, 2.0**-53, 2.0**-1074],
    [1.0 + 2.0**-52, 2.0**-53], [-1.0, -(2.0**-53), -(2.0**-200)], [5e-324] * 3, [2.0**-1022, -5e-324],
    [2.0**-1022, 2.0**-1023, 5e-324], [1.7976931348623157e308, -1e292], [2.0**1023, -(2.0**-1074)],
    [2.0**53, 1.0], [2.0**53, 1.0, 2.0**-1000], [2.0**54, 2.0, 2.0**-1000], [2.0**32, -1.0, 2.0**-32],
    [math.pi, -3.0, -0.14, -0.0015], [1e16, 1.0, -1e16],
):
    show("sum", math.fsum(terms), terms)
for _ in range(60):
    terms = [any_float(draw, 1000) for _ in range(draw.randint(1, 20))]
    show("sum", math.fsum(terms), terms)
for _ in range(120):
    # Much cancels: neighbors of each other, of other signs.
    power = draw.randint(-1040, 900)
    terms = [math.ldexp(draw.uniform(-1, 1), power + draw.randint(-60, 60)) for _ in range(draw.randint(2, 16))]
    terms += [-x for x in draw.sample(terms, len(terms) // 2)]
    draw.shuffle(terms)
    show("sum", math.fsum(terms), terms)


def products(terms):
    total = sum((Fraction(x) * Fraction(y) for x, y in zip(terms[::2], terms[1::2])), Fraction())
    return total.numerator / total.denominator


for terms in ([0.1, 0.1], [5e-324, 5e-324]):
    show("product", products(terms), terms)
for _ in range(100):
    power = draw.randint(-600, 400)
    terms = [math.ldexp(draw.uniform(-1, 1), power + draw.randint(-40, 40)) for _ in range(2 * draw.randint(1, 12))]
    show("product", products(terms), terms)
