"""Files that are larger than they look, each read with --memory 256M: peak memory, exit code and what was said.

python3 benches/promises/bombs.py target/release/onesided [--markdown FILE]

Linux; needs pyarrow. About 200 MB of scratch space and two minutes. A bomb passes if the command ends with exit code 2 (or 0, where
the table is honest), says one sentence, and never holds more than 256 MiB and a tenth.
"""

import argparse
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

LIMIT = 256 << 20
MEGABYTE = 1 << 20
FIT = "--label y --prior 0.5 --model linear --epochs 2 --out out.safetensors"


def write(name, *parts):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        for part in parts:
            file.write(part.encode() if isinstance(part, str) else part)


def sparse(name, size=20 << 30):
    """A file of many bytes that takes no place on the disk."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    with open(name, "wb") as file:
        file.truncate(size)


def packed(name, codec, start, piece, times):
    out = pa.CompressedOutputStream(name, codec)
    out.write(start)
    for _ in range(times):
        out.write(piece)
    out.close()


def container(name, parts):
    """A zip file whose parts are given as (name, start, repeated, times, end)."""
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for part, start, piece, times, end in parts:
            with out.open(part, "w", force_zip64=True) as file:
                file.write(start.encode())
                for _ in range(times):
                    file.write(piece)
                file.write(end.encode())


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"


def workbook(name, sheet, strings=(f'<sst xmlns="{MAIN}">', b"", 0, "</sst>")):
    head = '<?xml version="1.0"?>'
    container(name, [
        ("[Content_Types].xml", f'{head}<Types xmlns="{PACKAGE}/content-types"></Types>', b"", 0, ""),
        ("_rels/.rels", f'{head}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
         f'Type="{RELATION}/officeDocument" Target="xl/workbook.xml"/></Relationships>', b"", 0, ""),
        ("xl/workbook.xml", f'{head}<workbook xmlns="{MAIN}" xmlns:r="{RELATION}"><sheets><sheet name="one" sheetId="1" '
         'r:id="rId1"/></sheets></workbook>', b"", 0, ""),
        ("xl/_rels/workbook.xml.rels", f'{head}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
         f'Type="{RELATION}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>', b"", 0, ""),
        ("xl/worksheets/sheet1.xml", *sheet),
        ("xl/sharedStrings.xml", *strings),
    ])


def open_document(name, start, piece, times, end):
    head = (f'<?xml version="1.0"?><office:document-content xmlns:office="{OFFICE}office:1.0" xmlns:table="{OFFICE}table:1.0" '
            f'xmlns:text="{OFFICE}text:1.0"><office:body><office:spreadsheet><table:table table:name="one">')
    tail = "</table:table></office:spreadsheet></office:body></office:document-content>"
    container(name, [
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet", b"", 0, ""),
        ("content.xml", head + start, piece, times, end + tail),
        ("META-INF/manifest.xml", f'<manifest:manifest xmlns:manifest="{OFFICE}manifest:1.0"/>', b"", 0, ""),
    ])


def png(name, side, data=None):
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    if data is None:
        pack = zlib.compressobj(9)
        line = bytes(1 + side)
        data = b"".join(pack.compress(line) for _ in range(side)) + pack.flush()
    write(name, b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)),
          chunk(b"IDAT", data), chunk(b"IEND", b""))


def altered(model, change):
    """A model file of version 3 with its documents changed and its checksum made anew."""
    raw = Path(model).read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    header, data = json.loads(raw[8 : 8 + length]), raw[8 + length :]
    about = header["__metadata__"]
    change(header, about)
    about["checksum"] = f"{zlib.crc32(about['onesided'].encode() + about['model'].encode() + data):08x}"
    text = json.dumps(header)
    text = text.ljust(-(-len(text) // 8) * 8)
    return struct.pack("<Q", len(text)) + text.encode() + data


def bombs():
    """(what it is, command, may it end well)"""
    packed("zeros.csv.zst", "zstd", b"", bytes(MEGABYTE), 2000)
    yield "2 GB of zeros, `.csv.zst`", f"fit zeros.csv.zst {FIT}", False
    packed("zeros.csv.gz", "gzip", b"x,y\n", bytes(MEGABYTE), 500)
    yield "500 MB of zeros behind a header, `.csv.gz`", f"fit zeros.csv.gz {FIT}", False
    yield "`/dev/zero` as a table", f"fit /dev/zero {FIT}", False
    write("name.csv", b"n" * 50 * MEGABYTE, ",y\n1,1\n2,0\n")
    yield "a header of 50 MB", f"fit name.csv {FIT}", False
    write("commas.csv", "x", b"," * 3 * MEGABYTE, "\n1\n")
    yield "a header of 3,145,729 columns", f"fit commas.csv {FIT}", False
    write("quote.csv", 'x,y\n1,1\n2,"', b"a\n" * 60 * MEGABYTE)
    yield "a quote that never ends, 120 MB", f"fit quote.csv {FIT}", False
    row = b"7," * 400 + b"1\n"
    packed("numbers.csv.zst", "zstd", "".join(f"x{i}," for i in range(400)).encode() + b"y\n", row * 1000, 300)
    yield "300,000 rows of 400 numbers, `.csv.zst`", f"fit numbers.csv.zst {FIT}", False
    text = (b"word " * 2000 + b",1\n" + b"text " * 2000 + b",0\n") * 50
    packed("texts.csv.zst", "zstd", b"t,y\n", text, 400)
    yield "400 MB of text, `.csv.zst`", f"fit texts.csv.zst --text t {FIT}", False

    constant = pa.table({name: pa.array([1.0] * MEGABYTE) for name in "abcd"})
    with pq.ParquetWriter("rows.parquet", constant.schema) as out:
        for _ in range(40):
            out.write_table(constant)
    yield "42 million equal rows, Parquet", f"fit rows.parquet --label a --prior 0.5 --out out.safetensors", False
    pq.write_table(pa.table({"y": ["0", "1"] * 4096, "t": pa.array(["long " * 40_000]).take(pa.array([0] * 8192))}), "cells.parquet")
    yield "8,192 cells of one long text, Parquet", f"fit cells.parquet --text t {FIT}", False
    pq.write_table(pa.table({"v": [[1.0] * (17 << 20)], "y": ["1"]}), "list.parquet")
    yield "a list of 17 million numbers in one cell, Parquet", f"fit list.parquet {FIT}", False

    schema = pa.schema([("x", pa.float64()), ("y", pa.int64())])
    batch = pa.record_batch([pa.array([0.0] * MEGABYTE), pa.array([0] * MEGABYTE)], schema=schema)
    with pa.ipc.new_file("zeros.feather", schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as out:
        for _ in range(40):
            out.write_batch(batch)
    yield "42 million rows of zeros, Feather with Zstandard", f"fit zeros.feather {FIT}", False
    sound = Path("zeros.feather").read_bytes()
    at = sound.find(struct.pack("<q", 8 * MEGABYTE))
    write("lying.feather", sound[:at], struct.pack("<q", 1 << 60), sound[at + 8 :])
    yield "Feather whose buffer claims 2^60 bytes", f"fit lying.feather {FIT}", False

    rows = "".join(f'<row r="{i}"><c r="A{i}"><v>1</v></c><c r="B{i}"><v>0</v></c></row>' for i in range(2, 4))
    workbook("rows.xlsx", (f'<worksheet xmlns="{MAIN}"><sheetData>', rows.encode() * 10_000, 300, "</sheetData></worksheet>"))
    yield "600 MB of rows, `.xlsx`", f"fit rows.xlsx {FIT}", False
    workbook("strings.xlsx", (f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>', b"", 0, ""),
             (f'<sst xmlns="{MAIN}">', b"<si><t>text</t></si>" * 50_000, 500, "</sst>"))
    yield "25 million shared strings, `.xlsx`", f"fit strings.xlsx {FIT}", False
    corner = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    workbook("corner.xlsx", (f'<worksheet xmlns="{MAIN}"><dimension ref="A1:XFD1048576"/><sheetData>{corner}</sheetData></worksheet>', b"", 0, ""))
    yield "two cells at opposite corners, `.xlsx`", f"fit corner.xlsx {FIT}", False
    cell = '<table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="16384"/>'
    open_document("repeated.ods", f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>', b"", 0, "")
    yield "one cell repeated 17 billion times, `.ods`", f"fit repeated.ods {FIT}", False
    open_document("rows.ods", "", b'<table:table-row><table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell></table:table-row>' * 5000, 1000, "")
    yield "5 million rows, `.ods`", f"fit rows.ods {FIT}", False

    write("deep.json", b"[" * 100 * MEGABYTE)
    yield "100 million opening brackets, JSON", f"fit deep.json {FIT}", False
    packed("long.json.gz", "gzip", b'[{"x": "', b"a" * MEGABYTE, 1000)
    yield "a string of 1 GB, `.json.gz`", f"fit long.json.gz {FIT}", False
    keys = "".join(f'{{"k{i}": 1}}\n' for i in range(2_000_000))
    write("keys.jsonl", keys)
    yield "2 million objects of other keys, JSON lines", f"fit keys.jsonl {FIT}", False

    png("p/a.png", 60000, zlib.compress(bytes(60001 * 100)))
    png("u/b.png", 8)
    yield "a picture that says 60000 x 60000", "fit --positives p --unlabeled u --prior 0.5 --out out.safetensors", False
    png("p/a.png", 20000)
    yield "a picture of 20000 x 20000, 390 KB", "fit --positives p --unlabeled u --prior 0.5 --out out.safetensors", False
    sparse("t/a.txt")
    sparse("v/b.txt")
    yield "texts of 20 GB", "fit --positives t --unlabeled v --prior 0.5 --out out.safetensors", False

    table = "a,b,y\n" + "".join(f"{i % 7},{i % 5},{int(i % 4 == 0)}\n" for i in range(200))
    write("small.csv", table)
    subprocess.run([BINARY, *"fit small.csv --label y --prior 0.3 --model mlp:4 --epochs 2 --out m.safetensors".split()],
                   check=True, capture_output=True)
    sparse("vast.safetensors")
    yield "a model of 20 GB", "predict vast.safetensors small.csv", False
    write("head.safetensors", struct.pack("<Q", 90_000_000), b'{"__metadata__":{"a":"', b"x" * 89_999_970, b'"}}   ')
    yield "a model whose header is 90 MB", "predict head.safetensors small.csv", False
    wide = lambda header, about: about.update(model=re.sub(r'"outputs": ?4', '"outputs":1000000000', about["model"]))
    write("wide.safetensors", altered("m.safetensors", wide))
    yield "a model that says it has a billion units", "predict wide.safetensors small.csv", False
    shutil.copy("m.safetensors", "r.safetensors")
    sparse("r.safetensors.rows")
    yield "20 GB of rows next to a model", "predict r.safetensors small.csv", True
    sparse("c.1")
    yield "a checkpoint of 20 GB", f"fit small.csv {FIT} --checkpoint c", False

    spec = 'title = "t"\nhidden = [0.5]\nseeds = [{}]\n[train]\nnetwork = "linear"\nepochs = 1\n[[data]]\nname = "digits"\npositive = ["1"]\n[[method]]\nname = "collective"\n'
    write("seeds.toml", spec.format(",".join(map(str, range(2_000_000)))))
    yield "a spec of 2 million seeds", "experiment seeds.toml --dry-run", False
    sparse("vast.toml")
    yield "a spec of 20 GB", "experiment vast.toml --dry-run", False
    write("one.toml", spec.format(1))
    sparse("vast.jsonl")
    yield "results of 20 GB", "experiment one.toml --results vast.jsonl --dry-run", False
    sparse("audit.csv")
    yield "answers of 20 GB", "audit read m.safetensors audit.csv", False

    os.makedirs("sets/mnist")
    images = struct.pack(">IIII", 0x803, 60000, 28, 28)
    labels = struct.pack(">II", 0x801, 60000)
    for half in ("train", "t10k"):
        write(f"sets/mnist/{half}-labels-idx1-ubyte", labels, bytes(60000))
        write(f"sets/mnist/{half}-images-idx3-ubyte", struct.pack(">IIII", 0x803, 0xFFFFFFFF, 28, 28), b"\0" * 1000)
    yield "MNIST files that claim 4,294,967,295 images", "data check sets", False
    os.makedirs("glove")
    packed("glove/glove.6B.50d.txt.gz", "gzip", b"", b"a" + b" 0.1" * 100_000 + b"\n", 1000)
    yield "word vectors with lines of 400 KB", "data check glove", False
    for group in GROUPS:
        os.makedirs(f"news/20news-bydate-train/{group}")
        os.makedirs(f"news/20news-bydate-test/{group}")
    for i in range(480):
        write(f"news/20news-bydate-train/alt.atheism/{i}", b"")
        sparse(f"news/20news-bydate-train/alt.atheism/{i}", 1 << 30)
    yield "480 posts of 1 GB, 20 Newsgroups", "data check news", False


GROUPS = """alt.atheism comp.graphics comp.os.ms-windows.misc comp.sys.ibm.pc.hardware comp.sys.mac.hardware comp.windows.x misc.forsale
rec.autos rec.motorcycles rec.sport.baseball rec.sport.hockey sci.crypt sci.electronics sci.med sci.space soc.religion.christian
talk.politics.guns talk.politics.mideast talk.politics.misc talk.religion.misc""".split()


# A process begins with the memory of the one that started it, which is counted as its own. So a small one starts them.
STARTER = """
import json, os, subprocess, sys, time
for line in sys.stdin:
    started = time.monotonic()
    child = subprocess.Popen(json.loads(line), stdout=subprocess.DEVNULL, stderr=open("stderr", "wb"), stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.monotonic() - started
    print(json.dumps([usage.ru_maxrss << 10, os.waitstatus_to_exitcode(status), seconds]), flush=True)
"""


def measured(starter, command):
    """Peak memory in bytes, exit code, what was said, seconds."""
    starter.stdin.write(json.dumps([BINARY, *command.split(), "--memory", "256M"]) + "\n")
    starter.stdin.flush()
    peak, code, seconds = json.loads(starter.stdout.readline())
    said = [line for line in Path("stderr").read_text(errors="replace").splitlines() if line.startswith("error: ")]
    return peak, code, said, seconds


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("binary")
parser.add_argument("--markdown", type=Path)
arguments = parser.parse_args()
BINARY = str(Path(arguments.binary).resolve())
markdown = arguments.markdown and arguments.markdown.resolve()
lines, failures = ["| bomb | peak, MiB | exit | what is said |", "|---|---|---|---|"], 0
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    starter = subprocess.Popen([sys.executable, "-c", STARTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for what, command, may_end_well in bombs():
        peak, code, said, seconds = measured(starter, command)
        sound = code == 2 and len(said) == 1 or may_end_well and code == 0
        good = sound and peak <= 1.1 * LIMIT
        failures += not good
        sentence = said[0].removeprefix("error: ") if said else "(it is read)"
        print(f"{'ok  ' if good else 'FAIL'} {peak / MEGABYTE:6.0f} MiB  exit {code}  {seconds:5.1f} s  {what}: {sentence[:200]}", flush=True)
        lines.append(f"| {what} | {peak / MEGABYTE:.0f} | {code} | {sentence[:160].replace('|', chr(92) + '|')} |")
    starter.stdin.close()
    starter.wait()
    os.chdir("/")
if markdown:
    markdown.write_text("\n".join(lines) + "\n")
sys.exit(f"{failures} bombs went off" if failures else 0)
