"""Sizes that branches in branches choose: what they are outside of these, and what a guard says of them."""

import numpy as np
import onnx.parser
import pytest


dyn = pytest.importorskip("dyn", reason="the Python package is not built")

CHOICES = """<ir_version: 10, opset_import: ["" : 18]> g (float[N] x) => (float[K] y)
    <int64 two = {2}, int64 six = {6}, int64 nine = {9}, int32 million = {1000000}, float[3] p = {1, 2, 3}, int64[1] one = {1}> {
    s = Shape(x) n = Squeeze(s) c = Greater(n, two) d = Greater(n, six) e = Greater(n, nine)
    y = If(c) <then_branch = t1 () => (float[A] u) {
        a = If(d) <then_branch = t2 () => (float[B] b1) { b1 = Concat<axis = 0>(x, x) },
                   else_branch = e2 () => (float[C] b2) { b2 = Concat<axis = 0>(x, x, x) }> %s },
    else_branch = e1 () => (float[D] v) { v = Identity(x) }> }"""


def expected(size):
    a = 2 * size if size > 6 else 3 * size
    return size if size <= 2 else a + size if size > 9 else 2 * a


def test_a_size_chosen_from_chosen_ones_is_told():
    model = onnx.parser.parse_model(CHOICES % """
        u = If(e) <then_branch = t3 () => (float[E] f1) { f1 = Concat<axis = 0>(a, x) },
                   else_branch = e3 () => (float[F] f2) { f2 = Concat<axis = 0>(a, a) }>""")
    shapes = dyn.shapes(model)
    (dim,) = shapes.outputs["y"].dims
    formula = shapes.symbols[dim].origin
    runner = dyn.Reference(model, infer_shapes=True)
    for size in (0, 1, 2, 3, 6, 7, 9, 10, 13):
        assert eval(formula, {"N": size, "max": max, "min": min}) == expected(size), formula
        assert runner.run({"x": np.ones(size, np.float32)})[0].shape == (expected(size),)


def test_a_guard_says_nothing_of_sizes_that_a_branch_chose_inside():
    model = onnx.parser.parse_model(CHOICES % """
        h = Shape(a) h32 = Cast<to = 6>(h) m = Mul(h32, million) m64 = Cast<to = 7>(m) z = ConstantOfShape(m64)
        none = Constant<value = int64[1] {0}>() u = Slice(z, none, one)""")
    shapes = dyn.shapes(model)
    assert [guard.predicate for guard in shapes.guards] == ["N <= 1073"]


@pytest.mark.parametrize("behind, guard", [("k = Reshape(x, one)", "n == 1"), ("k = Concat<axis = 0>(p, p)", None)])
def test_the_reason_of_a_branch_is_the_node_behind_it(behind, guard):
    """Both branches are as large: what decides is the node that needs the size which the condition asks for."""
    model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 18]> g (float[n] x, float[3] p, float[3] q) => (float[K] y)
        <int64[1] one = {1}> { s = Shape(x) c = Equal(s, one)
        w = If(c) <then_branch = t () => (float[3] u) { u = Neg(p) }, else_branch = e () => (float[3] v) { v = Sub(q, q) }> """
                                    + behind + " y = Concat<axis = 0>(w, k) }")
    guards = [(each.predicate, each.because) for each in dyn.shapes(model).guards]
    assert guards == ([(guard, "branch, the only one that fits node 'k'")] if guard else [])


@pytest.mark.parametrize("taken, other, facts", [("int64[1] {2}", "int64[1] {5}", "[2, 5]"), ("int64[1] {0}", None, "[0, 9]")])
def test_a_size_that_a_branch_chooses_by_data_lies_between_those_of_both(taken, other, facts):
    chosen = f"f = Constant<value = {other}>()" if other else "f = Shape(x)"
    model = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]> g (float[N] x, bool c) => (float[M] y) {{
        n = If(c) <then_branch = t () => (int64[1] f) {{ f = Constant<value = {taken}>() }},
                   else_branch = e () => (int64[1] f) {{ {chosen} }}>
        y = ConstantOfShape(n) }}""")
    shapes = dyn.shapes(model, dims={"N": dyn.Dim(0, 9)})
    (dim,) = shapes.values["y"].dims
    assert shapes.symbols[dim].facts == facts
