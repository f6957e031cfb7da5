"""Writes inputs.json with polygraphy==0.53.6, and the forms of its older versions by hand.

numpy==2.4.6, ml_dtypes==0.6.0. What 0.27 to 0.29 wrote: a whole .npz archive as Latin-1 text, and
"__polygraphy_encoded_<class>" in place of "polygraphy_class".
"""
import io
import json
import pathlib

import numpy as np
from polygraphy.json import save_json

here = pathlib.Path(__file__).parent

arrays = {kind: np.arange(6).reshape(2, 3).astype(kind) for kind in
          "<f2 <f4 <f8 |i1 <i2 <i4 <i8 |u1 <u2 <u4 <u8 |b1 >f4 >i8".split()}
arrays["fortran"] = np.asfortranarray(np.arange(6, dtype="<f4").reshape(2, 3))
arrays["scalar"] = np.array(2.5, "<f4")
arrays["empty"] = np.zeros((0, 3), "<f4")
arrays["nan"] = np.array([0x7FC12345], "<u4").view("<f4")
arrays["text"] = np.array(["a", "bcé"])
arrays["bytes"] = np.array([b"ab", b"c"])
save_json([arrays, {"naïve \"name\"/1": arrays["scalar"]}], str(here / "inputs.json"))


def latin1(array):
    out = io.BytesIO()
    np.savez(out, array)
    return out.getvalue().decode("latin-1")


x = np.array([[1, 2.5]], "<f4")
array = {"array": latin1(x), "__polygraphy_encoded_ndarray": "polygraphy_serialized_json_type"}
(here / "inputs_0_27.json").write_text(json.dumps([{"X": array}]))
(here / "outputs_0_27.json").write_text(json.dumps({
    "lst": [["onnxrt-runner-N0", [{
        "outputs": {"Y": {
            "values": array,
            "__polygraphy_encoded_LazyNumpyArray": "polygraphy_serialized_json_type"}},
        "runtime": 0.5,
        "runner_name": "onnxrt-runner-N0",
        "__polygraphy_encoded_IterationResult": "polygraphy_serialized_json_type"}]]],
    "__polygraphy_encoded_RunResults": "polygraphy_serialized_json_type"}))
