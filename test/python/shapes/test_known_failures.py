"""What other compilers of dynamic shapes got wrong."""

import itertools

import numpy as np
import pytest


def output_dims(dyn, model, name="y", **options):
    return dyn.shapes(model, **options).values[name].dims


def test_padding_of_unknown_dims_adds_to_them(dyn, build):
    model = build("""g (float[a,b,c,d] x) => (float[p,q,r,s] y)
        <int64[8] pads = {0,0,2,2,0,0,2,2}> { y = Pad(x, pads) }""")
    assert output_dims(dyn, model) == ("a", "b", "c + 4", "d + 4")


DIMS = ["batch", "2", "height", "width"]


@pytest.mark.parametrize("dynamic", [set(chosen) for count in range(1, 4) for chosen in itertools.combinations((0, 2, 3), count)])
def test_convolution_with_any_dims_dynamic(dyn, build, dynamic):
    sizes = ["3", "2", "17", "23"]
    dims = [DIMS[i] if i in dynamic else sizes[i] for i in range(4)]
    model = build(f"""g (float[{','.join(dims)}] x, float[4,2,3,5] w) => (float[p,q,r,s] y)
        {{ y = Conv <kernel_shape = [3,5], strides = [2,3], pads = [1,2,1,2]> (x, w) }}""")
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    expressions = output_dims(dyn, model)
    for batch, height, width in [(3, 17, 23), (1, 3, 5), (2, 8, 64)]:
        shape = [value if i in dynamic else int(sizes[i]) for i, value in enumerate((batch, 2, height, width))]
        (y,) = session.run(None, {"x": np.ones(shape, np.float32), "w": np.ones((4, 2, 3, 5), np.float32)})
        given = f"batch == {batch}; height == {height}; width == {width}"
        for expression, size in zip(expressions, y.shape):
            assert dyn.prove(f"{expression} == {size}", given=given)


def test_symbols_of_inputs_are_never_merged(dyn, build):
    """Two names are two sizes, even where an operator takes them together; the guard says what must hold."""
    model = build("g (float[a] x, float[b] y) => (float[c] z, float[a] v, float[b] w) { z = Add(x, y) v = Neg(x) w = Neg(y) }")
    shapes = dyn.shapes(model)
    assert shapes.outputs["z"].dims == ("bcast(a, b)",)
    assert shapes.outputs["v"].dims == ("a",) and shapes.outputs["w"].dims == ("b",)
    assert [guard.predicate for guard in shapes.guards] == ["a == b or a == 1 or b == 1"]


@pytest.mark.parametrize("name", ["", "?", "-1", "None", "unk__7"])
def test_literals_that_name_nothing_are_different_sizes(dyn, build, name):
    model = build("g (float[p] x, float[q] y) => (float[r] z) { z = Concat <axis = 0> (x, y) }")
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = name
    assert output_dims(dyn, model, "z") == ("x_0 + y_0",)


def test_broadcast_against_a_dim_that_may_be_one(dyn, build):
    model = build("g (float[1,12,6,6] x, float[m,n,6,6] y) => (float[p,q,r,s] z) { z = Add(x, y) }")
    shapes = dyn.shapes(model)
    assert shapes.outputs["z"].dims == ("m", "12", "6", "6")
    assert [guard.predicate for guard in shapes.guards] == ["n == 12 or n == 1"]


def test_reshape_to_a_shape_that_is_an_input(dyn, build):
    model = build("g (float[n,6] x, int64[3] shape) => (float[p,q,r] y) { y = Reshape(x, shape) }")
    shapes = dyn.shapes(model)
    assert len(shapes.outputs["y"].dims) == 3
    assert {symbol.origin for symbol in shapes.symbols.values()} >= {f"element {i} of 'shape'" for i in range(3)}


def test_reshape_to_dims_of_another_value(dyn, build):
    model = build("""g (float[n,6] x, float[a,b] like) => (float[p,q] y)
        { shape = Shape(like) two = Constant <value = int64[1] {2}> () zero = Constant <value = int64[1] {0}> ()
          first = Gather(shape, zero) minus = Constant <value = int64[1] {-1}> ()
          dims = Concat <axis = 0> (first, minus) y = Reshape(x, dims) }""")
    assert output_dims(dyn, model)[0] == "a"


def test_a_rank_that_data_decide_is_said_to_be_unknown(dyn, build):
    """With the node and the operand, and without a word about anything inside of the compiler."""
    model = build("g (float[2,n] x, int64[m] shape) => (float[p] y) { z = Reshape(x, shape) y = Squeeze(z) }")
    shapes = dyn.shapes(model)
    assert shapes.values["z"].dims is None
    with pytest.raises(dyn.CompileError, match="the rank of result 0 can't be found") as caught:
        dyn.compile(model)
    assert "'z'" in str(caught.value) and "Reshape" not in str(caught.value).split("(")[0]


def test_squeeze_of_a_dim_that_may_be_anything(dyn, build):
    model = build("g (float[n,m] x) => (float[p] y) <int64[1] axes = {0}> { y = Squeeze(x, axes) }")
    shapes = dyn.shapes(model)
    assert shapes.outputs["y"].dims == ("m",)
    assert [guard.predicate for guard in shapes.guards] == ["n == 1"]


@pytest.mark.parametrize("dims", [{"h": "16..1024:16"}, {}])
def test_divisibility_makes_halves_and_doubles_cancel(dyn, build, dims):
    model = build("""g (float[h] x) => (float[p] y)
        { s = Shape(x) two = Constant <value = int64[1] {2}> () half = Div(s, two) whole = Mul(half, two)
          y = Expand(one, whole) } """.replace("{ s", "<float[1] one = {1}> { s"))
    options = {"dims": {"h": dyn.Dim(16, 1024, divisor=16)}} if dims else {}
    (dim,) = output_dims(dyn, model, **options)
    assert dim == ("h" if dims else "2 * (h floordiv 2)")


def test_the_length_of_a_cache_is_that_of_its_mask(dyn, build):
    """`past + seq` is read as a sum: what is concatenated has the length of the mask."""
    model = build("""g (float[batch,past,8] cache, float[batch,seq,8] new, float[batch,seq,total] mask)
        => (float[batch,seq,total] scores)
        { all = Concat <axis = 1> (cache, new) turned = Transpose <perm = [0,2,1]> (all)
          product = MatMul(new, turned) scores = Add(product, mask) }""")
    model.graph.input[2].type.tensor_type.shape.dim[2].dim_param = "past+seq"
    shapes = dyn.shapes(model)
    assert shapes.outputs["scores"].dims == ("batch", "seq", "past + seq")
    assert shapes.guards == ()


def test_maximum_of_a_size_and_a_number(dyn, build):
    model = build("""g (float[n] x) => (float[p] y) <float[1] one = {1}, int64[1] least = {16}>
        { s = Shape(x) m = Max(s, least) y = Expand(one, m) }""")
    assert output_dims(dyn, model) == ("max(n, 16)",)
    (dim,) = dyn.infer_shapes(model).graph.output[0].type.tensor_type.shape.dim
    assert dim.dim_param == "Max(n, 16)"
