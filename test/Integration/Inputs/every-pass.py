"""Runs each pass on what each phase leaves: every-pass.py DYN-OPT INCLUDE-FOLDER MODULE FOLDER.

A pass changes the module, leaves it as it is, or refuses it with an error. It never crashes, and what it gives can be
read again.
"""

import pathlib
import re
import subprocess
import sys

program, include, module, folder = sys.argv[1:]
definition = re.compile(r'^def \w+ : Pass<"([a-z0-9-]+)"', re.MULTILINE)
passes = sorted(name for path in pathlib.Path(include).rglob("Passes.td") for name in definition.findall(path.read_text()))
assert len(passes) > 30, passes
pipelines = [f"to={phase}" for phase in ("shapes", "reify", "kernels", "buffers", "target", "host", "code")]
pipelines.append("to=target target=cuda")
modules = [module]
for number, pipeline in enumerate(pipelines):
    modules.append(f"{folder}/{number}.mlir")
    subprocess.run([program, module, f"--dyn-pipeline={pipeline}", "-o", modules[-1]], check=True, stderr=subprocess.DEVNULL)
failures = 0
for path in modules:
    for name in passes:
        # The result goes through the parser as well.
        command = f"'{program}' '{path}' --{name} -o '{folder}/result' && '{program}' '{folder}/result' -o /dev/null"
        process = subprocess.run(command, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        crashed = re.search("Assertion|LLVM ERROR|Stack dump|UNREACHABLE", process.stderr)
        if process.returncode not in (0, 1) or crashed or (process.returncode and "error" not in process.stderr):
            print(path, name, process.returncode, process.stderr[:500])
            failures += 1
print(len(modules), "modules,", len(passes), "passes,", failures, "failures")
