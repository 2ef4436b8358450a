"""Writes text_features.json: short texts, and what scikit-learn's vectorizers make of them under several options.

    python text_features.py

Made with scikit-learn 1.9. The token pattern is the rule of crates/data/src/text/words.rs; cases with max_features have
no ties at the limit, where scikit-learn's choice is arbitrary.
"""

import json
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

rng = np.random.default_rng(6)
words = (
    "the a of to and in is that it space shuttle launch orbit hockey goal team car engine Café naïve ÉTÉ über "
    "don't e-mail under_score 3D x86 Ångström γάτα КОТ 東京 1993 cc: >quoted it's"
).split()
share = 1 / np.arange(1, len(words) + 1)
texts = [
    rng.choice([" ", ", ", ".\n"]).join(rng.choice(words, size=rng.integers(3, 25), p=share / share.sum()))
    for _ in range(40)
]
texts += ["", "...", "THE the The"]
new = ["The unknown word and a shuttle in orbit", "nothing_here", "ÉTÉ été, KOT кот"]
stop = ["the", "a", "of", "to", "and"]

cases = []
for weighting in ("counts", "tf-idf", "sublinear-tf-idf"):
    for lengths, shortest, stopped, least, most in [
        ((1, 1), 2, [], 1, None),
        ((1, 1), 1, [], 2, None),
        ((1, 2), 2, stop, 1, None),
        ((2, 3), 1, [], 2, None),
        ((1, 2), 2, [], 1, 7),
    ]:
        arguments = dict(
            token_pattern=r"(?u)[^\W_]{%d,}" % shortest,
            ngram_range=lengths,
            stop_words=stopped or None,
            min_df=least,
            max_features=most,
        )
        if weighting == "counts":
            vectorizer = CountVectorizer(**arguments)
        else:
            vectorizer = TfidfVectorizer(sublinear_tf=weighting.startswith("sub"), **arguments)
        rows = vectorizer.fit_transform(texts)
        if most:
            every = CountVectorizer(**(arguments | dict(max_features=None))).fit_transform(texts)
            times = np.sort(np.asarray(every.sum(axis=0)).ravel())[::-1]
            assert times[most - 1] > times[most], "a tie at the limit"
        entries = lambda m: [
            [[int(c), float(v)] for c, v in sorted(zip(m[i].indices, m[i].data))] for i in range(m.shape[0])
        ]
        cases.append(
            dict(
                options=dict(
                    phrase_lengths=lengths,
                    shortest_word=shortest,
                    stop_words=stopped,
                    min_texts=least,
                    max_terms=most,
                    weighting=weighting,
                ),
                terms=vectorizer.get_feature_names_out().tolist(),
                rows=entries(rows),
                new_rows=entries(vectorizer.transform(new)),
            )
        )

golden = dict(texts=texts, new=new, cases=cases)
Path(__file__).with_suffix(".json").write_text(json.dumps(golden, ensure_ascii=False))
