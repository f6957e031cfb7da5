"""What Polygraphy's users write: a loader, a comparison, a post-processing."""

import collections

import numpy as np

INPUT_SHAPE = (2,)


def load_data():
    for i in range(3):
        yield {"x": np.full(INPUT_SHAPE, i, np.float32)}


def several():
    return [collections.OrderedDict(x=np.ones(1, np.float32), n=np.int64(3))]


def broken():
    yield {"x": np.ones(1, np.float32)}
    raise ValueError("the file of the second image is gone")


def no_inputs():
    return [np.ones(1, np.float32)]


class OutputCompareResult:
    def __init__(self, passed, worst):
        self.passed, self.worst = passed, worst

    def __bool__(self):
        return self.passed

    def __str__(self):
        return f"(worst\n{self.worst})"


def compare_outputs(iter_result0, iter_result1):
    results = collections.OrderedDict()
    for name, actual in iter_result0.items():
        worst = float(np.abs(actual - iter_result1[name]).max())
        results[name] = OutputCompareResult(worst <= 0.5, worst)
    results["who"] = (iter_result0.runner_name, iter_result1.runner_name) == ("a", "b")
    return results


class Compare:
    def __call__(self, iter_result0, iter_result1):
        return {name: True for name in iter_result0}


def postprocess_outputs(iter_result):
    for name, a in iter_result.items():
        iter_result[name] = np.argmax(a, axis=-1)
    return iter_result


def drawn():
    for _ in range(3):
        yield {"x": np.random.default_rng().random(INPUT_SHAPE, np.float32)}


def drawn_list():
    return list(drawn())
