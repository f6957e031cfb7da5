"""Which sets of debug tensors does a release of TensorRT survive?

Builds a model with NVIDIA's own Python package, once for every set, each in a process of its own,
and prints how it went: built, refused (with the first error), or died. package trt reads each debug
tensor from an engine of its own because of what this showed for 10.6; run it for another release.

usage: debug_tensors.py MODEL.onnx [SETS]     SETS: single (default), pairs, all
"""

import concurrent.futures
import itertools
import os
import subprocess
import sys


def build(path, names):
    """Builds the model with these debug tensors; None lists the tensors that there are."""
    import tensorrt as trt

    class Logger(trt.ILogger):
        def __init__(self):
            trt.ILogger.__init__(self)
            self.errors = []

        def log(self, severity, text):
            if severity <= trt.ILogger.ERROR:
                self.errors.append(text)

    logger = Logger()
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, logger)
    if not parser.parse_from_file(path):
        sys.exit("the parser refuses the model")
    tensors = {}
    for i in range(network.num_layers):
        layer = network.get_layer(i)
        for k in range(layer.num_outputs):
            t = layer.get_output(k)
            if t is not None and not t.is_shape_tensor and layer.type not in (
                trt.LayerType.CONSTANT,
                trt.LayerType.SHAPE,
            ):
                tensors.setdefault(t.name, t)
    if names is None:
        print("\n".join(tensors))
        return
    for name in names:
        network.mark_debug(tensors[name])
    config = builder.create_builder_config()
    config.builder_optimization_level = 1
    profile = builder.create_optimization_profile()
    for i in range(network.num_inputs):
        t = network.get_input(i)
        if -1 in tuple(t.shape):
            shape = [4 if n < 0 else n for n in t.shape]
            profile.set_shape(t.name, shape, shape, shape)
    config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    print("BUILT" if plan is not None else "REFUSED " + " | ".join(logger.errors)[:300])


def run(path, names):
    """build() in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, path, "--names", *names], capture_output=True, text=True
    )
    for line in done.stdout.splitlines():
        if line.startswith(("BUILT", "REFUSED")) and done.returncode == 0:
            return line
    last = (done.stderr.strip().splitlines() or [""])[-1]
    return f"DIED {done.returncode}: {last[:160]}"


def main():
    path, sets = sys.argv[1], (sys.argv[2:] or ["single"])[0]
    listed = subprocess.run(
        [sys.executable, __file__, path, "--list"], capture_output=True, text=True, check=True
    )
    names = listed.stdout.split("\n")[:-1]
    groups = {
        "single": [(n,) for n in names],
        "pairs": list(itertools.combinations(names, 2)),
        "all": [tuple(names)],
    }[sets]
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        for group, result in zip(groups, pool.map(lambda g: run(path, g), groups)):
            print("+".join(group), result, sep="\t", flush=True)


if __name__ == "__main__":
    if "--list" in sys.argv:
        build(sys.argv[1], None)
    elif "--names" in sys.argv:
        build(sys.argv[1], sys.argv[sys.argv.index("--names") + 1 :])
    else:
        main()
