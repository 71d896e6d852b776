"""Writes a small ONNX model: y = softmax(x W + P[:seq]), for any batch, and seq up to the 16 rows of P."""

import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

weight = np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4)
positions = np.linspace(0, 1, 64, dtype=np.float32).reshape(16, 4)
constants = {"W": weight, "P": positions, "zero": np.array([0]), "one": np.array([1]), "two": np.array([2])}
nodes = [
    helper.make_node("MatMul", ["x", "W"], ["product"], name="/dense/MatMul"),
    helper.make_node("Shape", ["x"], ["shape"], name="/Shape"),
    helper.make_node("Slice", ["shape", "one", "two"], ["length"], name="/Slice"),
    helper.make_node("Slice", ["P", "zero", "length"], ["rows"], name="/positions/Slice"),
    helper.make_node("Add", ["product", "rows"], ["sum"], name="/positions/Add"),
    helper.make_node("Softmax", ["sum"], ["y"], axis=-1, name="/Softmax"),
]
graph = helper.make_graph(
    nodes,
    "encoder",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "seq", 8])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", "seq", 4])],
    [numpy_helper.from_array(array, name) for name, array in constants.items()],
)
save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
