"""Writes the files that fuzzing starts from, next to those of crates/data and crates/onesided: a sound one per form that a
reader knows, and some that lie. They are corpora of the tests, too (crates/cli/tests/hostile_files.rs).

python3 fuzz/seeds.py        # needs pyarrow for Arrow and Parquet
"""

import gzip
import json
import struct
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "crates/data/tests/fixtures"


def put(target, name, content, folder=ROOT / "crates/cli/tests/corpus"):
    path = folder / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


# Tables.
small = pa.table({"n": [1.5, None, 3.0], "c": ["a", None, "b"], "f": [True, False, None]})
sink = pa.BufferOutputStream()
with pa.ipc.new_stream(sink, small.schema) as writer:
    writer.write_table(small)
put("arrow", "stream", sink.getvalue().to_pybytes())
sink = pa.BufferOutputStream()
with pa.ipc.new_file(sink, small.schema) as writer:
    writer.write_table(small)
put("arrow", "file", sink.getvalue().to_pybytes())
codes = pa.table({"d": pa.array(["x", "y", "x"]).dictionary_encode(), "t": pa.array([1, 2, None], pa.timestamp("s"))})
for codec in ("lz4", "zstd", "uncompressed"):
    sink = pa.BufferOutputStream()
    pyarrow.feather.write_feather(codes, sink, compression=codec)
    put("arrow", f"feather-{codec}", sink.getvalue().to_pybytes())

put("json", "lines", '{"a": 1, "b": "x"}\n{"a": null, "b": "y", "c": {"d": [1, 2]}}\n{"b": true}\n')
put("json", "array", '[{"a": 1.5e3, "b": "\\u00e9\\ud83d\\ude00"}, {"a": -0, "b": ""}]')
put("json", "deep", "[" * 400 + "]" * 400)
put("json", "packed", gzip.compress(b'{"a": 1}\n{"a": 2}\n', mtime=0))
put("table", "csv", "a,b\n1,x\n2,y\n")
put("table", "json", '{"a": 1}\n{"a": 2}\n')
for name in ("plain.xlsx", "open.ods", "old.xls", "one.feather", "stream.arrow", "zstd.parquet"):
    put("table", name, (FIXTURES / name).read_bytes())

# New rows for an encoding of n, c, d, f (see readers.rs).
put("stream", "plain", "n,c,d,f,y\n1,a,2024-01-05,true,1\n2,b,2024-02-06,false,0\n3,c,,,0\n")
put("stream", "semicolons", "f;d;c;n\ntrue;2024-01-05;a;1,5\nfalse;2024-02-06;z;2,25\n")
put("stream", "quotes", 'n,c,d,f\n1,"a ""b""",2024-01-05,true\n\n2,"b\nc",05.02.2024,no\n3,b\n')
put("stream", "packed", gzip.compress(b"n,c,d,f\n1,a,2024-01-05,true\n", mtime=0))
put("stream", "utf-16", "n,c,d,f\n1,a,2024-01-05,true\n".encode("utf-16"))
sink = pa.BufferOutputStream()
rows = pa.table({"n": [1.0, 2.0, 3.0], "c": ["a", "b", None], "d": ["2024-01-05", None, "x"], "f": [True, None, False]})
pyarrow.parquet.write_table(rows, sink, row_group_size=2)
put("stream", "parquet", sink.getvalue().to_pybytes())

# Sheets, as their parts.
cut = "\n###\n"
head = '<?xml version="1.0"?>'
main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
package = "http://schemas.openxmlformats.org/package/2006"
put("sheet", "excel", "x" + cut.join([
    f'{head}<Types xmlns="{package}/content-types"></Types>',
    f'{head}<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" Type="{relation}/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    f'{head}<workbook xmlns="{main}" xmlns:r="{relation}"><workbookPr date1904="0"/><sheets><sheet name="one" sheetId="1" '
    'r:id="rId1"/></sheets></workbook>',
    f'{head}<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" Type="{relation}/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
    f'{head}<worksheet xmlns="{main}"><dimension ref="A1:B3"/><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" '
    't="inlineStr"><is><t>y</t></is></c></row><row r="2"><c r="A2" s="1"><v>45000</v></c><c r="B2" t="b"><v>1</v></c></row>'
    '<row r="3"><c r="A3"><f>1+1</f><v>2</v></c><c r="B3" t="e"><v>#N/A</v></c></row></sheetData></worksheet>',
    f'{head}<sst xmlns="{main}" count="1" uniqueCount="1"><si><t>day</t></si></sst>',
    f'{head}<styleSheet xmlns="{main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
]))
office = "urn:oasis:names:tc:opendocument:xmlns:"
put("sheet", "open", "o" + cut.join([
    "application/vnd.oasis.opendocument.spreadsheet",
    f'{head}<office:document-content xmlns:office="{office}office:1.0" xmlns:table="{office}table:1.0" '
    f'xmlns:text="{office}text:1.0"><office:body><office:spreadsheet><table:table table:name="one"><table:table-row>'
    '<table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell></table:table-row><table:table-row '
    'table:number-rows-repeated="2"><table:table-cell office:value-type="float" office:value="2" '
    'table:number-columns-repeated="2"><text:p>2</text:p></table:table-cell><table:table-cell office:value-type="date" '
    'office:date-value="2024-01-31"/></table:table-row></table:table></office:spreadsheet></office:body>'
    "</office:document-content>",
    f'{head}<manifest:manifest xmlns:manifest="{office}manifest:1.0"/>',
]))
record = lambda kind, body: bytes([kind & 0x7F | 0x80, kind >> 7, len(body)]) + body if kind > 127 else bytes([kind, len(body)]) + body
wide = lambda text: struct.pack("<I", len(text)) + text.encode("utf-16-le")
put("sheet", "binary", b"b" + cut.encode().join([
    record(131, b"") + record(143, b"") + record(156, struct.pack("<II", 0, 1) + wide("rId1") + wide("one")) + record(144, b""),
    f'{head}<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" Type="{relation}/worksheet" '
    'Target="worksheets/sheet1.bin"/></Relationships>'.encode(),
    record(129, b"") + record(148, struct.pack("<IIII", 0, 1, 0, 0)) + record(145, b"")
    + record(0, struct.pack("<I", 0) + bytes(21)) + record(6, struct.pack("<II", 0, 0) + wide("a"))
    + record(0, struct.pack("<I", 1) + bytes(21)) + record(5, struct.pack("<IId", 0, 0, 2.5)) + record(146, b"") + record(130, b""),
    b"", b"",
]))

# Dates, texts, formulas.
put("date", "years", "2024-01-31\n2024-02-29T23:59:60Z\n2024-12-31 08:15:30.123456+05:30\n0001-01-01\n9999-12-31\n")
put("date", "days", "31.12.2024\n01/02/2024 5:07 pm\n1 Jan 2024\n13/13/13\n29.2.1900\n")
put("date", "clocks", "23:59\n00:00:00.5\n12:30 am\n24:00\n")
put("date", "compact", "20241231\n19700101\n1704067200\n1704067200000\nMärz 5, 2024\n")
put("text", "html", b"\x00<!DOCTYPE html><p>a &amp; b &#x1F600; &bogus; <script>x</script><!-- c --><b")
put("text", "japanese", b"\x01" + "東京 is a city".encode("shift_jis"))
put("text", "chinese", b"\x02" + "北京 ok".encode("gb18030"))
put("text", "marked", b"\x00" + "mark é".encode("utf-16"))
put("text", "old", b"\x03caf\xe9 \x80 \x81")
put("formula", "square", "1 - (1 - x)^2")
put("formula", "log", "log(x) + 0.5*exp(-x)/(1+x)")
put("formula", "deep", "(" * 3000 + "x" + ")" * 3000)
put("formula", "powers", "x^x^x^x^-x^9")

# Pictures.
dot = (ROOT / "fuzz/dot.png").read_bytes()
put("picture", "gray.png", dot)
put("picture", "halves.jpg", (FIXTURES / "halves.jpg").read_bytes())
chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
vast = struct.pack(">IIBBBBB", 60000, 60000, 8, 6, 0, 0, 0)
put("picture", "vast.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", vast) + chunk(b"IDAT", zlib.compress(bytes(1000))))
colors = struct.pack(">IIBBBBB", 8, 8, 2, 3, 0, 0, 1)
put("picture", "palette.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", colors) + chunk(b"PLTE", bytes(12)) + chunk(b"tRNS", bytes(2))
    + chunk(b"IDAT", zlib.compress(bytes(60))) + chunk(b"IEND", b""))

# Published sets: the format in the first byte (crates/experiment/src/published/hostile.rs).
DATA = ROOT / "crates/experiment/tests/corpus"
labels = bytes([0, 0, 8, 1]) + struct.pack(">I", 2) + bytes([0, 1])
images = bytes([0, 0, 8, 3]) + struct.pack(">III", 2, 28, 28) + bytes(2 * 784)
put("set", "mnist", b"\x00" + labels + images, DATA)
put("set", "mnist-packed", b"\x00" + labels + gzip.compress(images, mtime=0), DATA)
put("set", "labels", b"\x01" + labels, DATA)
put("set", "usps", b"\x02" + b"".join(f"{digit}.0000 ".encode() + b"-1.000 " * 256 + b"\n" for digit in (0, 1)), DATA)


def element(kind, body):
    return struct.pack("<II", kind, len(body)) + body + bytes(-len(body) % 8)


def array(kind, name, dimensions, values, storage):
    parts = element(6, struct.pack("<II", kind, 0)) + element(5, struct.pack(f"<{len(dimensions)}i", *dimensions))
    return element(14, parts + element(1, name) + element(storage, values))


x = array(9, b"X", [32, 32, 3, 2], bytes(2 * 3072), 2)
y = array(9, b"y", [2, 1], bytes([10, 1]), 2)
matlab = b"MATLAB 5.0".ljust(116) + bytes(8) + struct.pack("<H", 0x0100) + b"IM"
packed = b"".join(struct.pack("<II", 15, len(z)) + z for z in (zlib.compress(x), zlib.compress(y)))
put("set", "svhn", b"\x03" + matlab + packed, DATA)
put("set", "matlab", b"\x04" + matlab + array(6, b"y", [2, 1], struct.pack("<dd", 1, 10), 9), DATA)
put("set", "words", b"\x05the 0.1 -0.2 3e-1\na 1 2 3\n. . . 1 2 3\n", DATA)
put("set", "cifar", b"\x06" + bytes(3073) + b"\x09" + bytes(3072), DATA)

# What experiments read.
put("spec", "small", """title = "small"
hidden = [0.2, 0.8]
seeds = [1, 2]
prior_errors = [0.0, 0.1]
printed = { file = "paper.toml", table = "accuracy" }
reuse = ["results/other.jsonl"]
[train]
network = "mlp:4"
epochs = 2
batch = 16
learning_rate = 1e-2
[[data]]
name = "digits"
title = "digits"
positive = ["0", "2"]
[[method]]
name = "collective"
[[method]]
name = "nnpu"
title = "nnPU"
[[adjust]]
data = ["digits"]
method = ["nnpu"]
epochs = 3
""")
for name in ("figure.toml", "classic.toml", "table1.toml"):
    put("spec", name, (ROOT / "experiments" / name).read_bytes())
put("printed", "two", '[accuracy]\n"mnist/0.2/upu" = [99.2, 0.03]\n"svhn/0.2/ldce" = [78.5]\n')
put("printed", "wrong", '[accuracy]\n"mnist" = [1, 2, 3]\n[accuracy.x]\n')
line = (ROOT / "experiments/results/classic.jsonl").read_text().split("\n")
put("results", "two", "\n".join(line[:2]) + "\n")
put("results", "half", "\n".join(line[:2])[:-30])
put("results", "open", line[0])

# What models leave next to themselves.
columns = "row,positive,stratum,first,last,drawn,rows,predicted,probability,seed,model,table\n"
drawn = "".join(f"{i},{'yes' if i % 2 else 'no'},{1 + i // 5},{1 + 10 * (i // 5)},{10 + 10 * (i // 5)},5,20,8,0.5,7,ab,cd\n" for i in range(10))
put("audit", "answered", columns + drawn)
put("audit", "sheet", columns.replace(",", ";") + drawn.replace(",", ";"))
put("audit", "blank", columns + drawn.replace("yes", "").replace("no", "1.0"))
keyed = (ROOT / "crates/cli/tests/fixtures/audit_version_2.csv").read_text().split("\n")
put("audit", "keyed", "\n".join(keyed[:13]) + "\n")
head = b"onesrows" + struct.pack("<IIQQQ", 1, 0, 0, 5, 3)
put("rows", "three", head + struct.pack("<QQQfff", 1, 2, 3, 0.5, -1.0, float("nan")) + bytes([0, 1, 2]) + bytes(4))
label = b'{"column":"y","positive":["1"]}'
head = b"onesrows" + struct.pack("<IIQQQ", 2, 0, 0, 5, 1)
put("rows", "labeled", head + struct.pack("<Qf", 9, 0.5) + bytes([1]) + struct.pack("<I", len(label)) + label + bytes(4))
put("rows", "none", b"onesrows" + struct.pack("<IIQQQ", 1, 1, 0, 5, 0) + bytes(4))


def checkpoint(sound, epochs=None):
    """The file without its sum, as older ones are, with room for any run's fingerprint, and with this many epochs done."""
    length = struct.unpack("<Q", sound[:8])[0]
    about = json.loads(sound[8 : 8 + length])
    note = about["__metadata__"]
    note.pop("checksum", None)
    before, after = note["onesided-checkpoint"].split('"fingerprint":', 1)
    digits = len(after) - len(after.lstrip(" 0123456789"))
    note["onesided-checkpoint"] = f'{before}"fingerprint":{"0".rjust(20)}{after[digits:]}'
    if epochs is not None:
        facts = json.loads(note["onesided-checkpoint"])
        place = f'"history":{json.dumps(facts["history"], separators=(",", ":"))}'
        shorter = f'"history":{json.dumps(facts["history"][:epochs], separators=(",", ":"))}'
        assert place in note["onesided-checkpoint"]
        note["onesided-checkpoint"] = note["onesided-checkpoint"].replace(place, shorter)
    text = json.dumps(about, separators=(",", ":"))
    text = text.ljust(-(-len(text) // 8) * 8)
    return struct.pack("<Q", len(text)) + text.encode() + sound[8 + length :]


# A checkpoint that the reader's own run has left; it is made anew when the form of checkpoints changes.
put("checkpoint", "none", "")
sound = Path("/dev/shm/checkpoint")
if sound.exists():
    put("checkpoint", "sound", checkpoint(sound.read_bytes()))
    put("checkpoint", "half", checkpoint(sound.read_bytes(), 1))
    put("checkpoint", "cut", checkpoint(sound.read_bytes())[:-8])
