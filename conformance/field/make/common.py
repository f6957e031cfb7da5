"""What the makers of models share: seeds, folders, inputs."""

import os
import pathlib
import random
import re
import sys

import numpy as np
import onnx


def walk(graph):
    """Every node of a graph and of the bodies inside it."""
    for node in graph.node:
        yield node
        for a in node.attribute:
            for body in ([a.g] if a.HasField("g") else []) + list(a.graphs):
                yield from walk(body)


def tidy(path):
    """Take folders of this machine out of what exporters say of the source."""
    model = onnx.load(path)

    def shortened(text):
        return re.sub(r"/[^\"\s]*/(site-packages|make)/", r"\1/", text)

    nodes = [n for g in [model.graph, *model.functions] for n in walk(g)]
    for n in nodes:
        n.doc_string = shortened(n.doc_string)
        for p in n.metadata_props:
            p.value = shortened(p.value)
    data = model.SerializeToString()
    for place in (str(pathlib.Path(__file__).resolve().parent), sys.prefix, os.getcwd()):
        assert place.encode() not in data, f"{path} names {place}"
    with open(path, "wb") as f:
        f.write(data)


class Family:
    """The variants of one model, their inputs, and the folder they lie in."""

    def __init__(self, out, name):
        self.folder = pathlib.Path(out) / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.name = name

    def path(self, variant):
        return str(self.folder / f"{variant}.onnx")

    def inputs(self, **arrays):
        np.savez(self.folder / "inputs.npz", **arrays)

    def attempt(self, variant, make, *args, **kwargs):
        """Make a variant; an exporter that cannot is told, and its file is absent."""
        try:
            make(*args, **kwargs)
            tidy(self.path(variant))
        except Exception as e:  # noqa: BLE001 - exporters raise anything
            pathlib.Path(self.path(variant)).unlink(missing_ok=True)
            print(f"{self.name}/{variant}: {type(e).__name__}: {str(e)[:300]}", file=sys.stderr)
            return False
        print(f"{self.name}/{variant}: {os.path.getsize(self.path(variant))} bytes", flush=True)
        return True


def seed(number=13):
    random.seed(number)
    np.random.seed(number)
