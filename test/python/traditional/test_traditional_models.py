"""Label encoders, ensembles of trees and counts of n-grams, against onnxruntime; numeric ones are compiled too."""

import numpy as np
import onnx.helper as oh
import pytest
from onnx import TensorProto
from onnx.reference import ReferenceEvaluator

from models import run_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

NAN = float("nan")


def make_model(operator, attributes, kind, dims, version=None):
    domain = "ai.onnx.ml" if version else ""
    node = oh.make_node(operator, ["x"], ["y"], name="/n", domain=domain)
    for name, value in attributes.items():
        node.attribute.append(oh.make_attribute(name, value))
    graph = oh.make_graph([node], "g", [oh.make_tensor_value_info("x", kind, dims)], [oh.make_empty_tensor_value_info("y")])
    opsets = [oh.make_opsetid("", 18)] + ([oh.make_opsetid(domain, version)] if version else [])
    return oh.make_model(graph, opset_imports=opsets, ir_version=8)


def check(model, arrays, compiled=True):
    runners = [dyn.Reference(model), dyn.Reference(model, infer_shapes=True)]
    if compiled:
        runners.append(dyn.compile(model, threads=1))
    for array in arrays:
        expected = run_onnxruntime(model, {"x": array})
        for runner in runners:
            (ours,) = runner.run({"x": array})
            assert (ours.dtype, ours.shape) == (expected[0].dtype, expected[0].shape)
            if ours.dtype == object:
                np.testing.assert_array_equal(ours, expected[0])
            else:
                np.testing.assert_allclose(ours, expected[0], 1e-5, 1e-6)


def run_reference(model, inputs):
    """With ONNX's own evaluator, which does not take rows that there are none of."""
    rows = inputs["x"]
    return [output[:len(rows)] for output in ReferenceEvaluator(model).run(None, {"x": rows if len(rows) else np.zeros((1, 3), rows.dtype)})]


#===- Label encoders -------------------------------------------------------===#

WORDS = [np.array(["b", "", "z", "a", "b"], object), np.zeros(0, object), np.array([["c"]], object)]
NUMBERS = [np.array([2, 1, 7, -3, 2]), np.zeros(0, np.int64), np.array([[1]])]
FLOATS = [np.array([2, 1, 7, NAN, -0.0, 0], np.float32), np.zeros((0, 3), np.float32)]


def tensor(kind, values):
    return oh.make_tensor("t", kind, [len(values)], values)


@pytest.mark.parametrize("version, kind, attributes, arrays", [
    (2, TensorProto.STRING, {"keys_strings": ["a", "b", "b"], "values_int64s": [5, 6, 7]}, WORDS),
    (2, TensorProto.STRING, {"keys_strings": ["a", "b"], "values_strings": ["x", ""]}, WORDS),
    (2, TensorProto.STRING, {"keys_strings": ["a"], "values_floats": [1.5], "default_float": 9.0}, WORDS),
    (2, TensorProto.INT64, {"keys_int64s": [1, 2, 1], "values_int64s": [10, 20, 30]}, NUMBERS),
    (2, TensorProto.INT64, {"keys_int64s": [1, 2], "values_floats": [0.5, 1.0]}, NUMBERS),
    (4, TensorProto.INT64, {"keys_int64s": [1, 2], "values_strings": ["one", "two"], "default_string": "many"}, NUMBERS),
    (2, TensorProto.FLOAT, {"keys_floats": [0.0, 2.0, NAN], "values_int64s": [1, 2, 3]}, FLOATS),
    (4, TensorProto.FLOAT, {"keys_floats": [0.0, 2.0, NAN], "values_int64s": [1, 2, 3]}, FLOATS),
    (4, TensorProto.DOUBLE, {"keys_tensor": tensor(TensorProto.DOUBLE, [1.0, 2.0]),
                             "values_tensor": tensor(TensorProto.DOUBLE, [0.25, 0.5]),
                             "default_tensor": tensor(TensorProto.DOUBLE, [-1.0])}, [np.array([2.0, 3.0])]),
    (1, TensorProto.STRING, {"classes_strings": ["a", "b", "a"]}, WORDS),
    (1, TensorProto.INT64, {"classes_strings": ["a", "b", "c"], "default_string": "none"}, NUMBERS),
])
def test_label_encoders(version, kind, attributes, arrays):
    is_numeric = kind != TensorProto.STRING and not any("strings" in name for name in attributes)
    check(make_model("LabelEncoder", attributes, kind, None if arrays[0].ndim != arrays[-1].ndim else ["n"] * arrays[0].ndim,
                     version), arrays, compiled=False)
    if is_numeric:
        first = [array for array in arrays if array.ndim == 1]
        check(make_model("LabelEncoder", attributes, kind, ["n"], version), first)


@pytest.mark.parametrize("attributes, message", [
    ({"keys_int64s": [1], "values_int64s": [1, 2]}, "has 1 keys, but 2 values"),
    ({"values_int64s": [1, 2]}, "none of the attributes 'keys_...' has elements"),
    ({"keys_floats": [1.0], "values_int64s": [1]}, "operand 0 has elements of type int64, the keys are of type float"),
    ({"keys_int64s": [1], "values_tensor": tensor(TensorProto.DOUBLE, [1.0])}, "attribute 'default_tensor' is missing"),
    ({"keys_int64s": [1], "values_tensor": oh.make_tensor("t", TensorProto.DOUBLE, [], [1.0])},
     "attribute 'values_tensor': must be a vector with elements"),
])
def test_label_encoders_that_make_no_sense(attributes, message):
    with pytest.raises(dyn.CompileError) as refused:
        dyn.Reference(make_model("LabelEncoder", attributes, TensorProto.INT64, ["n"], 4))
    assert f"node '/n' (ai.onnx.ml.LabelEncoder): {message}" in str(refused.value)


#===- Trees ----------------------------------------------------------------===#

# Two trees over three features; the second is a single decision.
TREES = {
    "tree_roots": [0, 3], "n_targets": 2,
    "nodes_featureids": [0, 1, 2, 1], "nodes_truenodeids": [1, 0, 2, 4], "nodes_falsenodeids": [2, 1, 3, 5],
    "nodes_trueleafs": [0, 1, 1, 1], "nodes_falseleafs": [0, 1, 1, 1],
    "leaf_targetids": [0, 1, 0, 1, 0, 0],
}


def trees(dtype=np.float32, modes=(0, 0, 0, 0), **others):
    kind = oh.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return {**TREES, "nodes_modes": oh.make_tensor("m", TensorProto.UINT8, [4], list(modes)),
            "nodes_splits": oh.make_tensor("s", kind, [4], [0.5, -0.25, 1.0, 0.0]),
            "leaf_weights": oh.make_tensor("w", kind, [6], [1.0, -2.0, 3.0, 4.5, 5.0, -6.0]), **others}


def rows(dtype=np.float32):
    generator = np.random.default_rng(0)
    full = generator.standard_normal((17, 3)).astype(dtype)
    full[3] = [0.5, -0.25, 1.0]
    return [full, full[:1]]


@pytest.mark.parametrize("attributes", [
    {}, {"aggregate_function": 0}, {"aggregate_function": 2}, {"aggregate_function": 3},
    {"modes": (1, 2, 3, 4)}, {"modes": (5, 5, 0, 1)},
    {"nodes_missing_value_tracks_true": [1, 0, 1, 0]},
], ids=str)
def test_ensembles_of_trees(attributes):
    data = rows()
    if "nodes_missing_value_tracks_true" in attributes:
        data[0][5] = [NAN, 1, NAN]
    check(make_model("TreeEnsemble", trees(**attributes), TensorProto.FLOAT, ["n", 3], 5), data)


def test_transforms_of_ensembles():
    """onnxruntime takes the number of one for the other's."""
    (data, _), make = rows(), lambda transform: make_model("TreeEnsemble", trees(post_transform=transform), TensorProto.FLOAT, ["n", 3], 5)
    (scores,) = run_onnxruntime(make(0), {"x": data})
    powers = np.exp(scores)
    for transform in 3, 4:
        np.testing.assert_allclose(dyn.compile(make(transform)).run({"x": data})[0],
                                   run_onnxruntime(make(transform), {"x": data})[0], 1e-4, 1e-4)
    for transform, expected in (1, powers / powers.sum(1, keepdims=True)), (2, powers / (1 + powers)):
        np.testing.assert_allclose(dyn.compile(make(transform)).run({"x": data})[0], expected, 1e-5)


def test_ensembles_of_doubles():
    check(make_model("TreeEnsemble", trees(np.float64), TensorProto.DOUBLE, ["n", 3], 5), rows(np.float64))


@pytest.mark.parametrize("attributes, message", [
    ({"nodes_truenodeids": [0, 0, 2, 4]}, "node 0 is below itself"),
    ({"nodes_truenodeids": [9, 0, 2, 4]}, "there is no node 9 among 4"),
    ({"nodes_falsenodeids": [2, 1, 3, 6]}, "there is no leaf 6 among 6"),
    ({"tree_roots": [4]}, "there is no node 4, the root of a tree, among 4"),
    ({"leaf_targetids": [0, 1, 0, 1, 2, 0]}, "a leaf is of target 2 of 2"),
    ({"nodes_featureids": [0, 1]}, "attribute 'nodes_featureids' has 2 entries instead of 4"),
    ({"modes": (6, 0, 0, 0)}, "attribute 'membership_values' has no set for node 0"),
    ({"post_transform": 5}, "post_transform 5 is not supported"),
])
def test_ensembles_that_make_no_sense(attributes, message):
    with pytest.raises(dyn.CompileError) as refused:
        dyn.Reference(make_model("TreeEnsemble", trees(**attributes), TensorProto.FLOAT, ["n", 3], 5))
    assert f"node '/n' (ai.onnx.ml.TreeEnsemble): {message}" in str(refused.value)


# Tree 7 is a decision below a decision, tree 9 a single leaf, tree 3 has leaves of two targets.
SHARES = [-0.25, -0.125, 0.0, 0.0625, -0.5, 0.0, 0.25]
NUMBERED = {
    "nodes_treeids": [7, 7, 7, 7, 7, 9, 3, 3, 3], "nodes_nodeids": [0, 1, 2, 3, 4, 0, 2, 1, 0],
    "nodes_modes": ["BRANCH_LEQ", "BRANCH_GT", "LEAF", "LEAF", "LEAF", "LEAF", "BRANCH_LT", "LEAF", "LEAF"],
    "nodes_featureids": [0, 2, 0, 0, 0, 0, 1, 0, 0], "nodes_values": [0.5, -0.25, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    "nodes_truenodeids": [1, 2, 0, 0, 0, 0, 0, 0, 0], "nodes_falsenodeids": [4, 3, 0, 0, 0, 0, 1, 0, 0],
    "target_treeids": [7, 7, 7, 9, 3, 3, 3], "target_nodeids": [2, 3, 4, 0, 1, 0, 0], "target_ids": [0, 1, 0, 1, 1, 0, 1],
    "target_weights": [1.0, -2.0, 3.0, 4.5, 5.0, -6.0, 0.5], "n_targets": 2,
}


@pytest.mark.parametrize("attributes", [
    {}, {"aggregate_function": "AVERAGE"}, {"aggregate_function": "MIN"}, {"aggregate_function": "MAX"},
    {"base_values": [10.0, 20.0]}, {"base_values": [10.0, 20.0], "aggregate_function": "AVERAGE"},
    {"nodes_missing_value_tracks_true": [1, 0, 0, 0, 0, 0, 1, 0, 0]}, {"post_transform": "LOGISTIC"}, {"post_transform": "SOFTMAX"},
    {"post_transform": "SOFTMAX_ZERO"}, {"post_transform": "PROBIT", "base_values": [0.9, 0.5], "target_weights": SHARES},
    {"post_transform": "SOFTMAX_ZERO", "target_weights": [0.0, 1.0, 2.0, 4.5, 0.0, 0.0, -1.0]},
], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ensembles_of_regressors(attributes, dtype):
    data = rows(dtype)
    if "nodes_missing_value_tracks_true" in attributes:
        data[0][5] = [NAN, NAN, NAN]
    kind = oh.np_dtype_to_tensor_dtype(np.dtype(dtype))
    check(make_model("TreeEnsembleRegressor", {**NUMBERED, **attributes}, kind, ["n", 3], 3), data)


@pytest.mark.parametrize("attributes, message", [
    ({"nodes_truenodeids": [2, 2, 0, 0, 0, 0, 0, 0, 0]}, "tree 7 has two roots"),
    ({"nodes_truenodeids": [8, 2, 0, 0, 0, 0, 0, 0, 0]}, "tree 7 has no node 8"),
    ({"nodes_nodeids": [0, 1, 1, 3, 4, 0, 2, 1, 0]}, "tree 7 has two nodes 1"),
    ({"target_nodeids": [1, 3, 4, 0, 1, 0, 0]}, "node 1 of tree 7 has a weight, but is no leaf"),
    ({"base_values": [1.0]}, "has 1 'base_values' for 2 targets"),
    ({"post_transform": "SIGMOID"}, "post_transform 'SIGMOID' is not supported"),
    ({"nodes_modes": ["BRANCH_IN"] + NUMBERED["nodes_modes"][1:]}, "mode 'BRANCH_IN' of node 0 is not supported"),
])
def test_regressors_that_make_no_sense(attributes, message):
    with pytest.raises(dyn.CompileError) as refused:
        dyn.Reference(make_model("TreeEnsembleRegressor", {**NUMBERED, **attributes}, TensorProto.FLOAT, ["n", 3], 3))
    assert f"node '/n' (ai.onnx.ml.TreeEnsembleRegressor): {message}" in str(refused.value)


# A complete tree over the first feature, and one whose leaves are those of every other class.
CLASSES = {
    "nodes_treeids": [0] * 7 + [5] * 3, "nodes_nodeids": [*range(7), 0, 1, 2],
    "nodes_modes": ["BRANCH_LEQ"] * 3 + ["LEAF"] * 4 + ["BRANCH_GT", "LEAF", "LEAF"],
    "nodes_featureids": [0] * 7 + [1, 0, 0], "nodes_values": [0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0],
    "nodes_truenodeids": [1, 3, 5, 0, 0, 0, 0, 1, 0, 0], "nodes_falsenodeids": [2, 4, 6, 0, 0, 0, 0, 2, 0, 0],
}
LEAVES = [(0, 3), (0, 4), (0, 5), (0, 6), (5, 1), (5, 2)]


def classifier(weights, labels, **others):
    """`weights`: (place of a leaf, class, weight)."""
    kind = "classlabels_strings" if isinstance(labels[0], str) else "classlabels_int64s"
    return {**CLASSES, kind: labels, "class_treeids": [LEAVES[leaf][0] for leaf, _, _ in weights],
            "class_nodeids": [LEAVES[leaf][1] for leaf, _, _ in weights], "class_ids": [one for _, one, _ in weights],
            "class_weights": [weight for _, _, weight in weights], **others}


def with_scores(model):
    model.graph.node[0].output.append("z")
    model.graph.output.append(oh.make_empty_tensor_value_info("z"))
    return model


def classifier_model(attributes, kind=TensorProto.FLOAT):
    return with_scores(make_model("TreeEnsembleClassifier", attributes, kind, ["n", 3], 3))


SEVERAL = [(0, 0, 0.5), (0, 2, 0.25), (1, 1, 0.75), (2, 2, 1.0), (3, 0, 0.125), (3, 1, 0.25), (4, 1, 0.5), (5, 0, 1.0)]
POSITIVE = [(0, 0, 0.125), (1, 0, 0.25), (2, 0, 0.5), (3, 0, 0.0625), (4, 0, 0.125), (5, 0, 0.3125)]
SIGNED = [(leaf, one, weight - 0.25) for leaf, one, weight in POSITIVE]
THREE = [30, 10, 20]


def check_classifier(attributes, dtype=np.float32, expect=run_onnxruntime):
    model = classifier_model(attributes, oh.np_dtype_to_tensor_dtype(np.dtype(dtype)))
    compare_classifiers(model, lambda inputs: expect(model, inputs), dtype, "classlabels_int64s" in attributes)


def compare_classifiers(model, expect, dtype, compiled, least=-9):
    """With numbers of at least `least`: rows of zeros and shares below 0 have no answer under some transforms."""
    data = np.maximum(np.random.default_rng(0).standard_normal((17, 3)), least).astype(dtype)
    runners = [dyn.Reference(model), dyn.Reference(model, infer_shapes=True)]
    if compiled:
        runners.append(dyn.compile(model, threads=1))
    for rows in data, data[:1], data[:0]:
        labels, scores = expect({"x": rows})
        for runner in runners:
            ours, ours_scores = runner.run({"x": rows})
            assert (ours.dtype, ours.shape, ours_scores.dtype) == (labels.dtype, labels.shape, np.float32)
            np.testing.assert_array_equal(ours, labels)
            np.testing.assert_allclose(ours_scores, scores, 1e-4, 1e-4)


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"])
@pytest.mark.parametrize("attributes", [
    classifier(SEVERAL, THREE), classifier(SEVERAL, ["c", "", "a"]), classifier(SEVERAL, THREE, base_values=[0.25, 0.5, -0.125]),
    # Classes that no leaf adds to are not chosen, though others have less than 0.
    classifier([(leaf, one, -weight) for leaf, one, weight in SEVERAL], THREE),
], ids=["integers", "strings", "base", "negative"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_classifiers(attributes, transform, dtype):
    check_classifier({**attributes, "post_transform": transform}, dtype)


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"])
@pytest.mark.parametrize("attributes", [classifier(POSITIVE, [7, 3]), classifier(POSITIVE, [7, 3], base_values=[0.25]),
                                        classifier(SIGNED, [7, 3]), classifier(SIGNED, ["no", "yes"], base_values=[-0.125])],
                         ids=["positive", "positive-base", "signed", "signed-base"])
def test_classifiers_of_two(attributes, transform):
    check_classifier({**attributes, "post_transform": transform})


@pytest.mark.parametrize("attributes", [classifier([*SEVERAL[:1], (0, 1, 0.25), *SEVERAL[2:3], (2, 1, 1.0), *SEVERAL[4:]], [0, 1]),
                                        classifier(POSITIVE, [7, 3], post_transform="PROBIT"),
                                        classifier([(leaf, 0, 0.0) for leaf in range(6)] + [(0, 1, 0.0)], THREE,
                                                   post_transform="SOFTMAX_ZERO")], ids=["both", "probit", "zeros"])
def test_classifiers_that_onnxruntime_has_no_answer_for(attributes):
    """It takes 0 and 1 for the labels where leaves have weights of both of two classes, computes one of two probits, and
    divides by 0 where all scores are."""
    check_classifier(attributes, expect=lambda model, inputs: run_reference(model, inputs))


@pytest.mark.parametrize("attributes, message", [
    (classifier(SEVERAL, [1]), "has 1 class labels, must have 2 or more"),
    (classifier(SEVERAL, [1, 2]), "a leaf is of target 2 of 2"),
    (classifier([(leaf, 1, weight) for leaf, _, weight in POSITIVE], [1, 2]),
     "leaves have weights of the second of two classes only, which is not supported"),
    (classifier(POSITIVE, [1, 2], base_values=[0.5, 0.5]), "has 2 'base_values' for 1 classes that leaves have weights of"),
    ({**classifier(SEVERAL, THREE), "classlabels_int64s": []}, "none of the attributes 'classlabels_...' has elements"),
    (classifier(SEVERAL, THREE, post_transform="MAX"), "post_transform 'MAX' is not supported"),
])
def test_classifiers_that_make_no_sense(attributes, message):
    attributes = {name: value for name, value in attributes.items() if value != []}
    with pytest.raises(dyn.CompileError) as refused:
        dyn.Reference(classifier_model(attributes))
    assert f"node '/n' (ai.onnx.ml.TreeEnsembleClassifier): {message}" in str(refused.value)


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"])
def test_transforms_of_linear_regressors(transform):
    attributes = {"coefficients": [0.5, 0.25, -0.25, 0.125, 0.0, 0.0], "targets": 2, "post_transform": transform}
    check(make_model("LinearRegressor", attributes, TensorProto.FLOAT, ["n", 3], 1), [np.eye(3, dtype=np.float32)[:, ::-1] / 2])


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"])
@pytest.mark.parametrize("labels", [{"classlabels_ints": [30, 10, 20]}, {"classlabels_strings": ["c", "", "a"]}], ids=["integers", "strings"])
@pytest.mark.parametrize("intercepts", [[], [0.25, 0.5, 0.375]], ids=["plain", "added"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_linear_classifiers(transform, labels, intercepts, dtype):
    attributes = {**labels, "coefficients": [0.125, 0.25, 0.0, 0.25, 0.0, 0.125, 0.0, 0.0625, 0.25], "post_transform": transform}
    attributes["intercepts"] = intercepts or [0.0] * 3  # onnxruntime needs them
    kind = oh.np_dtype_to_tensor_dtype(np.dtype(dtype))
    model = with_scores(make_model("LinearClassifier", attributes, kind, ["n", 3], 1))
    ours = with_scores(make_model("LinearClassifier", {**attributes, "intercepts": intercepts} if intercepts else
                                  {name: value for name, value in attributes.items() if name != "intercepts"}, kind, ["n", 3], 1))
    compare_classifiers(ours, lambda inputs: run_onnxruntime(model, inputs), dtype, "classlabels_ints" in labels,
                        least=1 if dtype == np.int64 else 0.0625)


@pytest.mark.parametrize("labels", [{"classlabels_ints": [30, 10]}, {"classlabels_strings": ["c", "a"]}], ids=["integers", "strings"])
def test_linear_classifiers_with_the_probability_of_one_class(labels):
    """A score of 0 is one of the rows: it is the first class's."""
    model = with_scores(make_model("LinearClassifier", {**labels, "coefficients": [0.5, 0.25, -0.5], "intercepts": [-0.25],
                                                        "post_transform": "LOGISTIC"}, TensorProto.FLOAT, ["n", 3], 1))
    compare_classifiers(model, lambda inputs: run_onnxruntime(model, inputs), np.float32, "classlabels_ints" in labels, least=0.0625)
    x = np.array([[0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], np.float32)
    ours, theirs = dyn.Reference(model).run({"x": x}), run_onnxruntime(model, {"x": x})
    assert list(ours[0]) == list(theirs[0])
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-6)


@pytest.mark.parametrize("attributes, message", [
    ({"coefficients": [0.5] * 6, "intercepts": [0.5] * 2}, "has 0 class labels, must have 2 or more"),
    ({"coefficients": [0.5] * 3, "intercepts": [0.5], "classlabels_ints": [1, 2]},
     "has 1 'intercepts' for 2 classes, which is not supported"),
    ({"coefficients": [0.5] * 5, "classlabels_ints": [1, 2]}, "attribute 'coefficients' does not fit 2 classes"),
])
def test_linear_classifiers_that_make_no_sense(attributes, message):
    with pytest.raises(dyn.CompileError) as refused:
        dyn.Reference(make_model("LinearClassifier", attributes, TensorProto.FLOAT, ["n", 3], 1))
    assert f"node '/n' (ai.onnx.ml.LinearClassifier): {message}" in str(refused.value)


#===- One-hot encoders -----------------------------------------------------===#

@pytest.mark.parametrize("kind, attributes, arrays", [
    (TensorProto.STRING, {"cats_strings": ["b", "", "a"]}, WORDS),
    (TensorProto.INT64, {"cats_int64s": [2, 1, -3]}, NUMBERS),
    (TensorProto.INT64, {"cats_int64s": [2, 1, -3, 7], "zeros": 0}, NUMBERS[:2]),
    (TensorProto.FLOAT, {"cats_int64s": [2, 0, 3]}, [np.array([2.0, 3.75, 1.0, 0.5], np.float32)]),
])
def test_one_hot_encoders(kind, attributes, arrays):
    dims = ["n"] * arrays[0].ndim if arrays[0].ndim == arrays[-1].ndim else None
    check(make_model("OneHotEncoder", attributes, kind, dims, 1), arrays, compiled=dims is not None and kind != TensorProto.STRING)


def test_elements_that_are_no_category():
    model = make_model("OneHotEncoder", {"cats_int64s": [2, 1], "zeros": 0}, TensorProto.INT64, ["n"], 1)
    for runner in dyn.Reference(model), dyn.compile(model, threads=1):
        with pytest.raises(dyn.ShapeError, match="/n"):
            runner.run({"x": np.array([1, 2, 3])})


@pytest.mark.parametrize("attributes, message", [
    ({"cats_int64s": [1, 2, 1]}, "a category stands there twice, which is not supported"),
    ({"cats_strings": ["a"]}, "operand 0 has elements of type int64, the categories are of type string"),
    ({"zeros": 0}, "none of the attributes 'cats_...' has elements"),
])
def test_one_hot_encoders_that_make_no_sense(attributes, message):
    with pytest.raises(dyn.CompileError) as refused:
        dyn.Reference(make_model("OneHotEncoder", attributes, TensorProto.INT64, ["n"], 1))
    assert f"node '/n' (ai.onnx.ml.OneHotEncoder): {message}" in str(refused.value)


#===- N-grams --------------------------------------------------------------===#

NGRAMS = {"min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 1, "ngram_counts": [0, 1], "ngram_indexes": [2, 0, 1],
          "mode": "TF"}
INTEGERS = {**NGRAMS, "pool_int64s": [5, 5, 6, 5, 5]}


@pytest.mark.parametrize("attributes", [
    {}, {"mode": "IDF"}, {"mode": "IDF", "weights": [2.0, 3.0, 7.0]}, {"mode": "TFIDF", "weights": [2.0, 3.0, 7.0]},
    {"min_gram_length": 2, "max_skip_count": 5}, {"ngram_indexes": [3, 0, 0], "mode": "TFIDF", "weights": [2.0, 3.0, 7.0]},
    {"ngram_indexes": [0, 1, 2]}, {"max_gram_length": 1},
], ids=str)
@pytest.mark.parametrize("kind, dtype", [(TensorProto.INT64, np.int64), (TensorProto.INT32, np.int32)])
def test_counts_of_ngrams(attributes, kind, dtype):
    vectors = [np.array(row, dtype) for row in ([5, 6, 5, 5, 6, 6, 5], [5], [6], [5, 5], [])]
    check(make_model("TfIdfVectorizer", {**INTEGERS, **attributes}, kind, ["n"]), vectors)
    matrices = [np.array([[5, 6, 5], [5, 5, 5]], dtype), np.array([[5], [6], [7]], dtype), np.zeros((2, 0), dtype)]
    check(make_model("TfIdfVectorizer", {**INTEGERS, **attributes}, kind, ["b", "n"]), matrices)


def test_counts_of_ngrams_of_strings():
    words = {**NGRAMS, "pool_strings": ["a", "a", "b", "", "a"]}
    check(make_model("TfIdfVectorizer", words, TensorProto.STRING, ["n"]),
          [np.array(["a", "b", "", "a", "a", "b"], object), np.array(["a"], object)], compiled=False)


@pytest.mark.parametrize("attributes, message", [
    ({"ngram_counts": [0, 9]}, "entry 0 of attribute 'ngram_counts' is 0, the next one 9, and the pool has 5 items"),
    ({"ngram_indexes": [0, 1]}, "the pool has 3 n-grams, attribute 'ngram_indexes' 2 entries"),
    ({"ngram_indexes": [0, 0, 1], "mode": "IDF"}, "two n-grams have the column 0, which mode 'IDF' does not support"),
    ({"weights": [1.0]}, "has 1 weights for 3 n-grams"),
    ({"mode": "BM25"}, "mode 'BM25' is not supported"),
    ({"min_gram_length": 3}, "attributes 'min_gram_length' and 'max_gram_length' are 3 and 2"),
])
def test_ngrams_that_make_no_sense(attributes, message):
    with pytest.raises(dyn.CompileError) as refused:
        dyn.Reference(make_model("TfIdfVectorizer", {**INTEGERS, **attributes}, TensorProto.INT64, ["n"]))
    assert f"node '/n' (TfIdfVectorizer): {message}" in str(refused.value)
