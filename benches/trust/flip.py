"""Labels and class that pull in opposite directions: the old are labeled, and the young are positive.

    python flip.py ONESIDED > flip.md     # only numpy

AUC on 4,000 new rows of fits on 3,000, without a word and with --labeling-depends-on age, the share told.
"""
import json, os, subprocess, sys, tempfile
import numpy as np


def made(seed, rows, chance, path):
    rng = np.random.default_rng(seed)
    age, signal, noise = rng.random(rows), rng.normal(size=rows), rng.normal(size=rows)
    truth = rng.random(rows) < 1 / (1 + np.exp(-(2.5 * signal - 4 * (age - 0.5) - 0.5)))
    labeled = truth & (rng.random(rows) < chance(age))
    with open(path, "w") as out:
        out.write("label,truth,age,signal,noise\n")
        for row in zip(labeled, truth, age, signal, noise):
            out.write("{:d},{:d},{:.6f},{:.6f},{:.6f}\n".format(*row))
    return truth.mean()


binary = os.path.abspath(sys.argv[1])
print("# Labels and class that pull in opposite directions\n\nWritten by `flip.py`.\n")
print("| labels | method | AUC | with the column | used | chance of being labeled |\n|---|---|---|---|---|---|")
with tempfile.TemporaryDirectory() as folder:
    call = lambda *words: json.loads(subprocess.run([binary, *words, "--json"], capture_output=True, text=True, cwd=folder, check=True).stdout)
    made(100, 4_000, lambda age: 0.5, f"{folder}/test.csv")
    for kind, chance in (("the old: .6, the young: .04", lambda age: np.where(age > 0.5, 0.6, 0.04)), ("random: .3", lambda age: 0.3)):
        share = made(1, 3_000, chance, f"{folder}/train.csv")
        for name, method in (("trees", ["--model", "trees"]), ("auto --effort quick", ["--effort", "quick"])):
            cells = []
            for extra in ([], ["--labeling-depends-on", "age"]):
                fit = call("fit", "train.csv", "--label", "label", "--drop", "truth", "--prior", str(share), "--out", "m", *method, *extra)
                cells.append(f"{call('evaluate', 'm', 'test.csv', '--truth', 'truth')['auc']:.4f}")
                who = fit["who_labels"]
            low, high = who["chance"]
            print(f"| {kind} | {name} | {' | '.join(cells)} | {who['used']} | {low:.3f} to {high:.3f} |", flush=True)
