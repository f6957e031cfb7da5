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


def picked(tensors, wanted, those):
    """The tensors that are wanted, by name, of those that there are by name; "*" is all."""
    if wanted == ["*"]:
        return dict(tensors)
    for name in wanted:
        if name not in tensors:
            raise ValueError(f"the model has no {those} {name}, only {', '.join(tensors)}"[:1000])
    return {name: tensors[name] for name in wanted}


def exposed(tf, model, own, wanted):
    """A Keras model that gives out the outputs and layers that are wanted."""
    tensors = {}
    for layer in model.layers:
        if not isinstance(layer, tf.keras.layers.InputLayer):
            try:
                tensors[layer.name] = layer.output
            except (AttributeError, ValueError):  # it is called several times
                pass
    tensors = picked({**tensors, **dict(zip(own, model.outputs))}, wanted, "output or layer")
    return tf.keras.Model(model.inputs, list(tensors.values())), list(tensors)


def keras(tf, path, asked, options):
    model = tf.keras.models.load_model(path, compile=False)
    inputs, outputs = list(model.inputs), list(model.outputs)
    wanted = [i.name for i in inputs]
    own = list(getattr(model, "output_names", None) or [o.name for o in outputs])
    if options.outputs:
        model, own = exposed(tf, model, own, options.outputs)
    order = [i["name"] for i in asked.get("inputs", [])]

    def run(arrays):
        fed = bound(arrays, wanted, order)
        results = model(fed if len(fed) > 1 else fed[0], training=False)
        return titled(tf.nest.flatten(results), own, asked.get("outputs"))

    return run, described((i.name, str(i.dtype), list(i.shape)) for i in inputs)


def saved_model(tf, path, asked, options):
    loaded = tf.saved_model.load(path)
    if "serving_default" not in loaded.signatures:
        raise ValueError(f"the saved model has the signatures {list(loaded.signatures)}, and no "
                         "serving_default")
    signature = loaded.signatures["serving_default"]
    specs = signature.structured_input_signature[1]
    own = list(signature.structured_outputs)
    if options.outputs:
        own = list(picked({name: name for name in own}, options.outputs, "output"))
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


# What a session does not give out: handles, and what is inside a loop or a branch of TensorFlow 1.
HIDDEN = {"Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond"}


def computed(graph, saver):
    """The tensors that the graph computes, but for those of what makes and saves its variables, and
    for variables that are there for training."""
    scope = saver.saver_def.restore_op_name.rsplit("/", 1)[0] + "/" if saver else None
    return [t for op in graph.get_operations() if op.type not in IDLE
            and not (scope and op.name.startswith(scope))
            and not (op.type == "Identity" and op.inputs[0].op.type == "VariableV2")
            for t in op.outputs]


def results_of(graph, saver, wanted):
    """The tensors that the graph gives out: those that nothing reads, or those that are wanted."""
    if not wanted:
        return [t for t in computed(graph, saver) if not t.consumers()]
    if wanted == ["*"]:
        return [t for t in computed(graph, saver) if t.op.type not in HIDDEN
                and t.dtype.name not in ("resource", "variant") and "/Initializer/" not in t.name]
    results = []
    for name in wanted:
        try:
            results.append(graph.get_tensor_by_name(name if ":" in name else name + ":0"))
        except (KeyError, ValueError):
            has = ", ".join(t.name for t in computed(graph, saver))
            raise ValueError(f"the graph has no tensor {name}, only {has}"[:1000]) from None
    return results


def session(tf, graph, saver, path, asked, options):
    """Runs a graph in a session, as TensorFlow 1 did."""
    placeholders = [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]
    results = results_of(graph, saver, options.outputs)
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


def frozen(tf, path, asked, options):
    definition = tf.compat.v1.GraphDef()
    with open(path, "rb") as file:
        definition.ParseFromString(file.read())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    return session(tf, graph, None, path, asked, options)


def ckpt(tf, path, asked, options):
    if options.checkpoint:
        if not os.path.isdir(path):
            raise ValueError("--ckpt names a checkpoint in a folder, and the model is a file")
        prefix = os.path.join(path, options.checkpoint)
    elif os.path.isdir(path):
        prefix = tf.train.latest_checkpoint(path)
    else:
        prefix = path.removesuffix(".index").removesuffix(".meta")
    if prefix is None or not os.path.exists(prefix + ".meta"):
        raise ValueError("the checkpoint has no .meta file with its graph: it holds weights alone. "
                         "Write a script that makes the model and loads them, for --model-runner")
    graph = tf.Graph()
    with graph.as_default():
        saver = tf.compat.v1.train.import_meta_graph(prefix + ".meta", clear_devices=True)
    options.ran = {"checkpoint": os.path.basename(prefix)}
    return session(tf, graph, saver, prefix, asked, options)


class Options:
    """What the engine's options say: the kind of file, the checkpoint's name, the outputs."""

    def __init__(self, words):
        self.kind, self.checkpoint, *self.outputs = words
        if self.checkpoint:
            self.kind = "ckpt"
            self.checkpoint = self.checkpoint.removesuffix(".meta").removesuffix(".index")
        self.ran = {}  # what else the provenance says


def load(asked):
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # sums whose order depends on the machine
    import tensorflow as tf
    tf.config.experimental.enable_tensor_float_32_execution(False)
    path = asked["model"]
    options = Options(sys.argv[1:])
    kind = options.kind or kind_of(path)
    runners = {"keras": keras, "saved_model": saved_model, "frozen": frozen, "ckpt": ckpt}
    run, inputs = runners[kind](tf, path, asked, options)
    return run, {"version": tf.__version__, "provider": "cpu", "inputs": inputs, "options": {
        "model": kind, "onednn": os.environ["TF_ENABLE_ONEDNN_OPTS"], **options.ran}}


def main():
    modelparity.serve(load=load, name="tensorflow")
