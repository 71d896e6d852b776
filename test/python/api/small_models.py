"""Small ONNX models for tests of the Python package."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def model(nodes, inputs, outputs, initializers=None, opset=17) -> onnx.ModelProto:
    """A checked model; inputs and outputs are (name, type, dims), initializers arrays by name."""
    graph = helper.make_graph(
        nodes,
        "test",
        [helper.make_tensor_value_info(*value) for value in inputs],
        [helper.make_tensor_value_info(*value) for value in outputs],
        [numpy_helper.from_array(array, name) for name, array in (initializers or {}).items()],
    )
    result = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
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


def embedding(words=10, places=16) -> onnx.ModelProto:
    """Rows of a table of words plus rows of a table of positions, which the graph counts: seq is at most `places`."""
    return model(
        [
            helper.make_node("Gather", ["words", "ids"], ["word"], name="/words/Gather"),
            helper.make_node("Shape", ["ids"], ["shape"], name="shape"),
            helper.make_node("Gather", ["shape", "one"], ["seq"], name="seq"),
            helper.make_node("Range", ["zero", "seq", "one"], ["range"], name="range"),
            helper.make_node("Gather", ["positions", "range"], ["position"], name="/positions/Gather"),
            helper.make_node("Add", ["word", "position"], ["y"], name="/Add"),
        ],
        [("ids", INT64, ["batch", "seq"])],
        [("y", FLOAT, ["batch", "seq", 4])],
        {
            "words": np.arange(words * 4, dtype=np.float32).reshape(words, 4),
            "positions": np.arange(places * 4, dtype=np.float32).reshape(places, 4),
            "zero": np.array(0),
            "one": np.array(1),
        },
    )


def window(rows=6) -> onnx.ModelProto:
    """One row of `rows` for each place of x, expanded to the batch of y: none is read if y has no batch."""
    return model(
        [
            helper.make_node("Shape", ["x"], ["n"], name="n"),
            helper.make_node("Squeeze", ["n"], ["count"], name="count"),
            helper.make_node("Range", ["zero", "count", "one"], ["range"], name="range"),
            helper.make_node("Shape", ["y"], ["batch"], name="batch"),
            helper.make_node("Concat", ["batch", "n"], ["dims"], name="dims", axis=0),
            helper.make_node("Expand", ["range", "dims"], ["indices"], name="indices"),
            helper.make_node("Gather", ["table", "indices"], ["rows"], name="/rows"),
        ],
        [("x", FLOAT, ["n"]), ("y", FLOAT, ["batch"])],
        [("rows", FLOAT, ["batch", "n"])],
        {"table": np.arange(rows, dtype=np.float32), "zero": np.array(0), "one": np.array(1)},
    )


def rows_at_places() -> onnx.ModelProto:
    """Indices of a run into rows of a run: there must be a row, unless there are no indices."""
    return model(
        [
            helper.make_node("Gather", ["x", "ids"], ["y"], name="/gather"),
            helper.make_node("GatherElements", ["x", "places"], ["z"], name="/elements", axis=0),
        ],
        [("x", FLOAT, ["n", 3]), ("ids", INT64, ["k"]), ("places", INT64, ["m", 3])],
        [("y", FLOAT, ["k", 3]), ("z", FLOAT, ["m", 3])],
    )


def positions() -> onnx.ModelProto:
    """x plus the first seq rows of a table of 16: seq is at most 16."""
    return model(
        [
            helper.make_node("Shape", ["x"], ["shape"], name="shape"),
            helper.make_node("Slice", ["shape", "one", "two"], ["seq"], name="seq"),
            helper.make_node("Slice", ["table", "zero", "seq"], ["rows"], name="/emb/Slice"),
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
