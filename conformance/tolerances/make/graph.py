"""A builder of ONNX graphs that can write one function in several forms.

Weights and inputs are drawn from the model's name, so a model is the same on every machine. A form
chooses between equivalent nodes. A seed permutes hidden axes: each sum adds the same products in
another order, and every output stays what it was but for rounding.
"""

import hashlib

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def digest(text, digits):
    return int(hashlib.md5(text.encode()).hexdigest()[:digits], 16)


class Graph:
    def __init__(self, name, seed=None, form=None, inputs=0, opset=20):
        self.name, self.seed, self.opset = name, seed, opset
        self.form, self.drawn = form or {}, inputs
        self.dtype = np.float32
        self.half_weights = False  # products' weights are rounded to float16, whatever their type
        self.nodes, self.tensors, self.inputs, self.outputs = [], [], [], []
        self.feed, self.orders = {}, {}
        self.names = 0

    def random(self, key):
        return np.random.default_rng(digest(f"{self.name}/{key}", 8))

    def draw(self, key):
        """Random numbers for an input; `inputs` chooses others."""
        return self.random(f"{key}#{self.drawn}" if self.drawn else key)

    def order(self, axis, size):
        """The order of a hidden axis."""
        if self.seed is None or axis is None:
            return np.arange(size)
        if axis not in self.orders:
            generator = np.random.default_rng([self.seed, digest(axis, 6)])
            self.orders[axis] = generator.permutation(size)
        return self.orders[axis]

    def fresh(self, base):
        self.names += 1
        return f"{base}_{self.names}"

    def init(self, array, name=None):
        name = name or self.fresh("c")
        self.tensors.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def const(self, value, dtype=None):
        return self.init(np.asarray(value, dtype or self.dtype))

    def ints(self, *values):
        return self.init(np.array(values, np.int64))

    def op(self, kind, *inputs, n=1, **attributes):
        outputs = [self.fresh(kind.lower()) for _ in range(n)]
        name = f"n{len(self.nodes)}_{kind}"
        self.nodes.append(helper.make_node(kind, list(inputs), outputs, name=name, **attributes))
        return outputs[0] if n == 1 else outputs

    def input(self, name, array, axes=()):
        """An input. A Gather permutes its hidden axes, so all forms take the same inputs."""
        self.feed[name] = np.ascontiguousarray(array)
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        self.inputs.append(helper.make_tensor_value_info(name, kind, array.shape))
        value = name
        for axis, key in enumerate(axes):
            if key is not None and self.seed is not None:
                order = self.init(self.order(key, array.shape[axis]))
                value = self.op("Gather", value, order, axis=axis)
        return value

    def normal(self, name, shape, axes=(), mean=0.0, scale=1.0, positive=False):
        """A normally distributed input."""
        array = self.draw(name).standard_normal(shape)
        array = (mean + scale * (np.abs(array) if positive else array)).astype(self.dtype)
        return self.input(name, array, axes)

    def uniform(self, name, shape, low=0.0, high=1.0):
        return self.input(name, self.draw(name).uniform(low, high, shape).astype(self.dtype))

    def output(self, value, name, dtype=None):
        self.nodes.append(helper.make_node("Identity", [value], [name], name=f"out_{name}"))
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype or self.dtype))
        self.outputs.append(helper.make_tensor_value_info(name, kind, None))

    def weight(self, name, shape, axes, scale=1.0, positive=False):
        array = self.random(name).standard_normal(shape) * scale
        if positive:
            array = np.abs(array)
        for axis, key in enumerate(axes):
            if key is not None:
                array = np.take(array, self.order(key, array.shape[axis]), axis=axis)
        return array.astype(self.dtype)

    def bias(self, name, size, axis):
        return self.init(self.weight(name + ".b", (size,), (axis,), 0.1), name + ".b")

    def linear(
        self, x, name, i, o, ki=None, ko=None, scale=None, bias=True, positive=False, rank=2
    ):
        scale = 1 / np.sqrt(i) if scale is None else scale
        w = self.weight(name + ".w", (i, o), (ki, ko), scale, positive)
        if self.half_weights:
            w = w.astype(np.float16).astype(self.dtype)
        key, form = name + ".w", self.form.get("product", "matmul")
        if form == "gemm" and rank == 2:
            c = [self.bias(name, o, ko)] if bias else []
            return self.op("Gemm", x, self.init(w.T.copy(), key), *c, transB=1)
        if form == "split" and i >= 2:
            cut = i // 3 or 1
            a, b = self.op("Split", x, self.ints(cut, i - cut), axis=-1, n=2)
            a = self.op("MatMul", a, self.init(w[:cut], key + "0"))
            b = self.op("MatMul", b, self.init(w[cut:], key + "1"))
            y = self.op("Add", a, b)
        elif form == "einsum" and rank == 2:
            y = self.op("Einsum", x, self.init(w, key), equation="bi,io->bo")
        elif form == "conv" and rank == 2:
            pixel = self.op("Unsqueeze", self.op("Unsqueeze", x, self.ints(2)), self.ints(3))
            y = self.op("Conv", pixel, self.init(w.T.copy()[:, :, None, None], key))
            y = self.op("Squeeze", y, self.ints(2, 3))
        elif form == "transposed":
            stored = self.init(w.T.copy(), key)
            y = self.op("MatMul", x, self.op("Transpose", stored, perm=[1, 0]))
        elif form == "half":
            stored = self.init(w.astype(np.float16), key)
            y = self.op("MatMul", x, self.op("Cast", stored, to=TensorProto.FLOAT))
        elif form == "identity":
            y = self.op("MatMul", x, self.op("Identity", self.init(w, key)))
        else:
            y = self.op("MatMul", x, self.init(w, key))
        return self.op("Add", y, self.bias(name, o, ko)) if bias else y

    def conv(self, x, name, i, o, k=3, ki=None, ko=None, stride=1, group=1, scale=None):
        scale = 1 / np.sqrt(i // group * k * k) if scale is None else scale
        w = self.weight(name + ".w", (o, i // group, k, k), (ko, ki), scale)
        b = self.bias(name, o, ko)
        how = {"pads": [k // 2] * 4, "strides": [stride] * 2}
        if self.form.get("conv") == "split" and group == 1 and i >= 2:
            cut = i // 2
            first, rest = self.op("Split", x, self.ints(cut, i - cut), axis=1, n=2)
            first = self.op("Conv", first, self.init(w[:, :cut], name + ".w0"), **how)
            rest = self.op("Conv", rest, self.init(w[:, cut:], name + ".w1"), b, **how)
            return self.op("Add", first, rest)
        return self.op("Conv", x, self.init(w, name + ".w"), b, group=group, **how)

    def batchnorm(self, x, name, channels, axis=None):
        r = self.random(name + ".bn")
        scale = 1 + 0.1 * r.standard_normal(channels)
        bias = 0.1 * r.standard_normal(channels)
        mean = 0.1 * r.standard_normal(channels)
        variance = 1 + 0.2 * r.random(channels)
        order = self.order(axis, channels)
        values = [v[order].astype(self.dtype) for v in (scale, bias, mean, variance)]
        if self.form.get("batchnorm") == "affine":
            scale, bias, mean, variance = [v.astype(np.float64) for v in values]
            factor = scale / np.sqrt(variance + 1e-5)
            y = self.op("Mul", x, self.const(factor[:, None, None]))
            return self.op("Add", y, self.const((bias - mean * factor)[:, None, None]))
        values = [self.init(v, f"{name}.{part}") for v, part in zip(values, "sbmv")]
        return self.op("BatchNormalization", x, *values, epsilon=1e-5)

    def layernorm(self, x, name, d, axis=None, epsilon=1e-5):
        r = self.random(name + ".ln")
        order = self.order(axis, d)
        scale = self.init((1 + 0.1 * r.standard_normal(d))[order].astype(self.dtype), name + ".g")
        bias = self.init((0.1 * r.standard_normal(d))[order].astype(self.dtype), name + ".b")
        form = self.form.get("layernorm", "node")
        if form == "node":
            return self.op("LayerNormalization", x, scale, bias, epsilon=epsilon, axis=-1)
        dx = self.op("Sub", x, self.op("ReduceMean", x, self.ints(-1)))
        square = self.op("Mul", dx, dx) if form == "mul" else self.op("Pow", dx, self.const(2.0))
        variance = self.op("ReduceMean", square, self.ints(-1))
        deviation = self.op("Sqrt", self.op("Add", variance, self.const(epsilon)))
        if form == "mul":
            y = self.op("Div", dx, deviation)
        else:
            y = self.op("Mul", dx, self.op("Reciprocal", deviation))
        return self.op("Add", self.op("Mul", y, scale), bias)

    def rmsnorm(self, x, name, d, axis=None, epsilon=1e-6):
        scale = 1 + 0.1 * self.random(name + ".rms").standard_normal(d)
        scale = scale[self.order(axis, d)].astype(self.dtype)
        square = self.op("ReduceMean", self.op("Mul", x, x), self.ints(-1))
        root = self.op("Sqrt", self.op("Add", square, self.const(epsilon)))
        y = self.op("Mul", x, self.op("Reciprocal", root))
        return self.op("Mul", y, self.init(scale, name + ".g"))

    def gelu(self, x):
        form = self.form.get("gelu", "div")
        if form == "node":
            return self.op("Gelu", x)
        if form == "div":
            inner = self.op("Div", x, self.const(np.sqrt(2.0)))
        else:
            inner = self.op("Mul", x, self.const(1 / np.sqrt(2.0)))
        e = self.op("Add", self.op("Erf", inner), self.const(1.0))
        if form == "div":
            return self.op("Mul", self.op("Mul", x, e), self.const(0.5))
        return self.op("Mul", self.op("Mul", x, self.const(0.5)), e)

    def softmax(self, x):
        if self.form.get("softmax") == "parts":
            e = self.op("Exp", self.op("Sub", x, self.op("ReduceMax", x, self.ints(-1))))
            return self.op("Div", e, self.op("ReduceSum", e, self.ints(-1)))
        return self.op("Softmax", x, axis=-1)

    def attention(self, x, name, d, heads, axis=None, gain=1.0, mask=None):
        width = d // heads

        def projection(which):
            y = self.linear(x, f"{name}.{which}", d, d, axis, None, rank=3)
            return self.op(
                "Transpose", self.op("Reshape", y, self.ints(0, 0, heads, width)), perm=[0, 2, 1, 3]
            )

        q, k, v = projection("q"), projection("k"), projection("v")
        a = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        a = self.op("Mul", a, self.const(gain / np.sqrt(width)))
        if mask is not None:
            a = self.op("Add", a, self.init(mask.astype(self.dtype), name + ".mask"))
        y = self.op("MatMul", self.softmax(a), v)
        y = self.op("Reshape", self.op("Transpose", y, perm=[0, 2, 1, 3]), self.ints(0, 0, d))
        return self.linear(y, f"{name}.o", d, d, None, axis, rank=3)

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.tensors)
        opset = helper.make_opsetid("", self.opset)
        return helper.make_model(graph, opset_imports=[opset], ir_version=10)
