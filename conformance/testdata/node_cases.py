"""Runs many models in one program, on ONNX's reference evaluator: the model is an input beside its
own inputs. Starting Python for each of ONNX's cases would take half an hour."""

import pathlib
import sys

import onnx

sys.path.append(str(pathlib.Path(__file__).parents[2] / "backends" / "process" / "python"))
import runner_onnx  # noqa: E402

NAME, VERSION = "onnx reference evaluator", onnx.__version__


class LoadError(Exception):
    """The evaluator refuses a model before it runs."""


def run(arrays):
    data = arrays.pop("the model").tobytes()
    try:
        infer = runner_onnx.evaluator(onnx.load_from_string(data))
    except Exception as wrong:
        raise LoadError(f"{type(wrong).__name__}: {wrong}") from None
    return infer(arrays)
