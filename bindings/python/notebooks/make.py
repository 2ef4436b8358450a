"""Writes and executes the notebooks: python make.py (needs nbclient, ipykernel, scikit-learn and pandas)."""

from __future__ import annotations

import re
from pathlib import Path

import nbclient
import nbformat

TABLE = """
# A table
Breast tumors measured by 30 numbers each (Wolberg, Mangasarian and Street, 1995; it comes with scikit-learn). Say that a clinic has
confirmed 60 % of the malignant ones, and nobody has looked at the rest.
---
import numpy as np, pandas as pd, warnings
from sklearn.datasets import load_breast_cancer
warnings.simplefilter("ignore")

data = load_breast_cancer(as_frame=True)
X, truth = data.data, (data.target == 0).to_numpy()      # malignant
labeled = truth & (np.random.default_rng(0).random(len(truth)) < 0.6)
y = np.where(labeled, 1.0, np.nan)                       # 1 is positive, NaN unlabeled
print(X.shape, int(labeled.sum()), "labeled")
---
## How many are hidden?
The estimators answer with intervals; the picture shows each, and in its last line what tables like this one say: a guess with an
interval.
---
from onesided import estimate_prior

prior = estimate_prior(X, y, n_jobs=1)
low, high = prior.prior_interval
print(f"estimated {prior.prior:.2f}, true {truth.mean():.2f}, inside the interval: {low <= truth.mean() <= high}")
prior
---
## A model
`auto` tries several models on folds, mixes the best, and calibrates. Its metrics are estimated without a single negative.
---
from onesided import PUClassifier

model = PUClassifier(n_jobs=1).fit(X, y)
print(f"right on {np.mean((model.predict(X) == 1) == truth):.2f} of the rows")
model
---
## A list to work through
The likeliest tumors among those nobody has looked at.
---
unlabeled = X[~labeled]
best = pd.DataFrame(model.rank(unlabeled, 50))
found = truth[~labeled][best.row]
print(f"of the first 50, {found.sum()} are malignant")
---
## Which settings? Without negatives
---
from onesided.metrics import make_pu_scorer
from onesided.model_selection import PUKFold
from sklearn.model_selection import cross_val_score

for method in ("weighted-lr", "elkan-noto", "biased-svm"):
    scores = cross_val_score(PUClassifier(method, n_jobs=1), X, y, scoring=make_pu_scorer("auc_pu"), cv=PUKFold(3))
    print(f"{method:12} AUC of positives against unlabeled rows {scores.mean():.2f}")
"""

TEXTS = """
# Texts
Messages made of the words of two subjects. Some about sport are labeled; the rest is a mixture.
---
import numpy as np, warnings
warnings.simplefilter("ignore")

rng = np.random.default_rng(0)
sport = "team game goal match player league coach season score win home final".split()
money = "bank rate market price share profit loan stock fund tax trade cost".split()
both = "the a of and to in was for on with day year people city news report".split()

def message(words):
    return " ".join(rng.choice(words + both, size=rng.integers(6, 15)))

truth = rng.random(1500) < 0.4
texts = [message(sport if about_sport else money) for about_sport in truth]
y = (truth & (rng.random(1500) < 0.3)).astype(int)
print(len(texts), "texts,", y.sum(), "labeled;", "such as:", texts[0])
---
## Strings are texts
A list of strings needs no vectorizer. Linear methods keep the terms sparse and say which words carried a score.
---
from onesided import PUClassifier

model = PUClassifier("weighted-lr", n_jobs=1).fit(texts, y)
print(f"right on {np.mean(model.predict(texts) == truth):.2f} of the texts")
for text in ("the coach and the final match", "a loan of the bank"):
    parts = ", ".join(word for word, part in model.explain([text], 2)[0])
    print(f"{text!r}: {'sport' if model.decision_function([text])[0] > 0 else 'other'}, because of {parts}")
---
## Two parts
If positives and unlabeled texts are in separate places, say so: the unlabeled ones are then the population.
---
positive = [text for text, label in zip(texts, y) if label]
fresh = [message(sport if about_sport else money) for about_sport in rng.random(1500) < 0.4]
apart = PUClassifier("weighted-lr", n_jobs=1).fit_parts(positive, fresh)
print(apart.about_["scenario"], f"prior {apart.prior_:.1f}")
---
## In a table
A column of texts next to other columns is named with `text=`.
---
import pandas as pd

table = pd.DataFrame({"body": texts, "length": [len(text) for text in texts]})
mixed = PUClassifier("weighted-lr", text=["body"], n_jobs=1).fit(table, y)
print(f"right on {np.mean(mixed.predict(table) == truth):.2f} of the rows")
"""

PICTURES = """
# Pictures
Handwritten digits of 8 × 8 pixels (Alpaydin and Kaynak, 1998; they come with scikit-learn): even ones are positive, and half of those
are labeled.
---
import numpy as np, warnings
from sklearn.datasets import load_digits
warnings.simplefilter("ignore")

digits = load_digits()
pictures = np.round(digits.images * 255 / 16).astype(np.uint8)
truth = digits.target % 2 == 0
y = (truth & (np.random.default_rng(0).random(len(truth)) < 0.5)).astype(int)
print(pictures.shape, pictures.dtype, y.sum(), "labeled")
---
## A small convolutional network
Bytes of shape (n, height, width) are pictures. So is a list of paths.
---
from onesided import PUClassifier

model = PUClassifier("collective", model="cnn", prior=0.5, epochs=15, n_jobs=1).fit(pictures, y)
print(f"right on more than nine in ten: {np.mean(model.predict(pictures) == truth) > 0.9}")
---
## What it is least sure of
---
probability = model.predict_proba(pictures)[:, 1]
doubt = np.argsort(np.abs(probability - 0.5))[:3]
print(len(doubt), "pictures to look at first")
---
## The same loss in PyTorch, or in any loop
Scores in, value and gradient out.
---
from onesided.losses import Loss

loss = Loss("collective", prior_in_unlabeled=0.33)
scores = model.decision_function(pictures).astype(np.float32)
value, grad_p, grad_u = loss.value_and_grad(scores[y == 1], scores[y == 0])
print(grad_p.shape, grad_u.shape, bool((grad_p < 0).all()))
---
## The model file
---
model.save("digits.model")
import onesided, os
again = onesided.load("digits.model")
print((again.predict(pictures) == model.predict(pictures)).all())
os.remove("digits.model")
os.remove("digits.model.rows")  # what the list needs of the fitted pictures
"""


def main() -> None:
    folder = Path(__file__).resolve().parent
    for name, text in (("table", TABLE), ("texts", TEXTS), ("pictures", PICTURES)):
        book = nbformat.v4.new_notebook()
        for at, part in enumerate(part.strip() for part in text.split("\n---\n")):
            is_prose = part.startswith("#")
            cell = nbformat.v4.new_markdown_cell(part) if is_prose else nbformat.v4.new_code_cell(part)
            cell["id"] = f"{name}-{at}"
            book.cells.append(cell)
        nbclient.NotebookClient(book, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
        for cell in book.cells:
            cell.get("metadata", {}).clear()
            for output in cell.get("outputs", []):
                # The identity of an object in memory is nobody's business.
                if "text/plain" in output.get("data", {}):
                    output["data"]["text/plain"] = re.sub(r" at 0x[0-9a-f]+", "", output["data"]["text/plain"])
        book.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
        nbformat.write(book, folder / f"{name}.ipynb")


if __name__ == "__main__":
    main()
