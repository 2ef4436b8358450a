"""A model behind HTTP: ``pip install fastapi uvicorn onesided`` and ``uvicorn app:app``.

    curl -d '[{"age": 31, "city": "Oslo"}]' -H 'content-type: application/json' localhost:8000/score
"""

import os
from typing import Any

import pandas as pd
from fastapi import FastAPI, HTTPException

import onesided

model = onesided.load(os.environ.get("MODEL", "model.onesided"))
app = FastAPI()


@app.post("/score")
def score(rows: list[dict[str, Any]]) -> list[dict[str, float | bool]]:
    """Probability and decision of each row; a column that is missing or of another kind is a sentence."""
    try:
        probability = model.predict_proba(pd.DataFrame(rows))[:, 1]
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
    return [{"probability": float(q), "positive": bool(q >= model.threshold_)} for q in probability]
