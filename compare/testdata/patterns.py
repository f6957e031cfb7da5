"""Writes patterns.json.gz: every bit pattern of the narrow types as ml_dtypes and NumPy read it.

For each type, in the order of the patterns, the float64 value as 16 hex digits, run together, or
for the 16-bit types their SHA-256 (the float64 bytes, little-endian, in order; every NaN as
7ff8000000000000, so that payloads do not count).

    pip install numpy==2.4.6 ml_dtypes==0.6.0 && python patterns.py
"""

import gzip
import hashlib
import json
import pathlib

import ml_dtypes
import numpy as np

TYPES = {
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "uint16": np.uint16,
    "int4": ml_dtypes.int4,
    "uint4": ml_dtypes.uint4,
    "float8_e8m0fnu": ml_dtypes.float8_e8m0fnu,
    "float4_e2m1fn": ml_dtypes.float4_e2m1fn,
    "int2": ml_dtypes.int2,
    "uint2": ml_dtypes.uint2,
}


def values(name, dtype):
    if name.endswith("int4") or name.startswith("float4"):
        patterns = np.arange(16, dtype=np.uint8).view(dtype)
    elif name.endswith("int2"):
        patterns = np.arange(4, dtype=np.uint8).view(dtype)
    elif np.dtype(dtype).itemsize == 1:
        patterns = np.arange(256, dtype=np.uint8).view(dtype)
    else:
        patterns = np.arange(65536).astype(np.uint16).view(dtype)
    wide = patterns.astype(np.float64)
    bits = wide.view(np.uint64).copy()
    bits[np.isnan(wide)] = 0x7FF8000000000000
    return bits


out = {}
for name, dtype in TYPES.items():
    bits = values(name, dtype)
    if len(bits) > 256:
        out[name] = {"sha256": hashlib.sha256(bits.astype("<u8").tobytes()).hexdigest()}
    else:
        out[name] = {"values": "".join(f"{b:016x}" for b in bits.tolist())}

path = pathlib.Path(__file__).with_name("patterns.json.gz")
with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as packed:
    packed.write(json.dumps(out, indent=1).encode())
print(path)
