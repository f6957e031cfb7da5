"""Writes blocks.npz: how public implementations round to INT4, NVFP4 and MXFP8.

    python blocks.py quant_utils.py

quant_utils.py is modelopt/onnx/quantization/quant_utils.py of NVIDIA's Model-Optimizer, which
needs only numpy (blocks.npz: commit a2fbac7bad8ab446d3f8783dadb0c3366eb0ad73). The other
implementations are packages: ml_dtypes 0.6.0 (numbers), onnxruntime 1.31.1 (INT4 blocks, the
quantizer of MatMulNBits) and gfloat 0.5.2 (MXFP8 blocks of the OCP's specification).
"""
import importlib.util
import sys

import gfloat
import gfloat.formats
import ml_dtypes
import numpy as np
from onnxruntime.capi import _pybind_state as ort

spec = importlib.util.spec_from_file_location("quant_utils", sys.argv[1])
nvidia = importlib.util.module_from_spec(spec)
spec.loader.exec_module(nvidia)

rng = np.random.default_rng(36)


def numbers(dtype, top):
    """Every number of a format, ties and their neighbours, and random numbers, with roundings."""
    codes = np.arange(2 ** (8 if dtype.itemsize == 1 and top > 6 else 4), dtype=np.uint8)
    exact = codes.view(dtype).astype(np.float32)
    exact = np.unique(exact[np.isfinite(exact)])
    ties = (exact[1:] + exact[:-1]) / 2
    drawn = np.exp2(rng.uniform(-14, np.log2(top), 500)) * rng.choice([-1, 1], 500)
    near = [np.nextafter(ties, np.float32(s)) for s in (-np.inf, np.inf)]
    x = np.concatenate([exact, ties, *near, drawn]).astype(np.float32)
    return x, x.astype(dtype).astype(np.float32)


def int4(block):
    packed = np.zeros((1, 1, 16), np.uint8)
    scale, zero = np.zeros(1, np.float32), np.zeros(1, np.uint8)
    ort.quantize_matmul_4bits(packed, block.reshape(32, 1), scale, zero, 32, 1, 32, True)
    codes = np.stack([packed & 15, packed >> 4], -1).reshape(32).astype(np.int8) - 8
    return scale[0], codes * scale[0]


def blocks(size, count):
    """Blocks of very different magnitudes, one of zeros, and one that ends with its extreme."""
    b = rng.standard_normal((count, size)) * np.exp2(rng.uniform(-12, 6, (count, 1)))
    b[0] = 0
    b[1, -1] = -300
    b[2] = np.exp2(rng.integers(-8, 8, size))
    return b.astype(np.float32)


out = {}
for name, dtype, top in [("e2m1", ml_dtypes.float4_e2m1fn, 6), ("e4m3", ml_dtypes.float8_e4m3fn, 448)]:
    out[name], out[name + "_rounded"] = numbers(np.dtype(dtype), top)
x = np.concatenate([np.arange(-8, 8), np.arange(-8, 7) + 0.5, rng.uniform(-8, 7, 500)])
out["int4"] = x.astype(np.float32)
out["int4_rounded"] = np.rint(out["int4"]).astype(ml_dtypes.int4).astype(np.float32)

b = out["int4_blocks"] = blocks(32, 40)
scales, rounded = zip(*map(int4, b))
out["int4_scales"], out["int4_blocks_rounded"] = np.float32(scales), np.float32(rounded)

b = out["mxfp8_blocks"] = blocks(32, 40)
info = gfloat.formats.format_info_mxfp8_e4m3
scale = gfloat.compute_scale_amax
out["mxfp8_scales"] = np.float32([scale(info.etype.emax, v.astype(np.float64)) for v in b])
out["mxfp8_blocks_rounded"] = np.float32(
    [gfloat.quantize_block(info, v.astype(np.float64), scale) for v in b])

b = out["nvfp4_blocks"] = blocks(16, 80)
whole = nvidia.get_weights_scaling_factor_2(b)
per_block = nvidia.get_weights_scaling_factor(b, 16, whole).reshape(-1)
stored = per_block.astype(ml_dtypes.float8_e4m3fn).astype(np.float32)
out["nvfp4_scales"] = stored * whole
with np.errstate(divide="ignore", invalid="ignore"):
    scaled = np.nan_to_num(nvidia.quantize(b, 16, stored.reshape(-1, 1), whole))
out["nvfp4_blocks_rounded"] = (scaled.reshape(b.shape).astype(ml_dtypes.float4_e2m1fn)
                               .astype(np.float32) * out["nvfp4_scales"].reshape(-1, 1))
np.savez_compressed("blocks.npz", **out)
