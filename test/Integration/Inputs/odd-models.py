"""Writes models whose nodes are wrong, or whose names are odd, to a folder."""

import os
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def write(file, node, dims, initializers):
    inputs = [helper.make_tensor_value_info(node.input[0], TensorProto.FLOAT, dims)]
    outputs = [helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, None)]
    tensors = [numpy_helper.from_array(array, name) for name, array in initializers.items()]
    graph = helper.make_graph([node], "g", inputs, outputs, tensors)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), f"{folder}/{file}.onnx")


unknown = {"s": np.array([-1, -1])}
write("short-name", helper.make_node("Reshape", ["x", "s"], ["y"]), ["n", 4], unknown)
odd = "outer\ninner\x1b[2J"
write("odd-name", helper.make_node("Reshape", ["x", "s"], ["y"], name=odd), ["n", 4], unknown)
write("odd-output", helper.make_node("Neg", ["x\n"], ["y\x1b"]), ["n"], {})
filter = {"w": np.ones((1, 1, 3, 3), np.float32)}
write("strides", helper.make_node("Conv", ["x", "w"], ["y"], strides=[0, 0]), ["n", 1, 8, 8], filter)
