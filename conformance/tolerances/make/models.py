"""Models whose rounding is hard to judge: long sums, sums without cancellation, cancellation,
chaos, saturation, weights behind other nodes. Each function builds one into a Graph.

`models` has them by name, with the forms in which they can also be written. A model that hides no
axis has no seeds.
"""

from types import SimpleNamespace

import numpy as np
from onnx import TensorProto

from graph import Graph

models = {}


def model(name, forms=(), seeds=True, form=None, half=False):
    def add(build):
        models[name] = SimpleNamespace(
            build=build, forms=list(forms), seeds=seeds, form=form or {}, half=half
        )
        return build

    return add


def build(name, seed=None, form=None, inputs=0):
    m = models[name]
    g = Graph(name, seed, m.form | (form or {}), inputs)
    g.half_weights = m.half
    m.build(g)
    return g


products = [dict(product=p) for p in ("split", "gemm", "conv", "einsum")]
convs = [dict(conv="split")]
norms = [dict(layernorm="mul"), dict(layernorm="pow")]


# Chains of layers.


def mlp(layers, d, act="Relu", scale=np.sqrt(2), batch=8, residual=False):
    def f(g):
        h = g.linear(g.normal("x", (batch, 64), [None, "in"]), "l0", 64, d, "in", "h0")
        for i in range(layers):
            before, after = ("h0", "h0") if residual else (f"h{i}", f"h{i + 1}")
            y = g.linear(h, f"m{i}", d, d, before, after, scale=scale / np.sqrt(d))
            y = g.gelu(y) if act == "Gelu" else g.op(act, y)
            h = g.op("Add", h, y) if residual else y
        g.output(g.linear(h, "out", d, 10, "h0" if residual else f"h{layers}"), "y")

    return f


model("mlp_relu64", products)(mlp(64, 96))
model("mlp_relu20_wide", products)(mlp(20, 512))
model("mlp_tanh30", products)(mlp(30, 128, "Tanh"))
model("mlp_tanh_chaotic", products)(mlp(24, 128, "Tanh", scale=2.5))
model("mlp_sigmoid12", products)(mlp(12, 128, "Sigmoid", scale=4))
model("mlp_gelu16", products + [dict(gelu="node"), dict(gelu="mul")])(mlp(16, 128, "Gelu"))
model("mlp_softplus", products)(mlp(10, 128, "Softplus"))
model("mlp_mish", products)(mlp(10, 128, "Mish"))
model("mlp_hardswish", products)(mlp(10, 128, "HardSwish"))
model("mlp_elu", products)(mlp(20, 128, "Elu"))
model("res_gain", products)(mlp(30, 128, scale=2.0, residual=True))
model("res_tanh", products)(mlp(40, 64, "Tanh", scale=1.0, residual=True))
model("big_batch", products[:2])(mlp(3, 64, batch=4096))
model("f16stored_mlp", [dict(product="matmul")], form=dict(product="half"), half=True)(mlp(20, 256))
model("transposedw_mlp", [dict(product="matmul")], form=dict(product="transposed"))(mlp(20, 256))


@model("pos_chain", products)
def _(g):
    """Positive features and weights, so no sum cancels."""
    h, axis = g.normal("x", (4, 2048), [None, "in"], positive=True), "in"
    for i in range(6):
        width, after = (2048, f"h{i}") if i < 5 else (16, None)
        h = g.linear(h, f"l{i}", 2048, width, axis, after, positive=True, scale=1 / 2048)
        h, axis = g.op("Relu", h), after
    g.output(h, "y")


@model("fp16_mlp", products[:2])
def _(g):
    h, axis = g.op("Cast", g.normal("x", (8, 64), [None, "in"]), to=TensorProto.FLOAT16), "in"
    g.dtype = np.float16
    for i in range(4):
        h, axis = g.op("Relu", g.linear(h, f"l{i}", 64, 64, axis, f"h{i}")), f"h{i}"
    h = g.linear(h, "o", 64, 10, axis)
    g.dtype = np.float32
    g.output(g.op("Cast", h, to=TensorProto.FLOAT), "y")


@model("double_mlp", products[:2])
def _(g):
    g.dtype = np.float64
    h, axis = g.normal("x", (8, 64), [None, "in"]), "in"
    for i in range(8):
        h, axis = g.op("Relu", g.linear(h, f"l{i}", 64, 64, axis, f"h{i}")), f"h{i}"
    g.output(g.linear(h, "o", 64, 10, axis), "y")


@model("multi_out", products)
def _(g):
    h, axis = g.normal("x", (8, 64), [None, "in"]), "in"
    for i in range(6):
        h, axis = g.op("Relu", g.linear(h, f"l{i}", 64, 64, axis, f"h{i}")), f"h{i}"
        g.output(g.linear(h, f"o{i}", 64, 4, axis), f"y{i}")
    g.output(g.const(np.ones(5)), "const")


@model("matpow", products)
def _(g):
    x = g.normal("x", (8, 64), [None, "in"])
    w = g.init(g.weight("w", (64, 64), ("in", "in"), 1 / 8), "w")
    for _ in range(20):
        x = g.op("MatMul", x, w)
        x = g.op("Div", x, g.op("ReduceL2", x, g.ints(-1)))
    g.output(g.op("Gather", x, g.init(np.argsort(g.order("in", 64))), axis=1), "y")


# Long sums.


def long_sum(k, positive, out=8, batch=4):
    def f(g):
        x = g.normal("x", (batch, k), [None, "in"], positive=positive)
        g.output(g.linear(x, "l", k, out, "in", bias=False, positive=positive), "y")

    return f


model("sum100k_pos", products)(long_sum(100000, True))
model("sum100k_mixed", products)(long_sum(100000, False))
model("sum20k_pos", products)(long_sum(20000, True, 32, 8))
model("sum4k_pos", products)(long_sum(4096, True, 64, 16))
model("sum4k_mixed", products)(long_sum(4096, False, 64, 16))
model("f16stored_pos", [dict(product="matmul")], form=dict(product="half"), half=True)(
    long_sum(20000, True, 32, 8)
)
model("transposedw_sum20k_pos", [dict(product="matmul")], form=dict(product="transposed"))(
    long_sum(20000, True, 32, 8)
)
model("identityw_sum100k", [dict(product="matmul")], form=dict(product="identity"))(
    long_sum(100000, False)
)


def reduction(kind, shape, positive=False):
    def f(g):
        x = g.normal("x", shape, [None, "in"], positive=positive)
        g.output(g.op(kind, x, g.ints(1), keepdims=0), "y")

    return f


model("reducesum100k_pos")(reduction("ReduceSum", (16, 100000), True))
model("reducesum100k_mixed")(reduction("ReduceSum", (16, 100000)))
model("reducemean1m_pos")(reduction("ReduceMean", (4, 1000000), True))
model("reducel2_100k")(reduction("ReduceL2", (16, 100000)))
model("reducelse_50k")(reduction("ReduceLogSumExp", (8, 50000)))


def first(g, x, size):
    """The first 64 columns, in the order that no seed changes."""
    return g.op("Gather", x, g.init(np.argsort(g.order("in", size))[:64]), axis=1)


@model("softmax1m")
def _(g):
    x = g.normal("x", (2, 500000), [None, "in"])
    g.output(first(g, g.softmax(x), 500000), "y")


@model("softmax_flat")
def _(g):
    x = g.normal("x", (2, 262144), [None, "in"], scale=0.01)
    g.output(first(g, g.softmax(x), 262144), "y")


@model("logsoftmax_vocab")
def _(g):
    x = g.normal("x", (8, 64), [None, "in"])
    g.output(g.op("LogSoftmax", g.linear(x, "l", 64, 50000, "in"), axis=-1), "y")


@model("softmax_rows", [dict(softmax="parts")])
def _(g):
    g.output(g.softmax(g.normal("x", (32, 1000), scale=8)), "y")


@model("actmatmul_64k")
def _(g):
    """A long product of two activations."""
    x = g.normal("x", (16, 65536), [None, "in"], positive=True)
    z = g.normal("z", (65536, 16), ["in", None], positive=True)
    g.output(g.op("MatMul", x, z), "y")


@model("gram_4k")
def _(g):
    """The Gram matrix of positive features, as in style transfer."""
    h = g.op("Relu", g.conv(g.normal("x", (3, 3, 128, 128)), "c", 3, 64, 3))
    f = g.op("Reshape", h, g.ints(0, 64, -1))
    y = g.op("MatMul", f, g.op("Transpose", f, perm=[0, 2, 1]))
    g.output(g.op("Mul", y, g.const(1 / (128 * 128.0 * 64))), "y")


@model("cumsum1m", seeds=False)
def _(g):
    g.output(g.op("CumSum", g.normal("x", (1, 1000000)), g.init(np.array(1, np.int64))), "y")


@model("cumsum10k_pos", seeds=False)
def _(g):
    g.output(g.op("CumSum", g.uniform("x", (4, 10000)), g.init(np.array(1, np.int64))), "y")


@model("einsum_bil", seeds=False)
def _(g):
    x, z = g.normal("x", (4, 64)), g.normal("z", (4, 64))
    w = g.init(g.weight("w", (64, 64, 16), (), 1 / 64), "w")
    t = g.op("Einsum", x, w, equation="bi,ijk->bjk")
    g.output(g.op("Einsum", t, z, equation="bjk,bj->bk"), "y")


@model("dft", seeds=False)
def _(g):
    x = g.normal("x", (2, 1024, 1))
    g.output(g.op("DFT", x, "", g.init(np.array(1, np.int64)), onesided=1), "y")


@model("logmel", seeds=False)
def _(g):
    x = g.normal("x", (2, 32, 512))
    angle = np.arange(512)[:, None] * np.arange(257)[None] * 2 * np.pi / 512
    re, im = g.op("MatMul", x, g.const(np.cos(angle))), g.op("MatMul", x, g.const(np.sin(angle)))
    power = g.op("Add", g.op("Mul", re, re), g.op("Mul", im, im))
    mel = np.abs(g.random("mel").standard_normal((257, 40)))
    mel *= g.random("mm").random((257, 40)) < 0.1
    y = g.op("MatMul", power, g.const(mel))
    g.output(g.op("Log", g.op("Add", y, g.const(1e-10))), "y")


# Normalisation.


@model("ln_wide1m")
def _(g):
    x = g.normal("x", (2, 300000), [None, "in"], mean=3)
    scale, bias = g.const(np.ones(300000)), g.const(np.zeros(300000))
    g.output(first(g, g.op("LayerNormalization", x, scale, bias, axis=-1), 300000), "y")


@model("ln_tinyvar", norms)
def _(g):
    h = g.normal("x", (8, 256), [None, "in"], mean=100, scale=0.01)
    h, axis = g.layernorm(h, "n0", 256, "in", 1e-12), "in"
    for i in range(4):
        h = g.linear(h, f"l{i}", 256, 256, axis, f"h{i}", bias=False)
        h, axis = g.layernorm(h, f"n{i + 1}", 256, f"h{i}"), f"h{i}"
    g.output(g.linear(h, "o", 256, 10, axis), "y")


@model("ln_bigmean", norms)
def _(g):
    h = g.layernorm(g.normal("x", (8, 768), [None, "in"], mean=1000), "n0", 768, "in")
    g.output(g.linear(h, "o", 768, 10, "in"), "y")


@model("ln_chain", norms + products)
def _(g):
    h, axis = g.normal("x", (16, 128), [None, "in"]), "in"
    for i in range(16):
        h = g.op("Relu", g.linear(h, f"l{i}", 128, 128, axis, f"h{i}"))
        h, axis = g.layernorm(h, f"n{i}", 128, f"h{i}"), f"h{i}"
    g.output(g.linear(h, "o", 128, 12, axis), "y")


@model("rms_chain", products)
def _(g):
    h = g.normal("x", (16, 128), [None, "in"], scale=1e-3)
    for i in range(12):
        y = g.linear(g.rmsnorm(h, f"n{i}", 128, "in"), f"l{i}", 128, 128, "in", "in", scale=0.3)
        h = g.op("Add", h, y)
    g.output(g.linear(h, "o", 128, 12, "in"), "y")


@model("groupnorm", seeds=False)
def _(g):
    h = g.conv(g.normal("x", (2, 3, 32, 32)), "c0", 3, 32)
    for i in range(4):
        r = g.random(f"gn{i}")
        h = g.op("Reshape", h, g.ints(0, 8, -1))
        h = g.op("InstanceNormalization", h, g.const(np.ones(8)), g.const(np.zeros(8)))
        h = g.op("Reshape", h, g.ints(0, 32, 32, 32))
        h = g.op("Mul", h, g.const(1 + 0.1 * r.standard_normal((32, 1, 1))))
        h = g.op("Relu", g.op("Add", h, g.const(0.1 * r.standard_normal((32, 1, 1)))))
        h = g.conv(h, f"c{i + 1}", 32, 32)
    g.output(h, "y")


@model("instnorm_big", seeds=False)
def _(g):
    x = g.normal("x", (1, 4, 384, 384), mean=20)
    g.output(g.op("InstanceNormalization", x, g.const(np.ones(4)), g.const(np.zeros(4))), "y")


@model("var_naive")
def _(g):
    x = g.normal("x", (16, 4096), [None, "in"], mean=10)
    mean = g.op("ReduceMean", x, g.ints(1))
    square = g.op("ReduceMean", g.op("Mul", x, x), g.ints(1))
    g.output(g.op("Sub", square, g.op("Mul", mean, mean)), "y")


@model("l2norm_cos", products)
def _(g):
    h = g.linear(g.normal("x", (16, 256), [None, "in"]), "l", 256, 128, "in", "h")
    h = g.op("Div", h, g.op("ReduceL2", h, g.ints(-1)))
    g.output(g.op("MatMul", h, g.op("Transpose", h, perm=[1, 0])), "y")


@model("lrn", seeds=False)
def _(g):
    h = g.conv(g.normal("x", (1, 32, 20, 20)), "a", 32, 32)
    g.output(g.conv(g.op("LRN", h, size=5, alpha=1e-2, beta=0.75), "b", 32, 8), "y")


# Transformers.


def transformer(layers, d, heads, length, gain=1.0, causal=False, vocabulary=16, ids=False):
    def f(g):
        mask = np.triu(np.full((length, length), -1e9), 1) if causal else None
        if ids:
            x = g.input("ids", g.draw("x").integers(0, 200, (2, length)))
            x = g.op("Gather", g.init(g.weight("emb", (200, d), (None, "d")), "emb"), x)
        else:
            x = g.normal("x", (2, length, d), [None, None, "d"])
        for i in range(layers):
            y = g.layernorm(x, f"a{i}", d, "d")
            x = g.op("Add", x, g.attention(y, f"att{i}", d, heads, "d", gain, mask))
            y = g.layernorm(x, f"b{i}", d, "d")
            y = g.gelu(g.linear(y, f"f{i}", d, 4 * d, "d", f"ff{i}", rank=3))
            x = g.op("Add", x, g.linear(y, f"g{i}", 4 * d, d, f"ff{i}", "d", rank=3))
        x = g.layernorm(x, "fin", d, "d")
        g.output(g.linear(x, "head", d, vocabulary, "d", rank=3), "y")

    return f


parts = norms + [
    dict(product="split"),
    dict(gelu="node"),
    dict(softmax="parts"),
    dict(gelu="mul", layernorm="pow", softmax="parts"),
]
model("attn_normal", parts)(transformer(2, 64, 4, 24))
model("attn_saturated", parts)(transformer(2, 64, 4, 24, gain=30))
model("attn_causal_ids", parts)(transformer(3, 64, 4, 32, causal=True, ids=True, vocabulary=200))
model("attn_deep", parts)(transformer(8, 64, 4, 16))
model("vit_tokens", [dict(softmax="parts"), dict(layernorm="mul")])(transformer(1, 32, 2, 1024))


# Images and sound.


def convnet(widths, size=24, act="Relu", batchnorm=False, k=3, batch=2, head=True):
    def f(g):
        x = g.normal("x", (batch, 3, size, size))
        i, axis = 3, None
        for n, o in enumerate(widths):
            stride, scale = 2 if n == 1 else 1, np.sqrt(2 / (i * k * k))
            x = g.conv(x, f"c{n}", i, o, k, axis, f"h{n}", stride=stride, scale=scale)
            if batchnorm:
                x = g.batchnorm(x, f"bn{n}", o, f"h{n}")
            x, i, axis = g.op(act, x), o, f"h{n}"
        if head:
            x = g.linear(g.op("Flatten", g.op("GlobalAveragePool", x)), "fc", i, 10, axis)
        else:
            x = g.conv(x, "last", i, 4, 1, axis)
        g.output(x, "y")

    return f


model("conv_small", convs)(convnet([16, 32, 32]))
model("conv_bn8", convs + [dict(batchnorm="affine")])(
    convnet([16, 32, 32, 32, 64, 64, 64, 64], batchnorm=True)
)
model("conv_512", convs)(convnet([512, 512], size=14, batch=1, head=False))
model("conv_seg", convs)(convnet([16, 16, 16], head=False))
model("conv_leaky", convs)(convnet([16, 32, 32, 32], act="LeakyRelu"))
model("conv_5x5", convs)(convnet([32, 32], k=5))
model("conv_1x1", convs)(convnet([64, 128, 256], k=1))


@model("depthwise", seeds=False)
def _(g):
    x = g.normal("x", (2, 32, 20, 20))
    for i in range(6):
        x = g.op("Clip", g.conv(x, f"d{i}", 32, 32, 3, group=32), g.const(0.0), g.const(6.0))
        x = g.conv(x, f"p{i}", 32, 32, 1)
    g.output(x, "y")


@model("convtranspose", seeds=False)
def _(g):
    x = g.normal("x", (1, 32, 8, 8))
    for i in range(2):
        w = g.init(g.weight(f"w{i}", (32, 32, 4, 4), (), 1 / np.sqrt(32 * 4)), f"w{i}")
        x = g.op("Relu", g.op("ConvTranspose", x, w, strides=[2, 2], pads=[1, 1, 1, 1]))
    g.output(g.conv(x, "o", 32, 3), "y")


@model("conv1d_audio", seeds=False)
def _(g):
    x = g.normal("x", (1, 1, 16000))
    h = g.op("Conv", x, g.init(g.weight("a", (64, 1, 400), (), 0.05), "a"), strides=[160])
    h = g.op("Log", g.op("Add", g.op("Mul", h, h), g.const(1e-6)))
    w = g.init(g.weight("b", (64, 64, 3), (), 0.07), "b")
    g.output(g.op("Relu", g.op("Conv", h, w, dilations=[4])), "y")


@model("unet", convs)
def _(g):
    x = g.normal("x", (1, 3, 32, 32))
    a = g.op("Relu", g.conv(x, "a", 3, 16, 3, None, "ka"))
    p = g.op("MaxPool", a, kernel_shape=[2, 2], strides=[2, 2])
    b = g.op("Relu", g.conv(p, "b", 16, 32, 3, "ka", "kb"))
    u = g.op("Resize", b, "", g.init(np.array([1, 1, 2, 2], np.float32)), mode="nearest")
    c = g.op("Add", g.conv(u, "c", 32, 16, 3, "kb", "kc"), g.conv(a, "d", 16, 16, 1, "ka", "kc"))
    g.output(g.op("Sigmoid", g.conv(g.op("Relu", c), "o", 16, 2, 1, "kc")), "y")


@model("yolo_rows", seeds=False)
def _(g):
    """Boxes in pixels and scores in one output, as detectors have them."""
    h = g.op("Relu", g.conv(g.normal("x", (1, 16, 20, 20)), "a", 16, 32))
    h = g.op("Reshape", g.conv(h, "b", 32, 85, 1, scale=1.0), g.ints(1, 85, 400))
    boxes, scores = g.op("Split", g.op("Transpose", h, perm=[0, 2, 1]), g.ints(4, 81), axis=2, n=2)
    boxes = g.op("Mul", g.op("Sigmoid", boxes), g.const(np.full(4, 640.0)))
    scores = g.op("Sigmoid", g.op("Sub", scores, g.const(4.0)))
    g.output(g.op("Concat", boxes, scores, axis=2), "y")


@model("sigmoid_maps", convs)
def _(g):
    """Heatmaps whose background is saturated."""
    h = g.op("Relu", g.conv(g.normal("x", (1, 3, 24, 24)), "a", 3, 16, 3, None, "k"))
    h = g.conv(h, "b", 16, 6, 3, "k")
    shift = g.init(np.array([0, -5, -12, -20, -30, 15], g.dtype)[:, None, None], "shift")
    g.output(g.op("Sigmoid", g.op("Add", h, shift)), "y")


@model("gap_pos", convs)
def _(g):
    h = g.op("Relu", g.conv(g.normal("x", (1, 3, 256, 256)), "a", 3, 16, 3))
    g.output(g.op("GlobalAveragePool", h), "y")


@model("avgpool", seeds=False)
def _(g):
    x = g.normal("x", (1, 4, 128, 128), positive=True)
    g.output(g.op("AveragePool", x, kernel_shape=[64, 64], strides=[8, 8]), "y")


@model("gridsample", seeds=False)
def _(g):
    x = g.normal("x", (1, 3, 200, 200))
    grid = g.uniform("grid", (1, 100, 100, 2), -1, 1)
    g.output(g.op("GridSample", x, grid), "y")


def resize(mode, size, to, **how):
    def f(g):
        x, sizes = g.normal("x", (1, 2, size, size)), g.ints(1, 2, to, to)
        g.output(g.op("Resize", x, "", "", sizes, mode=mode, **how), "y")

    return f


model("resize_cubic", seeds=False)(resize("cubic", 37, 101))
model("resize_linear_big", seeds=False)(resize("linear", 700, 1001))
model("resize_cubic_big", seeds=False)(resize("cubic", 500, 731))
model("resize_linear_corners", seeds=False)(
    resize("linear", 300, 517, coordinate_transformation_mode="align_corners")
)


# Recurrence and cancellation.


def recurrent(kind, length, d, gates, scale=1.0):
    def f(g):
        x = g.normal("x", (length, 2, 16))
        w = g.init(g.weight("W", (1, gates * d, 16), (), scale / 4), "W")
        r = g.init(g.weight("R", (1, gates * d, d), (), scale / np.sqrt(d)), "R")
        b = g.init(g.weight("B", (1, 2 * gates * d), (), 0.1), "B")
        y = g.op(kind, x, w, r, b, n=3 if kind == "LSTM" else 2, hidden_size=d)[0]
        g.output(g.op("Squeeze", y, g.ints(1)), "y")

    return f


model("lstm500", seeds=False)(recurrent("LSTM", 500, 32, 4))
model("gru300", seeds=False)(recurrent("GRU", 300, 32, 3))
model("rnn200_chaotic", seeds=False)(recurrent("RNN", 200, 64, 1, scale=3))


@model("logistic_map", seeds=False)
def _(g):
    x = g.uniform("x", (4, 16))
    r, one = g.init(np.full(16, 3.9, g.dtype), "r"), g.const(1.0)
    for _ in range(24):
        x = g.op("Mul", g.op("Mul", x, g.op("Sub", one, x)), r)
    g.output(x, "y")


@model("explog", seeds=False)
def _(g):
    x = g.uniform("x", (8, 64), 1, 2)
    w = g.init(np.linspace(0.9, 1.1, 64).astype(g.dtype), "w")
    for _ in range(12):
        x = g.op("Log", g.op("Exp", g.op("Mul", x, w)))
    g.output(x, "y")


@model("div_nearzero", products)
def _(g):
    x = g.normal("x", (16, 64), [None, "in"])
    g.output(g.op("Div", g.linear(x, "a", 64, 32, "in"), g.linear(x, "b", 64, 32, "in")), "y")


@model("horner_root", seeds=False)
def _(g):
    """(x-1)^7, expanded, near 1."""
    x = g.normal("x", (256,), mean=1, scale=0.02)
    h = g.init(np.array([1.0], g.dtype), "p0")
    for k, coefficient in enumerate([-7, 21, -35, 35, -21, 7, -1]):
        h = g.op("Add", g.op("Mul", h, x), g.init(np.array([coefficient], g.dtype), f"p{k + 1}"))
    g.output(h, "y")


@model("newton_rsqrt", seeds=False)
def _(g):
    x = g.uniform("x", (256,), 0.5, 1.5)
    y = g.op("Sub", g.const(np.full(256, 1.6)), g.op("Mul", x, g.const(np.full(256, 0.55))))
    for _ in range(6):
        half = g.op("Mul", g.op("Mul", x, g.const(0.5)), g.op("Mul", y, y))
        y = g.op("Mul", y, g.op("Sub", g.const(1.5), half))
    g.output(y, "y")


@model("siamese_diff", products)
def _(g):
    """The difference between two inputs that are almost equal."""
    base = g.random("x").standard_normal((8, 64))
    other = base + 1e-4 * g.random("z").standard_normal((8, 64))
    x = g.input("x", base.astype(g.dtype), [None, "in"])
    z = g.input("z", other.astype(g.dtype), [None, "in"])
    w0 = g.init(g.weight("w0", (64, 128), ("in", "h"), 1 / 8), "w0")
    b0 = g.init(g.weight("b0", (128,), ("h",)), "b0")
    w1 = g.init(g.weight("w1", (128, 16), ("h", None), 0.1), "w1")

    def branch(v):
        return g.op("MatMul", g.op("Tanh", g.op("Add", g.op("MatMul", v, w0), b0)), w1)

    g.output(g.op("Sub", branch(x), branch(z)), "y")


@model("sinpos", seeds=False)
def _(g):
    p = g.input("pos", np.arange(0, 4000, 7).astype(np.int64))
    frequency = g.init((10000.0 ** (-np.arange(0, 64) / 64)).astype(g.dtype), "inv")
    p = g.op("Unsqueeze", g.op("Cast", p, to=TensorProto.FLOAT), g.ints(1))
    angle = g.op("Mul", p, frequency)
    g.output(g.op("Concat", g.op("Sin", angle), g.op("Cos", angle), axis=1), "y")


@model("huge_tiny", products)
def _(g):
    """Columns that differ by 1e8."""
    h = g.linear(g.normal("x", (8, 64), [None, "in"]), "l", 64, 64, "in")
    scale = np.full(64, 1e-4, g.dtype)
    scale[0] = 1e4
    g.output(g.op("Mul", h, g.init(scale, "scale")), "y")


# Decisions.


@model("argmax_gate", products)
def _(g):
    y = g.linear(g.normal("x", (32, 64), [None, "in"]), "l", 64, 10, "in")
    g.output(y, "logits")
    g.output(g.op("ArgMax", y, axis=-1), "cls", np.int64)


@model("topk", products)
def _(g):
    y = g.linear(g.normal("x", (16, 64), [None, "in"]), "l", 64, 200, "in")
    values, indices = g.op("TopK", y, g.ints(10), n=2)
    g.output(values, "v")
    g.output(indices, "i", np.int64)


@model("where_gate", products)
def _(g):
    h = g.linear(g.normal("x", (16, 64), [None, "in"]), "l", 64, 64, "in", "h0")
    h = g.op("Where", g.op("Greater", h, g.const(0.0)), h, g.const(-1.0))
    g.output(g.linear(h, "o", 64, 32, "h0"), "y")


@model("moe_top1", products)
def _(g):
    x = g.normal("x", (64, 32), [None, "in"])
    gate = g.op("Softmax", g.linear(x, "gate", 32, 4, "in"))
    value, index = g.op("TopK", gate, g.ints(1), n=2)
    index, levels = g.op("Squeeze", index, g.ints(1)), g.init(np.array([0, 1], g.dtype))
    chosen = g.op("Unsqueeze", g.op("OneHot", index, g.ints(4), levels), g.ints(2))
    experts = [g.op("Relu", g.linear(x, f"e{k}", 32, 32, "in")) for k in range(4)]
    y = g.op("Concat", *[g.op("Unsqueeze", e, g.ints(1)) for e in experts], axis=1)
    y = g.op("ReduceSum", g.op("Mul", y, chosen), g.ints(1), keepdims=0)
    g.output(g.op("Mul", y, value), "y")


# Integers inside.


@model("qdq", seeds=False)
def _(g):
    h = g.normal("x", (8, 64))
    for i in range(3):
        scale, zero = g.init(np.float32(0.03)), g.init(np.int8(0))
        h = g.op("DequantizeLinear", g.op("QuantizeLinear", h, scale, zero), scale, zero)
        w = np.clip(np.round(g.weight(f"w{i}", (64, 64), (), 1 / 8) / 0.01), -127, 127)
        w = g.op("DequantizeLinear", g.init(w.astype(np.int8)), g.init(np.float32(0.01)), zero)
        h = g.op("Relu", g.op("MatMul", h, w))
    g.output(h, "y")


def weight_only(k, layers, positive=False):
    """Weights of int8 and activations of float32."""

    def f(g):
        h = g.normal("x", (8, k), positive=positive)
        for i in range(layers):
            last = i == layers - 1
            w = g.random(f"w{i}").standard_normal((k, 32 if last else k)) / np.sqrt(k)
            if positive:
                w = np.abs(w) / np.sqrt(k) * 1.2
            scale = (np.abs(w).max(0) / 127).astype(np.float32)
            w = np.clip(np.round(w / scale), -127, 127).astype(np.int8)
            zero = g.init(np.zeros(len(scale), np.int8))
            w = g.op("DequantizeLinear", g.init(w, f"q{i}"), g.init(scale, f"s{i}"), zero, axis=1)
            h = g.op("MatMul", h, w)
            if not last:
                h = g.op("Relu" if positive else "Tanh", h)
        g.output(h, "y")

    return f


model("weightonly_int8", seeds=False)(weight_only(512, 6))
model("weightonly_int8_4k", seeds=False)(weight_only(4096, 1))
model("weightonly_int8_pos", seeds=False)(weight_only(2048, 4, True))


# Single functions.


def unary(kind, low, high):
    def f(g):
        g.output(g.op(kind, g.uniform("x", (4, 1000), low, high)), "y")

    return f


for kind, low, high in [
    ("Exp", -20, 20),
    ("Log", 1e-6, 5),
    ("Tanh", -5, 5),
    ("Sigmoid", -8, 8),
    ("Erf", -3, 3),
    ("Softplus", -10, 10),
    ("Mish", -6, 6),
    ("Gelu", -5, 5),
    ("Sin", -20, 20),
    ("Cos", -2000, 2000),
    ("Sqrt", 0, 10),
    ("Tan", -1.5, 1.5),
    ("Atan", -5, 5),
    ("Asin", -1, 1),
    ("Sinh", -5, 5),
    ("Elu", -5, 5),
    ("HardSwish", -4, 4),
    ("Reciprocal", 0.1, 5),
    ("Acosh", 1.01, 5),
    ("Softsign", -5, 5),
    ("Selu", -3, 3),
]:
    model("un_" + kind.lower(), seeds=False)(unary(kind, low, high))
model("un_sigmoid_tail", seeds=False)(unary("Sigmoid", -30, -15))
model("un_tanh_small", seeds=False)(unary("Tanh", -1e-3, 1e-3))
model("un_gelu_tail", seeds=False)(unary("Gelu", -9, -4))
model("un_erf_small", seeds=False)(unary("Erf", -1e-3, 1e-3))
model("un_softplus_tail", seeds=False)(unary("Softplus", -40, -15))
model("un_exp_tail", seeds=False)(unary("Exp", -86, -60))


@model("pow_frac", seeds=False)
def _(g):
    g.output(g.op("Pow", g.uniform("x", (1000,), 0.01, 10), g.const(2.2)), "y")
