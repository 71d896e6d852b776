"""Quantization along an axis, with scales whose number only a run tells."""

import numpy as np
import onnx
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

X = np.array([[-3, 2, 5], [4, -6, 1]], np.int8)


def build(inputs: str, body: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : 19]> g ({inputs}) => (y_t y) {{ {body} }}'.replace("y_t", "float" if "Deq" in body else "int32" if "ConvI" in body else "int8"))


@pytest.mark.parametrize("entry", [dyn.compile, dyn.Reference, lambda model: dyn.Reference(model, infer_shapes=True)])
@pytest.mark.parametrize("axis", [0, 1])
def test_there_is_a_scale_for_each_entry(entry, axis):
    scales = np.array([0.5, 2, 3][: X.shape[axis]], np.float32)
    spread = np.expand_dims(scales, 1 - axis)
    back = entry(build("int8[N, M] x, float[C] s", f"y = DequantizeLinear<axis = {axis}>(x, s)"))
    np.testing.assert_array_equal(back.run({"x": X, "s": scales})[0], X * spread)
    there = entry(build("float[N, M] x, float[C] s, int8[C] z", f"y = QuantizeLinear<axis = {axis}>(x, s, z)"))
    zeros = np.arange(len(scales), dtype=np.int8)
    expected = np.rint(X / spread) + np.expand_dims(zeros, 1 - axis)
    np.testing.assert_array_equal(there.run({"x": X.astype(np.float32), "s": scales, "z": zeros})[0], expected)
    one = np.take(X, [0], axis)
    np.testing.assert_array_equal(back.run({"x": one, "s": scales[:1]})[0], one * np.float32(0.5))
    # One scale is for all, as in onnxruntime; others are for one entry each.
    np.testing.assert_array_equal(back.run({"x": X, "s": scales[:1]})[0], X * np.float32(0.5))
    np.testing.assert_array_equal(there.run({"x": X.astype(np.float32), "s": scales[:1], "z": zeros[:1]})[0], X * 2)
    many = np.ones(4, np.float32)
    with pytest.raises(dyn.ShapeError, match="DequantizeLinear.*`s`"):
        back.run({"x": X, "s": many})
    with pytest.raises(dyn.ShapeError, match="QuantizeLinear.*`s`"):
        there.run({"x": X.astype(np.float32), "s": many, "z": np.zeros(4, np.int8)})


def test_one_scale_at_every_run_is_for_all():
    model = dyn.compile(build("int8[N, M] x, float[1] s", "y = DequantizeLinear<axis = 0>(x, s)"))
    np.testing.assert_array_equal(model.run({"x": X, "s": np.array([2], np.float32)})[0], X * np.float32(2))


@pytest.mark.parametrize("entry", [dyn.compile, dyn.Reference, dyn.shapes])
@pytest.mark.parametrize("name, kind, operands", [("DequantizeLinear", "int8", "x, s"), ("QuantizeLinear", "float", "x, s"),
                                                  ("QuantizeLinear", "float", "x, one, s")])
def test_scales_of_more_than_one_dim_are_for_blocks(entry, name, kind, operands):
    scale = "int8" if "one" in operands else "float"
    model = build(f"{kind}[N, M] x, {scale}[1, 2] s, float[M] one", f"[q] y = {name}({operands})")
    place = operands.count(",")
    with pytest.raises(dyn.Error, match=rf"'q' \({name}\): operand {place}, 's', has rank 2; without attribute 'block_size' it must be"):
        entry(model)


@pytest.mark.parametrize("entry", [dyn.compile, dyn.Reference, lambda model: dyn.Reference(model, infer_shapes=True)])
@pytest.mark.parametrize("filters", ["F", "3"])
def test_a_run_tells_whether_there_is_a_scale_for_each_filter(entry, filters):
    x, w = np.arange(8, dtype=np.uint8).reshape(1, 2, 4), np.arange(6, dtype=np.uint8).reshape(3, 2, 1)
    zeros = np.array([3, 1, 2], np.uint8)
    operands = f"uint8[N, C, W] x, uint8[{filters}, C, 1] w, uint8[K] z"
    sums = entry(build(operands, "i = Constant<value = uint8 {1}>() y = ConvInteger(x, w, i, z)"))
    scaled = entry(build(operands + ", float[L] s", "i = Constant<value = uint8 {1}>() o = Constant<value = float {0.5}>() "
                         "t = Constant<value = int8 {1}>() y = QLinearConv(x, o, i, w, s, z, o, t)"))
    for count in 3, 1:
        scales = np.array([0.5, 1, 0.25], np.float32)[:count]
        expected = np.einsum("ncw,mc->nmw", x.astype(int) - 1, w[..., 0].astype(int) - zeros[:count, None])
        feeds = {"x": x, "w": w, "z": zeros[:count]}
        np.testing.assert_array_equal(sums.run(feeds)[0], expected)
        expected = np.clip(np.rint(expected * scales[:, None]) + 1, -128, 127)
        np.testing.assert_array_equal(scaled.run(feeds | {"s": scales})[0], expected)
    with pytest.raises(dyn.ShapeError, match="`z`"):
        sums.run({"x": x, "w": w, "z": zeros[:2]})
    with pytest.raises(dyn.ShapeError, match="`s`"):
        scaled.run({"x": x, "w": w, "z": zeros, "s": np.ones(2, np.float32)})
