"""Numbers that an integer type can't hold: compiled code, scalar and vector, the interpreter and folded constants give
what onnxruntime gives."""

import warnings

import numpy as np
import onnx.parser
import pytest

from models import build
from zoo.runners import open_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

FLOATS = {"float": np.float32, "double": np.float64, "float16": np.float16}
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def edges(kind):
    """Special numbers, and around each power of two at which an integer type ends."""
    powers = np.array([2.0 ** bits for bits in (7, 8, 15, 16, 31, 32, 53, 63, 64)])
    with np.errstate(over="ignore"):
        powers = powers.astype(kind)
    around = np.concatenate([powers, np.nextafter(powers, kind(0)), np.nextafter(powers, kind(np.inf)), powers - kind(0.5),
                             powers + kind(0.5), 3 * powers])
    few = np.array([0, 0.5, 0.99, 1, 1.5, 129, 200, 255.9, 256.5, 257, 300, np.inf, np.nan], kind)
    values = np.concatenate([few, around])
    return np.concatenate([values, -values])


def run_one_by_one(run, inputs):
    count = len(next(iter(inputs.values())))
    parts = [run({name: array[i:i + 1] for name, array in inputs.items()}) for i in range(count)]
    return [np.concatenate(part) for part in zip(*parts)]


def compare(source, model, inputs, folder, alone=True):
    """Compiled code at all elements and at each alone, and the interpreter, with onnxruntime, at each alone if `alone`.

    That is what it says of many too, but for floats that become `uint32`, which depend on the place in the tensor, and
    for squares and cubes, where it looks at how many exponents there are.
    """
    path = folder / "model.onnx"
    onnx.save(model, path)
    session = open_onnxruntime(model.SerializeToString(), 1)
    expected = run_one_by_one(lambda one: session.run(None, one), inputs) if alone else session.run(None, inputs)
    with warnings.catch_warnings(action="ignore"):
        executable, reference = dyn.compile(path, threads=1), dyn.Reference(path)
    runs = {"compiled": executable.run(inputs), "interpreted": reference.run(inputs),
            "compiled, one by one": run_one_by_one(executable.run, inputs)}
    names = [output.name for output in model.graph.output]
    for runner, outputs in runs.items():
        for name, ours, theirs in zip(names, outputs, expected, strict=True):
            assert ours.dtype == theirs.dtype
            wrong = np.flatnonzero(ours != theirs)
            assert not wrong.size, f"{runner}, {name} of {source[wrong]}: {ours[wrong]}, onnxruntime has {theirs[wrong]}"


def casts():
    return " ".join(f"to_{name} = Cast<to = {onnx.TensorProto.DataType.Value(name.upper())}>(x)" for name in INTEGERS)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("source", FLOATS)
def test_casts(source, tmp_path):
    values = edges(FLOATS[source])
    outputs = ", ".join(f"to_{name}" for name in INTEGERS)
    model = build((18, f"{source}[N] x", outputs, casts()))
    compare(values, model, {"x": values}, tmp_path)
    # Constants are folded as they are computed.
    expected = dyn.Reference(model).run({"x": values})
    del model.graph.input[:]
    model.graph.initializer.append(onnx.numpy_helper.from_array(values, "x"))
    for ours, theirs in zip(dyn.compile(model).run({}), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_casts_of_bfloat16(tmp_path):
    values = edges(np.float32)
    outputs = ", ".join(f"to_{name}" for name in INTEGERS)
    model = build((18, "float[N] w", outputs, "x = Cast<to = 16>(w) " + casts()))
    compare(values, model, {"w": values}, tmp_path)


@pytest.mark.parametrize("source", ["int32", "int64"])
@pytest.mark.parametrize("exponent", ["int32", "int64", "float"])
def test_powers_of_integers(source, exponent, tmp_path):
    numbers = np.dtype(source).type
    exponents = np.dtype({"float": "float32"}.get(exponent, exponent)).type
    pairs = [(base, power) for base in (-7, -3, -2, -1, 0, 1, 2, 3, 5, 7, 10, 12, 46341, -99999)
             for power in (-2, -1, 0, 1, 4, 5, 6, 7, 15, 19, 21, 22, 23, 31, 32, 33, 39, 40, 62, 63, 64)]
    bases, powers = np.array([base for base, _ in pairs], numbers), np.array([power for _, power in pairs], exponents)
    model = build((18, f"{source}[N] x, {exponent}[N] e", "y", "y = Pow(x, e)"))
    compare(np.stack([bases, powers.astype(np.int64)], -1), model, {"x": bases, "e": powers}, tmp_path)


@pytest.mark.parametrize("source", ["int32", "int64"])
@pytest.mark.parametrize("power", [-1, 0, 1, 2, 3, 4, 5, 40])
def test_constant_powers_of_integers(source, power, tmp_path):
    bases = np.array([-7, -1, 0, 1, 2, 3, 1291, 46341, 2**31 - 1, -2**31], source)
    if source == "int64":
        bases = np.concatenate([bases, [2**53 + 1, 3037000500, 2**62]])
    body = f"e = Constant<value = {source}[1] {{{power}}}>() y = Pow(x, e)"
    compare(bases, build((18, f"{source}[N] x", "y", body)), {"x": bases}, tmp_path, alone=False)


@pytest.mark.parametrize("power", [2, 3])
def test_squares_and_cubes_wrap_whether_or_not_the_power_is_known(power, tmp_path):
    bases = np.array([-7, 0, 3, 46341, 3037000500, 2**62 + 1], np.int64)
    path = tmp_path / "model.onnx"
    onnx.save(build((18, "int64[N] x, int64[N] e", "y", "y = Pow(x, e)")), path)
    expected = bases * bases * (1 if power == 2 else bases)
    inputs = {"x": bases, "e": np.full(len(bases), power)}
    for model in (dyn.compile(path), dyn.Reference(path)):
        np.testing.assert_array_equal(model.run(inputs)[0], expected)


def test_points_that_are_no_number_read_nothing_else(tmp_path):
    """NaN among regions gives NaN or 0, among grids where the axis begins, not an index that is out of bounds."""
    image = np.arange(2 * 5 * 6, dtype=np.float32).reshape(1, 2, 5, 6)
    grid = np.array([[[[np.nan, 0], [0.5, np.nan], [np.nan, np.nan], [np.inf, 0.25], [0.25, -np.inf], [1e30, 0],
                       [0.3, 0.1], [-1.4, 1.2]]]], np.float32)
    regions = np.array([[np.nan, 0, 3, 3], [0, 0, np.nan, 3], [1, np.nan, 3, np.nan]], np.float32)
    cases = {
        "GridSample": ("float[1, 2, H, W] x, float[1, A, B, 2] g", {"x": image, "g": grid},
                       [f'y = GridSample<mode = "{mode}", padding_mode = "{padding}", align_corners = {corners}>(x, g)'
                        for mode in ("linear", "nearest", "cubic") for padding in ("zeros", "border", "reflection")
                        for corners in (0, 1)]),
        "RoiAlign": ("float[1, 2, H, W] x, float[R, 4] r, int64[R] b",
                     {"x": image, "r": regions, "b": np.zeros(3, np.int64)},
                     [f"y = RoiAlign<output_height = 2, output_width = 2, sampling_ratio = {ratio}>(x, r, b)" for ratio in (0, 2)]),
    }
    for operator, (ports, inputs, bodies) in cases.items():
        for body in bodies:
            path = tmp_path / f"{operator}.onnx"
            onnx.save(build((20 if operator == "GridSample" else 16, ports, "y", body)), path)
            compiled, interpreted = dyn.compile(path).run(inputs)[0], dyn.Reference(path).run(inputs)[0]
            np.testing.assert_allclose(compiled, interpreted, rtol=1e-5, err_msg=body)
            if operator == "GridSample":
                expected = open_onnxruntime(path, 1).run(None, inputs)[0]
                np.testing.assert_allclose(compiled, expected, rtol=1e-4, atol=1e-5, err_msg=body)


@pytest.mark.parametrize("kind", [10, 16])
def test_running_sums_of_16_bits_are_summed_in_more(kind, tmp_path):
    """Each is the exact sum, rounded once, or next to it."""
    values = np.full(3000, 0.1, np.float32)
    model = build((18, "float[N] w", "y", f"x = Cast<to = {kind}>(w) a = Constant<value = int64 {{0}}>() s = CumSum(x, a) "
                   "y = Cast<to = 1>(s)"))
    onnx.save(model, tmp_path / "model.onnx")
    compiled, interpreted = (runner(tmp_path / "model.onnx").run({"w": values})[0] for runner in (dyn.compile, dyn.Reference))
    np.testing.assert_allclose(compiled, np.arange(1, 3001) * 0.1, rtol=8e-3 if kind == 16 else 1e-3)
    np.testing.assert_allclose(compiled, interpreted, rtol=8e-3 if kind == 16 else 1e-3)


@pytest.mark.parametrize("element", ["int32", "uint32"])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 9, 17])
def test_means_of_integers_hold_where_sums_do_not(element, count):
    """A mean is no larger than what it is of. Constants are folded by the interpreter."""
    limits = np.iinfo(element)
    row = np.resize(np.array([limits.max, limits.max - 7, limits.max - 3], element), count)
    rows = np.stack([row, limits.min + (limits.max - row), np.full(count, 5, element)])
    wanted = np.array([int(sum(map(int, each)) / count) for each in rows], element)
    model = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 17]> g ({element}[N, M] x) => ({element}[N] y) {{ y = ReduceMean<axes = [1], keepdims = 0>(x) }}')
    if element == "int32":
        np.testing.assert_array_equal(open_onnxruntime(model.SerializeToString(), 1).run(None, {"x": rows})[0], wanted)
    for runner in dyn.compile(model), dyn.Reference(model):
        np.testing.assert_array_equal(runner.run({"x": rows})[0], wanted)
