"""Runs functions that jax.export serialised, and Python files with a function run, in JAX."""

import modelparity


def numbers(arrays):
    """The inputs, of which JAX takes numbers alone."""
    for name, a in arrays.items():
        if a.dtype.kind in "USO":
            raise TypeError(f"JAX has no arrays of strings, got input {name!r}")
    return arrays


def load(asked):
    import jax
    # JAX turns 64-bit types into 32-bit ones in silence, and multiplies in fewer bits on a GPU.
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    path = asked["model"]
    more = {"version": jax.__version__, "provider": jax.default_backend(),
            "options": {"x64": "true", "matmul_precision": "highest"}}
    if path.endswith(".py"):
        module, _ = modelparity.script(path)
        if not hasattr(module, "run"):
            raise AttributeError("the file defines no run(inputs)")
        compiled = jax.jit(module.run)
        return lambda arrays: compiled(numbers(arrays)), more

    from jax import export
    with open(path, "rb") as file:
        exported = export.deserialize(bytearray(file.read()))
    treedef, wanted = exported.in_tree, asked.get("outputs")
    args, kwargs = jax.tree_util.tree_unflatten(treedef, list(range(treedef.num_leaves)))
    names = {leaf: name for tree in (*args, kwargs) if isinstance(tree, dict)
             for name, leaf in tree.items() if isinstance(leaf, int)}
    order = [names.get(i, f"x{i}") for i in range(treedef.num_leaves)]
    given = [i["name"] for i in asked.get("inputs", [])]
    more["inputs"] = [{"name": name, "type": str(a.dtype), "shape": [
        d if isinstance(d, int) else str(d) for d in a.shape]}
                      for name, a in zip(order, exported.in_avals)]

    def run(arrays):
        numbers(arrays)
        if set(order) <= set(arrays):
            leaves = [arrays[name] for name in order]
        else:
            leaves = [arrays[name] for name in given or arrays]
        if len(leaves) != len(order):
            raise ValueError(f"the function takes {', '.join(order)}; got {', '.join(arrays)}")
        positional, named = jax.tree_util.tree_unflatten(treedef, leaves)
        results = exported.call(*positional, **named)
        if isinstance(results, dict) and (not wanted or set(wanted) <= set(results)):
            return {name: results[name] for name in wanted or results}
        values = jax.tree_util.tree_leaves(results)
        if wanted and len(wanted) != len(values):
            raise ValueError(f"the function gives {len(values)} arrays, and the model declares "
                             f"{', '.join(wanted)}")
        return dict(zip(wanted or ["output"] + [f"output_{i}" for i in range(1, len(values))],
                        values))

    return run, more


def main():
    modelparity.serve(load=load, name="jax")
