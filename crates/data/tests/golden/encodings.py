"""Writes encodings.json: short texts, and the bytes that Python's codecs make of them in several encodings.

    python encodings.py
"""

import json
from pathlib import Path

WESTERN = "Größe, naïve café — “quoted” 12 €\n"
RUSSIAN = "Съешь ещё этих мягких булок\n"
JAPANESE = "東京タワーへ行きました。\nｶﾀｶﾅ, Hello\n"
CHINESE = "我爱北京天安门,北京欢迎你\n"
KOREAN = "한국어 텍스트, hello\n"
ALL = WESTERN + RUSSIAN + JAPANESE + CHINESE + KOREAN + "👍🏽 𠮷野家\n"

cases = [
    ("utf-8", "utf-8", ALL),
    ("utf-16le", "utf-16-le", ALL),
    ("utf-16be", "utf-16-be", ALL),
    ("gb18030", "gb18030", ALL),
    ("windows-1252", "cp1252", WESTERN),
    ("windows-1251", "cp1251", RUSSIAN),
    ("koi8-r", "koi8-r", RUSSIAN),
    ("shift_jis", "cp932", JAPANESE),
    ("euc-jp", "euc-jp", JAPANESE),
    ("iso-2022-jp", "iso-2022-jp", JAPANESE.replace("ｶﾀｶﾅ", "カナ")),
    ("big5", "big5", "臺灣的天氣很好,hello\n"),
    ("euc-kr", "euc-kr", KOREAN),
]

golden = [(label, (text * 3).encode(codec).hex(), text * 3) for label, codec, text in cases]
path = Path(__file__).with_suffix(".json")
path.write_text(json.dumps(golden, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
