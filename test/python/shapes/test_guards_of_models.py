"""What inference finds for each shared model is what was found before: `guards.py --update` after a change that is meant."""

import warnings

import guards
import onnx
import pytest
from zoo import recipes

EXPECTED = guards.read()


@pytest.mark.parametrize("name", recipes.NAMES)
def test_symbols_and_guards(dyn, models_dir, name):
    assert guards.describe(models_dir / f"{name}.onnx") == EXPECTED[name]


def test_no_model_is_left_over():
    assert set(EXPECTED) == set(recipes.NAMES)


@pytest.mark.parametrize("name", recipes.NAMES)
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
