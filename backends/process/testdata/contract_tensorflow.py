"""Makes what backendtest's models compute as the files that the TensorFlow runner runs."""

import os
import sys

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
TYPES = ("float16 float32 float64 bfloat16 float8_e4m3fn float8_e5m2 int8 int16 int32 int64 uint8 "
         "uint16 uint32 uint64 bool string int4 uint4").split()

i = np.arange(64 * 64)
W = ((i * 7919 % 1000).astype(np.float32) / 1000 - np.float32(0.5)).reshape(64, 64)


def layers(x, w):
    return tf.nn.softmax(tf.nn.relu(x @ w) @ w)


def saved(folder):
    def save(name, function, **inputs):
        module = tf.Module()
        module.w = tf.Variable(W)
        signature = tf.function(lambda **given: function(module, **given)).get_concrete_function(
            **{n: tf.TensorSpec(shape, dtype, n) for n, (shape, dtype) in inputs.items()})
        tf.saved_model.save(module, f"{folder}/{name}",
                            signatures={"serving_default": signature})

    pair = (None, 3), tf.float32
    save("arithmetic", lambda _, subtrahend, minuend: {
        "opposite": subtrahend - minuend, "difference": minuend - subtrahend},
        subtrahend=pair, minuend=pair)
    save("layers", lambda m, x: {"y": layers(x, m.w)}, x=((None, 64), tf.float32))
    save("constant", lambda _: {"y": tf.constant([1.0, 2.0, 3.0])})
    for kind in TYPES:
        save(f"identity_{kind}", lambda _, x: {"y": tf.identity(x)},
             x=(None, getattr(tf, kind, None) or tf.as_dtype(kind)))


def graphs(folder):
    """The same as frozen graphs, and those with a variable as checkpoints."""
    def arithmetic():
        s, m = (v1.placeholder(tf.float32, (None, 3), n) for n in ("subtrahend", "minuend"))
        tf.subtract(s, m, name="opposite")
        tf.subtract(m, s, name="difference")
        return ["opposite", "difference"]

    def weighted():
        x = v1.placeholder(tf.float32, (None, 64), "x")
        w = v1.get_variable("w", initializer=W, use_resource=False)
        tf.identity(layers(x, w), name="y")
        return ["y"]

    def constant():
        tf.identity(tf.constant([1.0, 2.0, 3.0]), name="y")
        return ["y"]

    def identity():
        tf.identity(v1.placeholder(tf.float32, None, "x"), name="y")
        return ["y"]

    for name, build in {"arithmetic": arithmetic, "layers": weighted, "constant": constant,
                        "identity_float32": identity}.items():
        with tf.Graph().as_default() as graph, v1.Session(graph=graph) as session:
            outputs = build()
            session.run(v1.global_variables_initializer())
            if name != "layers":  # a checkpoint has a variable
                v1.get_variable("unused", initializer=1.0, use_resource=False)
                session.run(v1.global_variables_initializer())
            v1.train.Saver().save(session, f"{folder}/checkpoint/{name}/model")
            frozen = v1.graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(), outputs)
        with open(f"{folder}/frozen/{name}.pb", "wb") as file:
            file.write(frozen.SerializeToString())


def keras(folder):
    k = tf.keras
    s, m = k.Input((3,), name="subtrahend"), k.Input((3,), name="minuend")
    k.Model([s, m], [k.layers.Subtract(name="opposite")([s, m]),
                     k.layers.Subtract(name="difference")([m, s])]).save(
                         f"{folder}/arithmetic.keras")
    x = k.Input((64,), name="x")
    first, second = k.layers.Dense(64, "relu", False), k.layers.Dense(64, "softmax", False)
    net = k.Model(x, second(first(x)))
    net.set_weights([W, W])
    net.save(f"{folder}/layers.keras")
    for rank in range(1, 5):
        x = k.Input((None,) * (rank - 1), name="x")
        k.Model(x, k.layers.Identity()(x)).save(f"{folder}/identity_float32_{rank}.keras")


if __name__ == "__main__":
    folder = sys.argv[1]
    for kind in ("saved", "frozen", "checkpoint", "keras"):
        os.mkdir(f"{folder}/{kind}")
    saved(f"{folder}/saved")
    graphs(folder)
    keras(f"{folder}/keras")
