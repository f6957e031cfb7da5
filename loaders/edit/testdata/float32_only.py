"""Lists where ONNX's operators take float32 and no float16, for loaders/float16_types.go.

python float32_only.py   with onnx 1.22.0

Operators that are left in float32 for all opsets are arguments of the first list below; of the
others it prints the opset from which on float16 is allowed, and the inputs that never allow it.
"""

import collections

import onnx.defs

ALWAYS = set(
    "Celu NonMaxSuppression Range DynamicQuantizeLinear QuantizeLinear DequantizeLinear QLinearConv "
    "QLinearMatMul".split()
)


def allows(schema, parameter, name):
    for constraint in schema.type_constraints:
        if constraint.type_param_str == parameter.type_str:
            return name in constraint.allowed_type_strs
    return parameter.type_str == name


lacking = collections.defaultdict(lambda: collections.defaultdict(set))
versions = collections.defaultdict(set)
for schema in onnx.defs.get_all_schemas_with_history():
    if schema.domain:
        continue
    versions[schema.name].add(schema.since_version)
    for i, parameter in enumerate(schema.inputs):
        if allows(schema, parameter, "tensor(float)") and not allows(schema, parameter, "tensor(float16)"):
            lacking[schema.name][schema.since_version].add(i)
until, pins = {}, {}
for op, by_version in lacking.items():
    if op in ALWAYS:
        continue
    later = [v for v in versions[op] if v > max(by_version)]
    if any(0 in inputs for inputs in by_version.values()) and later:
        until[op] = min(later)
    else:
        pins[op] = sorted(set().union(*by_version.values()))
for op in sorted(until):
    print(op, "until", until[op])
for op in sorted(pins):
    print(op, "pins", str(pins[op]).replace(",", ""))
