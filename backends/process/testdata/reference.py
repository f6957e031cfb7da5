"""Computes what the models of backendtest compute, by NumPy: see backendtest.Reference."""

import numpy as np


def run(inputs):
    if not inputs:
        return {"y": np.array([1, 2, 3], np.float32)}
    if list(inputs) == ["x"]:
        return {"y": inputs["x"]}
    return {"opposite": inputs["subtrahend"] - inputs["minuend"],
            "difference": inputs["minuend"] - inputs["subtrahend"]}
