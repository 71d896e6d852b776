"""What other programs refuse because of one dim is refused by Dyn too, of ONNX's node tests and of onnxruntime's operators.

A size that no other fits must not be repeated, cut off, or merged with another one: the numbers would be wrong without a
word.
"""

import collections
import pathlib
import re
import sys

import numpy as np
import pytest

import changed_dims
import node_cases
import peers

sys.path.append(str(pathlib.Path(__file__).parents[1] / "import" / "operators"))

import models  # noqa: E402
import operator_cases  # noqa: E402

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

EACH = 4  # node tests of an operator
LARGEST = 20000  # elements of an input

ACCEPTED = [
    # ONNX's reference adds in place, onnxruntime takes whole masks only.
    (r"Attention test_\w+", r"attn_mask\[\d\] = .*", "ONNX lets masks be repeated"),
    (r"Attention-masked", r"m\[\d\] = 1", "ONNX lets masks be repeated"),
    # onnxruntime has no kernels of layout 1.
    (r"(RNN|GRU|LSTM) test_\w+_batchwise", r"X\[1\] = 2", "a limit of ONNX's reference"),
    (r"QLinearMatMul \w+", r"a_(scale|zero_point)\[0\] = 2", "ONNX allows one for each row, onnxruntime one for all"),
    (r"Scan test_scan_sum", r"initial\[1\] = 1", "a step may give other dims than it was given"),
    (r"Split-18", r"x\[1\] = 1", "parts may be empty since opset 18 (docs/limitations.md)"),
]
"""(test, change, why what others refuse is right)"""


def one_node_tests():
    """Some of each operator, whose inputs are few plain numbers."""
    found = collections.defaultdict(list)
    for name in node_cases.NAMES:
        model = node_cases.load(name)
        operator = model.graph.node[0].op_type
        if len(model.graph.node) != 1 or name.endswith("_expanded") or len(found[operator]) == EACH:
            continue
        if operator in node_cases.TRAINING or operator == "ImageDecoder" or name in node_cases.draws_numbers():
            continue
        inputs = next(node_cases.read_sets(name, model))[0]
        if all(isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and value.size <= LARGEST
               for value in inputs.values()):
            found[operator].append(name)
    return found


TESTS = one_node_tests()


def expect_none(test, found):
    wrong = [change for change in found if not any(re.fullmatch(name, test) and re.fullmatch(pattern, change)
                                                   for name, pattern, _ in ACCEPTED)]
    assert not wrong, f"Dyn accepts what others refuse in {test}: {', '.join(wrong)}"


@pytest.mark.parametrize("operator", TESTS)
def test_what_others_refuse_is_refused(operator):
    for name in TESTS[operator]:
        model = node_cases.load(name)
        inputs, expected = next(node_cases.read_sets(name, model))
        others = list(peers.Peers(model, inputs, expected))

        def refuses(changed, others=others):
            for peer in others:
                try:
                    peer.run(changed)
                    return False
                except peers.Refused:
                    pass
            return bool(others)

        expect_none(f"{operator} {name}", changed_dims.find_accepted(model, inputs, refuses))


@pytest.mark.parametrize("name", [name for name in operator_cases.CASES if "com.microsoft" in operator_cases.CASES[name][3]
                                  or re.match("Attention|Deform|Einsum|GRU|Grid|LSTM|RNN|Resize|RoiAlign|Split", name)])
def test_what_onnxruntime_refuses_is_refused(name):
    given = models.build(operator_cases.CASES[name])
    model, inputs = changed_dims.free_dims(given), models.make_inputs(given)
    peer = peers.Peer("onnxruntime", peers.PROGRAMS["onnxruntime"](model))
    try:
        peer.run(inputs)
        dyn.Reference(model)
    except (peers.Refused, dyn.Error):
        pytest.skip("onnxruntime or Dyn does not run it at such sizes")

    def refuses(changed):
        try:
            peer.run(changed)
            return False
        except peers.Refused:
            return True

    expect_none(name, changed_dims.find_accepted(model, inputs, refuses))


def test_every_exception_is_of_a_test():
    names = [f"{operator} {name}" for operator, some in TESTS.items() for name in some] + list(operator_cases.CASES)
    for pattern, _, _ in ACCEPTED:
        assert any(re.fullmatch(pattern, name) for name in names), f"{pattern} names no test"
