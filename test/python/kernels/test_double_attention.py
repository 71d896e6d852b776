"""Attention of f64 as one kernel, in the forms that exporters write: what the interpreter and onnxruntime give, in memory that
grows with the length and not with its square."""

import itertools

import numpy as np
import onnx
import pytest
from test_half_attention import make, make_inputs, spoilt

from zoo.runners import open_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

# Those that compute in the type of the queries throughout.
FORMS = ["plain", "no number becomes 0", "choice", "by nodes"]
TOLERANCE = 1e-12
SIZES = [dict(zip("BSP", sizes)) for sizes in itertools.product((0, 1, 2), (0, 1, 2, 13, 31, 70), (0, 1, 31, 70))] + [
    {"B": 1, "S": 1, "P": 257}, {"B": 1, "S": 131, "P": 0}, {"B": 1, "S": 197, "P": 127}]


@pytest.fixture(scope="module", params=FORMS)
def compiled(request):
    data = make("double", request.param).SerializeToString()
    return data, dyn.compile(data), dyn.Reference(data)


@pytest.mark.parametrize("form, kinds", [*((form, ["attention"]) for form in FORMS),
                                         # Scores are rounded between sums of f64 and a softmax of f32.
                                         ("softmax in f32", ["contraction", "row", "contraction"])])
def test_is_one_kernel_if_all_is_of_one_type(tool, tmp_path, form, kinds):
    onnx.save(make("double", form), tmp_path / "model.onnx")
    done = tool("dyn-translate", "--import-onnx", tmp_path / "model.onnx", "-o", tmp_path / "model.mlir")
    assert done.returncode == 0, done.stderr
    done = tool("dyn-opt", tmp_path / "model.mlir", "--dyn-pipeline=to=kernels")
    assert done.returncode == 0, done.stderr
    launches = [line.split("@")[1].split("_")[0] for line in done.stdout.splitlines() if "dyn_shape.launch" in line]
    assert [kind for kind in launches if kind in ("attention", "contraction", "row")] == kinds


def test_gives_what_the_interpreter_and_onnxruntime_give(compiled):
    data, executable, reference = compiled
    session = open_onnxruntime(data, 1)
    for sizes in SIZES:
        inputs = make_inputs("double", sizes)
        got, expected = executable.run(inputs), reference.run(inputs)
        for ours, theirs in zip(got, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, TOLERANCE, TOLERANCE, err_msg=f"interpreter at {sizes}")
        if all(sizes[name] for name in "BS"):
            for ours, theirs in zip(got, session.run(None, inputs), strict=True):
                np.testing.assert_allclose(ours, theirs, TOLERANCE, TOLERANCE, err_msg=f"onnxruntime at {sizes}")


def test_rows_without_numbers(compiled):
    _, executable, reference = compiled
    for sizes in SIZES:
        inputs = make_inputs("double", sizes, spoilt)
        for ours, theirs in zip(executable.run(inputs), reference.run(inputs), strict=True):
            np.testing.assert_allclose(ours, theirs, TOLERANCE, TOLERANCE, err_msg=str(sizes))


def test_a_softmax_of_another_type_gives_the_same():
    data = make("double", "softmax in f32").SerializeToString()
    executable, reference = dyn.compile(data), dyn.Reference(data)
    for sizes in SIZES:
        inputs = make_inputs("double", sizes)
        for ours, theirs in zip(executable.run(inputs), reference.run(inputs), strict=True):
            np.testing.assert_allclose(ours, theirs, 1e-5, 1e-5, err_msg=str(sizes))


def test_no_scores_lie_in_memory(compiled):
    _, executable, _ = compiled
    arenas = [executable.arena_bytes({"B": 1, "S": length, "P": 0}) for length in (1024, 2048, 4096)]
    assert arenas[2] - arenas[1] <= 2 * (arenas[1] - arenas[0]) + 4096, "grows with more than the length"
