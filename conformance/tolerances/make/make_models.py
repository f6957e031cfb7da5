"""Makes the models of models.py: python make_models.py OUT [PATTERN].

OUT/NAME has the model (model.onnx), its inputs (inputs.npz), the other forms (form-*.onnx), two
permutations of its hidden axes (seed-*.onnx) and what an oracle knows (oracle.npz): the standard
deviation of each element of each output, and how many of them move independently, in 64 further
permutations. An oracle exists only where permutations change the outputs. PATTERN is a regular
expression of names. A folder that has .made is skipped.
"""

import pathlib
import re
import shutil
import sys

import numpy as np
import onnx
import onnxruntime

from models import build, models

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


def make(out, name):
    folder = pathlib.Path(out) / name
    if (folder / ".made").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    base = build(name)
    model = base.model()
    onnx.save(model, folder / "model.onnx")
    np.savez(folder / "inputs.npz", **base.feed)

    def variant(file, **how):
        g = build(name, **how)
        changed = g.model()
        if changed == model:
            return
        for key, array in base.feed.items():
            assert np.array_equal(array, g.feed[key]), f"{name}: {how} changes the input {key}"
        onnx.save(changed, folder / file)

    for form in models[name].forms:
        text = "-".join(f"{key}-{value}" for key, value in form.items())
        variant(f"form-{text}.onnx", form=form)
    if models[name].seeds:
        for seed in judged:
            variant(f"seed-{seed}.onnx", seed=seed)
        if (folder / f"seed-{judged[0]}.onnx").exists():
            known = spread(
                [run(session_of(build(name, seed=s).model()), base.feed) for s in oracle]
            )
            if known:
                np.savez(folder / "oracle.npz", **known)
    (folder / ".made").touch()
    print(name, *sorted(f.name for f in folder.iterdir()), flush=True)


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    for name in models:
        if re.search(pattern, name):
            make(sys.argv[1], name)


if __name__ == "__main__":
    main()
