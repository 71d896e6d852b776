"""A node that is none is refused, or said to be one that ONNX alone knows: no process ends with it."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("dyn", reason="the Python package is not built")

SCRIPT = pathlib.Path(__file__).with_name("random_nodes.py")


@pytest.mark.parametrize("first", range(0, 6000, 1500))
def test_nodes_of_any_kind(first):
    process = subprocess.run([sys.executable, SCRIPT, str(first), "1500"], capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    numbers = process.stdout.split()
    assert process.returncode == 0, f"model {numbers[-1] if numbers else '?'}: {process.stderr[-3000:]}"
    assert int(numbers[-1]) == first + 1499


# Where onnxruntime says what nothing here computes, or less than is computed.
WIDER = {"GridSample": "NN"}


def test_types_of_contrib_operators_are_those_of_onnxruntime():
    """The table in Schemas/ContribOperands.cpp."""
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

    root = SCRIPT.parents[3]
    text = (root / "lib/Target/ONNX/Schemas/ContribOperands.cpp").read_text()
    table = dict(re.findall(r'{"(\w+)", "([A-Z*]*)"}', text))
    schemas = {schema.name: schema for schema in get_all_operator_schema() if schema.domain == "com.microsoft"}
    integers = {f"{sign}int{width}" for sign in ("", "u") for width in (2, 4, 8, 16, 32, 64)}
    groups = {"F": {"float", "double", "float16", "bfloat16"}, "I": integers, "B": {"bool"}}

    def letter(kinds):
        if "string" in kinds:
            return "A"
        return next((letter for letter, group in groups.items() if kinds <= group), "N")

    for name, letters in table.items():
        schema = schemas[name]
        allowed = {constraint.type_param_str: constraint.allowed_type_strs for constraint in schema.type_constraints}
        expected = "".join(letter({kind[len("tensor("):-1] for kind in allowed.get(formal.typeStr, [formal.typeStr])})
                           for formal in schema.inputs)
        if "*" in letters:
            # What repeats is one operand of any type there.
            first, _, repeated = letters.partition("*")
            assert expected == first + "N" and len(repeated) > 1, name
        else:
            assert letters == WIDER.get(name, expected), name
