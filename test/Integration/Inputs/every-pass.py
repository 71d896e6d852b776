"""Runs each pass on what each phase leaves: every-pass.py DYN-OPT INCLUDE-FOLDER MODULE FOLDER.

A pass changes the module, leaves it as it is, or refuses it with an error. It never crashes, and what it gives can be
read again. The same for modules with ops of a dialect that nobody knows.
"""

import pathlib
import re
import subprocess
import sys

program, include, module, folder = sys.argv[1:]
definition = re.compile(r'^def \w+ : Pass<"([a-z0-9-]+)"', re.MULTILINE)
passes = sorted(name for path in pathlib.Path(include).rglob("Passes.td") for name in definition.findall(path.read_text()))
assert len(passes) > 30, passes
phases = ("shapes", "reify", "kernels", "buffers", "target", "host", "code")
pipelines = [f"to={phase}" for phase in phases] + ["to=target target=cuda"]
modules = [module]
for number, pipeline in enumerate(pipelines):
    modules.append(f"{folder}/{number}.mlir")
    subprocess.run([program, module, f"--dyn-pipeline={pipeline}", "-o", modules[-1]], check=True, stderr=subprocess.DEVNULL)
failures = 0


def run(path, command):
    """Counts what is neither a result nor an error."""
    process = subprocess.run(command, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    crashed = re.search("Assertion|LLVM ERROR|Stack dump|UNREACHABLE", process.stderr)
    if process.returncode in (0, 1) and not crashed and (not process.returncode or "error" in process.stderr):
        return 0
    print(path, command, process.returncode, process.stderr[:500])
    return 1


def add_unknown_ops(path):
    """A copy of a module with an op of no dialect in each function and each block that is written out."""
    start = re.compile(r"^(\s*((llvm|func|gpu)\.func .*\{|\^bb.*:(\s*//.*)?))$", re.MULTILINE)
    printed = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout
    text, count = start.subn(r'\1\n"unknown.op"() : () -> ()', printed)
    assert count, path
    copy = pathlib.Path(folder) / f"unknown-{pathlib.Path(path).name}"
    copy.write_text(text)
    return copy


for path in modules:
    unknown = add_unknown_ops(path)
    for name in passes:
        # The result goes through the parser as well.
        failures += run(path, f"'{program}' '{path}' --{name} -o '{folder}/result' && '{program}' '{folder}/result' -o /dev/null")
        failures += run(unknown, f"'{program}' --allow-unregistered-dialect '{unknown}' --{name}")
unknown = add_unknown_ops(module)
for pipeline in pipelines:
    failures += run(unknown, f"'{program}' --allow-unregistered-dialect '{unknown}' '--dyn-pipeline={pipeline}'")
print(len(modules), "modules,", len(passes), "passes,", failures, "failures")
