"""Writes the body that ONNX defines Attention by, for each number of queries and keys that standard
input lists, as a model: FOLDER/QUERIES-KEYS.onnx. Standard output: onnx's version."""

import sys

import onnx
from onnx import helper


def body(queries, keys):
    lengths = {"Q": queries, "K": keys, "V": keys, "past_key": 1, "past_value": 1}
    inputs = [helper.make_tensor_value_info(name, 1, [1, 1, n, 1]) for name, n in lengths.items()]
    types = [i.type for i in inputs]
    types.insert(3, onnx.TypeProto())  # no mask
    node = helper.make_node("Attention", ["Q", "K", "V", "", "past_key", "past_value"],
                            ["Y", "present_key", "present_value"], is_causal=1)
    schema = onnx.defs.get_schema("Attention", 23, "")
    function = onnx.FunctionProto.FromString(schema.get_context_dependent_function(
        node.SerializeToString(), [t.SerializeToString() for t in types]))
    output = helper.make_tensor_value_info("Y", 1, None)
    graph = helper.make_graph(function.node, "body", inputs, [output])
    return helper.make_model(graph, opset_imports=function.opset_import, ir_version=10)


for line in sys.stdin:
    queries, keys = map(int, line.split())
    onnx.save(body(queries, keys), f"{sys.argv[1]}/{queries}-{keys}.onnx")
print(onnx.__version__)
