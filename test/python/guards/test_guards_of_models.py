"""What inference finds for each shared model is what was found before: `guards.py --update` after a change that is meant."""

import guards
import pytest
from zoo import recipes

EXPECTED = guards.read()


@pytest.mark.parametrize("name", recipes.NAMES)
def test_symbols_and_guards(dyn, models_dir, name):
    assert guards.describe(models_dir / f"{name}.onnx") == EXPECTED[name]


def test_no_model_is_left_over():
    assert set(EXPECTED) == set(recipes.NAMES)
