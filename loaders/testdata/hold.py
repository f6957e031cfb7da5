"""Holds models that the specs wrote to the onnx checker and to ONNX Runtime.

python hold.py MARKED PART...   with onnx 1.22.0 and onnxruntime 1.31.1

MARKED gives out every tensor. Each PART is checked in full, and must compute from MARKED's tensors
the very tensors of the same name ("/own" apart) that MARKED gives.
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


marked, *parts = sys.argv[1:]
rng = np.random.default_rng(1)
whole = session(marked)
tensors = {}
for i in whole.get_inputs():
    values = rng.standard_normal([d if isinstance(d, int) else 3 for d in i.shape])
    tensors[i.name] = np.asarray(values > 0.1 if i.type == "tensor(bool)" else values, TYPES[i.type])
names = [o.name for o in whole.get_outputs()]
tensors.update(zip(names, whole.run(names, dict(tensors))))
for path in parts:
    onnx.checker.check_model(path, full_check=True)
    part = session(path)
    outputs = [o.name for o in part.get_outputs()]
    got = part.run(outputs, {i.name: tensors[i.name] for i in part.get_inputs()})
    for name, value in zip(outputs, got):
        np.testing.assert_array_equal(value, tensors[name.removesuffix("/own")], err_msg=path)
print("held", len(parts), "parts of", len(tensors), "tensors")
