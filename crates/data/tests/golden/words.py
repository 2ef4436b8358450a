"""Writes words.json: texts of mixed scripts, and the terms that the rule of crates/data/src/text/words.rs gives.

    python words.py

The rule is written here a second time, from the names and categories of Python's unicodedata (Unicode 14) in place of
ranges of code points. `kinds` lists what each assigned character is.
"""

import json
import random
import sys
import unicodedata
from pathlib import Path

CHARACTERS = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION", "IDEOGRAPHIC CLOSING",
    "IDEOGRAPHIC NUMBER ZERO", "VERTICAL IDEOGRAPHIC ITERATION", "VERTICAL KANA", "MASU MARK", "HIRAGANA", "KATAKANA",
    "HALFWIDTH KATAKANA", "HENTAIGANA",
)  # fmt: skip
LETTERS = ("THAI CHARACTER", "LAO", "KHMER", "MYANMAR")
PICTURES = [range(0x2600, 0x27C0), range(0x2B05, 0x2B56), range(0x1F000, 0x1FB00)]
CLOCKS = [0x231A, 0x231B, *range(0x23E9, 0x23FB)]


def kind(c):
    name, category = unicodedata.name(c, ""), unicodedata.category(c)
    if "VARIATION SELECTOR-" in name and "MONGOLIAN" not in name:
        return "selector"
    if name.startswith(CHARACTERS) and (category[0] == "L" or category == "Nl"):
        return "mark" if "VOICED SOUND MARK" in name and name.startswith("HALFWIDTH") else "character"
    if name.startswith("COMBINING KATAKANA-HIRAGANA"):
        return "mark"
    if name.startswith(LETTERS) and category[0] in "LM":
        return "letter" if category[0] == "L" else "mark"
    if 0x1F3FB <= ord(c) <= 0x1F3FF:
        return "tone"
    if category in ("So", "Sm") and (any(ord(c) in block for block in PICTURES) or ord(c) in CLOCKS):
        # Squared and circled letters are letters by Unicode's property Alphabetic.
        alphabetic = 0x1F130 <= ord(c) <= 0x1F149 or 0x1F150 <= ord(c) <= 0x1F169 or 0x1F170 <= ord(c) <= 0x1F189
        if alphabetic:
            return "word"
        return "flag" if name.startswith("REGIONAL") else "emoji"
    if 0xE0020 <= ord(c) <= 0xE007F:
        return "tag"
    if c.isalnum():
        return "word"
    return "joiner" if c == "\u200d" else "gap"


def pieces(text):
    """Lists of units: ("word", [word, ...]) across gaps, and ("character" or "letter", [unit, ...])."""
    found, at = [], 0
    units = None  # the run of characters or letters that is open
    while at < len(text):
        c, k = text[at], kind(text[at])
        at += 1
        if k in ("character", "letter"):
            if units is None or units[0] != k:
                units = (k, [])
                found.append(units)
            units[1].append(c)
            continue
        if k == "mark" and units is not None:
            units[1][-1] += c
            continue
        if k == "selector" and units is not None:
            continue
        units = None
        if k in ("gap", "joiner", "selector", "mark", "tag"):
            continue
        if k == "word":
            word = c
            while at < len(text) and kind(text[at]) == "word":
                word += text[at]
                at += 1
            token, emoji = word.lower(), False
        else:
            token, emoji = c, True
            if k == "flag" and at < len(text) and kind(text[at]) == "flag":
                token += text[at]
                at += 1
            while at < len(text):
                if kind(text[at]) == "selector":
                    at += 1
                elif kind(text[at]) in ("tone", "tag"):
                    token += text[at]
                    at += 1
                elif kind(text[at]) == "joiner" and at + 1 < len(text) and kind(text[at + 1]) == "emoji":
                    token += text[at : at + 2]
                    at += 2
                else:
                    break
        if not found or found[-1][0] != "word":
            found.append(("word", []))
        found[-1][1].append((token, emoji))
    return found


def terms(text, low, high, shortest, stop):
    result = []
    for what, units in pieces(text):
        if what == "word":
            kept = [t for t, emoji in units if (emoji or len(t) >= shortest) and t not in stop]
            grams = [" ".join(kept[i : i + n]) for n in range(low, high + 1) for i in range(len(kept) - n + 1)]
        else:
            first, last = (low, high + 1) if what == "character" else (low + 1, high + 2)
            if low == 1 and len(units) < first:
                first = len(units)
            grams = ["".join(units[i : i + n]) for n in range(first, last + 1) for i in range(len(units) - n + 1)]
            grams = [g for g in grams if g not in stop]
        result += grams
    return sorted(result)


TEXTS = [
    "我爱北京天安门。",
    "東京タワーへ行きました。ﾊﾝｶｸ ｶﾞｷﾞ が(か\u3099) 人々 〇 コーヒー・ミルク",
    "iPhone15の新機能 is GREAT 😀👍🏽!! Café 2024年",
    "👩‍👩‍👧‍👦 family, ❤️‍🔥 and ❤️ ❤ 🇩🇪🇫🇷 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏳️‍🌈 ★★★☆ ☺️",
    "สวัสดีครับ ผมชื่อสมชาย อายุ ๒๕ ปี OK",
    "ສະບາຍດີ ຂ້ອຍ ១២ ភាសាខ្មែរ မြန်မာဘာသာ ၁၂",
    "한국어 텍스트와 漢字 混用 привет мир",
    "葛\U000e0100飾区 x² ❶ 🅰️ 1️⃣ a\u200db 😀\u200d 🏽 \u200d",
    "one，two、三 “quoted” — it’s",
    "",
    " 。、 ",
]
rng = random.Random(3)
alphabet = list("aBé9 ,.的我京あァｶﾞー・กาน้ລກ្မ😀👍🏽❤\ufe0f\u200d🇩★Ж’")
TEXTS += ["".join(rng.choices(alphabet, k=rng.randrange(1, 40))) for _ in range(60)]

cases = []
for text in TEXTS:
    for low, high, shortest, stop in [(1, 1, 2, []), (1, 2, 1, ["的", "great", "北京", "😀"]), (2, 3, 2, [])]:
        cases.append([text, low, high, shortest, stop, terms(text, low, high, shortest, stop)])

# Runs of code points of one kind; "other" is a word or a gap, and what is left out is unassigned.
kinds = []
for code in range(sys.maxunicode + 1):
    if unicodedata.category(chr(code)) in ("Cn", "Cs", "Co"):
        continue
    k = kind(chr(code))
    k = "other" if k in ("word", "gap") else k
    if kinds and kinds[-1][1] == code - 1 and kinds[-1][2] == k:
        kinds[-1][1] = code
    else:
        kinds.append([code, code, k])

lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
golden = '{"kinds": %s,\n"cases": [\n%s\n]}\n' % (json.dumps(kinds), lines)
Path(__file__).with_suffix(".json").write_text(golden, encoding="utf-8")
