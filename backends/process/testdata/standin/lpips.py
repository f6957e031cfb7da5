"""A package of lpips's interface that measures the mean square of the difference."""

import numpy as np


class LPIPS:
    def __init__(self, net, version, verbose):
        assert (net, version, verbose) == ("alex", "0.1", False)
        self.evaluates = False

    def eval(self):
        self.evaluates = True
        return self

    def __call__(self, a, b):
        assert self.evaluates and a.shape == b.shape and a.shape[1] == 3 and a.ndim == 4
        assert a.dtype == b.dtype == np.float32 and abs(b).max() <= 1
        if a.shape[2] < 2:
            raise RuntimeError("the image is too small")
        return ((a - b) ** 2).mean((1, 2, 3), keepdims=True)
