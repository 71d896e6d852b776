"""Errors of the Python package: one clear text each, and nothing left behind."""

import numpy as np
import pytest

import dyn
import small_models as models


@pytest.fixture(scope="module")
def positions():
    return dyn.compile(models.positions())


def test_a_limit_of_the_model_is_a_guard(positions):
    assert positions.guards == ("seq <= 16  (add, /emb/Add)",)
    assert positions.run({"x": np.zeros((2, 16, 4), np.float32)})[0].shape == (2, 16, 4)
    with pytest.raises(dyn.ShapeError, match=r"'seq <= 16' must hold: add, node /emb/Add; got seq = 17"):
        positions.run({"x": np.zeros((2, 17, 4), np.float32)})


def test_relations_are_explained(positions):
    assert positions.explain("seq <= 20") and not positions.explain("seq <= 10")
    assert positions.explain("seq <= 10").answer == "unknown"
    assert "seq <= 16: add, /emb/Add" in positions.explain("seq <= 20").reasons


def test_indices_in_data():
    exe = dyn.compile(models.lookup())
    assert exe.run({"ids": np.array([9, -10])})[0].shape == (2, 3)
    with pytest.raises(dyn.ShapeError, match="index 10 is out of bounds: must be less than 10, node /emb/Gather"):
        exe.run({"ids": np.array([0, 10])})


@pytest.mark.parametrize(
    "inputs, error, text",
    [
        ({}, dyn.ModelError, "input 'x' is missing"),
        ({"y": 1}, dyn.ModelError, "no input 'y'; its inputs are x"),
        ({"x": np.zeros((1, 1, 4))}, dyn.ModelError, "'x' has elements of type float64, must be float32"),
        ({"x": np.zeros((1, 4), np.float32)}, dyn.ShapeError, r"'x' has rank 2 .*must be 3: \[batch, seq, 4\]"),
        ({"x": np.zeros((1, 1, 5), np.float32)}, dyn.ShapeError, "'x'.*5"),
    ],
)
def test_wrong_inputs(positions, inputs, error, text):
    with pytest.raises(error, match=text):
        positions.run(inputs)


def test_declared_facts_are_checked():
    exe = dyn.compile(models.dense(), dims={"batch": dyn.Dim(1, 64, divisor=2)})
    for batch in (0, 3, 66):
        with pytest.raises(dyn.ShapeError, match="batch"):
            exe.run({"x": np.zeros((batch, 8), np.float32)})
    assert exe.run({"x": np.zeros((64, 8), np.float32)})[0].shape == (64, 4)


def test_a_fixed_dim_is_static():
    assert dyn.compile(models.dense(), dims={"batch": 3}).inputs[0].dims == ("3", "8")


def test_files_that_are_no_models(tmp_path):
    with pytest.raises(dyn.ModelError, match="no such file"):
        dyn.compile(tmp_path / "missing.onnx")
    with pytest.raises(dyn.CompileError):
        dyn.compile(b"no model at all")
    with pytest.raises(dyn.ModelError):
        dyn.load(tmp_path / "missing.so")
    (tmp_path / "text.so").write_text("no artefact")
    with pytest.raises(dyn.ModelError):
        dyn.load(tmp_path / "text.so")


def test_contradictions_name_the_node():
    nodes = [models.helper.make_node("Add", ["x", "y"], ["z"], name="/sum")]
    model = models.model(
        nodes,
        [("x", models.FLOAT, ["n", 3]), ("y", models.FLOAT, ["n", 5])],
        [("z", models.FLOAT, ["n", "m"])],
    )
    with pytest.raises(dyn.CompileError, match="(?s)/sum.*3.*5"):
        dyn.compile(model)


def test_sizes_that_are_not_known(positions):
    with pytest.raises(dyn.ShapeError, match="needs a value of 'seq'"):
        positions.output_dims({"batch": 1})
    with pytest.raises(dyn.ModelError, match="neither an input"):
        positions.output_dims({"length": 1})


def test_prove():
    assert dyn.prove("2*s == 2*t", given="s == t")
    assert dyn.prove("s == t").answer == "unknown"
    assert dyn.prove("s < 0").answer == "no"
    with pytest.raises(ValueError, match="column"):
        dyn.prove("s ==")
