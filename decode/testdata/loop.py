"""How long ONNX Runtime itself takes for a decoder, its cache kept by IO binding.

    python loop.py MODEL TOKENS THREADS

prints the seconds of TOKENS steps of one token, those of the first step left out, and what the last
logits add up to. It needs numpy and onnxruntime.
"""

import sys
import time

import numpy as np
import onnxruntime as ort

path, count, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
options = ort.SessionOptions()
options.intra_op_num_threads = threads
session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
pasts = [i for i in session.get_inputs() if i.name.startswith("past_key_values")]
presents = [o.name for o in session.get_outputs() if o.name.startswith("present")]
pairs = {p.name: p.name.replace("past_key_values", "present") for p in pasts}
kept = {p.name: ort.OrtValue.ortvalue_from_numpy(
    np.zeros([d if isinstance(d, int) else (1 if i == 0 else 0) for i, d in enumerate(p.shape)],
             np.float32)) for p in pasts}
binding = session.io_binding()
names = ["logits", *presents]
logits, seconds = None, 0.0
for step in range(count):
    start = time.perf_counter()
    binding.clear_binding_inputs()
    binding.clear_binding_outputs()
    binding.bind_cpu_input("input_ids", np.array([[1 + step % 50]], np.int64))
    binding.bind_cpu_input("attention_mask", np.ones((1, step + 1), np.int64))
    binding.bind_cpu_input("position_ids", np.array([[step]], np.int64))
    for name, value in kept.items():
        binding.bind_ortvalue_input(name, value)
    for name in names:
        binding.bind_output(name, "cpu")
    session.run_with_iobinding(binding)
    outputs = dict(zip(names, binding.get_outputs()))
    kept = {past: outputs[present] for past, present in pairs.items()}
    logits = outputs["logits"].numpy()
    if step > 0:
        seconds += time.perf_counter() - start
print(seconds, float(logits.sum()))
