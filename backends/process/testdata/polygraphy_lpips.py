"""Prints the LPIPS that Polygraphy finds between two .npy files."""

import sys

import numpy as np
from polygraphy.comparator import IterationResult, PerceptualMetricsCompareFunc

actual, expected = (IterationResult({"y": np.load(path)}) for path in sys.argv[1:])
print("LPIPS", repr(float(PerceptualMetricsCompareFunc()(actual, expected)["y"].lpips)))
