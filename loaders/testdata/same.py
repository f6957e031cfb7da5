"""Holds changed models to the onnx checker, and in ONNX Runtime to the model that they were made of.

python same.py MODEL CHANGED...   with onnx 1.22.0 and onnxruntime 1.31.1

Each CHANGED is checked in full, and must compute from random inputs the same outputs, bit by bit.
"""

import sys

import numpy as np
import onnx
import onnxruntime

TYPES = {"tensor(float)": np.float32, "tensor(bool)": np.bool_, "tensor(int64)": np.int64}


def session(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


model, *changed = sys.argv[1:]
rng = np.random.default_rng(1)
whole = session(model)
inputs = {}
for i in whole.get_inputs():
    values = rng.standard_normal([d if isinstance(d, int) else 3 for d in i.shape])
    inputs[i.name] = np.asarray(values > 0.1 if i.type == "tensor(bool)" else values, TYPES[i.type])
names = [o.name for o in whole.get_outputs()]
expected = whole.run(names, inputs)
for path in changed:
    onnx.checker.check_model(path, full_check=True)
    for name, want, got in zip(names, expected, session(path).run(names, inputs)):
        np.testing.assert_array_equal(got, want, err_msg=path + " " + name)
print("held", len(changed), "models of", len(names), "outputs")
