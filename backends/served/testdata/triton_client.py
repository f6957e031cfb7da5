# Talks to a server of the specs with NVIDIA's client: triton_client.py HOST:PORT
import sys

import numpy as np
import tritonclient.http as http

client = http.InferenceServerClient(sys.argv[1])
assert client.is_model_ready("net") and client.is_model_ready("echo")
assert "binary_tensor_data" in client.get_server_metadata()["extensions"]


def infer(model, binary, **arrays):
    inputs = []
    for name, array in arrays.items():
        kind = "BYTES" if array.dtype == object else http.np_to_triton_dtype(array.dtype)
        i = http.InferInput(name, list(array.shape), kind)
        i.set_data_from_numpy(array, binary_data=binary)
        inputs.append(i)
    return client.infer(model, inputs)


a = np.arange(6, dtype=np.float32).reshape(2, 3)
for binary in (True, False):
    result = infer("net", binary, minuend=a, subtrahend=a * 3)
    assert (result.as_numpy("difference") == -2 * a).all()
    assert (result.as_numpy("opposite") == 2 * a).all()
    for kind in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool",
                 "float32", "float64") + (("float16",) if binary else ()):
        x = np.array([[0, 1, 100]]).astype(kind)
        y = infer("echo", binary, x=x).as_numpy("y")
        assert y.dtype == x.dtype and y.shape == x.shape and (y == x).all(), kind
    words = np.array(["", "größer", "x\x00y"], dtype=object)
    got = infer("echo", binary, x=words).as_numpy("y")
    assert [w.decode() if binary else w for w in got] == list(words)
print("ok", http.__name__)
