"""Judges comparisons with the real Polygraphy, one JSON line for each.

In:  {"func": name, "params": {…}, "actual": [dtype, shape, base64], "expected": […]}
Out: {"passed": bool, "metrics": {name: text} or null} or {"exception": text}

The first line out is {"polygraphy": version}. Numbers are text, as Python's repr has them.
"""

import base64
import json
import sys

import numpy as np
import polygraphy
from polygraphy.comparator import IterationResult
from polygraphy.comparator import compare as functions
from polygraphy.logger import G_LOGGER

G_LOGGER.module_severity = G_LOGGER.CRITICAL
np.seterr(all="ignore")

FUNCTIONS = {
    "simple": functions.SimpleCompareFunc,
    "indices": functions.IndicesCompareFunc,
    "l2": functions.L2CompareFunc,
    "cosine_similarity": functions.CosineSimilarityCompareFunc,
    "psnr": functions.PsnrCompareFunc,
    "snr": functions.SnrCompareFunc,
}


def array(encoded):
    dtype, shape, data = encoded
    return np.frombuffer(base64.b64decode(data), dtype=dtype).reshape(shape)


def judge(case):
    actual = IterationResult({"out": array(case["actual"])}, runner_name="actual")
    expected = IterationResult({"out": array(case["expected"])}, runner_name="expected")
    result = FUNCTIONS[case["func"]](**case["params"])(actual, expected)["out"]
    names = ("max_absdiff", "max_reldiff", "median_absdiff", "median_reldiff")
    metrics = None
    if hasattr(result, names[0]):
        metrics = {name: repr(float(getattr(result, name))) for name in names}
    return {"passed": bool(result), "metrics": metrics}


print(json.dumps({"polygraphy": polygraphy.__version__}), flush=True)
for line in sys.stdin:
    try:
        answer = judge(json.loads(line))
    except BaseException as error:  # what breaks Polygraphy is an answer, too
        answer = {"exception": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
