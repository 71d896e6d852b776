"""How the inputs of node tests change for other sizes."""

import itertools

import numpy as np
import other_inputs
from onnx import TensorProto, helper


def make(op, inputs, **attributes):
    """A model of one node and its inputs, by the formal names."""
    values = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
              for name, array in inputs.items()]
    graph = helper.make_graph([helper.make_node(op, list(inputs), ["y"], **attributes)], "g", values,
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    return other_inputs.OtherInputs(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), inputs)


def at(others, change):
    return next(others.make(other_inputs.Change(change)))


def test_operands_that_say_sizes_follow():
    others = make("Reshape", {"x": np.ones((2, 3, 4), np.float32), "to": np.array([4, 2, -1])})
    changed = at(others, {2: 6})
    assert changed["x"].shape == (6, 3, 4)
    assert changed["to"].tolist() == [4, 6, -1]


def test_operands_for_each_axis_stay():
    bounds = {"s": np.array([0, 1]), "e": np.array([2, 3]), "a": np.array([0, 1])}
    others = make("Slice", {"x": np.ones((2, 3), np.float32)} | bounds)
    changed = at(others, {2: 5, 3: 7})
    assert changed["x"].shape == (5, 7)
    assert all(changed[name] is bounds[name] for name in bounds)


def test_indices_stay_inside_and_are_zero_at_last():
    others = make("Gather", {"x": np.arange(5, dtype=np.float32), "i": np.array([4, 0, 2])}, axis=0)
    first, last = others.make(other_inputs.Change({5: 10, 3: 5}))
    assert first["x"].shape == (10,) and first["i"].tolist() == [4, 0, 2, 4, 0]
    assert last["i"].tolist() == [0] * 5


def test_repeated_numbers_differ_and_integers_do_not():
    fractions = other_inputs.resize(np.array([[0.25, 0.6]], np.float32), (3, 2))
    assert len(set(fractions.ravel().tolist())) == 6
    assert np.all(fractions > 0) and fractions.dtype == np.float32
    assert other_inputs.resize(np.array([1.5, np.inf]), (3,)).tolist() == [1.5, np.inf, 1.5]
    assert other_inputs.resize(np.array(["a"], object), (2,)).tolist() == ["a", "a"]
    assert other_inputs.resize(np.zeros((0, 2)), (1, 2)).tolist() == [[0, 0]]


def test_zero_and_one_are_among_the_sizes():
    others = make("Relu", {"x": np.ones((2, 3), np.float32)})
    shapes = [(what, at(others, change.sizes)["x"].shape) for what, change in others.changes() if change.sizes]
    assert shapes[0] == ("other sizes", (3, 4))
    assert {("one", (1, 1)), ("one", (1, 3)), ("nothing", (0, 3)), ("nothing", (2, 0))} <= set(shapes)
    assert len(list(itertools.islice(others.changes(), 100))) < 100


def test_a_node_without_sizes_has_no_other_ones():
    assert not list(make("Relu", {"x": np.array(1, np.float32)}).changes())
