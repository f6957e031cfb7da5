"""Makes the models of models.py: python make_models.py OUT [PATTERN [FOLDER]].

OUT/NAME has the model (model.onnx), its inputs (inputs.npz), the other forms (form-*.onnx), two
permutations of its hidden axes (seed-*.onnx) and what an oracle knows (oracle.npz): the standard
deviation of each element of each output, and how many of them move independently, in 64 further
permutations. An oracle exists only where permutations change the outputs. PATTERN is a regular
expression of names. A folder that has .made is skipped.

With FOLDER, it takes the models there instead, such as those of `make trained`: NAME.onnx with the
inputs NAME.npz. Gather nodes permute them (permute.py), as they do models that hide no axis.
"""

import pathlib
import re
import shutil
import sys

import numpy as np
import onnx
import onnxruntime

from models import build, models
from permute import permuted, with_all_outputs

judged = (1, 2)
oracle = range(1001, 1065)


def session_of(model):
    """ONNX Runtime without optimisation, on one thread."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def run(session, feed):
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, feed)))


def independent(deviations):
    """tr(C)²/tr(C²) of the covariance C, by Srivastava's estimate (2005)."""
    m = len(deviations) - 1
    gram = deviations @ deviations.T / m
    trace = np.trace(gram)
    squares = m * m / ((m - 1) * (m + 2)) * ((gram**2).sum() - trace**2 / m)
    size = deviations.shape[1]
    return size if squares <= trace**2 / size else max(1.0, trace**2 / squares)


def spread(runs):
    """What an oracle knows, by output."""
    known = {}
    for name, base in runs[0].items():
        if base.dtype.kind != "f":
            continue
        values = np.array([r[name].ravel() for r in runs], np.float64)
        deviations = values - values.mean(0)
        if not np.isfinite(values).all() or not deviations.any():
            continue
        known[f"{name}:sigma"] = deviations.std(0, ddof=1).reshape(base.shape)
        known[f"{name}:independent"] = np.float64(independent(deviations))
    return known


def orders(name, model, feed):
    """A function from seeds to reorderings of a generated model's sums."""
    if name in models and models[name].seeds:
        one = build(name, seed=judged[0]).model()
        if one != model:
            return lambda seed: build(name, seed=seed).model()
    known = run(session_of(with_all_outputs(model)), feed)
    shapes = {key: array.shape for key, array in (feed | known).items() if array is not None}
    return lambda seed: permuted(model, shapes, seed)


def agree(one, other):
    """Whether outputs agree but for rounding. Those of chaotic models do not."""
    return all(
        np.abs(one[key] - other[key]).max() <= 0.1 * np.abs(other[key]).max()
        for key in other
        if other[key].dtype.kind == "f" and other[key].size
    )


def rounds(model):
    """Whether a model rounds to few bits inside. There engines differ by more than the order of
    sums, so that no oracle knows the spread."""
    return any(
        "Quantize" in n.op_type
        or n.op_type == "Cast"
        and any(a.name == "to" and a.i == onnx.TensorProto.FLOAT16 for a in n.attribute)
        for n in model.graph.node
    )


def make(out, name, folder=None):
    to = pathlib.Path(out) / name
    if (to / ".made").exists():
        return
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    if folder:
        model = onnx.load(folder / f"{name}.onnx")
        feed = dict(np.load(folder / f"{name}.npz"))
    else:
        base = build(name)
        model, feed = base.model(), base.feed
    onnx.save(model, to / "model.onnx")
    np.savez(to / "inputs.npz", **feed)
    for form in [] if folder else models[name].forms:
        text = "-".join(f"{key}-{value}" for key, value in form.items())
        changed = build(name, form=form).model()
        if changed != model:
            onnx.save(changed, to / f"form-{text}.onnx")
    order = orders(name, model, feed)
    first, expected = order(judged[0]), run(session_of(model), feed)
    if first != model and agree(run(session_of(first), feed), expected):
        for seed in judged:
            onnx.save(order(seed), to / f"seed-{seed}.onnx")
        known = {}
        if not rounds(model):
            known = spread([run(session_of(order(seed)), feed) for seed in oracle])
        if known:
            np.savez(to / "oracle.npz", **known)
    (to / ".made").touch()
    print(name, *sorted(f.name for f in to.iterdir()), flush=True)


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    folder = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    for name in sorted(f.stem for f in folder.glob("*.onnx")) if folder else models:
        if re.search(pattern, name):
            make(sys.argv[1], name, folder)


if __name__ == "__main__":
    main()
