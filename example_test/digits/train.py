"""Trains the digits classifier and writes testdata/: the model, and the images it never saw.

A small convolutional network, trained in plain NumPy on the handwritten digits that ship inside
scikit-learn (1797 grey images of 8x8; the test half of "Optical Recognition of Handwritten
Digits", E. Alpaydin and C. Kaynak, UCI, CC BY 4.0). The last 360 images are held back.

    image [batch,1,8,8] -> conv 16, relu, pool -> conv 32, relu, pool -> features [batch,64]
                        -> logits [batch,10] -> probabilities [batch,10]

One seed decides everything, so the same machine and versions (../requirements.txt) write the same
bytes again. Another processor may round differently and end with slightly different weights:
accept the golden file anew after training.
"""

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

SEED, EPOCHS, BATCH, RATE, HELD_BACK = 1, 60, 32, 2e-3, 360
LEAK = 0.1  # of the last ReLU: without it a third of the features is dead, and so are their weights
TESTDATA = Path(__file__).parent / "testdata"


def images_and_labels():
    """The data set as float32 [n,1,8,8] in [0,1] (steps of 1/16, so float32 is exact)."""
    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)[:, None]
    return images, digits.target.astype(np.int64)


def initial_weights(rng):
    """He initialisation; the names are those of the ONNX initializers."""

    def he(*shape):
        return (rng.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))).astype(np.float32)

    shapes = {"conv1": (16, 1, 3, 3), "conv2": (32, 16, 3, 3), "hidden": (64, 128),
              "classes": (10, 64)}
    weights = {}
    for name, shape in shapes.items():
        weights[name + ".weight"] = he(*shape)
        weights[name + ".bias"] = np.zeros(shape[0], np.float32)
    return weights


def patches(x):
    """The 3x3 neighbourhoods of x [n,c,h,w], zero-padded, as [n,h,w,c*9]."""
    x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    n, c, h, w = windows.shape[:4]
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(n, h, w, c * 9)


def unpatch(grad, channels):
    """The adjoint of patches: what each pixel's neighbourhoods say about it, summed."""
    n, h, w, _ = grad.shape
    grad = grad.reshape(n, h, w, channels, 3, 3)
    out = np.zeros((n, channels, h + 2, w + 2), np.float32)
    for i in range(3):
        for j in range(3):
            out[:, :, i:i + h, j:j + w] += grad[..., i, j].transpose(0, 3, 1, 2)
    return out[:, :, 1:-1, 1:-1]


def conv_relu_pool(x, weight, bias):
    """A layer's output and the function that takes its gradient back."""
    cols = patches(x)
    z = (cols @ weight.reshape(len(weight), -1).T + bias).transpose(0, 3, 1, 2)
    n, c, h, w = z.shape
    blocks = np.maximum(z, 0).reshape(n, c, h // 2, 2, w // 2, 2)
    y = blocks.max(axis=(3, 5))

    def back(grad):
        hit = (blocks == y[:, :, :, None, :, None]) & (blocks > 0)
        dz = (hit * grad[:, :, :, None, :, None]).reshape(n, c, h, w).transpose(0, 2, 3, 1)
        flat = dz.reshape(-1, c)
        d_weight = (flat.T @ cols.reshape(len(flat), -1)).reshape(weight.shape)
        return unpatch(dz @ weight.reshape(c, -1), x.shape[1]), d_weight, flat.sum(axis=0)

    return y, back


def loss_gradients(w, x, labels):
    """The gradients of the mean cross entropy for every weight."""
    y1, back1 = conv_relu_pool(x, w["conv1.weight"], w["conv1.bias"])
    y2, back2 = conv_relu_pool(y1, w["conv2.weight"], w["conv2.bias"])
    flat = y2.reshape(len(x), -1)
    hidden = flat @ w["hidden.weight"].T + w["hidden.bias"]
    features = np.maximum(hidden, LEAK * hidden)
    logits = features @ w["classes.weight"].T + w["classes.bias"]
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    d_logits = p / p.sum(axis=1, keepdims=True)
    d_logits[np.arange(len(x)), labels] -= 1
    d_logits /= len(x)
    g = {"classes.weight": d_logits.T @ features, "classes.bias": d_logits.sum(axis=0)}
    d_features = (d_logits @ w["classes.weight"]) * np.where(hidden > 0, 1, LEAK).astype("f4")
    g["hidden.weight"], g["hidden.bias"] = d_features.T @ flat, d_features.sum(axis=0)
    d_y2 = (d_features @ w["hidden.weight"]).reshape(y2.shape)
    d_y1, g["conv2.weight"], g["conv2.bias"] = back2(d_y2)
    _, g["conv1.weight"], g["conv1.bias"] = back1(d_y1)
    return g


def train(images, labels):
    """Adam with a cosine rate and a little weight decay, on images moved by up to a pixel."""
    rng = np.random.default_rng(SEED)
    w = initial_weights(rng)
    mean = {k: np.zeros_like(v) for k, v in w.items()}
    square = {k: np.zeros_like(v) for k, v in w.items()}
    steps, step = EPOCHS * (len(images) // BATCH), 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(images))
        for start in range(0, len(images) - BATCH + 1, BATCH):
            batch = order[start:start + BATCH]
            step += 1
            rate = RATE * (1 + np.cos(np.pi * step / steps)) / 2
            moved = np.roll(images[batch], rng.integers(-1, 2, size=2), axis=(2, 3))
            for k, g in loss_gradients(w, moved, labels[batch]).items():
                mean[k] = 0.9 * mean[k] + 0.1 * g
                square[k] = 0.999 * square[k] + 0.001 * g * g
                m, s = mean[k] / (1 - 0.9**step), square[k] / (1 - 0.999**step)
                w[k] -= (rate * (m / (np.sqrt(s) + 1e-8) + 1e-2 * w[k])).astype(np.float32)
    return w


def onnx_model(w):
    """The network with three outputs, so that a mismatch tells in which part it starts."""
    node = helper.make_node
    conv = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    pool = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes = [
        node("Conv", ["image", "conv1.weight", "conv1.bias"], ["conv1"], "conv1", **conv),
        node("Relu", ["conv1"], ["relu1"], "relu1"),
        node("MaxPool", ["relu1"], ["pool1"], "pool1", **pool),
        node("Conv", ["pool1", "conv2.weight", "conv2.bias"], ["conv2"], "conv2", **conv),
        node("Relu", ["conv2"], ["relu2"], "relu2"),
        node("MaxPool", ["relu2"], ["pool2"], "pool2", **pool),
        node("Flatten", ["pool2"], ["flat"], "flatten", axis=1),
        node("Gemm", ["flat", "hidden.weight", "hidden.bias"], ["hidden"], "hidden", transB=1),
        node("LeakyRelu", ["hidden"], ["features"], "features", alpha=LEAK),
        node("Gemm", ["features", "classes.weight", "classes.bias"], ["logits"], "classes",
             transB=1),
        node("Softmax", ["logits"], ["probabilities"], "probabilities", axis=1),
    ]

    def value(name, *shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape])

    graph = helper.make_graph(
        nodes, "digits", [value("image", 1, 8, 8)],
        [value("features", 64), value("logits", 10), value("probabilities", 10)],
        [numpy_helper.from_array(v, k) for k, v in w.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                              producer_name="modelparity digits example")
    onnx.checker.check_model(model, full_check=True)
    return model


def main():
    images, labels = images_and_labels()
    w = train(images[:-HELD_BACK], labels[:-HELD_BACK])
    TESTDATA.mkdir(exist_ok=True)
    onnx.save(onnx_model(w), TESTDATA / "digits.onnx")
    np.savez_compressed(TESTDATA / "heldback.npz", image=images[-HELD_BACK:])
    (TESTDATA / "labels.json").write_text(json.dumps(labels[-HELD_BACK:].tolist()) + "\n")

    import onnxruntime as ort  # only to say how good the model is
    session = ort.InferenceSession(str(TESTDATA / "digits.onnx"))
    for name, part in ("training", slice(None, -HELD_BACK)), ("held-back", slice(-HELD_BACK, None)):
        logits = session.run(["logits"], {"image": images[part]})[0]
        right = int((logits.argmax(axis=1) == labels[part]).sum())
        print(f"{name}: {right} of {len(logits)} right, {right / len(logits):.2%}")


if __name__ == "__main__":
    main()
