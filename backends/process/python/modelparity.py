"""Serves a Python function to modelparity as an engine. Copy this file; it needs NumPy alone.

    import modelparity, torch
    from net import net

    def run(inputs):                        # {name: array}
        with torch.no_grad():
            return {"logits": net(torch.from_numpy(inputs["image"]))}

    modelparity.serve(run, name="pytorch", version=torch.__version__)

`modelparity run net.onnx --onnxrt --process 'python original.py'` holds the model to it. Without
the last line the same file serves as `--model-runner original.py`. docs/engines.md has the protocol
that this file speaks.
"""

import importlib.util
import io
import json
import os
import sys
import traceback

try:
    import numpy as np
except ModuleNotFoundError:
    sys.exit(f"{sys.executable} has no NumPy; run `{sys.executable} -m pip install numpy`, or set "
             "MODELPARITY_PYTHON to a Python that has it")

PROTOCOL = 1

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

NEEDED = ("torch", "tensorflow", "onnx", "jax", "lpips")

# The element types, by their names in messages. NumPy has those of the first line.
NATIVE = ("float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool").split()
WIDTH = {"bfloat16": 2, "float8_e4m3fn": 1, "float8_e4m3fnuz": 1, "float8_e5m2": 1,
         "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1, "float4_e2m1fn": 1, "int4": 1, "uint4": 1,
         "int2": 1, "uint2": 1}


def typed(element, raw):
    """An array of an element type that NumPy lacks, from its bits: typed("bfloat16", uint16s).

    With ml_dtypes it is an array of that type, else one of raw bytes that remembers the type.
    Elements of 4 and 2 bits have a byte each.
    """
    raw = np.asarray(raw, order="C")  # ascontiguousarray would make 0-d arrays 1-d
    if raw.dtype.itemsize != WIDTH[element]:
        raise TypeError(f"{element} has {WIDTH[element]} bytes an element, got {raw.dtype}")
    if ml_dtypes is not None and hasattr(ml_dtypes, element):
        return raw.view(getattr(ml_dtypes, element))
    void = np.dtype(f"V{WIDTH[element]}", metadata={"element": element})
    return raw.view(void)


def array(value):
    """The value as an array: NumPy's, PyTorch's, TensorFlow's, JAX's, a number, a list."""
    if hasattr(value, "detach") and hasattr(value, "cpu"):  # PyTorch
        value = value.detach().cpu()
        name = str(value.dtype).removeprefix("torch.")
        if name in WIDTH:
            import torch
            bits = torch.int16 if WIDTH[name] == 2 else torch.uint8
            return typed(name, value.contiguous().view(bits).numpy())
        value = value.resolve_conj().resolve_neg().numpy()
    elif hasattr(value, "numpy") and not isinstance(value, np.ndarray):  # TensorFlow
        value = value.numpy()
    return np.asarray(value)


class Keys(np.ndarray):
    """The keys of a map. A model may also call a plain array x.key."""


def flat(name, value):
    """The tensors of a value, by name. Lists and dictionaries of the model's are sequences and
    maps: x.length, x[0], x[1], … and x.key, x.value."""
    if value is None:
        return
    if isinstance(value, (list, tuple)) and not all(np.isscalar(v) for v in value):
        yield f"{name}.length", np.array(len(value), np.int64)
        for i, item in enumerate(value):
            yield from flat(f"{name}[{i}]", item)
    elif isinstance(value, dict):
        keys = list(value)
        words = keys and isinstance(keys[0], str)
        yield f"{name}.key", np.array(keys, np.str_ if words else np.int64).view(Keys)
        yield f"{name}.value", array(list(value.values()))
    else:
        yield name, array(value)


def _element(a):
    """The name of an array's element type."""
    if a.dtype.kind in "UOST":
        return "string"
    if a.dtype.metadata and "element" in a.dtype.metadata:
        return a.dtype.metadata["element"]
    if a.dtype.name in NATIVE or a.dtype.name in WIDTH:
        return a.dtype.name
    raise TypeError(f"no model gives elements of {a.dtype}")


def _text(a):
    """Strings as NumPy's fixed-width text, which cannot hold a NUL at the end of one."""
    words = [w.decode() if isinstance(w, bytes) else str(w) for w in a.ravel()]
    for w in words:
        if w.endswith("\0"):
            raise ValueError(f"the string {w!r} ends in NUL, which an .npy file cannot hold")
    return np.array(words, np.str_).reshape(a.shape) if words else np.zeros(a.shape, "<U1")


def write(channel, head, arrays=None):
    """Writes a message: a line of JSON, then the arrays as .npy files."""
    announced, parts = [], []
    for name, a in (arrays or {}).items():
        keys = {"keys": True} if isinstance(a, Keys) else {}
        try:
            element = _element(a)
            if element == "string":
                a = _text(a)
            elif element in WIDTH:
                a = np.ascontiguousarray(a).reshape(a.shape).view(f"V{WIDTH[element]}")
            elif not a.dtype.isnative or a.dtype.byteorder == ">":
                a = a.astype(a.dtype.newbyteorder("<"))
        except (TypeError, ValueError) as wrong:
            raise type(wrong)(f"output {name!r}: {wrong}") from None
        top = io.BytesIO()
        np.lib.format.write_array_header_1_0(top, {
            "descr": np.lib.format.dtype_to_descr(np.dtype(a.dtype.str)), "fortran_order": False,
            "shape": a.shape})
        data = a.tobytes()
        size = len(top.getvalue()) + len(data)
        announced.append({"name": name, "type": element, **keys, "bytes": size})
        parts += [top.getvalue(), data]
    line = json.dumps({**head, "arrays": announced} if announced else head)
    for part in [line.encode() + b"\n", *parts]:
        channel.write(part)
    channel.flush()


def read(channel):
    """Reads a message: its JSON and its arrays by name. None is the end of the channel."""
    line = channel.readline()
    if not line:
        return None, {}
    head, arrays = json.loads(line), {}
    for entry in head.get("arrays", []):
        data = channel.read(entry["bytes"])
        if len(data) < entry["bytes"]:
            return None, {}  # the other side died while it wrote
        a = np.load(io.BytesIO(data), allow_pickle=False)
        element = entry.get("type", "")
        arrays[entry["name"]] = typed(element, a) if element in WIDTH else a
    return head, arrays


def _reason(wrong):
    """An exception as an answer. A package that a shipped runner needs is told apart."""
    lacks = wrong.name if isinstance(wrong, ModuleNotFoundError) and wrong.name in NEEDED else ""
    text = f"{type(wrong).__name__}: {wrong}".split("\n", 1)[0][:2000]
    return {"message": "error", "error": text, "lacks": lacks,
            "detail": "".join(traceback.format_exception(wrong))[-4000:].strip()}


def _channels():
    try:
        for fd in (3, 4):
            os.set_inheritable(fd, False)
        return os.fdopen(3, "rb"), os.fdopen(4, "wb")
    except OSError:
        sys.exit("modelparity starts this program: modelparity run net.onnx --process '…'")


def answer(handlers):
    """Answers requests, each by the handler of its name, until the channel ends. A handler takes
    the request and its arrays, and gives the answer and its arrays. What it raises is an answer."""
    requests, answers = _channels()
    while True:
        head, arrays = read(requests)
        if head is None:
            return
        try:
            if head["message"] not in handlers:
                raise ValueError(f"no request of this program is called {head['message']!r}")
            reply = handlers[head["message"]](head, arrays)
        except Exception as wrong:  # pylint: disable=broad-except
            reply = _reason(wrong), {}
        try:
            write(answers, *reply)
        except (TypeError, ValueError) as wrong:
            write(answers, _reason(wrong))
        except BrokenPipeError:
            return


def serve(run=None, load=None, name="python", version="", **description):
    """Answers modelparity until it ends this program's input.

    run takes the inputs, arrays by name, and gives the outputs, likewise. load, if it is given, is
    asked first: it takes the description of what is to be run (model, the path; inputs and outputs,
    as far as they are declared) and gives run, or run and more members of the description:
    provider, options, inputs.
    """
    serving = {"run": run}

    def describe(head, _):
        more = {}
        if load is not None:
            loaded = load(head)
            serving["run"], more = loaded if isinstance(loaded, tuple) else (loaded, {})
        return {"message": "description", "protocol": PROTOCOL, "name": name,
                "version": version or sys.version.split()[0], **description, **more}, {}

    def infer(_, arrays):
        outputs = serving["run"](arrays)
        if not isinstance(outputs, dict):
            raise TypeError(f"run gave {type(outputs).__name__}, not outputs by name")
        return {"message": "outputs"}, {
            part: a for key, value in outputs.items() for part, a in flat(key, value)}

    answer({"describe": describe, "run": infer})


def script(path):
    """The module in the file at path, whose folder it may import from, and the function that
    FILE:FUNCTION names beside it, or None."""
    file, colon, function = path.rpartition(":")
    if not colon or not file.endswith(".py"):
        file, function = path, None
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    spec = importlib.util.spec_from_file_location("__modelparity_script__", file)
    if spec is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, function


def main():
    """Serves the script that the command line names."""
    if len(sys.argv) != 2:
        sys.exit("usage: modelparity.py SCRIPT.py[:FUNCTION]")
    sys.modules.setdefault("modelparity", sys.modules["__main__"])
    module, function = script(sys.argv[1])
    run, load = getattr(module, function or "run", None), getattr(module, "load", None)
    if run is None and (function or load is None):
        sys.exit(f"{sys.argv[1]} has no function {function or 'run'}")
    serve(run, load, name=getattr(module, "NAME", "python"), version=getattr(module, "VERSION", ""))


if __name__ == "__main__":
    main()
