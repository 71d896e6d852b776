"""Mappings of categories and vectors of features give what onnxruntime's give."""

import numpy as np
import onnx
import pytest

from models import run_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

CATEGORIES = {"cats_strings": ["a", "b", "", "b"], "cats_int64s": [5, -3, 7, 8]}


def make(operator, inputs, kind, **attributes):
    node = onnx.helper.make_node(operator, list(inputs), ["y"], name="/n", domain="ai.onnx.ml", **attributes)
    graph = onnx.helper.make_graph([node], "g", [onnx.helper.make_tensor_value_info(name, *how) for name, how in inputs.items()],
                                   [onnx.helper.make_tensor_value_info("y", kind, None)])
    return onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 17),
                                                                      onnx.helper.make_opsetid("ai.onnx.ml", 1)])


def mapper(to_texts=False, **attributes):
    kinds = [onnx.TensorProto.STRING, onnx.TensorProto.INT64]
    return make("CategoryMapper", {"x": (kinds[to_texts], ["N", "S"])}, kinds[not to_texts], **{**CATEGORIES, **attributes})


def vectorizer(dims, widths, *dtypes):
    kinds = [onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)) for dtype in dtypes or [np.float32] * len(dims)]
    return make("FeatureVectorizer", {f"x{i}": (kind, some) for i, (kind, some) in enumerate(zip(kinds, dims, strict=True))},
                onnx.TensorProto.FLOAT, inputdimensions=widths)


@pytest.mark.parametrize("attributes", [{}, {"default_int64": 9, "default_string": "none"}])
@pytest.mark.parametrize("to_texts", [False, True])
def test_category_mappers(attributes, to_texts):
    model = mapper(to_texts, **attributes)
    for dims in ((0, 3), (1, 1), (2, 5), (7, 1)):
        places = np.random.default_rng(0).integers(0, 5, dims)
        x = np.array([5, -3, 7, 8, 1])[places] if to_texts else np.array(["a", "b", "", "z", "aa"], object)[places]
        (ours,), (expected,) = dyn.Reference(model).run({"x": x}), run_onnxruntime(model, {"x": x})
        assert (ours.shape, ours.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32])
@pytest.mark.parametrize("dims, widths", [
    ([("N", 3), ("N", 2), ("N", 1)], [3, 2, 1]), ([("N", 3), ("N", 2), ("N", 1)], [2, 5, 1]),
    ([("N", "S"), ("N", "K", 2), ("N", 1)], [3, 4, 2]), ([("S",), ("K",), (2,)], [3, 4, 2])])
def test_feature_vectorizers(dims, widths, dtype):
    model = vectorizer(dims, widths, *[dtype] * len(dims))
    runners = dyn.Reference(model), dyn.compile(model, threads=1)
    for sizes in ({"N": 2, "S": 5, "K": 3}, {"N": 1, "S": 1, "K": 1}, {"N": 7, "S": 3, "K": 2}, {"N": 31, "S": 2, "K": 13}):
        inputs = {f"x{i}": (np.random.default_rng(i).standard_normal([sizes.get(dim, dim) for dim in some]) * 9).astype(dtype)
                  for i, some in enumerate(dims)}
        (expected,) = run_onnxruntime(model, inputs)
        for runner in runners:
            (ours,) = runner.run(inputs)
            assert (ours.shape, ours.dtype) == (expected.shape, expected.dtype), sizes
            np.testing.assert_array_equal(ours, expected)
    nothing = {f"x{i}": np.zeros([{"N": 0, "S": 0, "K": 0}.get(dim, dim) for dim in some], dtype) for i, some in enumerate(dims)}
    for runner in runners:
        assert runner.run(nothing)[0].shape == (0 if len(dims[0]) > 1 else 1, sum(widths))


@pytest.mark.parametrize("model, message", [
    (mapper(cats_int64s=[1]), "4 'cats_strings' and 1 'cats_int64s'"),
    (vectorizer([("N", 3)], [1, 2]), "1 operands and 2 'inputdimensions'"),
    (vectorizer([("N", 3)], [0]), "'inputdimensions' has the entry 0"),
    (vectorizer([("N", 3), ("N", 3)], [3, 3], np.float32, np.int64), "different element types, .f32. and .i64."),
    (vectorizer([()], [1]), "operand 0 has no dims")])
def test_what_is_refused(model, message):
    with pytest.raises(dyn.ModelError, match=message):
        dyn.Reference(model)
