"""Compiles the C++ blocks of docs/using-the-engine.md, in order, as one program, and compares what it prints with the last
block. `--update` writes that block instead.

usage: run-guide.py GUIDE BUILD CXX FOLDER [--update]
"""

import pathlib
import re
import subprocess
import sys


def main():
    guide, build, compiler, folder = map(pathlib.Path, sys.argv[1:5])
    text = guide.read_text(encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    source, program = folder / "guide.cpp", folder / "guide"
    source.write_text("".join(re.findall(r"^```cpp\n(.*?)^```", text, re.MULTILINE | re.DOTALL)))

    def ask(option):
        return subprocess.run(["llvm-config", option], check=True, capture_output=True, text=True).stdout.strip()

    include = build.parent / "include"
    subprocess.run([compiler, "-std=c++17", f"-I{include}", "-isystem", ask("--includedir"), source,
                    build / "lib/libDynSymbolic.a", f"-L{ask('--libdir')}", "-lLLVM-22", f"-Wl,-rpath,{ask('--libdir')}",
                    "-o", program], check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    shown = re.search(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if "--update" in sys.argv:
        guide.write_text(text[:shown.start(1)] + printed + text[shown.end(1):])
    elif shown[1] != printed:
        sys.exit(f"the guide shows\n{shown[1]}the program prints\n{printed}")


main()
