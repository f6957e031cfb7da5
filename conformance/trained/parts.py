"""What run.py asks of a network: parts.py MODEL INPUTS.npz FAULTY.onnx prints its nodes, a tensor
at which to cut it, and the weight whose fault it plants into FAULTY.onnx. parts.py --reads MODEL
WEIGHT prints the number of nodes, and fails if none reads the weight.

run.py does not import this: the memory of a process counts what its parent had.
"""

import json
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

WEIGHTED = ("Conv", "MatMul", "Gemm", "ConvTranspose", "LSTM", "GRU")
MOVED = ("Relu", "Add", "Mul", "Sigmoid", "BatchNormalization", "Transpose", "Reshape", "Concat")


def graphs(graph):
    """The graph and the bodies of its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for body in [attribute.g, *attribute.graphs]:
                if body.node:
                    yield from graphs(body)


def read(node):
    """The tensors that the node reads, also inside its bodies."""
    bodies = [b for a in node.attribute for b in [a.g, *a.graphs]]
    return {*node.input, *(name for b in bodies for n in b.node for name in read(n)),
            *(o.name for b in bodies for o in b.output)}


def computed(graph, known=()):
    """The nodes that read what depends on these tensors, by default on the inputs, in order."""
    known = set(known) or {i.name for i in graph.input} - {w.name for w in graph.initializer}
    found = []
    for node in graph.node:
        if known & read(node):
            known |= set(node.output)
            found.append(node)
    return found


def outputs(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return session.run(None, dict(np.load(inputs)))


def plant(model, inputs):
    """Scales a weight by 1.25 so that the outputs show it, and returns its name."""
    found, weights = [], {}  # a body reads the weights around it
    for graph in graphs(model.graph):
        weights |= {w.name: w for w in graph.initializer}
        weights |= {n.output[0]: a.t for n in graph.node if n.op_type == "Constant"
                    for a in n.attribute if a.name == "value"}
        for node in graph.node:
            names = node.input[1:2] if node.op_type in (*WEIGHTED, "DequantizeLinear") else \
                node.input if node.op_type == "Mul" else []
            for name in names:
                w = weights.get(name)
                if w is not None and w.data_type in (1, 10) and np.any(numpy_helper.to_array(w)):
                    found.append((node.op_type in WEIGHTED, w, name))
    found = [f for f in found if f[0]] or found
    right = outputs(model, inputs)
    for eighth in (4, 2, 6, 1, 7, 3, 5, 0):
        if not found:
            break
        _, w, name = found[len(found) * eighth // 8]
        before = onnx.TensorProto.FromString(w.SerializeToString())
        values = numpy_helper.to_array(w)
        w.CopyFrom(numpy_helper.from_array((values * 1.25).astype(values.dtype), w.name))
        wrong = outputs(model, inputs)
        if not all(np.allclose(*pair, rtol=2e-3, atol=0)
                   for pair in zip(wrong, right, strict=True)):
            return name
        w.CopyFrom(before)
    return None


def main():
    if sys.argv[1] == "--reads":
        found = [n for g in graphs(onnx.load(sys.argv[2]).graph) for n in g.node]
        print("a part of", len(found), "nodes")
        sys.exit(not any(sys.argv[3] in n.input for n in found))
    model = onnx.load(sys.argv[1])
    nodes = [n for g in graphs(model.graph) for n in g.node]
    kinds = {n.op_type for n in nodes}
    inner = [n for n in computed(model.graph) if n.op_type in (*WEIGHTED, *MOVED)]
    outputs = {o.name for o in model.graph.output}
    inner = [n for n in inner if not outputs & set(n.output)]
    inner = [n for n in inner if n.op_type in WEIGHTED] or inner
    cut = inner[len(inner) // 2] if inner else None
    behind = computed(model.graph, {cut.output[0]}) if cut else []
    fault = plant(model, sys.argv[2])
    if fault:
        onnx.save(model, sys.argv[3])
    json.dump({"nodes": len(nodes), "cut": cut and cut.output[0], "fault": fault,
               "behind": [o for n in behind for o in n.output if o in outputs],
               "quantised": any("Quantize" in k or "Integer" in k for k in kinds),
               "qdq": {"QuantizeLinear", "DequantizeLinear"} <= kinds}, sys.stdout)


main()
