"""Times Polygraphy's comparison of raw files.

    bench.py FOLDER REPEATS   compares FOLDER/actual with FOLDER/expected, both float32, as
                              FOLDER/cases.json says, and prints {case: median seconds}
"""

import json
import pathlib
import statistics
import sys
import time

import numpy as np
from polygraphy.comparator import IterationResult
from polygraphy.comparator.compare import SimpleCompareFunc
from polygraphy.logger import G_LOGGER

G_LOGGER.module_severity = G_LOGGER.CRITICAL  # do not time logging
folder, repeats = pathlib.Path(sys.argv[1]), int(sys.argv[2])


def median(call):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        passed = call()
        times.append(time.perf_counter() - start)
        assert passed, "the data of the benchmark should pass"
    return statistics.median(times)


def measure(case):
    actual = np.fromfile(folder / "actual", dtype="<f4")
    expected = np.fromfile(folder / "expected", dtype="<f4")
    tolerance = case["tolerance"]
    first = IterationResult({"out": actual}, runner_name="actual")
    second = IterationResult({"out": expected}, runner_name="expected")
    function = SimpleCompareFunc(
        atol=tolerance, rtol=tolerance, check_error_stat=case["stat"], error_quantile=0.99
    )
    return median(lambda: bool(function(first, second)["out"]))


cases = json.loads((folder / "cases.json").read_text())
print(json.dumps({case["name"]: measure(case) for case in cases}))
