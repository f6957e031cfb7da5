"""What rewrites a model that was exported: converters, quantizers, simplifiers, optimisers."""

import copy
import os

import onnx
import onnxruntime


def optimised(source, target, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.optimized_model_filepath = target
    options.log_severity_level = 3
    onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def converted(source, target, opset):
    onnx.save(onnx.version_converter.convert_version(onnx.load(source), opset), target)


def float16(source, target):
    from onnxconverter_common import float16 as f16

    model = f16.convert_float_to_float16(onnx.load(source), keep_io_types=True)
    onnx.checker.check_model(model)
    onnxruntime.InferenceSession(model.SerializeToString())
    onnx.save(model, target)


def simplified(source, target):
    import onnxsim

    model, ok = onnxsim.simplify(onnx.load(source))
    assert ok, "onnxsim did not validate its result"
    onnx.save(model, target)


def slimmed(source, target):
    import onnxslim

    onnx.save(onnxslim.slim(onnx.load(source)), target)


def renamed(source, target):
    """Every inner name, of nodes and tensors, is a number: what shipped models look like."""
    model = onnx.load(source)
    graph = model.graph
    keep = {v.name for v in list(graph.input) + list(graph.output)}
    names = {"": ""}

    def new(name):
        return names.setdefault(name, name if name in keep else f"t{len(names)}")

    if any(a.HasField("g") for n in graph.node for a in n.attribute):
        raise ValueError("bodies read names of the graph around them")
    for t in graph.initializer:
        t.name = new(t.name)
    for i, n in enumerate(graph.node):
        n.name = f"n{i}"
        n.input[:] = [new(x) for x in n.input]
        n.output[:] = [new(x) for x in n.output]
        del n.metadata_props[:]
        n.doc_string = ""
    del graph.value_info[:]
    onnx.save(model, target)


def static(source, target, inputs, form):
    from onnxruntime.quantization import CalibrationDataReader, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.left = [inputs]

        def get_next(self):
            return self.left.pop() if self.left else None

    prepared = target + ".prepared"
    quant_pre_process(source, prepared, skip_symbolic_shape=True)
    try:
        quantize_static(prepared, target, Reader(), quant_format=form, per_channel=True)
    finally:
        os.remove(prepared)


def all(family, inputs, kind, quantize):
    """Every rewriter of float models on one exported variant; they check what they can."""
    from onnxruntime import GraphOptimizationLevel as Level

    source = family.path(kind)
    if not os.path.exists(source):
        return
    for suffix, make in {
        "ortbasic": lambda t: optimised(source, t, Level.ORT_ENABLE_BASIC),
        "ortextended": lambda t: optimised(source, t, Level.ORT_ENABLE_EXTENDED),
        "opset21": lambda t: converted(source, t, 21),
        "fp16": lambda t: float16(source, t),
        "sim": lambda t: simplified(source, t),
        "slim": lambda t: slimmed(source, t),
        "renamed": lambda t: renamed(source, t),
    }.items():
        variant = f"{kind}_{suffix}"
        family.attempt(variant, make, family.path(variant))
    if not quantize:
        return
    from onnxruntime.quantization import QuantFormat

    for suffix, form in {"qdq": QuantFormat.QDQ, "qoperator": QuantFormat.QOperator}.items():
        variant = f"{kind}_{suffix}"
        family.attempt(variant, static, source, family.path(variant), copy.copy(inputs), form)


def dynamic(family, kind):
    from onnxruntime.quantization import quantize_dynamic

    variant = f"{kind}_dynamic"
    if os.path.exists(family.path(kind)):
        family.attempt(variant, quantize_dynamic, family.path(kind), family.path(variant))


def transformer(family, kind, heads, hidden):
    """ONNX Runtime's own optimiser of transformers: Attention, SkipLayerNormalization, Gelu."""
    def make():
        from onnxruntime.transformers import optimizer

        model = optimizer.optimize_model(
            family.path(kind), model_type="bert", num_heads=heads, hidden_size=hidden)
        model.save_model_to_file(family.path(f"{kind}_fused"))
        onnxruntime.InferenceSession(family.path(f"{kind}_fused"))

    if os.path.exists(family.path(kind)):
        family.attempt(f"{kind}_fused", make)
