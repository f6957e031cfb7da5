"""Writes the .npy and .npz files of this folder. numpy==2.4.6, ml_dtypes==0.6.0."""
import io
import pathlib

import ml_dtypes
import numpy as np

here = pathlib.Path(__file__).parent


def save(name, array, version=None):
    with open(here / (name + ".npy"), "wb") as f:
        np.lib.format.write_array(f, np.asanyarray(array), version=version)


for kind in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split():
    values = np.array([[0, 1, 2], [3, 100, 127]])
    save("little_" + kind, values.astype("<" + kind))
    save("big_" + kind, values.astype(">" + kind))
save("bool", np.array([True, False, True]))
save("scalar", np.array(2.5, "<f4"))
save("empty", np.zeros((0, 5), "<f4"))
save("fortran", np.asfortranarray(np.arange(24, dtype="<i4").reshape(2, 3, 4)))
save("fortran_big", np.asfortranarray(np.arange(6, dtype=">f8").reshape(2, 3)))
save("version2", np.arange(3, dtype="<f4"), (2, 0))
save("version3", np.arange(3, dtype="<f4"), (3, 0))
save("nan_payload", np.array([0x7FC12345, 0xFF800001, 0x7F800000, 0x80000000], "<u4").view("<f4"))
save("unicode", np.array([["a", "bcé"], ["", "日本"]]))
save("unicode_big", np.array(["é"]).astype(">U3"))
save("byte_text", np.array([b"ab", b"\xff\x00c"]))
save("long_shape", np.zeros((1,) * 30, "<f8"))
save("bfloat16", np.array([1, -2, 3]).astype(ml_dtypes.bfloat16))
save("int4", np.array([1, -2, 3]).astype(ml_dtypes.int4))
save("float8_e4m3fn", np.array([1, -2, 3]).astype(ml_dtypes.float8_e4m3fn))
save("complex", np.array([1j], "<c8"))
np.savez(here / "plain.npz", x=np.arange(3, dtype="<f4"), y=np.array([[7]], "<i8"))
np.savez_compressed(here / "compressed.npz", x=np.zeros((4, 5), "<f8"))
