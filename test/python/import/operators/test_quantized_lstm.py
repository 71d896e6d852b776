"""DynamicQuantizeLSTM against onnxruntime on one thread: on several it quantizes batches in parts, each by its own range."""

import functools

import numpy as np
import onnx.helper as oh
import onnxruntime
import pytest
from onnx import TensorProto, numpy_helper

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

INPUTS, HIDDEN = 5, 3
OPERANDS = ["x", "w", "r", "b", "l", "h", "c", "p", "ws", "wz", "rs", "rz"]


def make_weights(directions, kind, per_column):
    generator = np.random.default_rng(1)
    low, high = np.iinfo(kind).min, np.iinfo(kind).max
    scales = (directions, 4 * HIDDEN) if per_column else (directions,)
    return {"w": generator.integers(low, high, (directions, INPUTS, 4 * HIDDEN), kind, endpoint=True),
            "r": generator.integers(low, high, (directions, HIDDEN, 4 * HIDDEN), kind, endpoint=True),
            "b": generator.standard_normal((directions, 8 * HIDDEN), np.float32),
            "p": generator.standard_normal((directions, 3 * HIDDEN), np.float32),
            "ws": generator.uniform(0.001, 0.01, scales).astype(np.float32), "wz": np.full(scales, (low + high + 1) // 2, kind),
            "rs": generator.uniform(0.001, 0.01, scales).astype(np.float32), "rz": np.full(scales, 131 if low == 0 else 0, kind)}


def make_model(without="lp", direction="forward", kind=np.uint8, per_column=False, steps="steps", batch="batch", states=("batch", "batch"),
               hidden=HIDDEN, outputs="yhc", **attributes):
    directions = 2 if direction == "bidirectional" else 1
    node = oh.make_node("DynamicQuantizeLSTM", ["" if name in without else name for name in OPERANDS],
                        [name if name[-1] in outputs else "" for name in ("y", "yh", "yc")], name="/n", domain="com.microsoft",
                        hidden_size=HIDDEN, direction=direction, **attributes)
    inputs = {"x": (TensorProto.FLOAT, [steps, batch, INPUTS]), "l": (TensorProto.INT32, [batch]),
              "h": (TensorProto.FLOAT, [directions, states[0], hidden]), "c": (TensorProto.FLOAT, [directions, states[1], hidden])}
    graph = oh.make_graph([node], "g", [oh.make_tensor_value_info(name, *type_) for name, type_ in inputs.items() if name not in without],
                          [oh.make_empty_tensor_value_info(name) for name in node.output if name],
                          [numpy_helper.from_array(array, name) for name, array in make_weights(directions, kind, per_column).items()])
    return oh.make_model(graph, opset_imports=[oh.make_opsetid("", 18), oh.make_opsetid("com.microsoft", 1)], ir_version=8)


def make_inputs(model, steps, batch, **others):
    generator = np.random.default_rng(0)
    sizes = {"steps": steps, "batch": batch, **others}
    arrays = {}
    for value in model.graph.input:
        dims = [sizes.get(dim.dim_param, dim.dim_value) for dim in value.type.tensor_type.shape.dim]
        arrays[value.name] = (generator.integers(min(1, steps), steps, dims, np.int32, endpoint=True) if value.name == "l"
                              else generator.standard_normal(dims, np.float32))
    return arrays


def run_onnxruntime(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, inputs)


@functools.cache
def saturates():
    """CPUs without instructions for sums of products of 8 bits: onnxruntime adds two of them in 16 bits there."""
    node = oh.make_node("MatMulInteger", ["a", "b"], ["y"])
    weights = numpy_helper.from_array(np.full((4, 1), 127, np.int8), "b")
    graph = oh.make_graph([node], "g", [oh.make_tensor_value_info("a", TensorProto.UINT8, [1, 4])],
                          [oh.make_empty_tensor_value_info("y")], [weights])
    model = oh.make_model(graph, opset_imports=[oh.make_opsetid("", 18)], ir_version=8)
    return run_onnxruntime(model, {"a": np.full((1, 4), 255, np.uint8)})[0].item() != 4 * 255 * 127


def skip_where_sums_saturate(form):
    if FORMS[form].get("kind") == np.int8 and saturates():
        pytest.skip("onnxruntime's sums of products with signed weights saturate on this CPU")


def check(ours, theirs, tolerance=2e-4):
    """A state on the border between two integers may become either."""
    for one, other in zip(ours, theirs, strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(one, other, tolerance, tolerance)


SIZES = [(1, 1), (1, 2), (5, 1), (7, 3), (2, 13)]
FORMS = {
    "plain": {}, "signed": {"kind": np.int8}, "columns": {"per_column": True}, "no-bias": {"without": "lpb"},
    "no-states": {"without": "lphc"}, "reverse": {"direction": "reverse"},
    "both-directions": {"direction": "bidirectional", "kind": np.int8, "per_column": True},
    "peepholes": {"without": "l"}, "input-forget": {"input_forget": 1}, "clip": {"clip": 0.5},
    "activations": {"activations": ["Sigmoid", "Relu", "Tanh"]}, "one-result": {"outputs": "h"},
}


@pytest.mark.parametrize("form", FORMS)
def test_as_onnxruntime(form):
    skip_where_sums_saturate(form)
    model = make_model(**FORMS[form])
    runners = [dyn.Reference(model), dyn.Reference(model, infer_shapes=True)]
    for steps, batch in SIZES:
        inputs = make_inputs(model, steps, batch)
        expected = run_onnxruntime(model, inputs)
        for runner in runners:
            check(runner.run(inputs), expected)


@pytest.mark.parametrize("form", ["plain", "both-directions"])
@pytest.mark.parametrize("steps", [1, 3])
def test_compiled_where_the_number_of_steps_is_known(form, steps):
    skip_where_sums_saturate(form)
    model = make_model(**FORMS[form], steps=steps)
    compiled = dyn.compile(model, threads=1)
    for batch in 1, 2, 7:
        inputs = make_inputs(model, steps, batch)
        check(compiled.run(inputs), run_onnxruntime(model, inputs))


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_sequences_that_end_before_others(direction):
    """What came before the end is not the same to the last bit, because hidden states behind an end count for the range."""
    model = make_model(without="p", direction=direction)
    runner = dyn.Reference(model, infer_shapes=True)
    for steps, batch in SIZES:
        inputs = make_inputs(model, steps, batch)
        check(runner.run(inputs), run_onnxruntime(model, inputs), 1e-2)


@pytest.mark.parametrize("steps, batch", [(0, 2), (3, 0), (0, 0)])
def test_nothing(steps, batch):
    """No step leaves the states as they are. onnxruntime gives zeros there, and ends the process for an empty batch."""
    model = make_model()
    for infer in False, True:
        inputs = make_inputs(model, steps, batch)
        sequence, hidden, cell = dyn.Reference(model, infer_shapes=infer).run(inputs)
        assert sequence.shape == (steps, 1, batch, HIDDEN)
        if steps == 0:
            np.testing.assert_array_equal(hidden, inputs["h"])
            np.testing.assert_array_equal(cell, inputs["c"])
        assert hidden.shape == cell.shape == (1, batch, HIDDEN)


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
def test_the_first_states_are_as_many_as_sequences(direction):
    model = make_model(without="lp", direction=direction, states=("n", "m"))
    shapes = dyn.shapes(model)
    assert [str(guard) for guard in shapes.guards] == [f"batch == {symbol}  (DynamicQuantizeLSTM: batch of `{state}` and `x`, node /n)"
                                                       for symbol, state in (("n", "h"), ("m", "c"))]
    directions = "2" if direction == "bidirectional" else "1"
    assert [value.dims for value in shapes.outputs.values()] == [
        ("steps", directions, "batch", "3"), (directions, "batch", "3"), (directions, "batch", "3")]
    runners = [dyn.Reference(model), dyn.Reference(model, infer_shapes=True)]
    compiled = dyn.compile(make_model(without="lp", direction=direction, states=("n", "m"), steps=2), threads=1)
    for batch in 1, 2, 3:
        for n, m in (batch, batch), (batch, 1), (1, batch), (batch + 1, batch), (batch, 2):
            inputs = make_inputs(model, 2, batch, n=n, m=m)
            for runner in [*runners, compiled]:
                if n == m == batch:
                    check(runner.run(inputs), run_onnxruntime(model, inputs))
                    continue
                with pytest.raises(dyn.ShapeError, match=rf"batch of `{'c' if n == batch else 'h'}` and `x`, node /n.*batch = {batch}"):
                    runner.run(inputs)


@pytest.mark.parametrize("form, message", [
    ({"activations": ["Sigmoid", "Elu", "Tanh"]}, "activation 'elu' is not supported where weights are quantized"),
    ({"activations": ["Sigmoid"]}, "attribute 'activations' has 1 entries instead of 3"),
    ({"without": ["l", "p", "rs"]}, "operand 10 is missing"),
    ({"hidden": 1}, "hidden elements of `h` and `r` must be of the same size, not 1 (dim 2) and 3 (dim 1)"),
    ({"batch": 2, "states": (2, 1)}, "batch of `c` and `x` must be of the same size, not 1 (dim 1) and 2 (dim 1)"),
    ({"direction": "up"}, "attribute 'direction' has the unknown value 'up'"),
])
def test_nodes_that_make_no_sense(form, message):
    with pytest.raises(dyn.CompileError) as refused:
        dyn.Reference(make_model(**form))
    assert f"node '/n' (com.microsoft.DynamicQuantizeLSTM): {message}" in str(refused.value)
