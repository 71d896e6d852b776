"""Models for inputs whose elements are given."""

import re

import numpy as np
import onnx
import pytest

import dyn

# What use_cache decides in merged decoders: the branches have sizes of their own.
MERGED = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
g (float[B, S] x, float[B, P] past, bool[1] use_cache, int32[2] pads) => (float[B, T] y, bool[1] echo) {
  y = If(use_cache) <then_branch = t () => (float[B, C] u) { u = Concat<axis = 1>(past, x) },
                     else_branch = e () => (float[B, D] v) { v = Pad(x, both) }>
  wide = Cast<to = 7>(pads)
  zero = Constant<value = int64[2] {0, 0}>()
  mixed = Concat<axis = 0>(zero, wide)
  order = Constant<value = int64[4] {0, 2, 1, 3}>()
  both = Gather(mixed, order)
  echo = Identity(use_cache)
}""")


def make(batch, length, past, use_cache, pads=(1, 2)):
    return {
        "x": np.ones((batch, length), np.float32),
        "past": np.zeros((batch, past), np.float32),
        "use_cache": np.array([use_cache]),
        "pads": np.array(pads, np.int32),
    }


@pytest.mark.parametrize("batch, length, past", [(0, 1, 2), (1, 0, 3), (2, 3, 0), (3, 7, 5)])
@pytest.mark.parametrize("use_cache", [True, False])
def test_each_branch_is_compiled(use_cache, batch, length, past):
    values = {"use_cache": use_cache}
    model = dyn.compile(MERGED, input_values=values | {"pads": np.array([1, 2], np.int32)})
    inputs = make(batch, length, past, use_cache)
    expected = np.concatenate([inputs["past"], inputs["x"]], 1) if use_cache else np.pad(inputs["x"], [(0, 0), (1, 2)])
    for outputs in model.run(inputs), dyn.Reference(MERGED, input_values=values, infer_shapes=True).run(inputs):
        np.testing.assert_array_equal(outputs[0], expected)
        assert outputs[1].tolist() == [use_cache]


def test_another_value_is_refused_with_both():
    values = {"use_cache": [True], "pads": (1, 2)}
    model, reference = dyn.compile(MERGED, input_values=values), dyn.Reference(MERGED, input_values=values)
    for runner in model, reference:
        runner.run(make(1, 2, 3, True))
        with pytest.raises(dyn.ShapeError, match="element 0 of input 'use_cache'") as refused:
            runner.run(make(1, 2, 3, False))
        assert re.search(r"must be == 1; got \w+ = 0 |is 0, must be 1$", str(refused.value))
        with pytest.raises(dyn.ShapeError, match="element 1 of input 'pads'") as refused:
            runner.run(make(1, 2, 3, True, pads=(1, -7)))
        assert re.search(r"must be == 2; got \w+ = -7 |is -7, must be 2$", str(refused.value))


def test_sizes_are_those_of_the_branch():
    assert dyn.shapes(MERGED, input_values={"use_cache": 1}).outputs["y"].dims == ("B", "P + S")
    shapes = dyn.shapes(MERGED, input_values={"use_cache": 0, "pads": [4, 3]})
    assert shapes.outputs["y"].dims == ("B", "S + 7")
    assert shapes.symbols["pads_0"].facts == "[4, 4]" and shapes.symbols["pads_0"].origin == "element 0 of 'pads'"
    assert not dyn.check_dims(MERGED, input_values={"use_cache": 1}).findings
    inferred = dyn.infer_shapes(MERGED, input_values={"use_cache": 1})
    assert inferred.graph.output[0].type.tensor_type.shape.dim[1].dim_param in ("P + S", "S + P")


def test_a_name_that_the_model_uses_stays_that_of_its_dim():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        g (float[n] x, int64 n) => (float[n] y) { y = Neg(x) }""")
    assert dyn.shapes(model, input_values={"n": 3}).outputs["y"].dims == ("n",)
    executable = dyn.compile(model, input_values={"n": 3})
    assert executable.run({"x": np.ones(5, np.float32), "n": np.array(3)})[0].shape == (5,)
    with pytest.raises(dyn.ShapeError, match="must be == 3"):
        executable.run({"x": np.ones(5, np.float32), "n": np.array(5)})


@pytest.mark.parametrize("values, error, text", [
    ({"q": 1}, dyn.CompileError, "values were given for 'q', which is no input"),
    ({"x": 1}, dyn.CompileError, "input 'x': it is .*only integers"),
    ({"pads": 1}, dyn.CompileError, "input 'pads': it has 2 elements, but 1 were given"),
    ({"pads": [1, 2**31]}, dyn.CompileError, "input 'pads': .*-2147483648..2147483647, not 2147483648"),
    ({"pads": [1, 2**64]}, dyn.CompileError, "expected an integer of 64 bits instead of '18446744073709551616'"),
    ({"use_cache": 2}, dyn.CompileError, "input 'use_cache': .*0..1, not 2"),
    ({"use_cache": 1.0}, TypeError, r"input_values\['use_cache'\] must be integers or booleans, not 1.0"),
    ({"use_cache": "yes"}, TypeError, r"input_values\['use_cache'\] must be integers"),
    ([("use_cache", 1)], TypeError, "input_values must be a mapping"),
])
def test_what_is_no_value_is_refused(values, error, text):
    for entry in dyn.compile, dyn.shapes, dyn.Reference:
        with pytest.raises(error, match=text):
            entry(MERGED, input_values=values)


def test_inputs_that_decide_are_advised():
    with pytest.raises(dyn.CompileError, match="input 'use_cache' decides which branch is taken.*--input-values=use_cache=VALUE"):
        dyn.compile(MERGED)
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[N] x) => (float[M] y) {
      s = ReduceSum<keepdims = 0>(x)
      c = Cast<to = 9>(s)
      y = If(c) <then_branch = t () => (float[P] u) { u = Concat<axis = 0>(x, x) },
                 else_branch = e () => (float[Q] v) { v = Neg(x) }>
    }""")
    with pytest.raises(dyn.CompileError) as refused:
        dyn.compile(model)
    assert "input" not in str(refused.value).split("not compiled yet")[1]


def test_places_that_are_no_zeros_are_not_compiled_though_their_number_is_known():
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        g (int64[2] x) => (int64[1, K] places, float[A, B] y) { places = NonZero(x) y = ConstantOfShape(x) }""")
    with pytest.raises(dyn.CompileError, match=r"interpreted \(dyn-run --reference\), but not compiled yet: dyn.nonzero \(node 'places'\)$"):
        dyn.compile(model)
