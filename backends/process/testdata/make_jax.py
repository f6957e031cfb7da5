"""Makes a small function as the files that the JAX runner runs."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

folder = sys.argv[1]
w = np.random.RandomState(1).standard_normal((3, 5)).astype(np.float32)


def net(x, bias):
    return {"y": jnp.tanh(x @ w) + bias}


batch = export.symbolic_shape("batch, 3")
exported = export.export(jax.jit(net))(jax.ShapeDtypeStruct(batch, jnp.float32),
                                       jax.ShapeDtypeStruct((5,), jnp.float32))
with open(f"{folder}/net.jax", "wb") as file:
    file.write(exported.serialize())
np.save(f"{folder}/w.npy", w)
with open(f"{folder}/net.py", "w", encoding="utf-8") as file:
    file.write(f"""import jax.numpy as jnp
import numpy as np

w = np.load({folder + "/w.npy"!r})


def run(inputs):
    return {{"y": jnp.tanh(inputs["x0"] @ w) + inputs["x1"],
            "wide": inputs["x0"].astype(jnp.float64) / 3}}
""")
