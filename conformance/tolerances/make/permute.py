"""Correct reorderings of the sums of any model: Gather nodes permute the axes that are summed over,
in all operands, and hidden axes back again afterwards."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

gates = {"LSTM": 4, "GRU": 3, "RNN": 1}
few = 8  # input channels; with fewer, their order hardly changes a sum


class Permuter:
    """Permutes a model's top-level graph; shapes are those of the tensors in a run."""

    def __init__(self, model, shapes, seed):
        self.model = onnx.ModelProto()
        self.model.CopyFrom(model)
        self.shapes, self.random = dict(shapes), np.random.default_rng(seed)
        self.constants = {t.name: t for t in self.model.graph.initializer}
        self.shapes |= {name: tuple(t.dims) for name, t in self.constants.items()}
        self.before, self.after, self.names = [], [], 0

    def permute(self):
        nodes = []
        for node in self.model.graph.node:
            self.before, self.after = [], []
            change = getattr(self, "of_" + node.op_type.lower(), None)
            if change and node.domain == "":
                change(node, {a.name: helper.get_attribute_value(a) for a in node.attribute})
            nodes += [*self.before, node, *self.after]
        del self.model.graph.node[:]
        self.model.graph.node.extend(nodes)
        return self.model

    def constant(self, values):
        self.names += 1
        name = f"permute/{self.names}"
        values = np.asarray(values, np.int64)
        self.model.graph.initializer.append(numpy_helper.from_array(values, name))
        return name

    def shape(self, node, i):
        """The shape of an input, () if it is absent or unknown."""
        return self.shapes.get(node.input[i], ()) if i < len(node.input) else ()

    def order(self, size):
        return self.random.permutation(size)

    def take(self, node, i, order, axis):
        """Permute an axis of an input."""
        if i < len(node.input) and node.input[i]:
            self.names += 1
            name = f"permute/{self.names}"
            inputs = [node.input[i], self.constant(order)]
            self.before.append(helper.make_node("Gather", inputs, [name], axis=axis))
            self.shapes[name] = self.shape(node, i)
            node.input[i] = name

    def back(self, node, i, order, axis):
        """Permute an axis of an output back."""
        if i < len(node.output) and node.output[i]:
            self.names += 1
            name, whole = f"permute/{self.names}", node.output[i]
            node.output[i] = name
            inputs = [name, self.constant(np.argsort(order))]
            self.after.insert(0, helper.make_node("Gather", inputs, [whole], axis=axis))

    def pair(self, node, first, second):
        """Permute an axis that two operands share."""
        a, b = self.shape(node, 0), self.shape(node, 1)
        if len(a) >= -min(first, 0) and len(b) >= -min(second, 0) and a and b and a[first] > 1:
            order = self.order(a[first])
            self.take(node, 0, order, first % len(a))
            self.take(node, 1, order, second % len(b))

    def of_matmul(self, node, attributes):
        self.pair(node, -1, -2 if len(self.shape(node, 1)) > 1 else -1)

    def of_gemm(self, node, attributes):
        first = 0 if attributes.get("transA") else 1
        self.pair(node, first, 1 if attributes.get("transB") else 0)

    def of_conv(self, node, attributes):
        group, w = attributes.get("group", 1), self.shape(node, 1)
        if len(w) > 2 and w[1] > 1:
            order = self.order(w[1])
            all_groups = np.concatenate([g * w[1] + order for g in range(group)])
            self.take(node, 0, all_groups, 1)
            self.take(node, 1, order, 1)
        if len(w) > 2 and w[1] < few and np.prod(w[1:]) > 1:
            self.split(node, w)

    def split(self, node, shape):
        """Sum two random halves of a kernel's products apart."""
        whole, weight, bias = node.output[0], node.input[1], node.input[2:]
        mask = self.random.integers(0, 2, shape[1:]).astype(np.float32)
        parts = []
        for i, half in enumerate((mask, 1 - mask)):
            self.names += 1
            name = f"permute/{self.names}"
            self.model.graph.initializer.append(numpy_helper.from_array(half, name + "/mask"))
            self.before.append(helper.make_node("Mul", [weight, name + "/mask"], [name + "/half"]))
            parts.append(name)
            inputs = [node.input[0], name + "/half", *(bias if i == 0 else [])]
            other = node if i == 0 else onnx.NodeProto()
            if i:
                other.CopyFrom(node)
                other.name = name
                self.after.append(other)
            del other.input[:]
            other.input.extend(inputs)
            other.output[0] = name
        self.after.append(helper.make_node("Add", parts, [whole]))

    def of_convtranspose(self, node, attributes):
        if attributes.get("group", 1) == 1:
            self.pair(node, 1, 0)

    def of_einsum(self, node, attributes):
        inputs, _, output = attributes["equation"].decode().replace(" ", "").partition("->")
        if "." in inputs:
            return
        terms = inputs.split(",")
        for label in sorted(set(inputs) - set(output) - {","}):
            places = [(i, t.index(label)) for i, t in enumerate(terms) if label in t]
            order = self.order(self.shape(node, places[0][0])[places[0][1]])
            for i, axis in places:
                self.take(node, i, order, axis)

    def of_reduction(self, node, attributes):
        shape, axes = self.shape(node, 0), attributes.get("axes")
        if len(node.input) > 1 and node.input[1] in self.constants:
            axes = numpy_helper.to_array(self.constants[node.input[1]]).ravel()
        elif len(node.input) > 1 and node.input[1]:
            return
        for axis in range(len(shape)) if axes is None else axes:
            if shape and shape[axis] > 1:
                self.take(node, 0, self.order(shape[axis]), int(axis) % len(shape))

    of_reducesum = of_reducemean = of_reducesumsquare = of_reduction
    of_reducel2 = of_reducelogsumexp = of_reduction

    def of_globalaveragepool(self, node, attributes):
        for axis in range(2, len(self.shape(node, 0))):
            self.take(node, 0, self.order(self.shape(node, 0)[axis]), axis)

    def of_instancenormalization(self, node, attributes):
        for axis in range(2, len(self.shape(node, 0))):
            order = self.order(self.shape(node, 0)[axis])
            self.take(node, 0, order, axis)
            self.back(node, 0, order, axis)

    def of_layernormalization(self, node, attributes):
        shape = self.shape(node, 0)
        if shape and attributes.get("axis", -1) in (-1, len(shape) - 1):
            order = self.order(shape[-1])
            for i in range(3):
                one = self.shape(node, i)
                if one:
                    self.take(node, i, order, len(one) - 1)
            self.back(node, 0, order, len(shape) - 1)

    def of_softmax(self, node, attributes):
        shape, axis = self.shape(node, 0), attributes.get("axis", -1)
        if shape:
            order = self.order(shape[axis])
            self.take(node, 0, order, axis % len(shape))
            self.back(node, 0, order, axis % len(shape))

    of_logsoftmax = of_softmax

    def of_recurrent(self, node, attributes):
        w, hidden = self.shape(node, 1), self.shape(node, 2)
        if not hidden or attributes.get("layout") or len(node.input) > 7 and node.input[7]:
            return
        if w[2] > 1:
            features = self.order(w[2])
            self.take(node, 0, features, 2)
            self.take(node, 1, features, 2)
        order = self.order(hidden[2])
        rows = np.concatenate([g * hidden[2] + order for g in range(gates[node.op_type])])
        self.take(node, 1, rows, 1)
        self.take(node, 2, rows, 1)
        self.take(node, 2, order, 2)
        self.take(node, 3, np.concatenate([rows, len(rows) + rows]), 1)
        self.take(node, 5, order, 2)
        self.take(node, 6, order, 2)
        self.back(node, 0, order, 3)
        self.back(node, 1, order, 2)
        self.back(node, 2, order, 2)

    of_lstm = of_gru = of_rnn = of_recurrent


def permuted(model, shapes, seed):
    return Permuter(model, shapes, seed).permute()


def with_all_outputs(model):
    """The model with every tensor of its top-level graph as an output."""
    marked = onnx.ModelProto()
    marked.CopyFrom(model)
    outputs = {o.name for o in marked.graph.output}
    for node in marked.graph.node:
        for name in node.output:
            if name and name not in outputs:
                marked.graph.output.append(onnx.ValueInfoProto(name=name))
    return marked
