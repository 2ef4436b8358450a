"""What answers show of who was labeled: level and power of the test of `audit read` and of `fit --audit`, by the command.

    python answers.py ONESIDED OUT SECONDS     # runs; jobs that OUT has already are not run again
    python answers.py OUT > answers.md         # the tables of results

Each job makes a table as who_labels.py does, fits boosted trees without a share, draws 150 rows for an audit, answers them by the truth, reads the
answers, and fits again with them. Jobs are in a fixed random order.
"""
import csv, json, os, subprocess, sys, tempfile, time
import numpy as np
from who_labels import KINDS, LABELED, ODDS, make

TABLES = "phoneme monica k401k grid_stability smoke_ban recidivism".split()
ROWS = 150


def run(job, binary):
    with tempfile.TemporaryDirectory() as folder:
        job = dict(job)
        told, prior, share, labeled = make(job, folder)
        call = lambda *words: subprocess.run([binary, *words, "--json"], capture_output=True, text=True, cwd=folder)
        done = call("fit", "train.csv", "--label", "label", "--threads", "1", "--model", "trees", "--out", "m")
        if done.returncode:
            return dict(job, error=done.stderr[-300:])
        measure = lambda model: json.loads(call("evaluate", model, "test.csv", "--truth", "truth", "--threads", "1").stdout)
        drawn = call("audit", "draw", "m", "train.csv", "--rows", str(ROWS), "--seed", str(job["seed"]), "--out", "sheet.csv")
        if drawn.returncode:
            return dict(job, error=drawn.stderr[-300:])
        truth = open(f"{folder}/truth.csv").read().split()
        lines = list(csv.DictReader(open(f"{folder}/sheet.csv")))
        for line in lines:
            line["positive"] = "yes" if truth[int(line["row"]) - 1] == "1" else "no"
        with open(f"{folder}/sheet.csv", "w", newline="") as file:
            out = csv.DictWriter(file, lines[0])
            out.writeheader()
            out.writerows(lines)
        read = json.loads(call("audit", "read", "m", "sheet.csv").stdout)
        again = call("fit", "train.csv", "--label", "label", "--threads", "1", "--model", "trees", "--audit", "sheet.csv", "--out", "a")
        if again.returncode:
            return dict(job, error=again.stderr[-300:])
        by = json.loads(again.stdout)["labels_by_answers"]
        test = read.get("labeling")
        return dict(job, labeled=labeled, yes=sum(line["positive"] == "yes" for line in lines), read=test and test["p"],
                    fit=by and by["p"], columns=by and [column["column"] for column in by["columns"]], right=told["right"],
                    auc=[measure("m")["auc"], measure("a")["auc"]])


def jobs():
    out = [dict(table=table, kind=kind, seed=seed, truth=True) for table in TABLES for kind in KINDS
           for seed in range(100, 120 if kind == "random" else 106)]
    np.random.default_rng(0).shuffle(out)
    return out


def tell(lines):
    done = [line for line in lines if "error" not in line]
    print("# What answers show of who was labeled\n\nWritten by `answers.py` from `answers.jsonl`.\n")
    print(f"{len(done)} audits of {ROWS} rows ({len(lines) - len(done)} failed), {LABELED:.0%} of the positives labeled, odds of {ODDS:.0f}, boosted trees, "
          "the share not told. Random labels are refuted below .05.\n")
    print("| labels | audits | refuted by `audit read` | by `fit --audit` | it names the right column | AUC on test rows | with the answers |\n|---|---|---|---|---|---|---|")
    for kind in KINDS:
        some = [line for line in done if line["kind"] == kind]
        if not some:
            continue
        rate = lambda of: f"{np.mean([line[of] < 0.05 for line in some if line[of] is not None]):.3f}"
        named = [any(name.startswith(line["right"]) for name in line["columns"][:1]) for line in some if line["columns"]]
        named = f"{np.mean(named):.2f} of {len(named)}" if kind in ("feature", "group") and named else "-"
        before, after = np.mean([line["auc"] for line in some], axis=0)
        print(f"| {kind} | {len(some)} | {rate('read')} | {rate('fit')} | {named} | {before:.4f} | {after:.4f} |")


if __name__ == "__main__" and len(sys.argv) == 2:
    tell([json.loads(line) for line in open(sys.argv[1])])
elif __name__ == "__main__":
    binary, path, seconds = sys.argv[1:4]
    key = lambda job: (job["table"], job["kind"], job["seed"])
    have = {key(json.loads(line)) for line in open(path)} if os.path.exists(path) else set()
    end = time.time() + float(seconds)
    with open(path, "a") as out:
        for job in jobs():
            if key(job) in have:
                continue
            if time.time() > end:
                break
            print(json.dumps(run(job, os.path.abspath(binary))), file=out, flush=True)
