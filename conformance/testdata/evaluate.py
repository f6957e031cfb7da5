"""Runs models on ONNX's reference evaluator. Standard input: JSON of models and inputs by name.
Standard output: JSON of the text of each model's first output by that name, and onnx's version."""

import json
import sys

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator


def number(v):
    text = f"{float(v):.8g}"
    return {"inf": "+Inf", "-inf": "-Inf", "nan": "NaN"}.get(text, text)


def tensor(t):
    values = np.array([float(v) for v in t["values"]])
    return values.astype(t["type"]).reshape(t["shape"])


def answer(question):
    inputs = {name: tensor(t) for name, t in question["inputs"].items()}
    try:
        y = ReferenceEvaluator(question["model"]).run(None, inputs)[0]
    except Exception:  # whatever the evaluator raises, it gives no result
        return "an error"
    values = [number(v) for v in y.ravel()]
    more = f" … {len(values) - 8} more" if len(values) > 8 else ""
    shape = ",".join(str(d) for d in y.shape)
    return f"{y.dtype.name}[{shape}] [{' '.join(values[:8])}{more}]"


answers = {name: answer(q) for name, q in json.load(sys.stdin).items()}
json.dump({"version": onnx.__version__, **answers}, sys.stdout)
