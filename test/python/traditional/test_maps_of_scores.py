"""Sequences of maps from labels to scores, which classifiers of scikit-learn end with, are tensors of scores."""

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

LABELS = {"numbers": ("<classlabels_int64s = [7, -2, 5]>", onnx.TensorProto.INT64, (7, -2, 5)),
          "texts": ('<classlabels_strings = ["x", "y", "z"]>', onnx.TensorProto.STRING, ("x", "y", "z"))}


def build(labels, dims="N, 3", key=onnx.TensorProto.INT64, body="y = ai.onnx.ml.ZipMap{}(s)"):
    model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 1]> '
                                    f"g (float[{dims}] x) => (float y) {{ s = Abs(x) {body.format(labels)} }}")
    kind = onnx.helper.make_map_type_proto(key, onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, []))
    model.graph.output[0].type.CopyFrom(onnx.helper.make_sequence_type_proto(kind))
    return model


@pytest.mark.parametrize("labels", LABELS)
def test_a_column_for_each_label(labels):
    model = build(LABELS[labels][0], key=LABELS[labels][1])
    with pytest.warns(match="a column for each of the labels .*, and no sequence of maps"):
        reference = dyn.Reference(model)
    with pytest.warns(match="no sequence of maps"):
        compiled = dyn.compile(model)
    theirs = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for rows in (3, 1, 0):
        x = np.random.default_rng(rows).standard_normal((rows, 3)).astype(np.float32)
        (maps,) = theirs.run(None, {"x": x})
        for runner in (reference, compiled):
            (got,) = runner.run({"x": x})
            assert got.shape == (rows, 3)
            assert [dict(zip(LABELS[labels][2], scores)) for scores in got] == maps


def test_one_map():
    with pytest.warns(match="no sequence of maps"):
        (got,) = dyn.Reference(build(LABELS["numbers"][0], dims="3")).run({"x": np.array([1, -2, 3], np.float32)})
    np.testing.assert_array_equal(got, [[1, 2, 3]])


def test_the_declared_type_stays():
    model = build(LABELS["numbers"][0])
    with pytest.warns(match="no sequence of maps"):
        inferred = dyn.infer_shapes(model)
    assert inferred.graph.output[0] == model.graph.output[0]


@pytest.mark.parametrize("labels, dims, message", [
    ("<classlabels_int64s = [1, 2]>", "N, 3", "has 2 class labels for 3 scores"),
    ("", "N, 3", "has no class labels"),
    (LABELS["numbers"][0], "N, M, 3", "operand 0 has rank 3, must have 1 or 2")])
def test_labels_that_do_not_fit(labels, dims, message):
    with pytest.raises(dyn.ModelError, match=message):
        dyn.Reference(build(labels, dims))


def test_what_only_moves_maps_is_left_out():
    model = build(LABELS["numbers"][0], body="m = ai.onnx.ml.ZipMap{}(s) k = Identity(m) y = Identity(k)")
    with pytest.warns(match="no sequence of maps"):
        (got,) = dyn.Reference(model).run({"x": np.array([[1, -2, 3]], np.float32)})
    np.testing.assert_array_equal(got, [[1, 2, 3]])


def test_what_computes_with_maps_is_refused():
    model = build(LABELS["numbers"][0], body="m = ai.onnx.ml.ZipMap{}(s) y = Neg(m)")
    with pytest.raises(dyn.ModelError, match="declared as a sequence of which each element is a map, but is a tensor"):
        dyn.Reference(model)
