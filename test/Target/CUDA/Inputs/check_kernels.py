"""Checks that a cubin holds every kernel of a PTX file: check_kernels.py PTX CUBIN READELF"""

import re
import subprocess
import sys

ptx, cubin, readelf = sys.argv[1:]
with open(ptx) as file:
    kernels = set(re.findall(r"^\.visible \.entry (\w+)\(", file.read(), re.MULTILINE))
symbols = subprocess.run([readelf, "--symbols", "--wide", cubin], check=True, capture_output=True, text=True).stdout
found = {line.split()[-1] for line in symbols.splitlines() if " FUNC " in line}
assert kernels, "no kernels in the PTX"
assert kernels <= found, f"not in the cubin: {sorted(kernels - found)}"
