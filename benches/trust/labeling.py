"""Level and power of the test of random labels, by fits of the command.

    python labeling.py ONESIDED TABLES OUT WORKERS SECONDS     # runs, and writes OUT, a line of JSON per fit
    python labeling.py OUT > labeling.md                       # the tables of results

Only numpy. TABLES holds a CSV file per table with the truth, 0 or 1, in its last column; none of them was used to choose anything of the
test. Each job draws rows of a source at a share of positives, labels some of the positives at random or with a bias, fits, and keeps what
`labeling` of --json says. Jobs are in a fixed random order, so a run that is cut short is a sample of the whole.
"""
import csv, glob, json, os, subprocess, sys, tempfile, time
from concurrent.futures import ProcessPoolExecutor
import multiprocessing
import numpy as np

BINARY, TABLES, OUT, WORKERS, SECONDS = sys.argv[1:6] if len(sys.argv) > 2 else [None] * 2 + [sys.argv[1]] + [None] * 2
METHODS = {"linear": "--method weighted-lr", "trees": "--model trees", "auto": ""}
SOURCES = ["digits", "gauss1", "gauss2", "gauss4"] + [
    n for n in "banana grid_stability k401k letter monica mushroom phoneme recidivism satimage spambase".split()]
tables = {}


def load(name):
    rows = list(csv.reader(open(f"{TABLES}/{name}.csv")))
    head, rows = rows[0][:-1], rows[1:]
    truth = np.array([r[-1] == "1" for r in rows])
    cells = [r[:-1] for r in rows]
    columns = []
    for j in range(len(head)):
        text = [r[j] for r in cells]
        try:
            columns.append(np.array([float(t) if t else np.nan for t in text]))
        except ValueError:
            values, codes = np.unique(text, return_inverse=True)
            columns.extend((codes == k).astype(float) for k in range(len(values)))
    x = np.stack(columns, 1)
    x = np.where(np.isnan(x), np.nanmean(x, 0), x)
    x = (x - x.mean(0)) / np.maximum(x.std(0), 1e-9)
    return head, cells, x, truth


def gauss(distance, rng, n, share):
    truth = rng.random(n) < share
    x = rng.normal(size=(n, 6))
    x[:, 0] += distance * truth
    x[:, 1] += 0.5 * x[:, 0]
    return [f"x{j}" for j in range(6)], [[f"{v:.5g}" for v in row] for row in x], x, truth


def make(job, path):
    rng = np.random.default_rng(job["seed"])
    n, share = job["rows"], job["share"]
    if job["source"].startswith("gauss"):
        head, cells, x, truth = gauss(float(job["source"][5:]), rng, n, share)
    else:
        head, cells, x, truth = tables[job["source"]]
        pos, neg = np.flatnonzero(truth), np.flatnonzero(~truth)
        n = int(min(n, 0.8 * len(pos) / share, 0.8 * len(neg) / (1 - share)))
        p = min(rng.binomial(n, share), len(pos))
        keep = rng.permutation(np.concatenate([rng.choice(pos, p, False), rng.choice(neg, n - p, False)]))
        cells, x, truth = [cells[i] for i in keep], x[keep], truth[keep]
    pos = np.flatnonzero(truth)
    # How plainly positive a row is: ridge regression of the truth.
    w = np.linalg.solve(x.T @ x + len(x) * 0.05 * np.eye(x.shape[1]), x.T @ (truth - truth.mean()))
    easy = x[pos] @ w
    place = lambda v: np.argsort(np.argsort(v + 1e-9 * rng.normal(size=len(v)))) / max(len(v) - 1, 1)
    kind = job["bias"]
    if kind == "random":
        at = np.zeros(len(pos))
    elif kind == "easy":
        at = place(easy)
    elif kind == "boundary":
        at = 1 - place(easy)
    elif kind == "feature":
        at = place(x[pos, rng.integers(x.shape[1])])
    else:  # a group: the half of the positives on one side of a random direction
        at = (place(x[pos] @ rng.normal(size=x.shape[1])) > 0.5).astype(float)
    lift = job["odds"] ** at
    low, high = -30.0, 30.0
    for _ in range(80):
        mid = (low + high) / 2
        odds = np.exp(mid) * lift
        low, high = (mid, high) if (odds / (1 + odds)).mean() < job["c"] else (low, mid)
    labeled = np.zeros(len(truth), bool)
    odds = np.exp(low) * lift
    labeled[pos] = rng.random(len(pos)) < odds / (1 + odds)
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["label"] + head)
        out.writerows([int(l)] + row for l, row in zip(labeled, cells))
    return int(labeled.sum()), len(truth)


def run(job):
    if time.time() > END:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/t.csv"
        labeled, rows = make(job, path)
        told = dict(job, labeled=labeled, rows=rows)
        if labeled < 8 or rows - labeled < 30:
            return dict(told, skipped=True)
        words = [BINARY, "fit", path, "--label", "label", "--json", "--threads", "1", "--out", f"{folder}/m"]
        words += METHODS[job["method"]].split()
        if job["told"]:
            words += ["--prior", str(job["share"])]
        began = time.time()
        done = subprocess.run(words, capture_output=True, text=True)
        told["seconds"] = round(time.time() - began, 2)
        if done.returncode:
            return dict(told, error=done.stderr[-300:])
        said = json.loads(done.stdout)
        test = said.get("labeling")
        told["doubt"] = said.get("doubt") is not None
        if test is None:
            return dict(told, untested=True)
        first = test["columns"][0] if test["columns"] else None
        return dict(told, p=test["p"], p_of_rows=test["p_of_rows"], columns=len(test["columns"]),
                    column=first and first["column"], c_told=test["most_labeled"])


def jobs():
    rng = np.random.default_rng(1)
    out = []
    for k in range(3600):  # random labels
        out.append(dict(bias="random", odds=1.0))
    for kind in ("easy", "group", "feature", "boundary"):
        for odds in (3.0, 10.0, 100.0):
            out.extend(dict(bias=kind, odds=odds) for _ in range(150))
    for k, job in enumerate(out):
        method = str(rng.choice(["linear", "trees", "auto"], p=[0.5, 0.35, 0.15]))
        job.update(seed=k, source=str(rng.choice(SOURCES)), share=float(rng.choice([0.05, 0.1, 0.2, 0.3, 0.45, 0.6])),
                   c=float(rng.choice([0.05, 0.15, 0.3, 0.5, 0.8])), rows=int(rng.choice([600, 1500, 3000])),
                   told=bool(rng.random() < 0.6), method=method)
    rng.shuffle(out)
    return out


def tell(lines):
    """The tables of labeling.md."""
    def rate(some, of="p"):
        some = list(some)
        return f"{np.mean([line[of] < 0.05 for line in some]):.3f} of {len(some)}" if some else "-"
    fits = [line for line in lines if "error" not in line and "skipped" not in line]
    tested = [line for line in fits if "p" in line]
    random = [line for line in tested if line["bias"] == "random"]
    none = sum(line["bias"] == "random" for line in fits) - len(random)
    print("# Level and power of the test of random labels\n\nWritten by `labeling.py` from `labeling.jsonl`.\n")
    print(f"Random labels, nominal 5 %: refuted in {rate(random)} tests; in {none} more fits the least share is next to 0, and nothing is tested. "
          "By the first rows alone (`p_of_rows`, not corrected for there being columns) in " + rate(random, "p_of_rows") + ".\n")
    print("| random labels | refuted | by the first rows alone |\n|---|---|---|")
    for key in ("told", "method", "source", "share", "c"):
        for value in sorted({line[key] for line in random}, key=str):
            some = [line for line in random if line[key] == value]
            name = {"told": "share told" if value else "share estimated", "c": f"share of positives labeled {value}"}.get(key, f"{key} {value}")
            print(f"| {name} | {rate(some)} | {rate(some, 'p_of_rows')} |")
    print("\n| bias | odds | share told | share estimated |\n|---|---|---|---|")
    for kind in ("easy", "group", "feature", "boundary"):
        for odds in (3.0, 10.0, 100.0):
            some = [line for line in tested if line["bias"] == kind and line["odds"] == odds]
            told, estimated = ([line for line in some if line["told"] == is_told] for is_told in (True, False))
            print(f"| {kind} | {odds:.0f} | {rate(told)} | {rate(estimated)} |")


if __name__ == "__main__" and BINARY is None:
    tell([json.loads(line) for line in open(OUT)])
elif __name__ == "__main__":
    END = time.time() + float(SECONDS)
    for name in SOURCES:
        if not name.startswith("gauss"):
            tables[name] = load(name)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(int(WORKERS), multiprocessing.get_context("fork")) as pool, open(OUT, "w") as out:
        for line in pool.map(run, jobs()):
            if line is not None:
                out.write(json.dumps(line) + "\n")
