"""ONNX's checker with shape inference, for files named on standard input as a list in JSON, one list
a line. Each answer is a line: what it says of the files that it refuses, by name."""
import json
import sys

import onnx

for line in sys.stdin:
    refused = {}
    for file in json.loads(line):
        try:
            onnx.checker.check_model(file, full_check=True)
        except Exception as e:
            refused[file] = str(e)
    print(json.dumps(refused), flush=True)
