"""Writes testdata/encoder.onnx: a small transformer encoder with dynamic batch and sequence.

Two pre-norm blocks (width 32, four heads) over token and position embeddings, with seeded random
weights: nobody trained it, because this suite is about shapes, not about answers. LayerNorm and
GELU are spelled out in their elementary operators, as exporters of older opsets do, so that ONNX
Runtime's optimiser has something to fuse and the optimised and the plain graph really differ.

    tokens int64 [batch,sequence] -> states [batch,sequence,32], embedding [batch,32] (their mean)

A token is 0 to 63 and a sequence has at most 128. The same versions (../requirements.txt) write
the same bytes again.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SEED, VOCABULARY, POSITIONS, WIDTH, HEADS, BLOCKS = 7, 64, 128, 32, 4, 2
TARGET = Path(__file__).parent / "testdata" / "encoder.onnx"


class Graph:
    """Collects nodes and initializers; each call gives the name of the one result."""

    def __init__(self):
        self.nodes, self.weights = [], []
        self.rng = np.random.default_rng(SEED)

    def op(self, kind, *inputs, name=None, **attributes):
        name = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name, **attributes))
        return name

    def constant(self, name, value, dtype=np.float32):
        self.weights.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def random(self, name, *shape):
        scale = 1 / np.sqrt(shape[0]) if len(shape) > 1 else 0.1
        return self.constant(name, self.rng.standard_normal(shape) * scale)

    def linear(self, x, name, inputs, outputs):
        product = self.op("MatMul", x, self.random(name + ".weight", inputs, outputs))
        return self.op("Add", product, self.random(name + ".bias", outputs))

    def layer_norm(self, x, name, result=None):
        centred = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        variance = self.op("ReduceMean", self.op("Pow", centred, "two"), axes=[-1])
        deviation = self.op("Sqrt", self.op("Add", variance, "epsilon"))
        scale = self.constant(name + ".weight", 1 + 0.1 * self.rng.standard_normal(WIDTH))
        scaled = self.op("Mul", self.op("Div", centred, deviation), scale)
        return self.op("Add", scaled, self.random(name + ".bias", WIDTH), name=result)

    def gelu(self, x):
        erf = self.op("Erf", self.op("Div", x, "root_two"))
        return self.op("Mul", self.op("Mul", x, self.op("Add", erf, "one")), "half")

    def heads(self, x, *permutation):
        """[batch,sequence,width] as [batch,heads,…]; Reshape's 0 keeps a dynamic dimension."""
        return self.op("Transpose", self.op("Reshape", x, "split"), perm=permutation)

    def attention(self, x, name):
        q = self.heads(self.linear(x, name + ".query", WIDTH, WIDTH), 0, 2, 1, 3)
        k = self.heads(self.linear(x, name + ".key", WIDTH, WIDTH), 0, 2, 3, 1)
        v = self.heads(self.linear(x, name + ".value", WIDTH, WIDTH), 0, 2, 1, 3)
        scores = self.op("Div", self.op("MatMul", q, k), "root_head")
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), v)
        joined = self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]), "join")
        return self.linear(joined, name + ".out", WIDTH, WIDTH)

    def block(self, x, name):
        x = self.op("Add", x, self.attention(self.layer_norm(x, name + ".norm1"), name))
        wide = self.linear(self.layer_norm(x, name + ".norm2"), name + ".up", WIDTH, 4 * WIDTH)
        return self.op("Add", x, self.linear(self.gelu(wide), name + ".down", 4 * WIDTH, WIDTH))


def encoder():
    g = Graph()
    scalars = {"one": 1, "two": 2, "half": 0.5, "root_two": np.sqrt(2), "epsilon": 1e-5,
               "root_head": np.sqrt(WIDTH / HEADS)}
    for name, value in scalars.items():
        g.constant(name, value)
    g.constant("split", [0, 0, HEADS, WIDTH // HEADS], np.int64)
    g.constant("join", [0, 0, WIDTH], np.int64)
    g.constant("from", [0], np.int64)
    g.constant("rows", [0], np.int64)  # without its axes, Slice wants a start for every dimension

    words = g.op("Gather", g.random("words", VOCABULARY, WIDTH), "tokens")
    length = g.op("Shape", "tokens", start=1, end=2)
    positions = g.op("Slice", g.random("positions", POSITIONS, WIDTH), "from", length, "rows")
    x = g.op("Add", words, positions)
    for i in range(BLOCKS):
        x = g.block(x, f"block{i}")
    states = g.layer_norm(x, "final", result="states")
    g.op("ReduceMean", states, name="embedding", axes=[1], keepdims=0)

    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        g.nodes, "encoder", [value("tokens", TensorProto.INT64, ["batch", "sequence"])],
        [value("states", TensorProto.FLOAT, ["batch", "sequence", WIDTH]),
         value("embedding", TensorProto.FLOAT, ["batch", WIDTH])], g.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                              producer_name="modelparity dynamic example")
    onnx.checker.check_model(model, full_check=True)
    return model


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    onnx.save(encoder(), TARGET)
