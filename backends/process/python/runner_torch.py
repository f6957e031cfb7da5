"""Runs modules that torch.save wrote whole, TorchScript, and exported programs in PyTorch."""

import inspect
import os
import sys
import zipfile

import numpy as np

import modelparity


def tensor(a):
    """An array as a tensor, bfloat16 and the types of 8 bits too."""
    import torch
    name = a.dtype.metadata["element"] if a.dtype.metadata else a.dtype.name
    if name in modelparity.WIDTH:
        if not hasattr(torch, name):
            raise TypeError(f"PyTorch has no {name}")
        bits = np.int16 if modelparity.WIDTH[name] == 2 else np.uint8
        return torch.from_numpy(np.array(a).view(bits)).view(getattr(torch, name))
    if a.dtype.kind not in "fiub":
        raise TypeError(f"PyTorch has no tensors of {a.dtype}")
    return torch.from_numpy(np.array(a))


def opened(path):
    """What the file holds: the function, the names of its parameters where they are known, what it
    declares of its inputs, and the kind of file."""
    import torch
    names = zipfile.ZipFile(path).namelist() if zipfile.is_zipfile(path) else []
    if any(n.endswith(("/archive_format", "serialized_exported_program.json")) for n in names):
        program = torch.export.load(path)
        wanted = list(program.graph_signature.user_inputs)
        return program.module(), wanted, declared(program, wanted), "an exported program"
    if any("/code/" in n for n in names):
        module = torch.jit.load(path, map_location="cpu").eval()
        return module, [a.name for a in module.forward.schema.arguments[1:]], None, "TorchScript"
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))  # of the module's class
    try:
        module = torch.load(path, map_location="cpu", weights_only=False)
    except ModuleNotFoundError as wrong:
        raise ModuleNotFoundError(f"{wrong}; put the folder of the module's class into PYTHONPATH",
                                  name=wrong.name) from wrong
    if isinstance(module, dict):
        raise TypeError("the file holds weights without their module: write a script that makes "
                        "the module, loads them and defines run(inputs), for --model-runner")
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"the file holds {type(module).__name__}, not a module")
    return module.eval(), list(inspect.signature(module.forward).parameters), None, "a module"


def declared(program, wanted):
    """The inputs of an exported program, as descriptions have them."""
    values = {n.name: n.meta["val"] for n in program.graph.nodes if n.op == "placeholder"}
    return [{"name": name, "type": str(values[name].dtype).removeprefix("torch."),
             "shape": [d if isinstance(d, int) else str(d) for d in values[name].shape]}
            for name in wanted if hasattr(values.get(name), "dtype")]


def named(results, wanted):
    """The outputs by name: their own, those that are wanted, or output, output_1, …"""
    import torch
    own = list(results) if isinstance(results, dict) else []
    if own and (not wanted or set(wanted) <= set(own)):
        return {name: results[name] for name in wanted or own}
    leaves = [v for v in torch.utils._pytree.tree_leaves(results) if v is not None]
    if wanted and len(wanted) != len(leaves):
        raise ValueError(f"the module gives {len(leaves)} tensors, and the model declares "
                         f"{len(wanted)} outputs: {', '.join(wanted)}")
    return dict(zip(wanted or ["output"] + [f"output_{i}" for i in range(1, len(leaves))], leaves))


def load(asked):
    import torch
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    function, parameters, inputs, kind = opened(asked["model"])
    order = [i["name"] for i in asked.get("inputs", [])]
    known = set(parameters or ())

    def run(arrays):
        values = {name: tensor(a) for name, a in arrays.items()}
        with torch.inference_mode():
            if values and set(values) <= known:
                if kind == "an exported program":  # its parameters go by place
                    results = function(*[values[n] for n in parameters if n in values])
                else:
                    results = function(**values)
            else:
                results = function(*[values[n] for n in order or values])
        return named(results, asked.get("outputs"))

    more = {"version": torch.__version__, "provider": "cpu",
            "options": {"threads": str(torch.get_num_threads()), "model": kind}}
    if inputs is not None:
        more["inputs"] = inputs
    return run, more


def main():
    modelparity.serve(load=load, name="pytorch")
