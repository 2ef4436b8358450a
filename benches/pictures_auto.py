"""`fit` without settings on small sets of pictures, beside lines and LightGBM on hand-made features (simple_pictures.py).

    python3 benches/pictures_auto.py DATA SET SEED LABELED UNLABELED OUTFILE

DATA holds CIFAR-10, MNIST, USPS and SVHN as docs/data-sets.md has them. SEED draws 1,000 pictures to judge on, LABELED positives from
the others, and UNLABELED of what is left, whose share of positives `fit` is told. OUTFILE gets a JSON line with AUCs and seconds. The
command is the one named by ONESIDED, else `onesided`. Sets called choose-... are those that costs of the lines were chosen on; all
others are reported. Needs numpy, scipy, pillow, scikit-learn and lightgbm.
"""
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.metrics import roc_auc_score

COMMAND = os.environ.get("ONESIDED", "onesided")


def cifar10(data, part, positive):
    rows = np.fromfile(data / f"cifar-10-batches-bin/{part}.bin", np.uint8).reshape(-1, 3073)
    return rows[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), np.isin(rows[:, 0], positive)


def mnist(data, part, positive):
    pixels = np.fromfile(data / f"mnist/{part}-images-idx3-ubyte", np.uint8)[16:].reshape(-1, 28, 28)
    return pixels, np.isin(np.fromfile(data / f"mnist/{part}-labels-idx1-ubyte", np.uint8)[8:], positive)


def usps(data):
    with gzip.open(data / "usps/zip.test.gz", "rt") as file:
        rows = np.array([line.split() for line in file], float)
    return ((rows[:, 1:] + 1) * 127.5).round().astype(np.uint8).reshape(-1, 16, 16), rows[:, 0] % 2 == 0


def svhn(data):
    from scipy.io import loadmat
    file = loadmat(data / "svhn/test_32x32.mat")
    return file["X"].transpose(3, 0, 1, 2), np.isin(file["y"].ravel(), [1, 2, 3, 4, 5])


def patches():
    from sklearn.datasets import load_sample_image
    chance = np.random.default_rng(99)

    def cut(image):
        line, pixel = chance.integers(image.shape[0] - 40), chance.integers(image.shape[1] - 40)
        return image[line:line + 40, pixel:pixel + 40]

    images = [cut(load_sample_image(name)) for name in ["china.jpg"] * 2500 + ["flower.jpg"] * 2500]
    return np.stack(images), np.arange(5000) < 2500


SETS = {
    "choose-vehicles": lambda data: cifar10(data, "data_batch_1", [0, 1, 8, 9]),
    "choose-even": lambda data: mnist(data, "train", [0, 2, 4, 6, 8]),
    "cats and dogs": lambda data: cifar10(data, "test_batch", [3, 5]),
    "ships": lambda data: cifar10(data, "data_batch_5", [8]),
    "digits from 7 on": lambda data: mnist(data, "t10k", [7, 8, 9]),
    "even digits of letters": usps,
    "house numbers": svhn,
    "patches of two photographs": lambda data: patches(),
}


def judged(truth, path):
    with open(path, newline="") as file:
        scores = {Path(row["file"]).name: float(row["score"]) for row in csv.DictReader(file)}
    return round(roc_auc_score(list(truth.values()), [scores[name] for name in truth]), 4)


def main():
    data, name, seed, labeled, unlabeled, out = sys.argv[1:]
    images, is_positive = SETS[name](Path(data))
    chance = np.random.default_rng(int(seed))
    order = chance.permutation(len(images))
    new, order = order[:1000], order[1000:]
    known = chance.choice(order[is_positive[order]], int(labeled), replace=False)
    rest = order[~np.isin(order, known)][:int(unlabeled)]
    share = float(is_positive[rest].mean())
    line = dict(set=name, seed=int(seed), labeled=len(known), unlabeled=len(rest), share=round(share, 4))
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        for folder, rows in (("known", known), ("rest", rest), ("new", new)):
            (work / folder).mkdir()
            for row in rows:
                Image.fromarray(images[row]).save(work / folder / f"{row:06d}.png")
        truth = {f"{row:06d}.png": int(is_positive[row]) for row in new}
        start = time.time()
        said = subprocess.run(
            [COMMAND, "fit", "--positives", work / "known", "--unlabeled", work / "rest", "--prior", f"{share:.4f}", "--device",
             "cpu", "--seed", "1", "-q", "--json", "--out", work / "model"], check=True, capture_output=True, text=True)
        line["seconds"] = round(time.time() - start)
        line["members"] = len(json.loads(said.stdout)["candidates"])
        subprocess.run([COMMAND, "predict", work / "model", work / "new", "--device", "cpu", "-q", "--out", work / "list.csv"],
                       check=True, capture_output=True)
        line["fit"] = judged(truth, work / "list.csv")
        with open(work / "truth.csv", "w") as file:
            file.writelines(f"{name},{positive}\n" for name, positive in truth.items())
        simple = subprocess.run(
            [sys.executable, Path(__file__).with_name("simple_pictures.py"), work / "known", work / "rest", work / "new",
             work / "truth.csv"], check=True, capture_output=True, text=True).stdout.splitlines()
        line["line"], line["trees"] = (round(float(one.split()[-1]), 4) for one in simple[:2])
    with open(out, "a") as file:
        print(json.dumps(line), file=file)


if __name__ == "__main__":
    main()
