"""Runs frozen graphs, saved models, checkpoints and Keras models in TensorFlow."""

import glob
import os
import sys

import modelparity


def kind_of(path):
    """What lies at path, by Polygraphy's names."""
    if os.path.isdir(path):
        return "saved_model" if os.path.exists(os.path.join(path, "saved_model.pb")) else "ckpt"
    for ending, kind in ((".keras", "keras"), (".h5", "keras"), (".pb", "frozen")):
        if path.endswith(ending):
            return kind
    if glob.glob(glob.escape(path) + ".meta") or path.endswith((".index", ".meta")):
        return "ckpt"
    raise ValueError("TensorFlow runs a frozen graph (.pb), a saved model (a folder), Keras "
                     "(.keras, .h5) and a checkpoint with its .meta; --model-type names the kind")


def bound(arrays, wanted, order):
    """The inputs in the order that is wanted: by name, else by place."""
    plain = {name.removesuffix(":0"): a for name, a in arrays.items()}
    if all(name.removesuffix(":0") in plain for name in wanted):
        return [plain[name.removesuffix(":0")] for name in wanted]
    given = [arrays[name] for name in order or arrays if name in arrays]
    if len(given) != len(wanted):
        raise ValueError(f"the model takes {', '.join(wanted)}; got {', '.join(arrays)}")
    return given


def titled(values, own, wanted):
    """The outputs by the names that are wanted, where there are as many, or by their own."""
    by_name = {name.removesuffix(":0"): value for name, value in zip(own, values)}
    if wanted and all(name.removesuffix(":0") in by_name for name in wanted):
        return {name: by_name[name.removesuffix(":0")] for name in wanted}
    if wanted and len(wanted) != len(values):
        raise ValueError(f"the model gives {', '.join(own)}, and the ONNX model declares "
                         f"{', '.join(wanted)}")
    return dict(zip(wanted or own, values))


def shape_of(shape):
    """A shape as descriptions have it; None where it is not known."""
    return None if shape is None or shape.rank is None else [
        None if d is None else int(d) for d in shape.as_list()]


def described(pairs):
    """Inputs as descriptions have them."""
    return [{"name": name, "type": dtype, **({} if shape is None else {"shape": shape})}
            for name, dtype, shape in pairs]


def keras(tf, path, asked):
    model = tf.keras.models.load_model(path, compile=False)
    inputs, outputs = list(model.inputs), list(model.outputs)
    wanted = [i.name for i in inputs]
    own = list(getattr(model, "output_names", None) or [o.name for o in outputs])
    order = [i["name"] for i in asked.get("inputs", [])]

    def run(arrays):
        fed = bound(arrays, wanted, order)
        results = model(fed if len(fed) > 1 else fed[0], training=False)
        return titled(tf.nest.flatten(results), own, asked.get("outputs"))

    return run, described((i.name, str(i.dtype), list(i.shape)) for i in inputs)


def saved_model(tf, path, asked):
    loaded = tf.saved_model.load(path)
    if "serving_default" not in loaded.signatures:
        raise ValueError(f"the saved model has the signatures {list(loaded.signatures)}, and no "
                         "serving_default")
    signature = loaded.signatures["serving_default"]
    specs = signature.structured_input_signature[1]
    own = list(signature.structured_outputs)
    order = [i["name"] for i in asked.get("inputs", [])]

    def run(arrays):
        fed = dict(zip(specs, bound(arrays, list(specs), order)))
        results = signature(**{name: tf.constant(a, specs[name].dtype) for name, a in fed.items()})
        run.keep = loaded  # its variables
        return titled([results[name] for name in own], own, asked.get("outputs"))

    return run, described((n, s.dtype.name, shape_of(s.shape)) for n, s in specs.items())


# What gives no output of a model, though nobody reads it.
IDLE = {"NoOp", "Assert", "Assign", "AssignVariableOp", "RestoreV2", "SaveV2", "Const",
        "Placeholder", "VarHandleOp", "VarIsInitializedOp", "MergeV2Checkpoints",
        "ShardedFilename", "ReadVariableOp", "VariableV2"}


def ends(graph, saver):
    """The tensors that nothing reads, but for those of what saves the graph's variables, and for
    variables that are there for training."""
    scope = saver.saver_def.restore_op_name.rsplit("/", 1)[0] + "/" if saver else None
    return [t for op in graph.get_operations() if op.type not in IDLE
            and not (scope and op.name.startswith(scope))
            and not (op.type == "Identity" and op.inputs[0].op.type == "VariableV2")
            for t in op.outputs if not t.consumers()]


def session(tf, graph, saver, path, asked):
    """Runs a graph in a session, as TensorFlow 1 did."""
    placeholders = [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]
    results = ends(graph, saver)
    if not results:
        raise ValueError("the graph has no outputs")
    running = tf.compat.v1.Session(graph=graph)
    if saver is not None:
        with graph.as_default():  # or it would restore variables of TensorFlow 2
            saver.restore(running, path)
    wanted, own = [p.name for p in placeholders], [r.name for r in results]
    order = [i["name"] for i in asked.get("inputs", [])]

    def run(arrays):
        fed = dict(zip(placeholders, bound(arrays, wanted, order)))
        return titled(running.run(results, fed), own, asked.get("outputs"))

    return run, described((p.name, p.dtype.name, shape_of(p.shape)) for p in placeholders)


def frozen(tf, path, asked):
    definition = tf.compat.v1.GraphDef()
    with open(path, "rb") as file:
        definition.ParseFromString(file.read())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    return session(tf, graph, None, path, asked)


def ckpt(tf, path, asked):
    if os.path.isdir(path):
        prefix = tf.train.latest_checkpoint(path)
    else:
        prefix = path.removesuffix(".index").removesuffix(".meta")
    if prefix is None or not os.path.exists(prefix + ".meta"):
        raise ValueError("the checkpoint has no .meta file with its graph: it holds weights alone. "
                         "Write a script that makes the model and loads them, for --model-runner")
    graph = tf.Graph()
    with graph.as_default():
        saver = tf.compat.v1.train.import_meta_graph(prefix + ".meta", clear_devices=True)
    return session(tf, graph, saver, prefix, asked)


def load(asked):
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # sums whose order depends on the machine
    import tensorflow as tf
    tf.config.experimental.enable_tensor_float_32_execution(False)
    path = asked["model"]
    kind = (sys.argv[1] if len(sys.argv) > 1 else "") or kind_of(path)
    runners = {"keras": keras, "saved_model": saved_model, "frozen": frozen, "ckpt": ckpt}
    run, inputs = runners[kind](tf, path, asked)
    return run, {"version": tf.__version__, "provider": "cpu", "inputs": inputs, "options": {
        "model": kind, "onednn": os.environ["TF_ENABLE_ONEDNN_OPTS"]}}


def main():
    modelparity.serve(load=load, name="tensorflow")
