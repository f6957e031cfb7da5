# Holds requests of ours over HTTP to those that NVIDIA's client makes of the same tensors:
# triton_wire.py FOLDER, with WAY.request and WAY.head, the length of its JSON, for the ways binary
# and json.
import json
import os
import sys

import numpy as np
import tritonclient.http as http

folder = sys.argv[1]
KINDS = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16",
         "float32", "float64", "bytes")


def read(name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def tensors(kinds):
    """What the specs send: [[0, 1, 100]] of each type, or words."""
    for kind in kinds:
        if kind == "bytes":
            yield kind, np.array([["", "größer", "x"]], dtype=object)
        else:
            yield kind, np.array([[0, 1, 100]]).astype(kind)


def inputs(kinds, binary):
    for name, array in tensors(kinds):
        datatype = "BYTES" if name == "bytes" else http.np_to_triton_dtype(array.dtype)
        i = http.InferInput(name, list(array.shape), datatype)
        i.set_data_from_numpy(array, binary_data=binary)
        yield i


def over_http(way):
    kinds = [k for k in KINDS if way == "binary" or k != "float16"]  # no float16 in its JSON
    theirs, length = http.InferenceServerClient.generate_request_body(
        list(inputs(kinds, way == "binary")))
    length = len(theirs) if length is None else length
    ours, head = read(way + ".request"), int(read(way + ".head"))
    assert ours[head:] == theirs[length:], "the tensors in binary"
    ours, theirs = json.loads(ours[:head]), json.loads(theirs[:length])
    for theirs_input in theirs["inputs"]:  # a list of lists is a list too
        if "data" in theirs_input:
            theirs_input["data"] = np.array(theirs_input["data"], dtype=object).ravel().tolist()
    assert ours["inputs"] == theirs["inputs"], (ours["inputs"], theirs["inputs"])
    assert way != "binary" or ours["parameters"] == theirs["parameters"]


over_http("binary")
over_http("json")
print("ok")
