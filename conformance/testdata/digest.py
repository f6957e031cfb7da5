"""Writes digest.zip: 200 node cases out of the wheel of onnx 1.22.0, in the wheel's layout.

    python digest.py onnx.whl

Element types come first, then operators, each by its smallest cases, so that the digest holds as
much variety as 200 cases can. Needs onnx==1.22.0. The cases are ONNX's, under Apache-2.0.
"""

import collections
import pathlib
import sys
import zipfile

import onnx

COUNT = 200
FOLDER = "onnx/backend/test/data/node/"
HERE = pathlib.Path(__file__).parent

wheel = zipfile.ZipFile(sys.argv[1])
cases = collections.defaultdict(list)
for info in wheel.infolist():
    if info.filename.startswith(FOLDER) and not info.is_dir():
        cases[info.filename.removeprefix(FOLDER).split("/")[0]].append(info)


def features(name):
    """What a case shows: the types of its inputs and outputs, then its operators."""
    model = onnx.load_from_string(wheel.read(f"{FOLDER}{name}/model.onnx"))
    for value in [*model.graph.input, *model.graph.output]:
        kind = value.type.WhichOneof("value")
        yield f"type {kind} {value.type.tensor_type.elem_type}"
        if kind == "tensor_type":
            dims = [d.dim_value for d in value.type.tensor_type.shape.dim]
            yield "shape " + ("0-d" if not dims else "empty" if 0 in dims else "other")
    if not model.graph.input:
        yield "no inputs"
    for node in model.graph.node:
        yield "operator " + node.op_type


size = {name: sum(i.compress_size for i in files) for name, files in cases.items()}
shows = {name: set(features(name)) for name in cases}
listed = {line.split("\t")[0] for line in (HERE / "exceptions.tsv").read_text().splitlines()}
chosen, seen = [], set()
ordered = sorted(cases, key=lambda name: (name in listed, size[name], name))
for kind in ("type", "shape", "no inputs", "operator", ""):
    for name in ordered:
        new = {f for f in shows[name] - seen if f.startswith(kind)}
        if len(chosen) < COUNT and name not in chosen and (new or not kind):
            chosen.append(name)
            seen |= shows[name]

with zipfile.ZipFile(HERE / "digest.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as digest:
    for name in sorted(chosen):
        for info in sorted(cases[name], key=lambda i: i.filename):
            stable = zipfile.ZipInfo(info.filename, (2026, 1, 1, 0, 0, 0))
            stable.compress_type = zipfile.ZIP_DEFLATED
            digest.writestr(stable, wheel.read(info))
