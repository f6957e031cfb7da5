"""Packs the models of the digest: python digest.py MADE TESTDATA."""

import gzip
import json
import pathlib
import shutil
import sys

here = pathlib.Path(__file__).resolve().parent


def main():
    made, target = map(pathlib.Path, sys.argv[1:])
    shutil.rmtree(target, ignore_errors=True)
    for pair in json.loads((here.parent / "pairs.json").read_text()):
        if not pair.get("digest"):
            continue
        folder = target / pair["family"]
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(made / pair["family"] / "inputs.npz", folder)
        for variant in {pair["a"], pair["b"]}:
            data = (made / pair["family"] / f"{variant}.onnx").read_bytes()
            packed = gzip.compress(data, 9, mtime=0)
            (folder / f"{variant}.onnx.gz").write_bytes(packed)


if __name__ == "__main__":
    main()
