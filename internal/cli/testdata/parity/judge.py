import numpy as np


def compare_outputs(iter_result0, iter_result1):
    return {name: bool(np.abs(a - iter_result1[name]).max() < 0.5)
            for name, a in iter_result0.items()}


def postprocess_outputs(iter_result):
    for name, a in iter_result.items():
        iter_result[name] = np.floor(a)
    return iter_result
