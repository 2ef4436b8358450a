"""Answers the sheet of an audit from the truth, as the person would who looks at each row.

    python answers.py sheet.csv truth.csv

`truth.csv` has the column `truth` in the order of the table that was fitted. Needs pandas.
"""

import sys

import pandas as pd

sheet_path, truth_path = sys.argv[1:3]
sheet = pd.read_csv(sheet_path, dtype=str, keep_default_na=False)
truth = pd.read_csv(truth_path)["truth"]
sheet["positive"] = ["yes" if truth[int(row) - 1] == 1 else "no" for row in sheet["row"]]
sheet.to_csv(sheet_path, index=False, lineterminator="\n")
print(f"answered {len(sheet)} rows, {(sheet['positive'] == 'yes').sum()} of them yes")
