"""Attention of 16-bit floats as one kernel, in the forms that exporters write: what the interpreter and onnxruntime give, no
less exact than step by step, in memory that grows with the length and not with its square, as that of f32."""

import itertools
import re

import ml_dtypes
import numpy as np
import onnx
import onnx.parser
import pytest

from zoo.runners import open_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

# Four heads share two of keys and values, which follow those of earlier steps.
HEADS, SHARED, WIDTH = 4, 2, 16
INPUTS = (f"TYPE[B, S, {HEADS}, {WIDTH}] qs, TYPE[B, S, {SHARED}, {WIDTH}] ks, TYPE[B, S, {SHARED}, {WIDTH}] vs, "
          f"TYPE[B, {SHARED}, P, {WIDTH}] kp, TYPE[B, {SHARED}, P, {WIDTH}] vp, TYPE[B, 1, S, M] mask")
SCORES = f"""
    q = Transpose<perm = [0, 2, 1, 3]>(qs) kn = Transpose<perm = [0, 2, 1, 3]>(ks) vn = Transpose<perm = [0, 2, 1, 3]>(vs)
    ka = Concat<axis = 2>(kp, kn) va = Concat<axis = 2>(vp, vn)
    two = Constant<value_ints = [2]>() repeats = Constant<value_ints = [1, 1, {HEADS // SHARED}, 1, 1]>()
    ku = Unsqueeze(ka, two) ke = Expand(ku, repeats) vu = Unsqueeze(va, two) ve = Expand(vu, repeats)
    head = Shape<end = 1>(ka) rest = Shape<start = 2>(ka) heads = Constant<value_ints = [{HEADS}]>()
    to = Concat<axis = 0>(head, heads, rest) k = Reshape<allowzero = 1>(ke, to) v = Reshape<allowzero = 1>(ve, to)
    kt = Transpose<perm = [0, 1, 3, 2]>(k) p = MatMul(q, kt)
    scale32 = Constant<value_float = 0.25>() scale = CastLike(scale32, p) s = Mul(p, scale)"""
WEIGHTS = {
    "plain": "u = Add(s, mask) w = Softmax(u)",
    "softmax in f32": "u = Add(s, mask) f = Cast<to = 1>(u) g = Softmax(f) w = CastLike(g, s)",
    "mask in f32": "f = Cast<to = 1>(s) m = Cast<to = 1>(mask) u = Add(f, m) g = Softmax(f) w = CastLike(g, s)",
    "no number becomes 0": "u = Add(s, mask) g = Softmax(u) n = IsNaN(g) none = Constant<value_float = 0.0>() "
                           "z = CastLike(none, g) w = Where(n, z, g)",
    "by nodes": "u = Add(s, mask) last = Constant<value_ints = [-1]>() m = ReduceMax(u, last) d = Sub(u, m) e = Exp(d) "
                "t = ReduceSum(e, last) w = Div(e, t)",
    "choice": "edge32 = Constant<value_float = -1.0>() edge = CastLike(edge32, mask) c = Greater(mask, edge) "
              "least32 = Constant<value_float = -60000.0>() least = CastLike(least32, s) u = Where(c, s, least) w = Softmax(u)",
}
FORMS = {name: f"{SCORES} {weights} o = MatMul(w, v) y = Transpose<perm = [0, 2, 1, 3]>(o)" for name, weights in WEIGHTS.items()}
TYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
ARRAYS = {**TYPES, "double": np.float64}
# Of the products and sums of such floats in the tests of contractions, relative to 1 + magnitude.
TOLERANCE = {"float16": 1e-2, "bfloat16": 8e-2}
SIZES = [dict(zip("BSP", sizes)) for sizes in itertools.product((1, 3), (1, 2, 13, 31), (0, 1, 31))] + [
    {"B": 0, "S": 2, "P": 1}, {"B": 2, "S": 0, "P": 0}, {"B": 2, "S": 0, "P": 3}, {"B": 1, "S": 1, "P": 257}, {"B": 1, "S": 131, "P": 0},
    {"B": 1, "S": 197, "P": 127}] + [
    {"B": 1, "S": int(length), "P": int(past)} for length, past in np.random.default_rng(0).integers(0, 71, (8, 2))]


def make(kind, form):
    inputs = INPUTS.replace("TYPE", kind)
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 20]> g ({inputs}) => ({kind}[B, S, {HEADS}, {WIDTH}] y, '
                                    f'{kind}[B, {SHARED}, M, {WIDTH}] ka, {kind}[B, {SHARED}, M, {WIDTH}] va) {{ {FORMS[form]} }}')
    for value in (*model.graph.input, *model.graph.output):
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param == "M":
                dim.dim_param = "P + S"
    return model


def causal(generator, shape):
    return np.triu(np.full(shape, -np.inf), shape[-1] - shape[-2] + 1)


def spoilt(generator, shape):
    """Rows that are masked whole, or have an infinite score, or no number."""
    mask = np.where(generator.random(shape) < 0.7, 0, -np.inf)
    mask[..., 0::5, :] = -np.inf
    if shape[-1]:
        mask[..., 1::5, shape[-1] // 2] = np.inf
        mask[..., 2::5, shape[-1] // 3] = np.nan
    return mask


def make_inputs(kind, sizes, make_mask=causal):
    generator = np.random.default_rng(sorted(sizes.values()))
    scope = {**sizes, "M": sizes["P"] + sizes["S"]}
    inputs = {}
    for dims, name in re.findall(r"TYPE\[([^\]]*)\] (\w+)", INPUTS):
        shape = [scope.get(dim, dim) for dim in dims.split(", ")]
        shape = tuple(int(dim) for dim in shape)
        inputs[name] = (make_mask(generator, shape) if name == "mask" else generator.standard_normal(shape)).astype(ARRAYS[kind])
    return inputs


def check_near(got, expected, tolerance, what):
    assert got.shape == expected.shape and got.dtype == expected.dtype, what
    np.testing.assert_allclose(got.astype(np.float32), expected.astype(np.float32), tolerance, tolerance, err_msg=what)


@pytest.fixture(scope="module")
def compiled():
    """Models, what Dyn makes of them, and the interpreter, made once each."""
    made = {}

    def compile_it(kind, form):
        if (kind, form) not in made:
            data = make(kind, form).SerializeToString()
            made[kind, form] = data, dyn.compile(data), dyn.Reference(data)
        return made[kind, form]
    return compile_it


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("form", FORMS)
def test_is_one_kernel(tool, tmp_path, kind, form):
    onnx.save(make(kind, form), tmp_path / "model.onnx")
    done = tool("dyn-translate", "--import-onnx", tmp_path / "model.onnx", "-o", tmp_path / "model.mlir")
    assert done.returncode == 0, done.stderr
    done = tool("dyn-opt", tmp_path / "model.mlir", "--dyn-pipeline=to=kernels")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"dyn_shape\.launch @(attention|contraction|row)", done.stdout) == ["attention"]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("form", FORMS)
def test_gives_what_the_interpreter_and_onnxruntime_give(compiled, kind, form):
    data, executable, reference = compiled(kind, form)
    session = open_onnxruntime(data, 1) if kind == "float16" else None  # onnxruntime has no sums of bf16 on CPUs
    for sizes in SIZES:
        inputs = make_inputs(kind, sizes)
        got, expected = executable.run(inputs), reference.run(inputs)
        for ours, theirs in zip(got, expected, strict=True):
            check_near(ours, theirs, TOLERANCE[kind], f"interpreter at {sizes}")
        if session and all(sizes[name] for name in "BS"):
            for ours, theirs in zip(got, session.run(None, inputs), strict=True):
                check_near(ours, theirs, TOLERANCE[kind], f"onnxruntime at {sizes}")


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("form", ["plain", "no number becomes 0", "by nodes"])
def test_rows_without_numbers(compiled, kind, form):
    _, executable, reference = compiled(kind, form)
    for sizes in SIZES:
        inputs = make_inputs(kind, sizes, spoilt)
        for ours, theirs in zip(executable.run(inputs), reference.run(inputs), strict=True):
            check_near(ours, theirs, TOLERANCE[kind], str(sizes))


def test_sums_beyond_the_largest_float16(compiled):
    """Of 70000 equal scores, which are summed in f16 node by node, each weighs as much."""
    _, executable, _ = compiled("float16", "by nodes")
    inputs = make_inputs("float16", {"B": 1, "S": 1, "P": 69999})
    inputs["qs"][...] = 0
    expected = np.concatenate([inputs["vp"], inputs["vs"].transpose(0, 2, 1, 3)], 2).astype(np.float64).mean(2)
    np.testing.assert_allclose(executable.run(inputs)[0][0, 0], np.repeat(expected[0], HEADS // SHARED, 0), 1e-3, 1e-3)


def attend_exactly(inputs):
    """In f64, of the plain form and that by nodes."""
    wide = {name: array.astype(np.float64) for name, array in inputs.items()}
    query = wide["qs"].transpose(0, 2, 1, 3)
    key, value = (np.repeat(np.concatenate([wide[past], wide[new].transpose(0, 2, 1, 3)], 2), HEADS // SHARED, 1)
                  for past, new in (("kp", "ks"), ("vp", "vs")))
    scores = query @ key.transpose(0, 1, 3, 2) * 0.25 + wide["mask"]
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return ((weights / weights.sum(-1, keepdims=True)) @ value).transpose(0, 2, 1, 3)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("form", ["plain", "by nodes"])
def test_is_no_less_exact_than_step_by_step(compiled, kind, form):
    """Weights are not rounded before they are multiplied with values, and sums are those of f32."""
    _, executable, reference = compiled(kind, form)
    for sizes in ({"B": 2, "S": 64, "P": 0}, {"B": 1, "S": 31, "P": 97}, {"B": 3, "S": 7, "P": 500}):
        inputs = make_inputs(kind, sizes)
        exact = attend_exactly(inputs)
        ours, theirs = (np.sqrt(np.mean((runner.run(inputs)[0].astype(np.float64) - exact) ** 2)) for runner in (executable, reference))
        assert ours <= 1.02 * theirs, sizes


@pytest.mark.parametrize("kind", ["float", "float16", "bfloat16"])
def test_no_scores_lie_in_memory(compiled, kind):
    _, executable, _ = compiled(kind, "plain")
    arenas = [executable.arena_bytes({"B": 1, "S": length, "P": 0}) for length in (1024, 2048, 4096)]
    assert arenas[2] - arenas[1] <= 2 * (arenas[1] - arenas[0]) + 4096, "grows with more than the length"
    assert arenas[2] < HEADS * 4096 * 4096, "half of the scores in 16 bits would be as much"
