"""A small model for programs in C: writes it to the path given."""

import sys

import onnx

onnx.save(onnx.parser.parse_model("""
<ir_version: 8, opset_import: ["" : 17]>
g (float[n, 4] x, float[4, 3] w) => (float[n, 3] y) {
  p = MatMul(x, w)
  y = Tanh(p)
}
"""), sys.argv[1])
