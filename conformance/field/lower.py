"""Lower precisions of the decoders of decode/testdata: fp16 and int8.

lower.py FOLDER OUT writes OUT/NAME-fp16.onnx and OUT/NAME-int8.onnx of every NAME.onnx in FOLDER:
by onnxconverter-common's float16 converter, caches and logits too, and by ONNX
Runtime's quantize_dynamic, weights of MatMul to int8. It runs in the environment of make/torch.txt:
onnx 1.23.2, onnxconverter-common 1.16.0, onnxruntime 1.31.1.
"""

import pathlib
import sys
import warnings

import onnx
from onnx import TensorProto
from onnxconverter_common import float16
from onnxruntime.quantization import QuantType, quantize_dynamic

warnings.filterwarnings("ignore")


def nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            yield from nodes(attribute.g)


def half(path):
    """The converter leaves a model's own casts to float32 as they are, which no engine loads."""
    model = onnx.load(path)
    own = {node.name for node in nodes(model.graph) if node.op_type == "Cast"}
    model = float16.convert_float_to_float16(model, disable_shape_infer=False)
    del model.graph.value_info[:]
    for node in nodes(model.graph):
        if node.op_type == "Cast" and node.name in own:
            for attribute in node.attribute:
                if attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                    attribute.i = TensorProto.FLOAT16
    return model


def main(folder, out):
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("*.onnx")):
        onnx.save(half(path), out / f"{path.stem}-fp16.onnx")
        quantize_dynamic(path, out / f"{path.stem}-int8.onnx", weight_type=QuantType.QInt8,
                         extra_options={"EnableSubgraph": True})
        print(path.stem, *((out / f"{path.stem}-{kind}.onnx").stat().st_size
                           for kind in ("fp16", "int8")), flush=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
