"""Random numbers: those of the interpreter and of compiled code are the same, each run, and spread as they should."""

import numpy as np
import onnx.parser
import pytest

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

pytestmark = pytest.mark.filterwarnings("ignore")


def build(body, outputs, inputs="float[B, N] x"):
    results = ", ".join(f"{kind} {name}" for name, kind in outputs.items())
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 22]>\ng ({inputs}) => ({results}) {{ {body} }}')
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    for node in model.graph.node:
        node.name = f"/{node.op_type}/{node.output[0]}"
    return model


def run(model, **inputs):
    return dyn.compile(model, threads=2).run(inputs)


def zeros(*dims):
    return np.zeros(dims, np.float32)


NUMBERS = build("""
    n = RandomNormalLike(x) m = RandomNormalLike<mean = 5.0, scale = 2.0, seed = 3.0>(x) k = RandomNormalLike<seed = 3.0>(x)
    u = RandomUniformLike(x) v = RandomUniformLike<low = -1.0, high = 3.0>(x) h = RandomUniformLike<dtype = 10>(x)
    b = RandomUniformLike<dtype = 16>(x) d = RandomNormalLike<dtype = 11>(x) p = Bernoulli<dtype = 7>(u)""",
                {"n": "float", "m": "float", "k": "float", "u": "float", "v": "float", "h": "float16", "b": "bfloat16",
                 "d": "double", "p": "int64"})


def test_dims_are_those_of_the_operand():
    table = dyn.shapes(NUMBERS)
    assert {value.dims for value in table.values.values()} == {("B", "N")} and not table.guards


@pytest.mark.parametrize("dims", [(0, 4), (1, 1), (2, 0), (7, 13)])
def test_compiled_numbers_are_those_of_the_interpreter(dims):
    ours, expected = run(NUMBERS, x=zeros(*dims)), dyn.Reference(NUMBERS).run({"x": zeros(*dims)})
    for value, one, other in zip(NUMBERS.graph.output, ours, expected, strict=True):
        assert one.shape == other.shape == dims, value.name
        np.testing.assert_allclose(one.astype(np.float64), other.astype(np.float64), 1e-5, 1e-6, err_msg=value.name)


def test_numbers_are_spread_as_asked_for():
    n, m, k, u, v, h, b, d, p = (value.astype(np.float64) for value in run(NUMBERS, x=zeros(500, 600)))
    for normal, mean, deviation in [(n, 0, 1), (m, 5, 2), (k, 0, 1), (d, 0, 1)]:
        assert abs(normal.mean() - mean) < 0.01 * deviation and abs(normal.std() / deviation - 1) < 0.01
        # Within one deviation, and outside of two.
        assert abs((abs(normal - mean) < deviation).mean() - 0.6827) < 0.005
        assert abs((abs(normal - mean) > 2 * deviation).mean() - 0.0455) < 0.003
    for uniform, low, high in [(u, 0, 1), (v, -1, 3), (h, 0, 1), (b, 0, 1)]:
        assert uniform.min() >= low and uniform.max() < high
        counts, _ = np.histogram(uniform, 8, (low, high))
        np.testing.assert_allclose(counts / uniform.size, 1 / 8, 0.02)
    # 1 where a number is below another one that is spread evenly.
    assert abs(p.mean() - 0.5) < 0.005 and abs(p[u > 0.9].mean() - 0.95) < 0.01
    for one, other in [(n, d), (u, v), (n[:, 1:], n[:, :-1]), (n[1:], n[:-1])]:
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 0.01
    # Equal seeds draw the same.
    np.testing.assert_allclose(m, 2 * k + 5, 1e-5, 1e-5)


def test_numbers_do_not_depend_on_other_dims():
    small, large = run(NUMBERS, x=zeros(3, 5))[0], run(NUMBERS, x=zeros(30, 50))[0]
    np.testing.assert_array_equal(small.ravel(), large.ravel()[:15])


def test_shapes_that_attributes_say():
    n, u = run(build("n = RandomNormal<shape = [2, 3], mean = 1.0>() u = RandomUniform<shape = [0, 2], dtype = 11>()",
                     {"n": "float", "u": "double"}, inputs=""))
    assert n.shape == (2, 3) and u.shape == (0, 2) and u.dtype == np.float64


@pytest.mark.parametrize("kind, dtype", [("int32", 6), ("int64", 7)])
def test_classes_are_drawn_by_their_weights(kind, dtype):
    model = build(f"y = Multinomial<sample_size = 20000, dtype = {dtype}>(x)", {"y": kind})
    weights = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 0], [0, 0, 1]], np.float32)
    y, = run(model, x=np.log(np.maximum(weights, 1e-38)) + 100)
    assert y.dtype == kind and y.shape == (3, 20000)
    np.testing.assert_allclose([np.bincount(row, minlength=3) / 20000 for row in y], weights, atol=0.01)
    assert run(model, x=zeros(0, 3))[0].shape == (0, 20000)


def test_dropout_in_training():
    model = build("y, k = Dropout<seed = 4>(x, r, t)", {"y": "float", "k": "bool"}, "float[B, N] x, float r, bool t")
    x = np.random.default_rng(0).standard_normal((300, 400)).astype(np.float32)
    for ratio, training in [(0.3, True), (0.3, False), (0, True), (1, True)]:
        y, k = run(model, x=x, r=np.float32(ratio), t=np.bool_(training))
        kept = 1 - ratio * training
        assert abs(k.mean() - kept) < 0.005
        np.testing.assert_allclose(y, np.where(k, x / max(kept, 1e-9), 0), 1e-5)


def test_half_is_dropped_unless_something_is_said():
    y, k = run(build("t = Constant<value = bool {1}>() y, k = Dropout(x, , t)", {"y": "float", "k": "bool"}),
               x=np.ones((100, 100), np.float32))
    assert 0.48 < k.mean() < 0.52 and set(np.unique(y)) == {0, 2}


@pytest.mark.parametrize("body, text", [
    ("y = RandomUniform<shape = [2, -1]>()", "attribute 'shape' has a dim below 0"),
    ("i = Cast<to = 7>(x) y = RandomNormalLike(i)", "attribute 'dtype' says which"),
    ("y = Multinomial<sample_size = -3>(x)", "attribute 'sample_size' is below 0"),
])
def test_errors_name_the_node(body, text):
    with pytest.raises(dyn.CompileError, match=f"/y'.*{text}"):
        dyn.compile(build(body, {"y": "float"}))


def test_dropout_behind_a_bias():
    model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 22, "com.microsoft" : 1]>
        g (float[B, N] x, float[N] b, float[B, N] z, float r, bool t) => (float y, bool k) {
            y, k = com.microsoft.BiasDropout<seed = 4>(x, b, z, r, t) }""")
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    rng = np.random.default_rng(0)
    x, b, z = (rng.standard_normal(dims).astype(np.float32) for dims in [(200, 300), 300, (200, 300)])
    for ratio, training in [(0.25, True), (0.25, False)]:
        y, k = run(model, x=x, b=b, z=z, r=np.float32(ratio), t=np.bool_(training))
        kept = 1 - ratio * training
        assert abs(k.mean() - kept) < 0.01
        np.testing.assert_allclose(y, np.where(k, (x + b) / kept, 0) + z, 1e-4, 1e-5)
