"""TopK orders rows of any length by either way of doing so: what is wanted are few of many, or not."""

import numpy as np
import onnx.helper as oh
import onnx.numpy_helper
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")


def build(kind, rank, axis, largest):
    dims = [f"d{place}" for place in range(rank)]
    node = oh.make_node("TopK", ["x", "k"], ["v", "i"], axis=axis, largest=largest)
    graph = oh.make_graph([node], "g", [oh.make_tensor_value_info("x", kind, dims), oh.make_tensor_value_info("k", onnx.TensorProto.INT64, [1])],
                          [oh.make_tensor_value_info("v", kind, None), oh.make_tensor_value_info("i", onnx.TensorProto.INT64, None)])
    return oh.make_model(graph, opset_imports=[oh.make_opsetid("", 17)], ir_version=8)


def order(x, axis, largest):
    """Stable; what is no number is larger than all others."""
    flipped = np.moveaxis(x, axis, -1).astype(np.float64)
    places = np.empty(flipped.shape, np.int64)
    for row in np.ndindex(flipped.shape[:-1]):
        key = [(2, 0.0) if np.isnan(value) else (1, value) for value in flipped[row]]
        ranks = {value: rank for rank, value in enumerate(sorted(set(key)))}
        numbers = np.array([ranks[value] for value in key], np.int64)
        places[row] = np.argsort(-numbers if largest else numbers, kind="stable")
    return np.moveaxis(places, -1, axis)


@pytest.mark.parametrize("largest", [1, 0])
@pytest.mark.parametrize("kind, rank, axis", [(onnx.TensorProto.FLOAT, 1, 0), (onnx.TensorProto.FLOAT, 2, 1), (onnx.TensorProto.FLOAT, 3, 1),
                                              (onnx.TensorProto.UINT8, 2, -1), (onnx.TensorProto.INT64, 2, 0), (onnx.TensorProto.FLOAT16, 2, 1)])
def test_orders_as_a_stable_sort(kind, rank, axis, largest):
    runner = dyn.compile(build(kind, rank, axis, largest), threads=1)
    generator = np.random.default_rng(0)
    for size in (1, 2, 3, 16, 17, 31, 100, 1000):
        for wanted in {0, 1, min(size, 5), min(size, 17), size // 2, size}:
            dims = [3] * rank
            dims[axis] = size
            # Many are equal.
            x = generator.integers(0, max(size // 3, 2), dims).astype(oh.tensor_dtype_to_np_dtype(kind))
            if kind == onnx.TensorProto.FLOAT:
                x[generator.random(dims) < 0.1] = np.nan
            places = np.take(order(x, axis, largest), np.arange(wanted), axis)
            values, found = runner.run({"x": x, "k": np.array([wanted])})
            np.testing.assert_array_equal(found, places)
            np.testing.assert_array_equal(values, np.take_along_axis(x, places, axis))


@pytest.mark.parametrize("size, wanted", [(0, 0), (50000, 50), (20000, 20000)])
def test_long_rows(size, wanted):
    runner = dyn.compile(build(onnx.TensorProto.FLOAT, 2, 1, 1), threads=1)
    x = np.random.default_rng(0).permutation(size).astype(np.float32)[None]
    for row in x, np.sort(x), -np.sort(-x):
        values, places = runner.run({"x": row, "k": np.array([wanted])})
        np.testing.assert_array_equal(values, -np.sort(-row)[:, :wanted])
        np.testing.assert_array_equal(places, np.argsort(-row)[:, :wanted])
