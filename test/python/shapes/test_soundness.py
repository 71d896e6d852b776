"""Every inferred dim of every value is what onnxruntime produces. `utils/check-shapes` does this for all shared models."""

import re
import warnings

import numpy as np
import onnx
import pytest
from zoo import runners, shapes

# Models that run at fewer sizes than five: their constants have no room for more.
FEW = {"shape/mul_1_dynamic": 4, "shape/trt_reshape": 1}


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames:
        folder = metafunc.config.getoption("--models-dir")
        metafunc.parametrize("name", shapes.all_models(folder) if folder.is_dir() else ["no models"])


def test_inferred_dims_are_those_of_onnxruntime(dyn, models_dir, tmp_path, name):
    """At small sizes, 0 and 1 among them where onnxruntime takes them."""
    found = shapes.check_model(models_dir, name, tmp_path, number_of_sizes=8, choose=shapes.small_sizes)
    assert len(found.compared) >= FEW.get(name, 5)
    assert not found.wrong
    for pattern in shapes.EXPECTED.get(name, [()])[0]:
        assert any(re.match(pattern, line) for line in found.expected), f"no difference is like {pattern} any more"
    assert not found.unknown


def test_no_size_is_known_because_a_file_declares_it(dyn, models_dir, name):
    """Without what files say of the values in between, as much follows from the graph."""

    def count(model):
        with warnings.catch_warnings(action="ignore"):
            shapes = dyn.shapes(model)
        return (sum(symbol.origin.startswith("data") for symbol in shapes.symbols.values()),
                sum(value.dims is None for value in shapes.values.values()))

    model = onnx.load(models_dir / f"{name}.onnx", load_external_data=False)
    declared = count(model)
    del model.graph.value_info[:]
    for output in model.graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")
    assert count(model) == declared


def test_no_model_is_left_out(models_dir):
    files = {str(path.relative_to(models_dir).with_suffix("")) for path in models_dir.rglob("*.onnx")}
    assert files == {*shapes.all_models(models_dir), *shapes.recipes.NEVER_RUN}


@pytest.mark.parametrize("refused", shapes.recipes.NEVER_RUN)
def test_what_is_never_run_is_refused(dyn, models_dir, refused):
    """By both: else it could be compared."""
    path = models_dir / f"{refused}.onnx"
    with pytest.raises(dyn.Error):
        dyn.shapes(path)
    onnxruntime = runners.OnnxRuntime(path)
    with pytest.raises(runners.Refused):
        onnxruntime.run({})
    onnxruntime.close()


def test_a_wrong_dim_is_found(dyn, models_dir, tmp_path):
    """A check that accepts everything would pass the test above."""
    model = shapes.Shapes(models_dir / "shape/gemm_dyn_inner_test.onnx", tmp_path)
    model.dims["Y"] = [6, "A_0 + 1"]
    inputs = shapes.recipes.load_model(models_dir, "shape/gemm_dyn_inner_test").inputs({"k": 4})
    wrong, _ = model.compare(inputs, model.run(inputs))
    model.close()
    assert wrong == ["dim 1 of 'Y' is 7, but A_0 + 1 is inferred, which is 5"]


def test_sizes_from_data_are_in_their_range(dyn, models_dir, tmp_path):
    """They are taken from the first place where they stand, but what is known of them is checked."""
    model = shapes.Shapes(models_dir / "exported/data-dependent/greedy_decode_legacy.onnx", tmp_path)
    model.close()
    (count,) = re.fullmatch(r"(t\d+) \+ 1", model.dims["tokens"][1]).groups()
    assert model.table.symbols[count].facts == "[0, 20]"
    for size, expected in (21, []), (22, [f"dim 1 of 'tokens' is 22, but {count} + 1 is inferred, and {count} is in [0, 20]"]):
        assert model.compare({"hidden": np.zeros((2, 32), np.float32)}, {"tokens": (2, size)}) == (expected, [])


@pytest.mark.parametrize("text, value", [
    ("n", 7), ("12", 12), ("(n + 1)//2", 4), ("-((-n)//2)", 4), ("Max(3, n - 5)*2", 6), ("n % 4", 3),
    ('"a.b" + n', 12), ("a.b", 5), ("(a.b.1 + 1)//2 + n", 12)])
def test_texts_are_evaluated(text, value):
    assert shapes.evaluate(text, {"n": 7, "a.b": 5, "a.b.1": 10}) == value
