"""Makes tables as people have them: `python make.py FOLDER`.

Each case writes a file to learn from and one with new rows, the way some program writes them. FOLDER/cases.json lists them:
the label column, what is expected of `fit` and of `predict`, and the truth of the new rows.
"""

import argparse
import csv
import datetime as dt
import gzip
import io
import json
import pathlib
import uuid

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import zstandard

import tables

CASES = []


def case(table, extension, label="label", **about):
    """Registers a function that writes a frame, label included, to a path."""

    def register(write):
        CASES.append((write.__name__.replace("__", "."), table, extension, label, about, write))
        return write

    return register


def text(path, content, encoding="utf-8", newline="\n"):
    path.write_bytes(content.replace("\n", newline).encode(encoding))


# Text tables of Python and R.


@case(tables.cancer, ".csv", default=True)
def pandas_csv(frame, path):
    frame.to_csv(path, index=False)


@case(tables.insurance, ".csv", default=True)
def pandas_csv_with_index(frame, path):
    frame.to_csv(path)


@case(tables.cancer, ".csv.gz")
def pandas_csv_gzip(frame, path):
    frame.to_csv(path, index=False)


@case(tables.penguins, ".csv.zst")
def pandas_csv_zstd(frame, path):
    path.write_bytes(zstandard.compress(frame.to_csv(index=False).encode()))


@case(tables.computers, ".tsv")
def pandas_tsv(frame, path):
    frame.to_csv(path, index=False, sep="\t")


@case(tables.insurance, ".csv")
def polars_csv(frame, path):
    pl.from_pandas(frame).write_csv(path)


@case(tables.wine, ".csv")
def pipes_in_csv(frame, path):
    frame.to_csv(path, index=False, sep="|")


@case(tables.diamonds, ".txt")
def tabs_in_txt(frame, path):
    frame.to_csv(path, index=False, sep="\t")


@case(tables.cars, ".csv")
def semicolons_utf8_bom(frame, path):
    frame.to_csv(path, index=False, sep=";", encoding="utf-8-sig", lineterminator="\r\n")


@case(tables.insurance, ".csv")
def r_write_csv(frame, path):
    frame = frame.set_axis(range(1, len(frame) + 1))
    frame.to_csv(path, na_rep="NA", quoting=csv.QUOTE_NONNUMERIC, index_label="")


@case(tables.penguins, ".csv")
def r_write_csv2(frame, path):
    frame.to_csv(path, na_rep="NA", sep=";", decimal=",", quoting=csv.QUOTE_NONNUMERIC, index_label="")


@case(tables.cars, ".txt")
def r_write_table(frame, path):
    """The header lacks a name for the names of the rows."""
    body = frame.to_csv(sep="\t", na_rep="NA", header=False, quoting=csv.QUOTE_NONNUMERIC)
    header = "\t".join(f'"{name}"' for name in frame.columns)
    text(path, header + "\n" + body)


# Spreadsheets that were saved as text, in three languages.


def localized(frame, names, true, false, date, grouping=""):
    frame = frame.rename(columns=names)
    for name in frame.columns:
        if frame[name].dtype.kind == "M":
            frame[name] = frame[name].dt.strftime(date)
        elif frame[name].dtype.kind == "f":
            cells = frame[name].map(lambda x: "" if np.isnan(x) else f"{x:,.2f}")
            frame[name] = cells.str.replace(",", "\0").str.replace(".", ",").str.replace("\0", grouping)
    label = frame.columns[-1]
    frame[label] = np.where(frame[label] == 1, true, false)
    return frame


WEATHER = {
    "de": {"date": "Datum", "temp_max": "Höchsttemperatur", "temp_min": "Tiefsttemperatur", "wind": "Windstärke", "label": "Regen"},
    "fr": {"date": "Date", "temp_max": "Température max", "temp_min": "Température min", "wind": "Vent", "label": "Pluie"},
    "pt": {"date": "Data", "temp_max": "Temperatura máxima", "temp_min": "Temperatura mínima", "wind": "Vento", "label": "Chuva"},
}


@case(tables.weather, ".csv", label="Regen")
def excel_german(frame, path):
    frame = localized(frame, WEATHER["de"], "ja", "nein", "%d.%m.%Y", ".")
    frame.to_csv(path, index=False, sep=";", encoding="utf-8-sig", lineterminator="\r\n")


@case(tables.weather, ".csv", label="Regen")
def excel_german_latin1_with_sep(frame, path):
    frame = localized(frame, WEATHER["de"], "WAHR", "FALSCH", "%d.%m.%Y", ".")
    text(path, "sep=;\n" + frame.to_csv(index=False, sep=";"), "latin-1", "\r\n")


@case(tables.weather, ".csv", label="Pluie")
def excel_french_cp1252(frame, path):
    frame = localized(frame, WEATHER["fr"], "oui", "non", "%d/%m/%Y", "\u00a0")
    text(path, frame.to_csv(index=False, sep=";"), "cp1252", "\r\n")


@case(tables.weather, ".csv", label="Chuva")
def excel_portuguese(frame, path):
    frame = localized(frame, WEATHER["pt"], "sim", "não", "%d/%m/%Y", ".")
    frame.to_csv(path, index=False, sep=";", encoding="utf-8-sig", lineterminator="\r\n")


@case(tables.diamonds, ".csv", label="Ideal")
def excel_portuguese_prices(frame, path):
    frame = frame.rename(columns={"price": "Preço", "depth": "Profundidade", "label": "Ideal"})
    frame["Preço"] = frame["Preço"].map(lambda x: f"{x:,.2f}".replace(",", "\0").replace(".", ",").replace("\0", "."))
    frame.to_csv(path, index=False, sep=";", decimal=",", encoding="utf-8-sig")


@case(tables.cars, ".txt")
def excel_unicode_text(frame, path):
    frame.to_csv(path, index=False, sep="\t", encoding="utf-16", lineterminator="\r\n")


# What databases write.


@case(tables.insurance, ".csv")
def psql_csv(frame, path):
    frame = frame.assign(label=np.where(frame.label == 1, "t", "f"))
    frame.to_csv(path, index=False)


@case(tables.computers, ".txt")
def psql_listing(frame, path):
    lines = [" " + " | ".join(frame.columns), "-+-".join("-" * (len(name) + 1) for name in frame.columns)]
    lines += [" " + " | ".join("" if pd.isna(x) else str(x) for x in row) for row in frame.itertuples(index=False)]
    text(path, "\n".join([*lines, f"({len(frame)} rows)", "", ""]))


@case(tables.penguins, ".tsv")
def psql_copy(frame, path):
    frame.to_csv(path, index=False, sep="\t", na_rep="\\N")


@case(tables.cars, ".csv")
def mysql_into_outfile(frame, path):
    """Backslashes before quotes, \\N for NULL."""

    def cell(x):
        if pd.isna(x):
            return "\\N"
        if isinstance(x, (str, pd.Timestamp)):
            return '"' + str(x).replace("\\", "\\\\").replace('"', '\\"') + '"'
        return str(x)

    frame = frame.assign(Name=[f'{name} "{at % 7}", used' for at, name in enumerate(frame.Name)])
    rows = [",".join(cell(x) for x in row) for row in frame.itertuples(index=False)]
    text(path, "\n".join([",".join(f'"{name}"' for name in frame.columns), *rows, ""]))


@case(tables.insurance, ".tsv")
def mysql_batch(frame, path):
    frame.to_csv(path, index=False, sep="\t", na_rep="NULL")


@case(tables.computers, ".txt")
def mysql_box(frame, path):
    rows = [[str(x) for x in row] for row in frame.itertuples(index=False)]
    wide = [max(len(row[at]) for row in [list(frame.columns), *rows]) for at in range(frame.shape[1])]
    rule = "+" + "+".join("-" * (w + 2) for w in wide) + "+"
    line = lambda row: "|" + "|".join(f" {x:<{w}} " for x, w in zip(row, wide)) + "|"
    text(path, "\n".join([rule, line(frame.columns), rule, *map(line, rows), rule, ""]))


# Spreadsheets.


@case(tables.cancer, ".xlsx", default=True)
def excel_plain(frame, path):
    frame.to_excel(path, index=False)


@case(tables.computers, ".xlsx")
def excel_with_index(frame, path):
    frame.to_excel(path)


@case(tables.weather, ".xlsx")
def excel_dates_and_percent(frame, path):
    frame = frame.assign(humidity=np.linspace(0.2, 0.9, len(frame)).round(3))
    with pd.ExcelWriter(path, engine="xlsxwriter", datetime_format="dd.mm.yyyy") as writer:
        frame.to_excel(writer, index=False, sheet_name="Wetter")
        percent = writer.book.add_format({"num_format": "0.0%"})
        writer.sheets["Wetter"].set_column(frame.columns.get_loc("humidity"), frame.columns.get_loc("humidity"), 12, percent)


@case(tables.insurance, ".xlsx")
def excel_title_rows(frame, path):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"] = "Health insurance, wives"
    sheet.merge_cells(start_row=1, start_column=1, end_row=1, end_column=frame.shape[1])
    sheet["A2"], sheet["B2"] = "as of", dt.date(2024, 5, 1)
    sheet.append([])
    sheet.append(list(frame.columns))
    for row in frame.itertuples(index=False):
        sheet.append(list(row))
    book.save(path)


@case(tables.cars, ".xlsx", label="label")
def excel_two_header_rows(frame, path):
    book = openpyxl.Workbook()
    sheet = book.active
    upper = ["Car", "Engine", None, None, None, "Driving", None, None, "label"][: frame.shape[1]]
    sheet.append(upper)
    sheet.append(["Name", *frame.columns[1:8], None])
    for row in frame.itertuples(index=False):
        sheet.append([None if pd.isna(x) else x for x in row])
    sheet.merge_cells("B1:E1")
    sheet.merge_cells("F1:H1")
    sheet.merge_cells("I1:I2")
    book.save(path)


@case(tables.penguins, ".xlsx")
def excel_several_sheets(frame, path):
    with pd.ExcelWriter(path) as writer:
        frame.to_excel(writer, index=False, sheet_name="Data")
        pd.DataFrame({"field": ["island"], "meaning": ["where"]}).to_excel(writer, index=False, sheet_name="Legend")


@case(tables.computers, ".xlsx")
def excel_numbers_as_texts(frame, path):
    frame.assign(price=frame.price.map("${:,.0f}".format), hd=frame.hd.astype(str)).to_excel(path, index=False)


@case(tables.penguins, ".xls")
def excel_old(frame, path):
    import xlwt

    book = xlwt.Workbook()
    sheet = book.add_sheet("Sheet1")
    for column, name in enumerate(frame.columns):
        sheet.write(0, column, name)
        for row, value in enumerate(frame[name], start=1):
            if not pd.isna(value):
                sheet.write(row, column, value.item() if isinstance(value, np.generic) else value)
    book.save(str(path))


@case(tables.wine, ".ods")
def libreoffice(frame, path):
    frame.to_excel(path, index=False, engine="odf")


# Objects.


@case(tables.insurance, ".jsonl", default=True)
def json_lines(frame, path):
    frame.to_json(path, orient="records", lines=True)


@case(tables.cars, ".ndjson.gz")
def json_lines_gzip_dates(frame, path):
    lines = frame.to_json(orient="records", lines=True, date_format="iso")
    path.write_bytes(gzip.compress(lines.encode()))


@case(tables.penguins, ".json")
def json_array(frame, path):
    frame.to_json(path, orient="records", indent=2)


@case(tables.cancer, ".jsonl")
def json_nested_with_vectors(frame, path):
    first = list(frame.columns[:10])
    with open(path, "w") as out:
        for at, row in enumerate(frame.to_dict("records")):
            one = {"patient": {"number": at, "mean": {name: row[name] for name in first}}}
            one["rest"] = [row[name] for name in frame.columns[10:30]]
            one["tags"] = ["a", "b"][: at % 3]
            if row["label"] == 1:
                one["label"] = 1
            out.write(json.dumps(one) + "\n")


# Columns of bytes.


@case(tables.diamonds, ".feather")
def feather_pandas(frame, path):
    frame.to_feather(path)


@case(tables.insurance, ".arrow")
def arrow_polars_zstd(frame, path):
    pl.from_pandas(frame).write_ipc(path, compression="zstd")


@case(tables.cars, ".arrow")
def arrow_stream(frame, path):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=100)


@case(tables.weather, ".parquet")
def parquet_pandas_dates(frame, path):
    frame.to_parquet(path, index=False)


@case(tables.insurance, ".parquet")
def parquet_polars(frame, path):
    pl.from_pandas(frame).with_columns(pl.col("region").cast(pl.Categorical)).write_parquet(path)


# Headers and lines.


@case(tables.computers, ".csv")
def duplicate_names(frame, path):
    text(path, frame.to_csv(index=False).replace("speed,hd,ram", "speed,size,size", 1))


@case(tables.wine, ".csv")
def trailing_comma(frame, path):
    text(path, "\n".join(line + "," for line in frame.to_csv(index=False).splitlines()) + "\n")


@case(tables.computers, ".csv")
def titles_above(frame, path):
    text(path, "Price list\nDepartment: sales\n\n" + frame.to_csv(index=False, sep=";"))


@case(tables.cancer, ".csv")
def comments_above(frame, path):
    text(path, "# exported by a tool, version 2\n# 569 patients\n" + frame.to_csv(index=False))


@case(tables.insurance, ".csv")
def last_cells_left_out(frame, path):
    frame = frame[["label", *frame.columns.drop("label")]].assign(remark="", more="")
    frame.loc[frame.index % 5 == 0, "remark"] = "see file"
    text(path, "\n".join(line.rstrip(",") for line in frame.to_csv(index=False).splitlines()) + "\n")


@case(tables.diamonds, ".csv")
def names_with_blanks_and_commas(frame, path):
    frame.rename(columns={"price": " price, net ", "depth": " depth"}).to_csv(path, index=False)


@case(tables.insurance, ".csv")
def six_hundred_constant_columns(frame, path):
    constant = pd.DataFrame(np.zeros((len(frame), 600), int), columns=[f"flag_{at}" for at in range(600)])
    pd.concat([constant, frame], axis=1).to_csv(path, index=False)


# Labels.


@case(tables.cancer, ".csv")
def label_one_or_blank(frame, path):
    frame.assign(label=np.where(frame.label == 1, "1", "")).to_csv(path, index=False)


@case(tables.insurance, ".xlsx")
def label_x_or_blank_in_excel(frame, path):
    frame.assign(label=np.where(frame.label == 1, "x", None)).to_excel(path, index=False)


@case(tables.penguins, ".parquet")
def label_true_or_null(frame, path):
    frame.assign(label=pd.Series(np.where(frame.label == 1, True, None), dtype="boolean")).to_parquet(path, index=False)


@case(tables.computers, ".csv")
def label_yes_or_no(frame, path):
    frame.assign(label=np.where(frame.label == 1, "yes", "no")).to_csv(path, index=False)


@case(tables.wine, ".csv")
def label_one_or_minus_one(frame, path):
    frame.assign(label=np.where(frame.label == 1, 1, -1)).to_csv(path, index=False)


@case(tables.cars, ".csv", positive="hit")
def label_in_words(frame, path):
    frame.assign(label=np.where(frame.label == 1, "hit", "open")).to_csv(path, index=False)


# Cells.


@case(tables.insurance, ".csv", default=True)
def markers_of_missing_values(frame, path):
    random = np.random.default_rng(0)
    frame = frame.astype({"experience": object, "whrswk": object})
    for name, words in [("experience", ["-", "unknown", "n/a"]), ("whrswk", ["?", "NULL", "#N/A"])]:
        rows = random.choice(len(frame), len(frame) // 20, replace=False)
        frame.loc[rows, name] = random.choice(words, len(rows))
    frame.to_csv(path, index=False)


@case(tables.computers, ".csv")
def currencies_and_percent(frame, path):
    frame = frame.assign(price=frame.price.map("${:,.2f}".format), share=[f"{at % 100} %" for at in range(len(frame))])
    frame.to_csv(path, index=False)


@case(tables.airports, ".csv", default=True)
def ids_names_and_places(frame, path):
    """Codes, names of several words, a thousand cities, a rising number and a random one."""
    seeds = np.random.default_rng(len(frame))
    keys = [str(uuid.UUID(bytes=seeds.bytes(16))) for _ in range(len(frame))]
    frame.assign(id=np.arange(1000, 1000 + len(frame)), key=keys)[["id", "key", *frame.columns]].to_csv(path, index=False)


@case(tables.weather, ".csv")
def dates_and_times(frame, path):
    seen = pd.to_datetime(frame.date) + pd.to_timedelta(np.arange(len(frame)) % 1440, unit="min")
    frame = frame.assign(seen=seen.dt.strftime("%Y-%m-%dT%H:%M:%SZ"), us=frame.date.dt.strftime("%m/%d/%Y"))
    frame.to_csv(path, index=False)


@case(tables.diamonds, ".csv")
def positives_first_with_a_number(frame, path):
    frame = frame.sort_values("label", ascending=False)
    frame.insert(0, "customer_id", np.arange(1, len(frame) + 1))
    frame.to_csv(path, index=False)


# What cannot be read. One sentence each.


@case(tables.insurance, ".json", refused=True)
def bad_json_by_column(frame, path):
    frame.to_json(path)


@case(tables.insurance, ".parquet", refused=True)
def bad_parquet_brotli(frame, path):
    frame.to_parquet(path, index=False, compression="brotli")


@case(tables.wine, ".feather", refused=True)
def bad_feather_version_1(frame, path):
    feather.write_feather(frame, str(path), version=1)


@case(tables.wine, ".csv", refused=True)
def bad_no_header(frame, path):
    frame.to_csv(path, index=False, header=False)


@case(tables.insurance, ".csv", refused=True)
def bad_broken_line(frame, path):
    lines = frame.to_csv(index=False).splitlines()
    at = next(at for at in range(40, len(lines)) if "south" in lines[at])
    lines[at] = lines[at].replace("south", "so\nuth")
    text(path, "\n".join(lines) + "\n")


@case(tables.weather, ".csv", label="Regen", refused=True)
def bad_two_encodings(frame, path):
    frame = localized(frame.rename(columns={"wind": "Höhe"}), {"label": "Regen"}, "1", "0", "%d.%m.%Y")
    frame.insert(0, "Ort", "Köln")
    lines = frame.to_csv(index=False, sep=";").splitlines()
    halves = ["\n".join(lines[:300]).encode("utf-8"), "\n".join(lines[300:]).encode("latin-1")]
    path.write_bytes(b"\n".join(halves))


@case(tables.wine, ".xls", refused=True)
def bad_page_as_excel(frame, path):
    frame.to_html(path, index=False)


@case(tables.wine, ".xlsx", refused=True)
def bad_cut_off_excel(frame, path):
    whole = io.BytesIO()
    frame.to_excel(whole, index=False)
    path.write_bytes(whole.getvalue()[: len(whole.getvalue()) // 2])


@case(tables.wine, "", refused=True)
def bad_folder(frame, path):
    path.mkdir(exist_ok=True)
    frame.to_csv(path / "part-0.csv", index=False)


@case(tables.insurance, ".csv", refused_new=True)
def bad_numbers_become_words(frame, path):
    if path.stem.endswith("_new"):
        frame = frame.assign(husby=frame.husby.map(lambda x: "much" if x > 20 else "little"))
    frame.to_csv(path, index=False)


@case(tables.insurance, ".csv", label="labl", refused=True)
def bad_name_of_the_label(frame, path):
    frame.to_csv(path, index=False)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=pathlib.Path)
    folder = arguments.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    made, listed = {}, []
    for name, table, extension, label, about, write in CASES:
        data = made.setdefault(table, table())
        file, new = folder / f"{name}{extension}", folder / f"{name}_new{extension}"
        write(data.rows.assign(label=data.labeled.astype(int)), file)
        # The label of new rows says nothing: every other one has it.
        write(data.new.assign(label=np.arange(len(data.new)) % 2), new)
        truth = data.truth.astype(int)
        if name == "positives_first_with_a_number":
            order = data.new.assign(label=np.arange(len(data.new)) % 2).sort_values("label", ascending=False).index
            truth = truth[order]
        listed.append(
            {"name": name, "table": table.__name__, "file": file.name, "new": new.name, "label": label, **about}
            | {"rows": len(data.rows), "truth": truth.tolist()}
        )
    (folder / "cases.json").write_text(json.dumps(listed))
    print(f"{len(listed)} cases in {folder}")


if __name__ == "__main__":
    main()
