"""Transposed convolutions of every form are what their formula says, at every size, and their dims too."""

import itertools
import random

import numpy as np
import onnx.parser
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")


def transpose_convolution(x, w, group, strides, pads, added, dilations):
    """Each element of x adds the filter to the result, where its place is."""
    spatial = x.ndim - 2
    kernel = [(size - 1) * dilation + 1 for size, dilation in zip(w.shape[2:], dilations)]
    whole = [max((size - 1) * stride + extent + more, 0) for size, stride, extent, more in zip(x.shape[2:], strides, kernel, added)]
    y = np.zeros((x.shape[0], group * w.shape[1], *whole), np.float64)
    ins, outs = w.shape[0] // group, w.shape[1]
    for place in np.ndindex(*x.shape[2:]):
        for tap in np.ndindex(*w.shape[2:]):
            target = tuple(p * s + t * d for p, s, t, d in zip(place, strides, tap, dilations))
            for g in range(group):
                part = x[(slice(None), slice(g * ins, (g + 1) * ins), *place)] @ w[(slice(g * ins, (g + 1) * ins), slice(None), *tap)]
                y[(slice(None), slice(g * outs, (g + 1) * outs), *target)] += part
    return y[(slice(None), slice(None), *(slice(begin, size - end) for begin, end, size in zip(pads[:spatial], pads[spatial:], whole)))]


def make(seed):
    """Attributes of a node, and the sizes of its filter."""
    draw = random.Random(seed)
    spatial, group = draw.choice([1, 2, 2]), draw.choice([1, 1, 2, 3])
    strides = [draw.choice([1, 2, 3, 4]) for _ in range(spatial)]
    dilations = [draw.choice([1, 1, 1, 2]) for _ in range(spatial)]
    kernel = [draw.randint(1, 5) for _ in range(spatial)]
    added = [draw.randrange(max(stride, dilation)) for stride, dilation in zip(strides, dilations)]
    extents = [(size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations)]
    pads = [draw.randint(0, extent // 2) for _ in range(2) for extent in extents]
    return spatial, group, strides, dilations, kernel, added, pads


@pytest.mark.parametrize("seed", range(30))
def test_is_what_the_formula_says(seed):
    spatial, group, strides, dilations, kernel, added, pads = make(seed)
    ins, outs = 2, 3
    dims, names = ", ".join(f"d{axis}" for axis in range(spatial)), ", ".join(f"o{axis}" for axis in range(spatial))
    size = ", ".join(map(str, (group * ins, outs, *kernel)))
    text = (f'<ir_version: 8, opset_import: ["" : 17]> g (float[n, {group * ins}, {dims}] x, float[{size}] w) => (float[n, {group * outs}, {names}] y) '
            f"{{ y = ConvTranspose<group = {group}, strides = {strides}, dilations = {dilations}, output_padding = {added}, pads = {pads}>(x, w) }}")
    runner = dyn.compile(onnx.parser.parse_model(text), threads=1)
    generator = np.random.default_rng(seed)
    w = generator.standard_normal((group * ins, outs, *kernel)).astype(np.float32)
    ran = 0
    for batch, *sizes in itertools.product((0, 1, 2), *[(0, 1, 2, 7, 20)] * spatial):
        wanted = [(size - 1) * stride + (extent - 1) * dilation + 1 + more - pads[axis] - pads[spatial + axis]
                  for axis, (size, stride, extent, dilation, more) in enumerate(zip(sizes, strides, kernel, dilations, added))]
        x = generator.standard_normal((batch, group * ins, *sizes)).astype(np.float32)
        if min(wanted) < 0:
            with pytest.raises(dyn.ShapeError):
                runner.run({"x": x, "w": w})
            continue
        try:
            (y,) = runner.run({"x": x, "w": w})
        except dyn.ShapeError:
            assert 0 in wanted, sizes  # No convolution gives nothing.
            continue
        assert y.shape[2:] == tuple(wanted)
        if 0 not in sizes:
            expected = transpose_convolution(x, w, group, strides, pads, added, dilations)
            np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
        else:
            assert not y.any()
        ran += 1
    assert ran


@pytest.mark.parametrize("kernel, stride, added", [(2, 2, 0), (4, 2, 0), (3, 2, 0), (3, 2, 1), (5, 4, 3), (4, 2, 1)])
def test_keeps_what_is_no_number_where_it_is(kernel, stride, added):
    text = (f'<ir_version: 8, opset_import: ["" : 17]> g (float[n, 1, w] x, float[1, 1, {kernel}] f) => (float[n, 1, q] y) '
            f"{{ y = ConvTranspose<strides = [{stride}], output_padding = [{added}]>(x, f) }}")
    x, f = np.array([[[1, np.nan, 2, 3, np.inf, 4]]], np.float32), np.arange(1, kernel + 1, dtype=np.float32)[None, None]
    (y,) = dyn.compile(onnx.parser.parse_model(text), threads=1).run({"x": x, "f": f})
    np.testing.assert_allclose(y, transpose_convolution(x, f, 1, [stride], [0, 0], [added], [1]))


def test_reads_as_the_formula():
    def dims(attributes, filters="float[8, 4, 2, 2] w"):
        model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g (float[n, 8, h, w0] x, {filters}) => (float[a, b, c, d] y) '
                                        f"{{ y = ConvTranspose<{attributes}>(x, w) }}")
        table = dyn.shapes(model)
        return table.outputs["y"].dims, [guard.predicate for guard in table.guards]

    assert dims("strides = [2, 2], pads = [1, 1, 1, 1]", "float[8, 4, 4, 4] w") == (("n", "4", "2 * h", "2 * w0"), [])
    assert dims("strides = [2, 2]", "float[8, m, 3, 3] w") == (("n", "m", "2 * h + 1", "2 * w0 + 1"), [])
    # No convolution gives nothing.
    assert dims("strides = [2, 2]") == (("n", "4", "2 * h", "2 * w0"), ["1 <= h", "1 <= w0"])
    assert dims("strides = [2, 2], pads = [1, 1, 1, 1], output_padding = [1, 1]", "float[8, 4, 3, 3] w") == (
        ("n", "4", "2 * h", "2 * w0"), ["1 <= h", "1 <= w0"])
