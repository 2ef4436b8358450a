"""Fits that say who labels, next to fits that take labels to be random, by the command.

    python who_labels.py ONESIDED OUT SECONDS [auto] [shares]     # runs; jobs that OUT has already are not run again
    python who_labels.py OUT > who_labels.md             # the tables of results

Needs what ../tables/requirements.txt names, and the tables of the roles learn and choose (../tables/load.py). Each job takes up to 3,600 rows of
a table, trains on 70 % of them, labels some of the positives at random or with a bias, and fits: without a word (`default`), told the column
that labels follow (`right`), another one (`wrong`), all that vary among positives (`all`), and `--labeling easy-first` (`easy-first`). With the share told; with `shares` once more without. Test rows have the truth. Jobs are in a fixed random order, so a run that is cut short is a sample of the whole.
"""
import json, os, pathlib, subprocess, sys, tempfile, time
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tables"))
TABLES = "spambase phoneme banana monica loans k401k grid_stability smoke_ban recidivism mlc_churn".split()
KINDS = {"random": ["wrong", "all"], "feature": ["right", "wrong", "all"], "group": ["right", "wrong", "all"],
         "easy": ["wrong", "all", "easy-first"], "boundary": ["wrong", "all"]}
SHARES = "shares" in sys.argv
ODDS, LABELED, ROWS = 30.0, 0.3, 3_600


def numbers(X):
    """Columns as numbers, standardized: what a bias is made of."""
    columns = []
    for name in X:
        column = X[name]
        values = column.astype("category").cat.codes if column.dtype.kind not in "fiu" else column
        values = np.asarray(values, float)
        values = np.where(np.isnan(values), np.nanmean(values), values)
        columns.append((values - values.mean()) / max(values.std(), 1e-9))
    return np.stack(columns, 1)


def make(job, folder):
    """Writes the training and the test table; the columns that labels follow, another one, and all."""
    from load import load
    X, y = load(job["table"])
    y = np.asarray(y, bool)
    rng = np.random.default_rng([job["seed"], *job["table"].encode()])
    rows = rng.permutation(len(y))[:ROWS]
    X, y = X.iloc[rows].reset_index(drop=True), y[rows]
    train = np.arange(len(y)) < 0.7 * len(y)
    x, positive = numbers(X), np.flatnonzero(y & train)
    few = [j for j in range(x.shape[1]) if len(np.unique(x[positive, j])) > 1
           and np.unique(x[positive, j], return_counts=True)[1].max() < 0.9 * len(positive)]
    column, wrong = rng.choice(few, 2, replace=False)
    place = lambda of: np.argsort(np.argsort(of + 1e-9 * rng.normal(size=len(of)))) / max(len(of) - 1, 1)
    w = np.linalg.solve(x.T @ x + len(x) * 0.05 * np.eye(x.shape[1]), x.T @ (y - y.mean()))
    sign = rng.choice([-1, 1])
    at = {"random": lambda: np.zeros(len(positive)), "easy": lambda: place(x[positive] @ w),
          "boundary": lambda: 1 - place(x[positive] @ w), "feature": lambda: place(sign * x[positive, column]),
          "group": lambda: (place(sign * x[positive, column]) > 0.6).astype(float)}[job["kind"]]()
    low, high, lift = -30.0, 30.0, ODDS ** at
    for _ in range(80):
        middle = (low + high) / 2
        odds = np.exp(middle) * lift
        low, high = (middle, high) if (odds / (1 + odds)).mean() < LABELED else (low, middle)
    odds = np.exp(low) * lift
    labeled = np.zeros(len(y), int)
    labeled[positive] = rng.random(len(positive)) < odds / (1 + odds)
    X.columns = [f"c{j}_{name}".replace(",", "_") for j, name in enumerate(X.columns)]
    train_table, test_table = X[train].copy(), X[~train].copy()
    train_table.insert(0, "label", labeled[train])
    test_table.insert(0, "truth", y[~train].astype(int))
    train_table.to_csv(f"{folder}/train.csv", index=False)
    test_table.to_csv(f"{folder}/test.csv", index=False)
    pathlib.Path(f"{folder}/truth.csv").write_text("\n".join(str(int(of)) for of in y[train]))
    share = (y[train].sum() - labeled.sum()) / (train.sum() - labeled.sum())
    told = {"right": X.columns[column], "wrong": X.columns[wrong], "all": ",".join(X.columns[j] for j in few)}
    return told, float(y[train].mean()), float(share), int(labeled.sum())


def run(job, binary, method):
    with tempfile.TemporaryDirectory() as folder:
        told, prior, share, labeled = make(job, folder)
        out = dict(job, labeled=labeled, true_share=share, fits={})
        if labeled < 20:
            return dict(out, skipped=True)
        for name in ["default"] + KINDS[job["kind"]]:
            words = [binary, "fit", "train.csv", "--label", "label", "--json", "--threads", "1", "--out", "m", *method]
            words += ["--prior", str(prior)] if job["told"] else []
            words += {"default": [], "easy-first": ["--labeling", "easy-first"]}.get(name) or (
                ["--labeling-depends-on", told[name]] if name in told else [])
            if name == "easy-first" and not job["told"]:
                continue
            began = time.time()
            done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
            seconds = round(time.time() - began, 2)
            if done.returncode:
                out["fits"][name] = dict(error=done.stderr[-300:], seconds=seconds)
                continue
            said = json.loads(done.stdout)
            words = [binary, "evaluate", "m", "test.csv", "--truth", "truth", "--json", "--threads", "1"]
            found = json.loads(subprocess.run(words, capture_output=True, text=True, cwd=folder).stdout)
            who = said.get("who_labels") or {}
            metrics = said["metrics"]
            out["fits"][name] = dict(
                auc=found["auc"], accuracy=found["accuracy"], share=said["prior_in_unlabeled"], seconds=seconds,
                used=who.get("used"), gain=who.get("gain"), printed="auc" in metrics and [metrics["auc"], *metrics["auc_interval"]])
        return out


def jobs():
    out = [dict(table=table, kind=kind, seed=seed, told=told) for table in TABLES for kind in KINDS
           for seed in range(3) for told in ([True, False] if SHARES else [True])]
    np.random.default_rng(0).shuffle(out)
    return out


def tell(lines):
    """The tables of who_labels.md."""
    lines = [line for line in lines if not line.get("skipped")]
    print("# Who labels: fits with and without\n\nWritten by `who_labels.py` from `who_labels.jsonl`.\n")
    failed = sum("error" in fit for line in lines for fit in line["fits"].values())
    print(f"{len(lines)} draws of {len({line['table'] for line in lines})} tables of the roles learn and choose, {LABELED:.0%} of the positives "
          f"labeled, odds of {ODDS:.0f} between the likeliest and the least likely to be. Fits that failed: {failed}.\n")
    for method in sorted({line["method"] for line in lines}):
        print(f"## {method}\n\nAUC on test rows less that of the default, share told: mean, of tables the worst mean, and in how many draws the "
              "weights were used.\n")
        print("| labels | told | draws | AUC of the default | difference | accuracy | worst table | used | seconds, of the default |\n|---|---|---|---|---|---|---|---|---|")
        for kind, names in KINDS.items():
            for name in names:
                both = [(line["table"], line["fits"]["default"], line["fits"][name]) for line in lines
                        if line["method"] == method and line["kind"] == kind and line["told"] and "auc" in line["fits"].get(name, {})
                        and "auc" in line["fits"]["default"]]
                if not both:
                    continue
                apart = np.array([fit["auc"] - default["auc"] for _, default, fit in both])
                accuracy = np.mean([fit["accuracy"] - default["accuracy"] for _, default, fit in both])
                tables = sorted({table for table, *_ in both})
                means = {table: np.mean([d for (of, *_), d in zip(both, apart) if of == table]) for table in tables}
                worst = min(tables, key=means.get)
                used = np.mean([bool(fit["used"]) for *_, fit in both])
                took = [np.median([fit["seconds"] for fit in of]) for of in ([fit for *_, fit in both], [d for _, d, _ in both])]
                print(f"| {kind} | {name} | {len(both)} | {np.mean([d['auc'] for _, d, _ in both]):.4f} | {apart.mean():+.4f} | {accuracy:+.4f} | "
                      f"{worst} {means[worst]:+.4f} | {used:.2f} | {took[0]:.1f}, {took[1]:.1f} |")
        if any(line["method"] == method and not line["told"] for line in lines):
            print("\nShare of positives among unlabeled rows, not told: mean absolute error.\n")
            print("| labels | draws | default | right | wrong |\n|---|---|---|---|---|")
        for kind in KINDS:
            some = [line for line in lines if line["method"] == method and line["kind"] == kind and not line["told"]]
            cell = lambda name: [abs(line["fits"][name]["share"] - line["true_share"]) for line in some if "share" in line["fits"].get(name, {})]
            cells = [f"{np.mean(cell(name)):.3f}" if cell(name) else "-" for name in ("default", "right", "wrong")]
            if some:
                print(f"| {kind} | {len(some)} | {' | '.join(cells)} |")
        print("\nPrinted AUC (share told): in how many fits its 95 % interval held that of the test rows.\n")
        print("| labels | told | fits | held |\n|---|---|---|---|")
        for kind, names in KINDS.items():
            for name in ["default", *names]:
                fits = [line["fits"][name] for line in lines if line["method"] == method and line["kind"] == kind and line["told"]
                        and line["fits"].get(name, {}).get("printed")]
                if fits:
                    held = np.mean([fit["printed"][1] <= fit["auc"] <= fit["printed"][2] for fit in fits])
                    print(f"| {kind} | {name} | {len(fits)} | {held:.2f} |")
        print()


if __name__ == "__main__" and len(sys.argv) == 2:
    tell([json.loads(line) for line in open(sys.argv[1])])
elif __name__ == "__main__":
    binary, path, seconds = sys.argv[1:4]
    name, method = ("auto --effort quick", ["--effort", "quick"]) if "auto" in sys.argv[4:] else ("naive trees", ["--method", "naive", "--model", "trees"])
    key = lambda job: (job["table"], job["kind"], job["seed"], job["told"], job["method"])
    have = {key(json.loads(line)) for line in open(path)} if os.path.exists(path) else set()
    end = time.time() + float(seconds)
    with open(path, "a") as out:
        for job in jobs():
            job["method"] = name
            if key(job) in have:
                continue
            if time.time() > end:
                break
            print(json.dumps(run(job, os.path.abspath(binary), method)), file=out, flush=True)
