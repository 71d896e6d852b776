"""Small ONNX models for tests of the Python package."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def model(nodes, inputs, outputs, initializers=None) -> onnx.ModelProto:
    """A checked model; inputs and outputs are (name, type, dims), initializers arrays by name."""
    graph = helper.make_graph(
        nodes,
        "test",
        [helper.make_tensor_value_info(*value) for value in inputs],
        [helper.make_tensor_value_info(*value) for value in outputs],
        [numpy_helper.from_array(array, name) for name, array in (initializers or {}).items()],
    )
    result = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(result)
    return result


def dense(rows=8, columns=4) -> onnx.ModelProto:
    """y = relu(x W + b) for any batch; weights count up."""
    weight = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns) / 10
    return model(
        [
            helper.make_node("MatMul", ["x", "w"], ["t"], name="product"),
            helper.make_node("Add", ["t", "b"], ["s"], name="bias"),
            helper.make_node("Relu", ["s"], ["y"], name="relu"),
        ],
        [("x", FLOAT, ["batch", rows])],
        [("y", FLOAT, ["batch", columns])],
        {"w": weight, "b": -np.ones(columns, np.float32)},
    )


def append() -> onnx.ModelProto:
    """What a key-value cache does: present = concat(past, new)."""
    return model(
        [helper.make_node("Concat", ["past", "new"], ["present"], axis=1, name="append")],
        [("past", FLOAT, ["batch", "past_seq", 2]), ("new", FLOAT, ["batch", "seq", 2])],
        [("present", FLOAT, ["batch", "total", 2])],
    )


def attention_like() -> onnx.ModelProto:
    """y = softmax(x x') x."""
    return model(
        [
            helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]),
            helper.make_node("MatMul", ["x", "t"], ["scores"]),
            helper.make_node("Softmax", ["scores"], ["weights"]),
            helper.make_node("MatMul", ["weights", "x"], ["y"]),
        ],
        [("x", FLOAT, ["n", 8])],
        [("y", FLOAT, ["n", 8])],
    )


def products() -> onnx.ModelProto:
    """y = (x x') x: working memory grows with the square of n."""
    return model(
        [
            helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]),
            helper.make_node("MatMul", ["x", "t"], ["scores"]),
            helper.make_node("MatMul", ["scores", "x"], ["y"]),
        ],
        [("x", FLOAT, ["n", 8])],
        [("y", FLOAT, ["n", 8])],
    )


def lookup(rows=10) -> onnx.ModelProto:
    """Rows of a table."""
    return model(
        [helper.make_node("Gather", ["table", "ids"], ["y"], name="/emb/Gather")],
        [("ids", INT64, ["n"])],
        [("y", FLOAT, ["n", 3])],
        {"table": np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)},
    )


def positions() -> onnx.ModelProto:
    """x plus the first seq rows of a table of 16: seq is at most 16."""
    return model(
        [
            helper.make_node("Shape", ["x"], ["shape"], name="shape"),
            helper.make_node("Slice", ["shape", "one", "two"], ["seq"], name="seq"),
            helper.make_node("Slice", ["table", "zero", "seq"], ["rows"], name="rows"),
            helper.make_node("Add", ["x", "rows"], ["y"], name="/emb/Add"),
        ],
        [("x", FLOAT, ["batch", "seq", 4])],
        [("y", FLOAT, ["batch", "seq", 4])],
        {
            "table": np.arange(64, dtype=np.float32).reshape(16, 4),
            "zero": np.array([0]),
            "one": np.array([1]),
            "two": np.array([2]),
        },
    )
