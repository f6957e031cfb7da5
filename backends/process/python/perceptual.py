"""Measures how far people see two images apart, by LPIPS of the package lpips."""

import numpy as np

import modelparity


def layout(shape):
    """Which axis has the channels, 1 or 3 of them: the last one, as Polygraphy looks, else the
    third from behind."""
    if len(shape) not in (3, 4):
        raise TypeError(f"LPIPS compares images, of 3 or 4 dimensions, got {list(shape)}; "
                        "--only names the outputs that are images")
    for axis in (-1, -3):
        if shape[axis] in (1, 3):
            return axis
    raise TypeError(f"LPIPS compares images of 1 or 3 channels, first or last, got {list(shape)}")


def scale(a):
    """What brings the values of the expected images between -1 and 1. Both sides are scaled by it,
    so that a difference of scale stays one."""
    low, high = float(a.min()), float(a.max())
    if a.dtype.kind in "iu" and low >= 0 and high <= 255 or 2 < high <= 255 and low >= 0:
        return lambda x: x / 127.5 - 1
    if 0 <= low and high <= 1:
        return lambda x: x * 2 - 1
    if -1 <= low and high <= 1:
        return lambda x: x
    raise ValueError(f"the expected images have values from {low:.6g} to {high:.6g}, and LPIPS "
                     "takes 0 to 1, -1 to 1 or 0 to 255; --postprocess-func-script clips or "
                     "scales them")


def batch(a, scaled):
    """Images as LPIPS takes them: float32, [n, 3, height, width]."""
    import torch
    a = scaled(a.astype(np.float64))
    if layout(a.shape) == -1:
        a = np.moveaxis(a, -1, -3)
    a = a.reshape((-1, *a.shape[-3:])).astype(np.float32)
    return torch.from_numpy(np.repeat(a, 3, axis=1) if a.shape[1] == 1 else a)


def main():
    state = {}

    def describe(_, __):
        import lpips
        import torch
        torch.set_grad_enabled(False)
        state["model"] = lpips.LPIPS(net="alex", version="0.1", verbose=False).eval()
        return {"message": "description", "protocol": modelparity.PROTOCOL, "name": "lpips",
                "version": getattr(lpips, "__version__", "") or "?"}, {}

    def measure(_, arrays):
        actual, expected = arrays["actual"], arrays["expected"]
        for a in (actual, expected):
            layout(a.shape)
            if a.dtype.kind not in "fiu" and a.dtype.name != "bfloat16":
                raise TypeError(f"LPIPS compares images of numbers, got {a.dtype}")
        scaled = scale(expected)
        distances = state["model"](batch(actual, scaled), batch(expected, scaled))
        return {"message": "measured", "distance": float(distances.max())}, {}

    modelparity.answer({"describe": describe, "measure": measure})
