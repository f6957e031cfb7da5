"""Makes what backendtest's models compute as the files that the JAX runner runs."""

import os
import sys

import jax
import jax.numpy as jnp
from jax import export

SCRIPT = '''import jax
import jax.numpy as jnp
import numpy as np

i = np.arange(64 * 64)
w = ((i * 7919 % 1000).astype(np.float32) / 1000 - np.float32(0.5)).reshape(64, 64)


def layers(x):
    return jax.nn.softmax(jnp.maximum(x @ w, 0) @ w)


def run(inputs):
    if not inputs:
        return {"y": jnp.array([1, 2, 3], jnp.float32)}
    if "x" not in inputs:
        return {"difference": inputs["minuend"] - inputs["subtrahend"],
                "opposite": inputs["subtrahend"] - inputs["minuend"]}
    x = inputs["x"]
    return {"y": layers(x) if x.ndim == 2 and x.shape[1] == 64 else x}
'''


def exported(function, *shapes):
    """The function for inputs of these shapes, of which names are sizes."""
    scope = export.SymbolicScope()
    return export.export(jax.jit(function))(*[
        jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), jnp.float32)
        for shape in shapes])


if __name__ == "__main__":
    folder = sys.argv[1]
    for kind in ("script", "exported"):
        os.mkdir(f"{folder}/{kind}")
    with open(f"{folder}/script/any.py", "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    made = {}
    exec(compile(SCRIPT, "script", "exec"), made)  # for its layers
    functions = {
        "arithmetic": exported(lambda s, m: (s - m, m - s), "n, 3", "n, 3"),
        "constant": exported(lambda: jnp.array([1, 2, 3], jnp.float32)),
        "layers": exported(made["layers"], "n, 64")}
    for rank in range(5):
        functions[f"identity_float32_{rank}"] = exported(
            lambda x: x, ", ".join(f"d{i}" for i in range(rank)))
    for name, function in functions.items():
        with open(f"{folder}/exported/{name}.jax", "wb") as file:
            file.write(function.serialize())
