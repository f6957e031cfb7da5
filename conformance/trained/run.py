"""Runs the checks of `make trained`, and writes their page: run.py --help

Each check is one to three calls of the command. What it gave is kept in RESULTS/NETWORK.json, so
that a check runs once; remove the file, or a check in it, to run it again. The page keeps its
rows of networks that have no such file.
"""

import argparse
import concurrent.futures
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path

from networks import DIGEST, DIGEST_CHECKS, FORMS, NETWORKS, PACKAGES, RELATIONS

LEVELS = ("none", "basic", "extended", "layout", "all")
RUNS = [(level, threads) for level in LEVELS for threads in (1, 2, 4)][1:]
TOOLS = ("openvino", "tract", "1.24.4", "relations", "twin", "vote", "tolerance", "repair",
         "fp16", "sanitize", "cut", "reduce")
ALONE = ("relations", "twin", "vote", "tolerance", "repair", "reduce")  # need no reference
HERE = Path(__file__).parent


def call(line, folder, limit, env=None):
    """Runs a command; returns its status, what it printed, its times and its peak memory.

    The limit is of processor time, so that what ends in time does not depend on what else runs. A
    command that waits instead is stopped after six times as long.
    """
    with tempfile.TemporaryFile() as out:
        began = time.monotonic()
        process = subprocess.Popen(
            [str(word) for word in line], cwd=folder, stdout=out, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, env=os.environ | (env or {}), start_new_session=True)
        if hasattr(resource, "prlimit"):
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit))
        timer = threading.Timer(6 * limit, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - began
        out.seek(0)
        said = out.read().decode(errors="replace")
    cpu = used.ru_utime + used.ru_stime
    return {"status": process.returncode, "said": said, "wall": wall, "cpu": cpu,
            "slow": cpu >= limit or wall >= 6 * limit, "peak": used.ru_maxrss << 10}


def verdict(result):
    if result["slow"]:
        return "time"
    if result["status"] and "does not prove a fault" in result["said"]:
        return "undecided"
    return {0: "ok", 1: "differs", 2: "cannot"}.get(result["status"], "CRASH")


def reason(result):
    """The line that says why, without folders and in the width of a page's list."""
    lines = [line.strip() for line in result["said"].splitlines()]
    last = [line for line in lines if re.match(r"modelparity: |panic|fatal|SIG", line)]
    passing = [line for line in lines if re.match("(no finite limit )?would pass", line)]
    differing = [line for line in lines if re.match(r"FAIL|BROKEN|.*(broken|differ)", line)]
    line = (last or passing or differing or lines or [""])[-1 if last else 0]
    line = re.sub(r"(/[\w.@~-]+)+/", "", re.sub(r"\s+", " ", line))
    return line if len(line) < 200 else line[:199] + "…"


class Network:
    """The checks of one network."""

    def __init__(self, name, options, folder):
        self.name, self.options, self.folder = name, options, folder
        self.model = options.networks / f"{name}.onnx"
        self.inputs = ("--load-inputs", options.networks / f"{name}.npz")
        self.kept = options.results / f"{name}.json"
        self.checks = json.loads(self.kept.read_text()) if self.kept.exists() else {}

    def command(self, *words, env=None):
        return call((self.options.command, *words), self.folder, self.options.limit, env)

    def run(self, *words, env=None):
        """A run that is compared with the reference."""
        return self.command("run", *words, *self.inputs, "--load-outputs", "reference.json",
                            env=env)

    def keep(self, check, *steps):
        """Does the steps until one fails, unless that was done before."""
        if check in self.checks:
            return
        kept = {"cpu": 0, "wall": 0, "peak": 0}
        for step in steps:
            result = step()
            kept = {"verdict": verdict(result), "cpu": kept["cpu"] + result["cpu"],
                    "wall": kept["wall"] + result["wall"],
                    "peak": max(kept["peak"], result["peak"])}
            if kept["verdict"] != "ok":
                kept["reason"] = reason(result)
                break
        self.checks[check] = kept
        part = self.kept.with_suffix(".part")
        part.write_text(json.dumps(self.checks, indent=1))
        part.replace(self.kept)

    def missing(self, wanted):
        """The wanted checks that were not done; some do not apply."""
        about = self.checks.get("about", {})
        never = [check for check, needs in (("cut", "cut"), ("reduce", "fault"))
                 if about and not about.get(needs, True)]
        return [check for check in wanted if check not in (*self.checks, *never)]

    def all(self, wanted):
        if not self.missing(wanted):
            return
        found = call((sys.executable, HERE / "parts.py", self.model, self.inputs[1],
                      "faulty.onnx"), self.folder, self.options.limit)
        about = self.checks["about"] = json.loads(found["said"])
        self.keep("plain", lambda: self.command("run", self.model, "--onnxrt", *self.inputs,
                                                "--smoke"))
        if any(check not in ALONE for check in self.missing(wanted)):
            reference = self.command(
                "run", self.model, "--onnxrt", "--graph-optimization-level", "none", "--noise",
                *self.inputs, "--save-outputs", "reference.json")
            self.keep("reference", lambda: reference)
            if reference["status"]:
                return
        steps = self.steps(about)
        for check in self.missing(wanted):
            self.keep(check, *steps[check])

    def engines(self):
        """The flags of the engines that run the network."""
        return ["--onnxrt", *("--" + e for e in ("openvino", "tract")
                              if self.checks.get(e, {}).get("verdict") in ("ok", "undecided"))]

    def steps(self, about):
        model, inputs = self.model, self.inputs
        same = ("--graph-optimization-level", "none", "--atol", "0", "--rtol", "0")
        half = ("--int8", "--atol", "0.1") if about["qdq"] else ("--fp16", "--atol", "0.01")
        norm = ("norm_relative", "--norm-relative-threshold")
        alike = ("snr",) if about["quantised"] else (*norm, "1e-3")
        steps = {
            f"{level} {threads}": [lambda level=level, threads=threads: self.run(
                model, "--onnxrt", "--noise", "--graph-optimization-level", level,
                "--onnxrt-threads", threads)] for level, threads in RUNS}
        return steps | {
            "openvino": [lambda: self.run(model, "--openvino", "--noise")],
            "tract": [lambda: self.run(model, "--tract", "--noise")],
            "1.24.4": [lambda: self.run(model, "--onnxrt", "--noise", env={
                "ONNXRUNTIME_SHARED_LIBRARY_PATH": self.options.earlier})],
            "relations": [lambda: self.command("relations", model, *inputs, "--noise",
                                               *RELATIONS.get(self.name, ()))],
            "twin": [lambda: self.command("twin", model, *inputs, *self.engines())],
            "vote": [lambda: self.command(
                "vote", model, *inputs, *self.engines(), "--onnxrt", "level=none", "--compare",
                *alike)],
            "tolerance": [lambda: self.command("tolerance", model, *inputs, *self.engines())],
            "repair": [lambda: self.command("repair", model, *inputs, "--onnxrt", *half, "--rtol",
                                            "0.01", "-o", "repaired.onnx")],
            "fp16": [lambda: self.command("convert", model, "-o", "half.onnx", "--fp-to-fp16"),
                     lambda: self.run("half.onnx", "--onnxrt", "--compare", *norm, "0.05")],
            "sanitize": [lambda: self.command("surgeon", "sanitize", model, "-o", "clean.onnx",
                                              "--fold-constants", "--cleanup", "--toposort"),
                         lambda: self.run("clean.onnx", "--onnxrt", *same[:2], "--compare", *norm,
                                          "1e-5")],
        } | ({"cut": self.cut(about, same)} if about["cut"] else {}) | (
            {"reduce": self.reduce(about["fault"])} if about["fault"] else {})

    def cut(self, about, same):
        """The part behind a tensor gives the same bits for the recorded inputs."""
        behind = about["behind"]
        return [
            lambda: self.command("cut", self.model, *self.inputs, "--from", about["cut"], "--to",
                                 *behind, "-o", "part.onnx", *same[:2]),
            lambda: self.command("run", "part.onnx", "--onnxrt", "--load-inputs",
                                 "part.onnx.inputs.json", "--load-outputs", "reference.json",
                                 "--only", *behind, *same)]

    def reduce(self, weight):
        """The smallest part that shows a planted fault reads the changed weight."""
        return [
            lambda: self.command("reduce", "faulty.onnx", self.model, *self.inputs, "--onnxrt",
                                 "--atol", "0", "--rtol", "1e-3", "-o", "wrong.onnx"),
            lambda: call((sys.executable, HERE / "parts.py", "--reads", "wrong.onnx", weight),
                         self.folder, self.options.limit)]


def form(options, folder, actual, expected, limit, *flags):
    """Compares two forms of a network, each run on its own inputs."""
    kept = options.results / f"{actual} as {expected}.json"
    if kept.exists():
        return
    steps = [(options.command, "run", options.networks / f"{name}.onnx", "--onnxrt",
              "--load-inputs", options.networks / f"{name}.npz", "--save-outputs", f"{name}.json")
             for name in (expected, actual)]
    steps.append((options.command, "compare", f"{actual}.json", f"{expected}.json", "--compare",
                  "norm_relative", "--norm-relative-threshold", str(limit), *flags))
    for step in steps:
        result = call(step, folder, options.limit)
        if result["status"]:
            break
    figures = re.findall(r"norm-wise relative error[^(]*\(([^)]+)\)", result["said"])
    kept.write_text(json.dumps({"verdict": verdict(result), "reason": reason(result),
                                "errors": figures}))


def word(check):
    return "" if check is None else "✓" if check["verdict"] == "ok" else check["verdict"]


def row(*cells):
    return "| " + " | ".join(str(c) for c in cells) + " |"


def cells(text, first, length):
    """The rows of a page's tables that start with the column and have so many columns."""
    table = False
    for line in text.splitlines():
        found = [re.sub(r"\\\|", "|", cell).strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        table = len(found) == length and (table or found[0] == first)
        if table and found[0] not in (first, "---"):
            yield found


def rows(text):
    """The results that a page shows, by network; a level's time and peak are in the reference."""
    why = {(name, check): message.strip("`")
           for name, check, _, message in cells(text, "network", 4)}
    nodes = {name: int(count) for name, *_, count, _ in cells(text, "network", 6)
             if count.isdigit()}
    read = {}
    for name, levels, *tools, core, plain, peak in cells(text, "network", len(TOOLS) + 5):
        ok = {"verdict": "ok", "cpu": 0, "wall": 0, "peak": 0}
        read[name] = {"about": {"nodes": nodes.get(name, "")},
                      "plain": ok | {"peak": int(plain) * 1e6},
                      "reference": ok | {"cpu": int(core), "peak": int(peak) * 1e6}}
        passed, runs = (int(n) for n in levels.split(" of "))
        for i, (level, threads) in enumerate(RUNS[:runs]):
            read[name][f"{level} {threads}"] = ok | {
                "verdict": "ok" if i < passed else "differs",
                "reason": why.get((name, "levels and threads"), "")}
        for check, verdict in zip(TOOLS, tools):
            if verdict:
                read[name][check] = ok | {"verdict": "ok" if verdict == "✓" else verdict,
                                          "reason": why.get((name, check), "")}
    return read


def rest(options, names):
    """Writes the page's results for networks that have none, less what ran out of time."""
    for name, checks in rows(options.page.read_text(encoding="utf-8")).items():
        kept = options.results / f"{name}.json"
        if name in names and not kept.exists():
            kept.write_text(json.dumps({check: got for check, got in checks.items()
                                        if got.get("verdict") != "time"}, indent=1))


def page(options, before):
    """The tables and lists of the page, which was different before."""
    read = rows(before)
    for name in NETWORKS:
        kept = options.results / f"{name}.json"
        if kept.exists():
            read[name] = read.get(name, {}) | json.loads(kept.read_text())
    about = [row("network", "package", "licence", "MB", "nodes", "reads"),
             row("---", "---", "---", "---:", "---:", "---")]
    table = [row("network", "levels and threads", *TOOLS, "core s", "plain, peak MB", "peak MB"),
             row("---", *["---"] * (len(TOOLS) + 1), "---:", "---:", "---:")]
    reasons, counts, pending = {}, {}, []
    for name, (package, _, reads) in NETWORKS.items():
        file, requirement, _, licence = PACKAGES[package]
        model = options.networks / f"{name}.onnx"
        checks = dict(read.get(name, {}))
        nodes = checks.pop("about", {}).get("nodes", "")
        size = f"{model.stat().st_size / 1e6:.1f}" if model.exists() else ""
        about.append(row(name, requirement.replace("==", " "), licence, size, nodes, reads))
        if not checks:
            pending.append(name)
            continue
        runs = [checks[key] for r in RUNS if (key := f"{r[0]} {r[1]}") in checks]
        passed = sum(r["verdict"] == "ok" for r in runs)
        table.append(row(
            name, f"{passed} of {len(runs)}" if runs else "",
            *(word(checks.get(t)) for t in TOOLS), f"{sum(c['cpu'] for c in checks.values()):.0f}",
            f"{checks['plain']['peak'] / 1e6:.0f}",
            f"{max(c['peak'] for c in checks.values()) / 1e6:.0f}"))
        for check, got in checks.items():
            column = "levels and threads" if check.split()[0] in LEVELS else check
            counts.setdefault(column, {}).setdefault(got["verdict"], []).append(name)
            if got["verdict"] != "ok":
                key = name, column, got["verdict"]
                reasons.setdefault(key, got["reason"].replace("|", "\\|").replace("`", "'"))
    why = [row("network", "check", "verdict", "message"), row(*["---"] * 4)]
    why += [row(*key, f"`{message}`") for key, message in reasons.items()]
    verdicts = ("ok", "undecided", "differs", "cannot", "time", "CRASH")
    summary = [row("check", *verdicts), row("---", *["---:"] * len(verdicts))]
    summary += [row(check, *(len(by.get(v, ())) or "" for v in verdicts))
                for check, by in counts.items()]
    forms = [row("form", "compared with", "limit", "verdict", "errors"),
             row("---", "---", "---:", "---", "---")]
    earlier = {(a, e): got for a, e, _, *got in cells(before, "form", 5)}
    for actual, expected, limit, *_ in FORMS:
        kept = options.results / f"{actual} as {expected}.json"
        got, errors = earlier.get((actual, expected), ("not run", ""))
        if kept.exists():
            read_form = json.loads(kept.read_text())
            got = read_form["verdict"]
            errors = ", ".join(read_form["errors"]) or read_form.get("reason", "")
        forms.append(row(actual, expected, f"{limit:g}", got, errors))
    parts = [f"{len(read)} of {len(NETWORKS)} networks were run.", "\n".join(summary),
             "\n".join(table), "### Forms\n\n" + "\n".join(forms),
             "### Why not\n\n" + "\n".join(why), "### Networks\n\n" + "\n".join(about)]
    if pending:
        parts.insert(1, textwrap.fill("Not run: " + ", ".join(pending) + ".", 118))
    return "\n\n".join(parts)


def write_page(options):
    begins, ends = "<!-- trained: written by make trained -->", "<!-- end of trained -->"
    text = options.page.read_text(encoding="utf-8")
    before, rest = text.split(begins)
    _, after = rest.split(ends)
    options.page.write_text(f"{before}{begins}\n\n{page(options, text)}\n\n{ends}{after}",
                            encoding="utf-8")


def work(options, name, wanted):
    """Runs the wanted checks, and returns the verdicts other than ok."""
    with tempfile.TemporaryDirectory() as temporary:
        network = Network(name, options, Path(temporary))
        began = time.monotonic()
        network.all(wanted)
    bad = {check: got["verdict"] for check, got in network.checks.items()
           if got.get("verdict", "ok") != "ok"}
    print(f"{name}: {time.monotonic() - began:.0f} s", *(": ".join(b) for b in bad.items()),
          sep="; ", flush=True)
    return bad


def digest(options):
    """Fails if a verdict is not what networks.py expects."""
    wrong = False
    with (tempfile.TemporaryDirectory() as folder,
          concurrent.futures.ThreadPoolExecutor(options.jobs) as pool):
        options.results = Path(folder)
        verdicts = pool.map(lambda name: work(options, name, DIGEST_CHECKS), DIGEST)
        for (name, expected), got in zip(DIGEST.items(), verdicts, strict=True):
            kept = json.loads((options.results / f"{name}.json").read_text())
            for check in got.keys() | expected.keys():
                now, was = got.get(check, "ok"), expected.get(check, "ok")
                if now != was:
                    wrong = True
                    print(f"{name}, {check}: {now}, expected {was}:",
                          kept.get(check, {}).get("reason", ""))
    sys.exit(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", type=Path, help="the folder of fetch.py")
    parser.add_argument("results", type=Path)
    parser.add_argument("--command", type=Path, required=True, help="the command modelparity")
    parser.add_argument("--earlier", help="the library of ONNX Runtime 1.24.4")
    parser.add_argument("--page", type=Path, help="the page to write")
    parser.add_argument("--rest", action="store_true",
                        help="start with the page's results, less what ran out of time")
    parser.add_argument("--digest", action="store_true", help="check five, and what is expected")
    parser.add_argument("--only", default="", help="a regular expression for networks")
    parser.add_argument("--checks", default="", help="a regular expression for checks")
    parser.add_argument("--jobs", type=int, default=2, help="how many networks run at once")
    parser.add_argument("--limit", type=int, default=600,
                        help="seconds of processor time of one command")
    options = parser.parse_args()
    os.environ["MODELPARITY_LOCK"] = "off"
    os.environ["MODELPARITY_NOISE_CACHE"] = "noise"
    options.networks, options.results = options.networks.resolve(), options.results.resolve()
    options.command = options.command.resolve()
    if options.digest:
        digest(options)
    options.results.mkdir(parents=True, exist_ok=True)
    names = [n for n in NETWORKS if re.search(options.only, n)
             and (options.networks / f"{n}.onnx").exists()]
    if options.rest:
        rest(options, names)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        wanted = [check for check in [f"{level} {threads}" for level, threads in RUNS] + list(TOOLS)
                  if re.search(options.checks, check)]
        list(pool.map(lambda name: work(options, name, wanted), names))
    for actual, expected, limit, *flags in FORMS:
        if actual in names and expected in names:
            with tempfile.TemporaryDirectory() as folder:
                form(options, folder, actual, expected, limit, *flags)
    if options.page:
        write_page(options)


if __name__ == "__main__":
    main()
