"""Calls the functions of Polygraphy users' scripts: data loaders, comparisons, post-processing."""

import collections
import inspect
import sys

import modelparity

DEFAULTS = {"iterate": "load_data", "compare": "compare_outputs",
            "postprocess": "postprocess_outputs"}


class Result(collections.OrderedDict):
    """An iteration's outputs, as Polygraphy's IterationResult where Polygraphy is not installed."""

    def __init__(self, outputs, runner_name=""):
        super().__init__(outputs)
        self.runner_name, self.runtime = runner_name, None


def result(outputs, runner_name):
    try:
        from polygraphy.comparator import IterationResult
        return IterationResult(outputs, runner_name=runner_name)
    except ImportError:
        return Result(outputs, runner_name)


def main():
    module, named = modelparity.script(sys.argv[1])
    state = {}

    def function(kind):
        name = named or DEFAULTS[kind]
        found = getattr(module, name, None)
        if found is None:
            raise AttributeError(f"the script defines no {name}; name another function behind a "
                                 "colon: script.py:function")
        return found() if inspect.isclass(found) else found

    def iterate(_, __):
        found = function("iterate")
        state["loader"] = iter(found() if callable(found) else found)
        return {"message": "iterating"}, {}

    def following(_, __):
        try:
            feed = next(state["loader"])
        except StopIteration:
            return {"message": "end"}, {}
        if not hasattr(feed, "items"):
            raise TypeError(f"the script gave {type(feed).__name__}, not inputs by name")
        return {"message": "inputs"}, {
            part: a for name, value in feed.items() for part, a in modelparity.flat(name, value)}

    def side(head, arrays, which):
        return result(collections.OrderedDict(
            (name.split("/", 1)[1], a) for name, a in arrays.items()
            if name.startswith(which + "/")), head.get(which, ""))

    def compare(head, arrays):
        found = function("compare")(side(head, arrays, "actual"), side(head, arrays, "expected"))
        if not hasattr(found, "items"):
            raise TypeError(f"the script gave {type(found).__name__}, not results by output")
        return {"message": "compared", "results": {
            name: {"passed": bool(value),
                   "text": "" if isinstance(value, bool) else " ".join(str(value).split())[:300]}
            for name, value in found.items()}}, {}

    def postprocess(head, arrays):
        found = function("postprocess")(side(head, arrays, "actual"))
        if not hasattr(found, "items"):
            raise TypeError(f"the script gave {type(found).__name__}, not outputs by name")
        return {"message": "outputs"}, {
            part: a for name, value in found.items() for part, a in modelparity.flat(name, value)}

    def describe(_, __):
        return {"message": "description", "protocol": modelparity.PROTOCOL, "name": "python",
                "version": sys.version.split()[0]}, {}

    modelparity.answer({"describe": describe, "iterate": iterate, "next": following,
                        "compare": compare, "postprocess": postprocess})
