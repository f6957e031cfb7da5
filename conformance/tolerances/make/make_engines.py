"""Makes engines of lower precision, good and bad: python make_engines.py OUT [PATTERN].

An engine is a model that computes in float32 and rounds as an engine of the format would. OUT/NAME
has the float32 model (model.onnx), ten inputs (inputs-*.npz), the engines (good-*.onnx, bad-*.onnx)
and what is known of them (engines.json). Good engines differ in what they round and in the order of
their sums. A bad engine is a good one with a fault; `rms` and `greatest` say how much worse it is
than the worst of the good engines of its format, in its worst column. PATTERN is a regular
expression of names. A folder that has .made is skipped.
"""

import json
import pathlib
import re
import shutil
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from make_models import run, session_of
from models import build, models

names = [
    "mlp_mish",
    "mlp_gelu16",
    "res_tanh",
    "rms_chain",
    "conv_small",
    "conv_bn8",
    "conv_seg",
    "unet",
    "sigmoid_maps",
    "yolo_rows",
    "attn_normal",
    "attn_causal_ids",
    "multi_out",
    "huge_tiny",
    "logmel",
    "l2norm_cos",
]

# Which operands a product has, by operator.
products = {"Conv": 2, "ConvTranspose": 2, "MatMul": 2, "Gemm": 2}
bits = {"fp16": 11, "bf16": 8}
casts = {"fp16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16}


def to_bits(array, count):
    """The nearest numbers of so many significant bits."""
    fraction, exponent = np.frexp(array.astype(np.float64))
    return np.ldexp(np.round(np.ldexp(fraction, count)), exponent - count).astype(array.dtype)


def to_steps(array, axis, steps):
    """The nearest of `steps` multiples on either side of zero, scaled by output channel."""
    others = tuple(a for a in range(array.ndim) if a != axis % array.ndim)
    scale = np.abs(array).max(axis=others, keepdims=True) / steps
    scale[scale == 0] = 1
    return (np.round(array / scale) * scale).astype(array.dtype)


class Engine:
    """A model to be changed into an engine."""

    def __init__(self, graph, known):
        self.model = graph.model()
        self.known = known  # the least and greatest value and the shape of each float tensor
        self.weights = {t.name: numpy_helper.to_array(t) for t in self.model.graph.initializer}
        self.floats = {n for n, w in self.weights.items() if w.dtype == np.float32}

    def layers(self):
        """The weights of products: name and axis of output channels."""
        found = {}
        for node in self.model.graph.node:
            if node.op_type in products and node.input[1] in self.floats:
                gemm = node.op_type == "Gemm" or node.op_type == "Conv"
                found[node.input[1]] = 0 if gemm else -1
        return found

    def biases(self):
        found = []
        for node in self.model.graph.node:
            at = {"Conv": 2, "Gemm": 2, "Add": 1}.get(node.op_type)
            if at and len(node.input) > at and node.input[at] in self.floats:
                if self.weights[node.input[at]].ndim == 1:
                    found.append(node.input[at])
        return found

    def finish(self):
        for t in self.model.graph.initializer:
            t.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(self.weights[t.name]), t.name))
        return self.model

    def replace(self, nodes):
        del self.model.graph.node[:]
        self.model.graph.node.extend(nodes)

    def constant(self, name, array):
        self.model.graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
        self.weights[name] = np.asarray(array)
        return name

    # Roundings.

    def in_format(self, fmt, style):
        """Round to FP16 or BF16: every tensor ("all"), all but those that a fused kernel keeps to
        itself ("fused"), or only the operands of products ("operands")."""
        for name in self.floats:
            if style != "operands" or name in self.layers():
                self.weights[name] = to_bits(self.weights[name], bits[fmt])
        readers = {}
        for node in self.model.graph.node:
            for name in node.input:
                readers.setdefault(name, []).append(node)

        def rounds(node, name):
            if name not in self.known:
                return False
            after = readers.get(name, [])
            if style == "operands":
                return any(n.op_type in products for n in after)
            fused = ("Add", "Relu", "Erf", "Mul", "Tanh", "Mish", "Sigmoid", "BatchNormalization")
            return style == "all" or not (len(after) == 1 and after[0].op_type in fused)

        self.round_outputs(rounds, lambda name: self.cast(name, casts[fmt]))

    def cast(self, name, to):
        return [
            helper.make_node("Cast", [name + "/raw"], [name + "/short"], to=to),
            helper.make_node("Cast", [name + "/short"], [name], to=TensorProto.FLOAT),
        ]

    def round_outputs(self, which, how):
        nodes, outputs = [], {o.name for o in self.model.graph.output}
        for node in self.model.graph.node:
            nodes.append(node)
            for i, name in enumerate(node.output):
                if name not in outputs and which(node, name):
                    node.output[i] = name + "/raw"
                    nodes += how(name)
        self.replace(nodes)

    def in_integers(self, style, widen=1.0, widen_weights=1.0):
        """Round the operands of products to INT8. Activations are symmetric, or have a zero point
        ("asymmetric"); tensors elsewhere are in float32, or in FP16 ("half")."""
        for name, axis in self.layers().items():
            w = self.weights[name]
            self.weights[name] = to_steps(w, axis, 127 / widen_weights)
        if style == "half":
            taken = set(self.layers())
            for name in self.floats - taken:
                self.weights[name] = to_bits(self.weights[name], 11)
            self.round_outputs(
                lambda node, name: name in self.known, lambda name: self.cast(name, casts["fp16"])
            )
        nodes, done = [], {}
        for node in self.model.graph.node:
            for i in range(products.get(node.op_type, 0)):
                name = node.input[i]
                if name not in self.known:
                    continue
                if name not in done:
                    done[name] = name + "/int8"
                    low, high, _ = self.known[name]
                    if style == "asymmetric":
                        low, high = min(low, 0) * widen, max(high, 0) * widen
                        scale = (high - low) / 255 or 1
                        zero = np.uint8(np.clip(round(-low / scale), 0, 255))
                    else:
                        scale, zero = max(-low, high) * widen / 127 or 1, np.int8(0)
                    s = self.constant(name + "/scale", np.float32(scale))
                    z = self.constant(name + "/zero", zero)
                    nodes.append(
                        helper.make_node("QuantizeLinear", [name, s, z], [name + "/quantized"])
                    )
                    nodes.append(
                        helper.make_node(
                            "DequantizeLinear", [name + "/quantized", s, z], [done[name]]
                        )
                    )
                node.input[i] = done[name]
            nodes.append(node)
        self.replace(nodes)

    # Faults.

    def add_to_output(self, value, where):
        """Add a value to one column or one element of the first output."""
        output = self.model.graph.output[0].name
        node = next(n for n in self.model.graph.node if n.output[0] == output)
        shape = self.known[output][2]
        if where == "column":
            added = np.zeros(shape[1] if len(shape) == 4 else shape[-1], np.float32)
            added[-1] = value
            added = added[:, None, None] if len(shape) == 4 else added
        else:
            added = np.zeros(shape, np.float32)
            added[tuple(d // 2 for d in shape[:-1])][-1] = value
        node.op_type = "Add"
        node.input.append(self.constant("fault", added))

    def middle(self, among):
        names = list(among)
        return names[len(names) // 2]


def faulty(fmt):
    """The faults by name: what changes before the rounding, and how the rounding changes."""

    def lower(e):
        name = e.middle(e.layers())
        axis = e.layers()[name]
        if fmt == "int8":
            e.weights[name] = to_steps(e.weights[name], axis, 7)
        else:
            e.weights[name] = to_bits(e.weights[name], {"fp16": 8, "bf16": 4}[fmt])

    def lost(e):
        name = e.middle(e.biases())
        e.weights[name] = np.zeros_like(e.weights[name])

    def transposed(e):
        names = [n for n in e.layers() if len(set(e.weights[n].shape[:2])) == 1]
        name = e.middle(names or e.layers())
        w = e.weights[name]
        e.weights[name] = np.swapaxes(w, 0, 1) if names else w[::-1]

    def zeroed(e):
        name = e.middle(e.layers())
        w = e.weights[name].copy()
        w.reshape(-1)[np.abs(w).argmax()] = 0
        e.weights[name] = w

    def scaled(e):
        name = e.middle(e.layers())
        e.weights[name] = e.weights[name] * np.float32(
            {"fp16": 1.01, "bf16": 1.05, "int8": 1.1}[fmt]
        )

    faults = {
        "column-off-by-half": (lambda e: e.add_to_output(0.5, "column"), {}),
        "element-off-by-half": (lambda e: e.add_to_output(0.5, "element"), {}),
        "element-infinite": (lambda e: e.add_to_output(np.inf, "element"), {}),
        "layer-in-lower-precision": (lower, {}),
        "bias-lost": (lost, {}),
        "weight-transposed": (transposed, {}),
        "weight-zeroed": (zeroed, {}),
        "layer-scaled": (scaled, {}),
    }
    if fmt == "int8":
        faults["ranges-doubled"] = (lambda e: None, {"widen": 2.0})
        faults["all-ranges-doubled"] = (lambda e: None, {"widen": 2.0, "widen_weights": 2.0})
        faults["ranges-halved"] = (lambda e: None, {"widen": 0.5})
    return faults


def good(fmt):
    """The good engines: a style and the seed of the order of sums."""
    if fmt == "int8":
        return [(s, seed) for s in ("symmetric", "asymmetric", "half") for seed in (None, 1)]
    return [(s, seed) for s in ("all", "fused", "operands") for seed in (None, 1)]


def observed(graph, feeds):
    """The range and the shape of each float tensor that a node computes, and of the inputs."""
    model = onnx.ModelProto()
    model.CopyFrom(graph.model())
    outputs = {o.name for o in model.graph.output}
    kinds = onnx.shape_inference.infer_shapes(model).graph.value_info
    for value in kinds:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT and value.name not in outputs:
            model.graph.output.append(value)
    known = {}
    session = session_of(model)
    for feed in feeds:
        for name, array in (feed | run(session, feed)).items():
            if array.dtype == np.float32:
                low, high, _ = known.get(name, (np.inf, -np.inf, None))
                known[name] = min(low, array.min()), max(high, array.max()), array.shape
    return known


def columns(array):
    """An array of ten runs as columns: channels of images, the last axis otherwise."""
    axis = 2 if array.ndim == 5 else array.ndim - 1
    return np.moveaxis(array, axis, -1).reshape(-1, array.shape[axis])


def errors(outputs, expected):
    """The root mean square and the greatest error of each column, of all outputs."""
    rms, greatest = [], []
    for name, e in expected.items():
        if e.dtype != np.float32:
            continue
        with np.errstate(invalid="ignore"):
            d = np.abs(columns(outputs[name].astype(np.float64) - e))
        d[np.isnan(d)] = np.inf
        last = np.sqrt((np.spacing(np.abs(columns(e))).astype(np.float64) ** 2 / 12).mean(0))
        rms.append(np.maximum(np.sqrt((d**2).mean(0)), last))
        greatest.append(np.maximum(d.max(0), last))
    return np.concatenate(rms), np.concatenate(greatest)


def make(out, name):
    folder = pathlib.Path(out) / name
    if (folder / ".made").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    feeds = [build(name, inputs=k).feed for k in range(10)]
    base = build(name).model()
    onnx.save(base, folder / "model.onnx")
    for k, feed in enumerate(feeds):
        np.savez(folder / f"inputs-{k}.npz", **feed)

    def outputs(model):
        session = session_of(model)
        runs = [run(session, feed) for feed in feeds]
        return {key: np.stack([r[key] for r in runs]) for key in runs[0]}

    expected = outputs(base)
    orders = {None: observed(build(name), feeds)}
    if models[name].seeds:
        orders[1] = observed(build(name, seed=1), feeds)

    def engine(fmt, style, seed, fault=lambda e: None, **how):
        e = Engine(build(name, seed=seed), orders[seed])
        fault(e)
        if fmt == "int8":
            e.in_integers(style, **how)
        else:
            e.in_format(fmt, style)
        return e.finish()

    made = []
    for fmt in ("fp16", "bf16", "int8"):
        worst = None
        for style, seed in good(fmt):
            if seed in orders:
                file = f"good-{fmt}-{style}-{seed or 0}.onnx"
                model = engine(fmt, style, seed)
                found = np.array(errors(outputs(model), expected))
                worst = found if worst is None else np.maximum(worst, found)
                onnx.save(model, folder / file)
                made.append({"file": file, "format": fmt, "good": True})
        for kind, (fault, how) in faulty(fmt).items():
            file = f"bad-{fmt}-{kind}.onnx"
            try:
                model = engine(fmt, good(fmt)[0][0], None, fault, **how)
            except LookupError:  # the model has no such part
                continue
            ratio = (np.array(errors(outputs(model), expected)) / worst).max(1)
            rms, greatest = [float(min(r, 1e9)) for r in ratio]
            onnx.save(model, folder / file)
            made.append(
                {"file": file, "format": fmt, "kind": kind, "rms": rms, "greatest": greatest}
            )
    (folder / "engines.json").write_text(json.dumps(made, indent=1) + "\n")
    (folder / ".made").touch()
    print(name, *[f"{m['kind']} {m['rms']:.2g} {m['greatest']:.2g};" for m in made if "kind" in m])


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    for name in names:
        if re.search(pattern, name):
            make(sys.argv[1], name)


if __name__ == "__main__":
    main()
