"""Reads and writes tactic replay files by the real Polygraphy, without TensorRT.

    python tactics.py                 writes tactics.json beside this file (Polygraphy 0.53.6)
    python tactics.py FROM TO         reads FROM and writes it to TO

Polygraphy needs the module tensorrt for its enumeration of element types alone. Where it is not
installed, a module with that enumeration stands in for it.
"""

import enum
import importlib.util
import os
import sys
import types

if importlib.util.find_spec("tensorrt") is None:
    stand_in = types.ModuleType("tensorrt")
    stand_in.__version__ = "10.6.0"
    stand_in.DataType = enum.Enum(
        "DataType", "FLOAT HALF INT8 INT32 BOOL UINT8 FP8 BF16 INT64 INT4 FP4")
    stand_in.__spec__ = importlib.util.spec_from_loader("tensorrt", None)
    sys.modules["tensorrt"] = stand_in

import tensorrt as trt
from polygraphy.backend.trt import Algorithm, TacticReplayData, TensorInfo

if len(sys.argv) == 3:
    TacticReplayData.load(sys.argv[1]).save(sys.argv[2])
    sys.exit()

image = TensorInfo(trt.DataType.FLOAT, (784, 784, 28, 1), -1, 1)
eights = TensorInfo(trt.DataType.HALF, (25088, 784, 28, 1), 1, 8)
data = TacticReplayData()
data.add("conv1 + <relu1>", Algorithm(2147483657, -3771404872543524124, [image], [eights]))
data.add("été \"1\"\\\n𝄞", Algorithm(0, 1, [], [TensorInfo(trt.DataType.INT64, (), -1, 1)]))
data.add("nothing", Algorithm(-1, 0, [], []))
data.save(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tactics.json"))
