"""Initializers and constants of which a file holds only what is not 0."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import dyn

VALUES = np.array([3, -1, 7], np.float32)
FLAT = np.array([1, 5, 11], np.int64)
PAIRS = np.array([[0, 1], [1, 1], [2, 3]], np.int64)


def make_sparse(values=VALUES, indices=FLAT, dims=(3, 4), name="w"):
    return onnx.SparseTensorProto(values=numpy_helper.from_array(values, name),
                                  indices=numpy_helper.from_array(indices, f"{name}_indices"), dims=dims)


def make_model(sparse, as_constant=False):
    """`y = x @ w`, of which w is sparse."""
    nodes = [helper.make_node("Constant", [], ["w"], sparse_value=sparse)] if as_constant else []
    nodes.append(helper.make_node("MatMul", ["x", "w"], ["y"], name="product"))
    kind = helper.np_dtype_to_tensor_dtype(VALUES.dtype)
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", kind, ["n", 3])],
                              [helper.make_tensor_value_info("y", kind, ["n", "m"])],
                              sparse_initializer=[] if as_constant else [sparse])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("as_constant", [False, True], ids=["initializer", "constant"])
@pytest.mark.parametrize("indices", [FLAT, PAIRS], ids=["flat", "pairs"])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_they_are_written_out(indices, as_constant, n):
    model = make_model(make_sparse(indices=indices), as_constant)
    x = np.arange(3 * n, dtype=np.float32).reshape(n, 3) - 2
    dense = np.zeros(12, np.float32)
    dense[FLAT] = VALUES
    expected = x @ dense.reshape(3, 4)
    peer = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(peer.run(None, {"x": x})[0], expected)
    text = model.SerializeToString()
    for runner in (dyn.compile(text), dyn.Reference(text)):
        np.testing.assert_allclose(runner.run({"x": x})[0], expected)


def test_their_dims_are_known():
    assert [str(dim) for dim in dyn.shapes(make_model(make_sparse())).values["y"].dims] == ["n", "4"]


def test_none_of_their_elements_may_be_there():
    sparse = make_sparse(np.zeros(0, np.float32), np.zeros(0, np.int64), (3, 0))
    assert [str(dim) for dim in dyn.shapes(make_model(sparse)).values["y"].dims] == ["n", "0"]


@pytest.mark.parametrize("what, sparse", [
    ("index 2 is outside of [3, 4]", make_sparse(indices=np.array([1, 5, 12], np.int64))),
    ("index 1 is outside of [3, 4]", make_sparse(indices=np.array([[0, 1], [1, 4], [2, 3]], np.int64))),
    ("index 0 is outside of [3, 4]", make_sparse(indices=np.array([-1, 5, 11], np.int64))),
    ("index 2 is not behind the one before it", make_sparse(indices=np.array([1, 5, 5], np.int64))),
    ("its 3 values have indices of type int64 with dims [2]", make_sparse(indices=FLAT[:2])),
    ("its 3 values have indices of type int32 with dims [3]", make_sparse(indices=FLAT.astype(np.int32))),
    ("its dims are [3, -4]", make_sparse(dims=(3, -4))),
    ("bytes when it is dense", make_sparse(dims=(1 << 20, 1 << 20))),
    ("its dims are", make_sparse(dims=(1 << 40, 1 << 40))),
])
def test_what_is_wrong_with_one_is_said(tmp_path, tool, what, sparse):
    path = tmp_path / "model.onnx"
    for as_constant, name in ((False, "sparse initializer 'w'"), (True, "attribute 'sparse_value'")):
        path.write_bytes(make_model(sparse, as_constant).SerializeToString())
        process = tool("dyn-translate", "--import-onnx", path, "-o", tmp_path / "out.mlir")
        assert process.returncode == 1 and f"{name}: " in process.stderr and what in process.stderr, process.stderr
        assert not (tmp_path / "out.mlir").exists()


def test_many_small_ones_get_no_more_memory_than_a_large_one(tmp_path, tool):
    model = make_model(make_sparse())
    for number in range(5):
        model.graph.sparse_initializer.append(make_sparse(dims=(1 << 13, 1 << 13), name=f"v{number}"))
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    process = tool("dyn-translate", "--import-onnx", path, "-o", tmp_path / "out.mlir")
    assert process.returncode == 1
    assert ("sparse initializer 'v3': it has 268435456 bytes when it is dense, more than the 268435408 that are left"
            in process.stderr)
