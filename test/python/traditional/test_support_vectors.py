"""Support vector machines give what onnxruntime's give."""

import numpy as np
import onnx
import pytest

from models import run_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

KERNELS = ["LINEAR", "POLY", "RBF", "SIGMOID"]
FEATURES = 4


def make(operator, outputs, kind=onnx.TensorProto.FLOAT, **attributes):
    node = onnx.helper.make_node(operator, ["x"], list(outputs), domain="ai.onnx.ml", **attributes)
    graph = onnx.helper.make_graph([node], "g", [onnx.helper.make_tensor_value_info("x", kind, ["N", FEATURES])],
                                   [onnx.helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()])
    return onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 17),
                                                                      onnx.helper.make_opsetid("ai.onnx.ml", 1)])


def numbers(count, seed=0):
    return [float(value) for value in np.random.default_rng(seed).standard_normal(count).astype(np.float32)]


def make_regressor(kernel="RBF", supports=7, **attributes):
    return make("SVMRegressor", {"y": onnx.TensorProto.FLOAT},
                **{"kernel_type": kernel, "kernel_params": [0.2, 0.5, 3.0], "n_supports": supports, "coefficients": numbers(supports),
                   "support_vectors": numbers(supports * FEATURES, 1), "rho": [0.3], **attributes})


def make_classifier(kernel="RBF", sizes=(3, 5), labels=None, **attributes):
    classes, count = len(sizes), sum(sizes)
    labels = labels or {"classlabels_ints": [7, -2, 5, 11][:classes]}
    kind = onnx.TensorProto.STRING if "classlabels_strings" in labels else onnx.TensorProto.INT64
    return make("SVMClassifier", {"label": kind, "scores": onnx.TensorProto.FLOAT},
                **{"kernel_type": kernel, "kernel_params": [0.2, 0.5, 3.0], "vectors_per_class": list(sizes),
                   "coefficients": numbers((classes - 1) * count), "support_vectors": numbers(count * FEATURES, 1),
                   "rho": numbers(classes * (classes - 1) // 2, 2), **labels, **attributes})


def check(model, compiles=True):
    runners = [dyn.Reference(model), *([dyn.compile(model)] if compiles else [])]
    for rows in (5, 1, 31):
        x = np.random.default_rng(rows).standard_normal((rows, FEATURES)).astype(np.float32)
        expected = run_onnxruntime(model, {"x": x})
        for runner in runners:
            for got, wanted in zip(runner.run({"x": x}), expected, strict=True):
                assert got.shape == np.shape(wanted)
                if got.dtype.kind == "f":
                    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
                else:
                    np.testing.assert_array_equal(got, wanted)
    nothing = [value.shape[0] for value in runners[0].run({"x": np.zeros((0, FEATURES), np.float32)})]
    assert nothing == [0] * len(model.graph.output)


@pytest.mark.parametrize("kernel", KERNELS)
def test_regressors(kernel):
    check(make_regressor(kernel))


def test_one_class():
    check(make_regressor(one_class=1))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sizes", [(3, 5), (2, 1, 4), (1, 3, 2, 2)])
def test_classifiers(kernel, sizes):
    check(make_classifier(kernel, sizes))


def test_labels_that_are_texts():
    check(make_classifier(sizes=(2, 1, 4), labels={"classlabels_strings": ["a", "b", "c"]}), compiles=False)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sizes", [(3, 5), (2, 1, 4), (1, 3, 2, 2)])
def test_probabilities(kernel, sizes):
    """A loop couples those of pairs of classes, which is interpreted only."""
    pairs = len(sizes) * (len(sizes) - 1) // 2
    check(make_classifier(kernel, sizes, prob_a=numbers(pairs, 3), prob_b=numbers(pairs, 4)), compiles=False)


def test_probabilities_of_coefficients_none_of_which_is_negative():
    check(make_classifier(coefficients=[1.0] * 8, prob_a=[-1.5], prob_b=[0.25]), compiles=False)


@pytest.mark.parametrize("model, message", [
    (make_regressor(supports=0, coefficients=[1.0], support_vectors=[1.0]), "no support vectors"),
    (make_regressor(kernel="COSINE"), "kernel_type 'COSINE' is not supported"),
    (make_regressor(rho=[1.0, 2.0]), "7 'coefficients' and 2 'rho' for 7 support vectors"),
    (make_regressor(support_vectors=numbers(9)), "'support_vectors' has 9 entries for 7 vectors"),
    (make_regressor(kernel_params=[1.0]), "'kernel_params' has 1 entries instead of 3"),
    (make_regressor(post_transform="LOGISTIC"), "post_transform 'LOGISTIC' is not supported"),
    (make_classifier(prob_a=[1.0], prob_b=[0.0, 1.0]), "1 'prob_a' and 2 'prob_b' for 1 pairs"),
    (make_classifier(sizes=(2, 1, 4), prob_a=[1.0], prob_b=[0.0]), "1 'prob_a' and 1 'prob_b' for 3 pairs"),
    (make_classifier(coefficients=[1.0] * 8), "none of which is negative"),
    (make_classifier(vectors_per_class=[9, -1]), "'vectors_per_class' has the entry -1"),
    (make_classifier(vectors_per_class=[8]), "2 class labels and 1 'vectors_per_class'"),
    (make_classifier(sizes=(2, 1, 4), rho=[1.0]), "14 'coefficients' and 1 'rho' for 3 classes and 7 support vectors")])
def test_what_is_refused(model, message):
    with pytest.raises(dyn.ModelError, match=message):
        dyn.Reference(model)


@pytest.mark.parametrize("kernel", KERNELS)
def test_rows_must_be_as_long_as_support_vectors(kernel):
    """One feature would be repeated for each entry of a vector."""
    model = make_regressor(kernel)
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_param = "F"
    assert f"F == {FEATURES}" in [guard.predicate for guard in dyn.shapes(model).guards]
    for runner in dyn.compile(model), dyn.Reference(model):
        with pytest.raises(dyn.ShapeError, match="features of `x`" if kernel == "RBF" else "contraction"):
            runner.run({"x": np.ones((3, 1), np.float32)})
