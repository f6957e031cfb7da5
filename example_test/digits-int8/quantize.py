"""Quantises ../digits/testdata/digits.onnx to int8 and writes testdata/digits_int8.onnx.

ONNX Runtime's static quantiser in the QDQ form: QuantizeLinear and DequantizeLinear around every
operator, activations and weights int8 and symmetric, with zero points that are zero, and biases
that stay float32: TensorRT takes no others. The weights keep to seven bits (reduce_range), because
x86 processors without VNNI saturate inside a product of eight-bit numbers, and the answers would
depend on the machine. The ranges of the activations are calibrated on 200 training images, never
on the held-back ones. Softmax stays in float32, as is usual: its outputs are probabilities, and
eight bits would say little about the small ones.

The same versions (../requirements.txt) write the same bytes again.
"""

import sys
from pathlib import Path

import onnx
from onnxruntime.quantization import (CalibrationDataReader, QuantFormat, QuantType,
                                      quantize_static)

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "digits"))
from train import HELD_BACK, images_and_labels  # noqa: E402

CALIBRATION, BATCH = 200, 20


class TrainingImages(CalibrationDataReader):
    """Gives the quantiser a batch at a time, and None at the end, as it asks."""

    def __init__(self):
        images = images_and_labels()[0][:-HELD_BACK][:CALIBRATION]
        self.batches = (images[i:i + BATCH] for i in range(0, CALIBRATION, BATCH))

    def get_next(self):
        batch = next(self.batches, None)
        return None if batch is None else {"image": batch}


def main():
    source = HERE.parent / "digits" / "testdata" / "digits.onnx"
    target = HERE / "testdata" / "digits_int8.onnx"
    target.parent.mkdir(exist_ok=True)
    quantize_static(source, target, TrainingImages(), quant_format=QuantFormat.QDQ,
                    activation_type=QuantType.QInt8, weight_type=QuantType.QInt8,
                    reduce_range=True, nodes_to_exclude=["probabilities"],
                    extra_options={"ActivationSymmetric": True, "QuantizeBias": False})
    onnx.checker.check_model(str(target), full_check=True)


if __name__ == "__main__":
    main()
