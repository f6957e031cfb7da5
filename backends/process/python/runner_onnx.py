"""Runs ONNX models in ONNX's reference evaluator."""

import modelparity


def evaluator(model):
    """The function of a model, which is a path or onnx's own."""
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator

    session = ReferenceEvaluator(model)
    declared = {i.name: i.type for i in session.proto_.graph.input}

    def gather(name, kind, arrays):
        """The value of an input: a tensor, or what a sequence or a map was taken apart into."""
        which = kind.WhichOneof("value")
        if which == "optional_type":
            return gather(name, kind.optional_type.elem_type, arrays)
        if which == "sequence_type" and f"{name}.length" in arrays:
            return [gather(f"{name}[{i}]", kind.sequence_type.elem_type, arrays)
                    for i in range(int(arrays[f"{name}.length"]))]
        if which == "map_type" and f"{name}.key" in arrays:
            return dict(zip(arrays[f"{name}.key"].tolist(), arrays[f"{name}.value"].tolist()))
        a = arrays.get(name)
        if a is not None and which == "tensor_type":
            number = kind.tensor_type.elem_type
            if number != TensorProto.STRING and a.dtype.kind == "V":
                a = a.view(helper.tensor_dtype_to_np_dtype(number))
        return a

    def run(arrays):
        feed = {name: gather(name, kind, arrays) for name, kind in declared.items()}
        # An optional input that is empty is given as None, and others are left out.
        given = {name: a for name, a in feed.items()
                 if a is not None or declared[name].WhichOneof("value") == "optional_type"}
        results = session.run(None, given)
        return dict(zip(session.output_names, results))

    return run


def load(asked):
    import numpy as np
    import onnx
    return evaluator(asked["model"]), {"version": onnx.__version__,
                                       "provider": "NumPy " + np.__version__}


def main():
    modelparity.serve(load=load, name="onnx reference evaluator")
