"""Runs the command lines of standard input by Polygraphy, each in a process of its own that begins
with all modules loaded, and prints the exit status and the last words of each as a line of JSON."""
import io
import json
import os
import shlex
import sys

import onnx  # noqa: F401
import onnxruntime  # noqa: F401
import polygraphy.backend.onnx  # noqa: F401
import polygraphy.backend.onnxrt  # noqa: F401
import polygraphy.comparator  # noqa: F401
from polygraphy.tools import main


def run(args, log):
    """Ends the process with Polygraphy's exit status."""
    os.dup2(log, 1)
    os.dup2(log, 2)
    sys.argv = ["polygraphy"] + args
    status = 1
    try:
        status = main() or 0
    except SystemExit as e:
        status = e.code if isinstance(e.code, int) else int(e.code is not None)
    except BaseException as e:
        print(type(e).__name__, e)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def answer(line):
    """Runs one command line in a child, and gives its exit status and its last words."""
    with open("said.txt", "w+b") as log:
        child = os.fork()
        if child == 0:
            run(shlex.split(line), log.fileno())
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        log.seek(max(0, log.seek(0, io.SEEK_END) - 2000))
        return {"status": status, "said": log.read().decode(errors="replace")}


if __name__ == "__main__":  # runners in processes of their own import this again
    for line in sys.stdin:
        print(json.dumps(answer(line)), flush=True)
