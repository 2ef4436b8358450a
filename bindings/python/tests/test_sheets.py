"""Lists that are opened in a spreadsheet, as openpyxl reads them."""

from __future__ import annotations

import subprocess
import sys
import zipfile

import pytest
from onesided import PUClassifier

openpyxl = pytest.importorskip("openpyxl")
pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def folder(made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sheets")
    frame = pd.DataFrame(made.X.round(3), columns=list("abcd"))
    frame.insert(0, "a name that is long", [f"customer {row}" for row in range(len(frame))])
    frame.assign(y=made.y).to_csv(folder / "table.csv", index=False)
    frame.assign(y=made.y).to_csv(folder / "german.csv", index=False, sep=";", decimal=",")
    PUClassifier("weighted-lr", prior=0.4, drop="a name that is long", n_jobs=1).fit(frame, made.y).save(folder / "m.onesided")
    return folder


def run(folder, *words):
    done = subprocess.run([sys.executable, "-m", "onesided", *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def letter_of(sheet, name):
    return next(cell.column_letter for cell in sheet[1] if cell.value == name)


def test_a_list_has_widths_a_filter_a_bold_header_and_percentages(folder):
    run(folder, "predict", "m.onesided", "table.csv", "--id", "a name that is long", "--keep", "a", "--yes-no", "--out", "list.xlsx")
    sheet = openpyxl.load_workbook(folder / "list.xlsx").active
    last = f"{sheet[1][-1].column_letter}{sheet.max_row}"
    assert sheet.freeze_panes == "A2" and sheet.auto_filter.ref == f"A1:{last}" and sheet.max_row > 500
    assert all(cell.font.b for cell in sheet[1]) and not any(cell.font.b for cell in sheet[2])
    probability = letter_of(sheet, "probability")
    assert sheet[f"{probability}2"].number_format == "0.00%" and 0 < sheet[f"{probability}2"].value <= 1
    assert sheet[f"{letter_of(sheet, 'score')}2"].number_format == "General"
    # Every column is as wide as what is in it.
    for cells in sheet.iter_cols():
        width = sheet.column_dimensions[cells[0].column_letter].width
        texts = [cell.value for cell in cells if isinstance(cell.value, str)]
        assert 6 <= width <= 40 and width >= min(40, max(map(len, texts), default=0)), cells[0].value
    assert sheet.page_setup.orientation == "landscape" and sheet.sheet_properties.pageSetUpPr.fitToPage
    assert (sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight) == (1, 0)
    assert sheet.print_title_rows == "$1:$1"
    # What a spreadsheet shows is what a program reads.
    frame = pd.read_excel(folder / "list.xlsx")
    run(folder, "predict", "m.onesided", "table.csv", "--id", "a name that is long", "--keep", "a", "--yes-no", "--out", "list.csv")
    pd.testing.assert_frame_equal(frame, pd.read_csv(folder / "list.csv"), rtol=1e-6)


def test_an_audit_offers_its_answers_and_comes_back(folder):
    run(folder, "audit", "draw", "m.onesided", "table.csv", "--rows", "40", "--id", "a name that is long", "--out", "audit.xlsx")
    book = openpyxl.load_workbook(folder / "audit.xlsx")
    sheet = book.active
    positive = letter_of(sheet, "positive")
    [offered] = sheet.data_validations.dataValidation
    assert offered.type == "list" and offered.formula1 == '"yes,no,unsure"' and str(offered.sqref) == f"{positive}2:{positive}41"
    assert letter_of(sheet, "a name that is long")
    for row in range(2, 42):
        sheet[f"{positive}{row}"] = "yes" if row % 2 else "no"
    book.save(folder / "audit.xlsx")
    said = run(folder, "audit", "read", "m.onesided", "audit.xlsx").stdout
    assert "40 answers, 20 of them positive" in said, said


def test_a_sheet_without_rows_is_whole(folder):
    (folder / "none.csv").write_text("a name that is long,a,b,c,d\n")
    done = subprocess.run(
        [sys.executable, "-m", "onesided", "predict", "m.onesided", "none.csv", "--out", "none.xlsx"], cwd=folder, capture_output=True, text=True
    )
    if (folder / "none.xlsx").exists():
        sheet = openpyxl.load_workbook(folder / "none.xlsx").active
        assert sheet.max_row == 1 and sheet[1][0].value == "row"
        assert zipfile.ZipFile(folder / "none.xlsx").testzip() is None
    else:
        assert done.returncode != 0


def test_a_list_has_the_decimal_sign_of_its_table(folder):
    run(folder, "predict", "m.onesided", "german.csv", "--decimal", ",", "--out", "german_list.csv", "--out-style", "like-input", "--keep", "a")
    frame = pd.read_csv(folder / "german_list.csv", sep=";", decimal=",")
    assert frame[["score", "probability", "a"]].dtypes.astype(str).tolist() == ["float64"] * 3
    text = (folder / "german_list.csv").read_text()
    assert "." not in text.replace("kept_a", ""), text[:300]
    run(folder, "audit", "draw", "m.onesided", "german.csv", "--decimal", ",", "--rows", "20", "--scores", "--out", "german_audit.csv", "--out-style", "like-input")
    scores = pd.read_csv(folder / "german_audit.csv", sep=";", decimal=",").score
    assert scores.dtype == float and "." not in "".join((folder / "german_audit.csv").read_text().splitlines()[1:])
