"""Sizes that are computed from others with negative divisors and masks of bits."""

import numpy as np
import pytest

# Nodes that make `r` of the size `s`, the dim that follows, and the same in NumPy.
SIZES = {
    "align-up": ("a = Add(s, seven) r = BitwiseAnd(a, minus_eight)", "8 * (S ceildiv 8)", lambda s: (s + 7) & -8),
    "align-down": ("r = BitwiseAnd(minus_eight, s)", "8 * (S floordiv 8)", lambda s: s & -8),
    "lowest": ("r = BitwiseAnd(s, seven)", "S mod 8", lambda s: s & 7),
    "divided": ("q = Div(s, minus_three) r = Neg(q)", "S floordiv 3", lambda s: s // 3),
    "divided-twice": ("n = Neg(s) r = Div(n, minus_three)", "S floordiv 3", lambda s: s // 3),
    "rest": ("m = Mod(s, minus_three) r = Neg(m)", "3 * (S ceildiv 3) - S", lambda s: -s % 3),
}


@pytest.mark.parametrize("name", SIZES)
def test_a_size_of_signs_and_bits(dyn, build, name):
    nodes, dim, compute = SIZES[name]
    model = build(f"""g (float[S] x) => (y)
        <int64[1] seven = {{7}}, int64[1] minus_eight = {{-8}}, int64[1] minus_three = {{-3}}>
        {{ s = Shape(x) {nodes} y = ConstantOfShape(r) }}""", opset=20)
    assert str(dyn.shapes(model).outputs["y"].dims[0]) == dim
    data = model.SerializeToString()
    for runner in dyn.compile(data), dyn.Reference(data):
        for size in (0, 1, 2, 3, 7, 8, 9, 31, 64):
            (y,) = runner.run({"x": np.zeros(size, np.float32)})
            assert y.shape == (compute(size),), size
