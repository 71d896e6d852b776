"""Writes a model whose weights are too large for a module's text: model-with-weights.py FILE [DIM].

DIM is what it declares of its output instead of N, the dim of the input; another input has that.
"""

import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

declared = sys.argv[2] if len(sys.argv) > 2 else "N"
others = [helper.make_tensor_value_info("other", TensorProto.FLOAT, [name]) for name in sys.argv[2:]]
weights = numpy_helper.from_array(numpy.ones((64, 64), "f4"), "w")
graph = helper.make_graph(
    [helper.make_node("MatMul", ["x", "w"], ["y"], "product")],
    "model",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 64]), *others],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [declared, 64])],
    [weights],
)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
