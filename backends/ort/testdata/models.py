"""Writes the small models of this folder's specs, beside itself.

Made with onnx==1.22.0 and numpy==2.4.6:  python models.py
IR version and opset are pinned, so that the files do not depend on the version of onnx.
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h

HERE = pathlib.Path(__file__).parent
F32, F16, I64, STR = T.FLOAT, T.FLOAT16, T.INT64, T.STRING


def value(name, elem, shape=None):
    """A tensor without a declared rank where shape is None."""
    return h.make_tensor_value_info(name, elem, shape)


def save(name, nodes, inputs, outputs, initializers=(), opset=21, ir=10, more=(), **kwargs):
    graph = h.make_graph(nodes, name, inputs, outputs, list(initializers))
    opsets = [h.make_opsetid("", opset)] + [h.make_opsetid(domain, 1) for domain in more]
    model = h.make_model(graph, opset_imports=opsets, ir_version=ir, producer_name="modelparity")
    onnx.save(model, HERE / f"{name}.onnx", **kwargs)


def typed(name, type_proto):
    return h.make_value_info(name, type_proto)


# One identity for every element type that has one. The shape is not declared, so that the same
# model takes 0-d, empty and other tensors.
for elem in (F32, F16, STR, I64, T.BFLOAT16, T.DOUBLE, T.BOOL, T.INT8, T.INT16, T.INT32, T.UINT8,
             T.UINT16, T.UINT32, T.UINT64, T.FLOAT8E4M3FN, T.FLOAT8E4M3FNUZ, T.FLOAT8E5M2,
             T.FLOAT8E5M2FNUZ):
    save("identity_" + T.DataType.Name(elem).lower(), [h.make_node("Identity", ["x"], ["y"])],
         [value("x", elem)], [value("y", elem)])

# Types without an identity go through float32 and back.
for elem in (T.INT4, T.UINT4):
    save("identity_" + T.DataType.Name(elem).lower(),
         [h.make_node("Cast", ["x"], ["wide"], to=F32), h.make_node("Cast", ["wide"], ["y"], to=elem)],
         [value("x", elem)], [value("y", elem)])

# Declared shapes: fixed and symbolic dimensions, and a default for the second input.
save("declared", [h.make_node("Add", ["x", "bias"], ["y"])],
     [value("x", F32, ["batch", 3]), value("bias", F32, [3])], [value("y", F32, ["batch", 3])],
     [h.make_tensor("bias", F32, [3], [10, 20, 30])])
save("two_inputs", [h.make_node("Sub", ["a", "b"], ["y"])],
     [value("a", F32, [2]), value("b", F32, [2])], [value("y", F32, [2])])

# 16-bit floats whose shape is known only after the run, and one that is 0-d.
for name, elem in (("float16", F16), ("bfloat16", T.BFLOAT16)):
    save("dynamic_" + name,
         [h.make_node("Cast", ["x"], ["wide"], to=F32),
          h.make_node("NonZero", ["wide"], ["places"]),
          h.make_node("Cast", ["places"], ["nonzero"], to=elem),
          h.make_node("ReduceSum", ["wide"], ["total"], keepdims=0),
          h.make_node("Cast", ["total"], ["sum"], to=elem)],
         [value("x", elem, ["n"])],
         [value("nonzero", elem, [1, "found"]), value("sum", elem, [])])

save("no_inputs", [h.make_node("Constant", [], ["y"], value_floats=[1.0, 2.0])], [],
     [value("y", F32, [2])])

# Sequences, maps and optionals.
def seq(elem):
    return h.make_sequence_type_proto(h.make_tensor_type_proto(elem, None))


save("sequence_out", [h.make_node("SplitToSequence", ["x"], ["y"], axis=0, keepdims=0)],
     [value("x", F16, ["n"])], [typed("y", seq(F16))])
save("sequence_in", [h.make_node("ConcatFromSequence", ["x"], ["y"], axis=0)],
     [typed("x", seq(F32))], [value("y", F32, ["n"])])
save("sequence_length", [h.make_node("SequenceLength", ["x"], ["y"])], [typed("x", seq(F32))],
     [value("y", I64, [])])
save("sequence_empty", [h.make_node("SequenceEmpty", [], ["y"], dtype=F32)], [], [typed("y", seq(F32))])
save("zipmap",
     [h.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_strings=["cat", "dog"])],
     [value("x", F32, ["n", 2])],
     [typed("y", h.make_sequence_type_proto(
         h.make_map_type_proto(STR, h.make_tensor_type_proto(F32, None))))], more=["ai.onnx.ml"])
save("map_in",
     [h.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml",
                  string_vocabulary=["cat", "dog", "emu"])],
     [typed("x", h.make_map_type_proto(STR, h.make_tensor_type_proto(F32, None)))],
     [value("y", F32)], more=["ai.onnx.ml"])
optional = h.make_optional_type_proto(h.make_tensor_type_proto(F32, None))
save("optional_none", [h.make_node("Optional", [], ["y"], type=h.make_tensor_type_proto(F32, None))],
     [], [typed("y", optional)])
save("optional_some", [h.make_node("Optional", ["x"], ["y"])], [value("x", F32)], [typed("y", optional)])
save("optional_in", [h.make_node("OptionalHasElement", ["x"], ["y"])],
     [typed("x", optional)], [value("y", T.BOOL, [])])

# A loop of 2^40 steps, to be cancelled.
body = h.make_graph(
    [h.make_node("Identity", ["go"], ["again"]), h.make_node("Sin", ["state"], ["next"])], "body",
    [value("i", I64, []), value("go", T.BOOL, []), value("state", F32, [1])],
    [value("again", T.BOOL, []), value("next", F32, [1])])
save("endless", [h.make_node("Loop", ["steps", "", "x"], ["y"], body=body)],
     [value("x", F32, [1])], [value("y", F32, [1])], [h.make_tensor("steps", I64, [], [1 << 40])])

# Models that ONNX Runtime refuses, and one that fails only when it runs.
save("unknown_operator", [h.make_node("Frobnicate", ["x"], ["y"])], [value("x", F32, [1])],
     [value("y", F32, [1])])
save("unknown_domain", [h.make_node("Frobnicate", ["x"], ["y"], domain="acme")],
     [value("x", F32, [1])], [value("y", F32, [1])], more=["acme"])
save("no_domain", [h.make_node("Frobnicate", ["x"], ["y"], domain="acme")],
     [value("x", F32, [1])], [value("y", F32, [1])])
save("no_kernel", [h.make_node("BitShift", ["x", "x"], ["y"], direction="LEFT")],
     [value("x", T.UINT16, [1])], [value("y", T.UINT16, [1])])
save("dangling", [h.make_node("Add", ["x", "nowhere"], ["y"])], [value("x", F32, [1])],
     [value("y", F32, [1])])
save("wrong_type", [h.make_node("Neg", ["x"], ["y"])], [value("x", F32, [1])], [value("y", I64, [1])])
save("too_new", [h.make_node("Neg", ["x"], ["y"])], [value("x", F32, [1])], [value("y", F32, [1])], ir=99)
save("unfinished_opset", [h.make_node("Neg", ["x"], ["y"])], [value("x", F32, [1])],
     [value("y", F32, [1])], opset=99)
save("fails_running", [h.make_node("Reshape", ["x", "shape"], ["y"])],
     [value("x", F32, ["n"]), value("shape", I64, ["rank"])], [value("y", F32)])

# Weights in a file of their own, which onnx would append to.
(HERE / "external.bin").unlink(missing_ok=True)
save("external", [h.make_node("Add", ["x", "w"], ["y"])], [value("x", F32, [4])], [value("y", F32, [4])],
     [onnx.numpy_helper.from_array(np.arange(4, dtype=np.float32), "w")],
     save_as_external_data=True, location="external.bin", size_threshold=0)
