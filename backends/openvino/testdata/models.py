"""Writes the small models of this folder's specs in the formats of OpenVINO's frontends, beside itself.

Made with onnx==1.22.0, numpy==2.4.6, openvino==2026.4.1, flatbuffers and tflite:  python models.py
The formats that are protobuf are written field by field, so that neither TensorFlow nor PaddlePaddle is needed.
"""

import pathlib

import flatbuffers
import numpy as np
import onnx
import openvino
import tflite
from onnx import TensorProto as T
from onnx import helper as h

HERE = pathlib.Path(__file__).parent


def varint(n):
    text = b""
    while n >= 0x80:
        text += bytes([n & 0x7F | 0x80])
        n >>= 7
    return text + bytes([n])


def field(number, value):
    """One field of a protobuf message: an integer, text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value & (1 << 64) - 1)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


# y = relu(x·w + b), as ONNX and as OpenVINO's IR.
random = np.random.default_rng(7)
w, b = random.standard_normal((4, 3), np.float32), random.standard_normal(3, np.float32)
graph = h.make_graph(
    [h.make_node("MatMul", ["x", "w"], ["m"]), h.make_node("Add", ["m", "b"], ["a"]),
     h.make_node("Relu", ["a"], ["y"])], "layer",
    [h.make_tensor_value_info("x", T.FLOAT, ["n", 4])], [h.make_tensor_value_info("y", T.FLOAT, ["n", 3])],
    [onnx.numpy_helper.from_array(w, "w"), onnx.numpy_helper.from_array(b, "b")])
onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 21)], ir_version=10, producer_name="modelparity"),
          HERE / "layer.onnx")
openvino.save_model(openvino.Core().read_model(HERE / "layer.onnx"), HERE / "layer.xml", compress_to_fp16=False)

# The others are y = relu(x) for x of one dimension. TensorFlow: GraphDef, NodeDef, AttrValue.
FLOAT = 1


def attribute(key, value):
    return field(5, field(1, key) + field(2, value))


shape = field(7, field(2, field(1, -1)))
(HERE / "relu.pb").write_bytes(
    field(1, field(1, "x") + field(2, "Placeholder") + attribute("dtype", field(6, FLOAT)) + attribute("shape", shape)) +
    field(1, field(1, "y") + field(2, "Relu") + field(3, "x") + attribute("T", field(6, FLOAT))))

# PaddlePaddle: ProgramDesc, BlockDesc, VarDesc, OpDesc.
FEED, FETCH, DENSE, FP32 = 9, 10, 7, 5


def variable(name, kind):
    dense = field(3, field(1, field(1, FP32) + field(2, -1))) if kind == DENSE else b""
    return field(3, field(1, name) + field(2, field(1, kind) + dense))


def op(kind, inputs, outputs, attributes=b""):
    def slots(number, values):
        return b"".join(field(number, field(1, k) + field(2, v)) for k, v in values.items())
    return field(4, slots(1, inputs) + slots(2, outputs) + field(3, kind) + attributes)


column = field(4, field(1, "col") + field(2, 0) + field(3, 0))
(HERE / "relu.pdmodel").write_bytes(field(1, field(1, 0) + field(2, -1) +
    variable("feed", FEED) + variable("x", DENSE) + variable("y", DENSE) + variable("fetch", FETCH) +
    op("feed", {"X": "feed"}, {"Out": "x"}, column) + op("relu", {"X": "x"}, {"Out": "y"}) +
    op("fetch", {"X": "y"}, {"Out": "fetch"}, column)) + field(4, field(1, 2000000)))

# TensorFlow Lite: a flatbuffer.
f = flatbuffers.Builder(256)


def vector(start, items):
    start(f, len(items))
    for item in reversed(items):
        f.PrependUOffsetTRelative(item)
    return f.EndVector()


def ints(start, values):
    start(f, len(values))
    for value in reversed(values):
        f.PrependInt32(value)
    return f.EndVector()


def tensor(name):
    text, dims = f.CreateString(name), ints(tflite.TensorStartShapeVector, [3])
    tflite.TensorStart(f)
    tflite.TensorAddShape(f, dims)
    tflite.TensorAddType(f, tflite.TensorType.FLOAT32)
    tflite.TensorAddBuffer(f, 0)
    tflite.TensorAddName(f, text)
    return tflite.TensorEnd(f)


tensors = vector(tflite.SubGraphStartTensorsVector, [tensor("x"), tensor("y")])
reads, gives = ints(tflite.OperatorStartInputsVector, [0]), ints(tflite.OperatorStartOutputsVector, [1])
tflite.OperatorStart(f)
tflite.OperatorAddOpcodeIndex(f, 0)
tflite.OperatorAddInputs(f, reads)
tflite.OperatorAddOutputs(f, gives)
operators = vector(tflite.SubGraphStartOperatorsVector, [tflite.OperatorEnd(f)])
reads, gives = ints(tflite.SubGraphStartInputsVector, [0]), ints(tflite.SubGraphStartOutputsVector, [1])
tflite.SubGraphStart(f)
tflite.SubGraphAddTensors(f, tensors)
tflite.SubGraphAddInputs(f, reads)
tflite.SubGraphAddOutputs(f, gives)
tflite.SubGraphAddOperators(f, operators)
subgraphs = vector(tflite.ModelStartSubgraphsVector, [tflite.SubGraphEnd(f)])
tflite.OperatorCodeStart(f)
tflite.OperatorCodeAddDeprecatedBuiltinCode(f, tflite.BuiltinOperator.RELU)
tflite.OperatorCodeAddVersion(f, 1)
tflite.OperatorCodeAddBuiltinCode(f, tflite.BuiltinOperator.RELU)
codes = vector(tflite.ModelStartOperatorCodesVector, [tflite.OperatorCodeEnd(f)])
tflite.BufferStart(f)
buffers = vector(tflite.ModelStartBuffersVector, [tflite.BufferEnd(f)])
tflite.ModelStart(f)
tflite.ModelAddVersion(f, 3)
tflite.ModelAddOperatorCodes(f, codes)
tflite.ModelAddSubgraphs(f, subgraphs)
tflite.ModelAddBuffers(f, buffers)
f.Finish(tflite.ModelEnd(f), b"TFL3")
(HERE / "relu.tflite").write_bytes(bytes(f.Output()))
