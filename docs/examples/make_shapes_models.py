"""Writes two small ONNX models to a folder: an attention step with a cache, and one whose exporter baked a size in."""

import pathlib
import sys

import numpy as np
from onnx import numpy_helper, parser, save

CACHE = """<ir_version: 8, opset_import: ["" : 17]>
step (float[batch,seq,8] x, float[batch,past,8] cache, float[batch,total,8] values)
    => (float[batch,seq,8] y, float[batch,present,8] next) {
  shape = Shape(x)
  rows = Gather(shape, one)
  positions = Slice(table, zero, rows)
  placed = Add(x, positions)
  next = Concat <axis = 1> (cache, placed)
  turned = Transpose <perm = [0,2,1]> (next)
  product = MatMul(placed, turned)
  scores = Softmax <axis = -1> (product)
  y = MatMul(scores, values)
}"""

BAKED = """<ir_version: 8, opset_import: ["" : 17]>
heads (float[1,seq,8] x) => (float[1,2,seq,4] y) {
  split = Reshape(x, dims)
  y = Transpose <perm = [0,2,1,3]> (split)
}"""

CONSTANTS = {"one": np.array([1]), "zero": np.array([0]), "dims": np.array([1, 1536, 2, 4]),
             "table": np.linspace(0, 1, 4096, dtype=np.float32).reshape(512, 8)}


def write(text, names, path):
    model = parser.parse_model(text)
    model.graph.initializer.extend(numpy_helper.from_array(CONSTANTS[name], name) for name in names)
    for node in model.graph.node:
        node.name = f"/{node.output[0]}/{node.op_type}"
    save(model, path)


folder = pathlib.Path(sys.argv[1])
write(CACHE, ["one", "zero", "table"], folder / "step.onnx")
write(BAKED, ["dims"], folder / "heads.onnx")
