"""Times `run` beside Polygraphy's on six networks: beside.py --help

Both run the network twice in ONNX Runtime on the same inputs and compare the outputs. They take
turns, and each figure is the median of all turns. Prints a table, and fails if a network takes more
processor time than in Polygraphy, or more than 1.1 times the memory.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from run import call, row

NETWORKS = ("silero6", "magika-3", "ppocr5-rec", "nudenet", "layout", "isnet-fp16")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", type=Path, help="the folder of fetch.py")
    parser.add_argument("--command", type=Path, required=True, help="the command modelparity")
    parser.add_argument("--polygraphy", type=Path, required=True, help="the command polygraphy")
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    tools = [options.command.resolve(), options.polygraphy.absolute()]
    print(row("network", "processor s", "Polygraphy", "ratio", "peak MB", "Polygraphy", "ratio"))
    print(row("---", *["---:"] * 6))
    missed = False
    for name in NETWORKS:
        model = options.networks.resolve() / f"{name}.onnx"
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([tools[0], "run", model, "--onnxrt", "--smoke", "--load-inputs",
                            model.with_suffix(".npz"), "--save-inputs", "inputs.json"],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL)
            seen = [[], []]
            for turn in range(options.turns + 1):
                for tool, kept in zip(tools, seen, strict=True):
                    result = call([tool, "run", model, "--onnxrt", "--onnxrt", "--load-inputs",
                                   "inputs.json"], folder, 600)
                    if result["status"]:
                        sys.exit(f"{name}: {tool.name} failed: {result['said'][-2000:]}")
                    if turn:  # the first turn fills the file cache
                        kept.append(result)
        cells, limits = [], (1, 1.1)
        for figure, limit, unit in zip(("cpu", "peak"), limits, (1, 1e6), strict=True):
            ours, theirs = (statistics.median(r[figure] for r in kept) for kept in seen)
            cells += [f"{ours / unit:.3g}", f"{theirs / unit:.3g}", f"{ours / theirs:.2f}"]
            missed = missed or ours > limit * theirs
        print(row(name, *cells), flush=True)
    sys.exit(missed)


main()
