"""Fits and ranks every case of make.py with one command each: `python run.py --binary onesided --cases FOLDER`.

`fit FILE --label LABEL --out MODEL` has no other flag but `--positive` where the case names it. Cases that are marked `default`
run the default method; the others `--method naive`, which reads files the same way and takes a second. `--all-default` runs the default
for all. Results go to results/exports.jsonl, a line per case, and results/exports.md.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import pandas as pd

HERE = pathlib.Path(__file__).parent


def auc(scores, truth):
    """The chance that a positive is above a negative; ties count half."""
    ranks = pd.Series(scores).rank()
    positives = sum(truth)
    return (ranks[pd.Series(truth) == 1].sum() - positives * (positives + 1) / 2) / (positives * (len(truth) - positives))


def run(command):
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    return done, time.monotonic() - started


def sentences(done, folder):
    lines = done.stderr.replace(f"{folder}/", "").splitlines()
    return [line for line in lines if line.startswith(("note:", "warning:", "error:"))]


def one(binary, case, folder, model, default):
    positive = ["--positive", case["positive"]] if "positive" in case else []
    method = [] if default else ["--method", "naive"]
    command = [binary, "--json", "fit", folder / case["file"], "--label", case["label"], *positive, *method, "--out", model]
    fitted, seconds = run(list(map(str, command)))
    result = {key: case[key] for key in ["name", "table", "file", "rows"]}
    result |= {"method": "default" if default else "naive", "fit": fitted.returncode, "fit_seconds": round(seconds, 1)}
    result["said"] = sentences(fitted, folder)
    if fitted.returncode == 0:
        about = json.loads(fitted.stdout)
        result |= {"features": about["features"], "read": about.get("read")}
        out = model.with_suffix(".csv")
        ranked, seconds = run([binary, "predict", str(model), str(folder / case["new"]), "--out", str(out)])
        result |= {"predict": ranked.returncode, "predict_seconds": round(seconds, 1), "said_of_new": sentences(ranked, folder)}
        if ranked.returncode == 0:
            list_ = pd.read_csv(out).sort_values("row")
            result["auc"] = round(auc(list_.score.to_numpy(), case["truth"]), 4)
    if case.get("refused"):
        as_expected = fitted.returncode == 2
    elif case.get("refused_new"):
        as_expected = fitted.returncode == 0 and result.get("predict") == 2
    else:
        as_expected = fitted.returncode == 0 and result.get("predict") == 0
    return result | {"as_expected": as_expected}


def as_markdown(results):
    lines = ["| file | rows | exit | features | AUC on new rows | what was said |", "|---|---|---|---|---|---|"]
    for result in results:
        said = result["said"] + [s for s in result.get("said_of_new", []) if s not in result["said"]]
        # What is said of every table of this size is not news.
        said = [sentence for sentence in said if "prior" not in sentence and "share of positives" not in sentence]
        shown = "<br>".join(s.replace("|", "\\|").removeprefix("note: ") for s in said)
        codes = f"{result['fit']}" + (f", {result['predict']}" if "predict" in result else "")
        area = f"{result['auc']:.3f}" if "auc" in result else ""
        lines.append(f"| {result['file']} | {result['rows']} | {codes} | {result.get('features', '')} | {area} | {shown} |")
    good = sum(result["as_expected"] for result in results)
    read = sum(result["fit"] == 0 and result.get("predict") == 0 for result in results)
    lines += ["", f"{good} of {len(results)} as expected: {read} fitted and ranked, {len(results) - read} refused with a sentence."]
    return "\n".join(lines) + "\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--binary", required=True)
    arguments.add_argument("--cases", type=pathlib.Path, required=True)
    arguments.add_argument("--only", help="cases whose name contains this")
    arguments.add_argument("--all-default", action="store_true")
    arguments.add_argument("--never-default", action="store_true")
    arguments.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    flags = arguments.parse_args()
    cases = json.loads((flags.cases / "cases.json").read_text())
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        for case in cases:
            if flags.only and flags.only not in case["name"]:
                continue
            default = (flags.all_default or case.get("default", False)) and not flags.never_default
            model = pathlib.Path(scratch) / f"{case['name']}.safetensors"
            result = one(flags.binary, case, flags.cases, model, default)
            results.append(result)
            mark = "  " if result["as_expected"] else "! "
            print(f"{mark}{case['name']:40} {result['fit']} {result.get('predict', '')} {result.get('auc', '')}", flush=True)
            if not result["as_expected"] or case.get("refused"):
                print("     ", (result["said"] + result.get("said_of_new", []))[-1:], flush=True)
    if not flags.only:
        flags.results.mkdir(exist_ok=True)
        (flags.results / "exports.jsonl").write_text("".join(json.dumps(result) + "\n" for result in results))
        (flags.results / "exports.md").write_text(as_markdown(results))


if __name__ == "__main__":
    main()
