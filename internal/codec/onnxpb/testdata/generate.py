"""Writes cases.json: messages that onnx==1.22.0 made, and what onnx itself reads in them."""
import base64
import json
import pathlib

import numpy as np
from onnx import OptionalProto, SequenceProto, TensorProto, helper, numpy_helper

cases = []


def add(name, kind, message, want):
    pb = base64.b64encode(message.SerializeToString()).decode()
    cases.append({"name": name, "kind": kind, "pb": pb, "want": want})


def tensor(name, data_type, dims, values):
    for raw in (False, True):
        proto = helper.make_tensor("x", data_type, dims, values)
        array = numpy_helper.to_array(proto)
        if raw:
            proto = numpy_helper.from_array(array, "x")
        add(name + (" raw" if raw else ""), "tensor", proto, {
            "type": TensorProto.DataType.Name(data_type),
            "shape": list(array.shape),
            "values": [float(v) for v in array.astype("f8").flatten()],
        })


T = TensorProto
for name in "FLOAT DOUBLE FLOAT16 BFLOAT16 INT8 INT16 INT32 INT64 INT4".split():
    tensor(name, T.DataType.Value(name), [3], [1, -2, 3])
for name in "UINT8 UINT16 UINT32 UINT64 UINT4".split():
    tensor(name, T.DataType.Value(name), [3], [1, 2, 3])
for name in "FLOAT8E4M3FN FLOAT8E4M3FNUZ FLOAT8E5M2 FLOAT8E5M2FNUZ FLOAT4E2M1".split():
    tensor(name, T.DataType.Value(name), [3], [1, -2, 3])
tensor("FLOAT8E8M0", T.FLOAT8E8M0, [3], [1, 2, 0.5])
tensor("INT2", T.INT2, [5], [1, -2, 0, -1, 1])
tensor("UINT2", T.UINT2, [5], [1, 2, 0, 3, 1])
tensor("BOOL", T.BOOL, [2, 1], [True, False])
tensor("a scalar", T.FLOAT, [], [2.5])
tensor("no elements", T.INT64, [0, 3], [])
tensor("the least int64", T.INT64, [1], [-(2**63)])
tensor("the least int8", T.INT8, [2], [-128, 127])

text = helper.make_tensor("x", T.STRING, [2], [b"a", b"\xff\x00c"])
add("STRING", "tensor", text, {"type": "STRING", "shape": [2]})


def x(*values):
    return numpy_helper.from_array(np.array(values, "f4"), "x")


sequence = helper.make_sequence("s", SequenceProto.TENSOR, [x(1, 2), x(3)])
add("a sequence", "sequence", sequence, "s.length int64[] [2]; s[0] float32[2] [1 2]; s[1] float32[1] [3]")
add("an empty sequence", "sequence", helper.make_sequence("s", SequenceProto.TENSOR, []),
    "s.length int64[] [0]")
add("a sequence of sequences", "sequence",
    helper.make_sequence("s", SequenceProto.SEQUENCE, [sequence]),
    "s.length int64[] [1]; s[0].length int64[] [2]; s[0][0] float32[2] [1 2]; s[0][1] float32[1] [3]")
add("an optional", "optional", helper.make_optional("o", OptionalProto.TENSOR, x(1)),
    "s float32[1] [1]")
add("an optional sequence", "optional",
    helper.make_optional("o", OptionalProto.SEQUENCE, sequence),
    "s.length int64[] [2]; s[0] float32[2] [1 2]; s[1] float32[1] [3]")
add("an optional without a value", "optional",
    helper.make_optional("o", OptionalProto.UNDEFINED, None), "")

path = pathlib.Path(__file__).with_name("cases.json")
path.write_text(json.dumps(cases, indent=1) + "\n")
