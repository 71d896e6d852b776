"""Writes a module with two outputs whose long names differ at their ends."""

import sys

names = ["o" * 300 + str(i) for i in range(2)]
results = ", ".join(f'tensor<4xf32> {{dyn.name = "{name}"}}' for name in names)
with open(sys.argv[1], "w") as file:
    file.write(f"func.func @main(%x: tensor<4xf32>) -> ({results}) {{\n  return %x, %x : tensor<4xf32>, tensor<4xf32>\n}}\n")
