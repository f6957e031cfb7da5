"""Loads and saves $MODELPARITY_BENCH/run.json with polygraphy==0.53.6, for comparison:

    MODELPARITY_BENCH=/tmp go test ./golden -run '^$' -bench 'Save|Load'
    MODELPARITY_BENCH=/tmp python golden/testdata/bench.py
"""
import os
import resource
import time

from polygraphy.comparator import RunResults

path = os.path.join(os.environ["MODELPARITY_BENCH"], "run.json")


def report(what, size, start):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"polygraphy {what}: {size / 1e6 / (time.time() - start):.0f} MB/s, peak {peak:.0f} MB")


start = time.time()
results = RunResults.load(path)
((_, iterations),) = results.items()
size = sum(array.nbytes for array in iterations[0].values())
report("load", size, start)
start = time.time()
results.save(path + ".polygraphy")
report("save", size, start)
