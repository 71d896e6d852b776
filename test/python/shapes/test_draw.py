"""Pictures of models: what repeats is folded, and what only computes sizes is left out."""

import re
import shutil

import onnx
import pytest
from onnx import TensorProto, helper

dyn = pytest.importorskip("dyn", reason="the Python package is not built")


def make_model(copies: int) -> onnx.ModelProto:
    """Blocks of a product, an activation, and a reshape whose sizes the graph computes."""
    nodes, value = [], "x"
    for copy in range(copies):
        name = f"l{copy}/"
        nodes += [
            helper.make_node("MatMul", [value, "w"], [name + "p"], name=name + "MatMul"),
            helper.make_node("Relu", [name + "p"], [name + "r"], name=name + "Relu"),
            helper.make_node("Shape", [value], [name + "s"], name=name + "Shape"),
            helper.make_node("Gather", [name + "s", "zero"], [name + "b"], name=name + "Gather"),
            helper.make_node("Unsqueeze", [name + "b", "axes"], [name + "u"], name=name + "Unsqueeze"),
            helper.make_node("Concat", [name + "u", "rest"], [name + "d"], axis=0, name=name + "Concat"),
            helper.make_node("Reshape", [name + "r", name + "d"], [name + "y"], name=name + "Reshape"),
            helper.make_node("Add", [name + "y", value], [name + "z"], name=name + "Add"),
        ]
        value = name + "z"
    nodes.append(helper.make_node("Identity", [value], ["y"], name="last"))
    weights = [
        helper.make_tensor("w", TensorProto.FLOAT, [4, 4], [1.0] * 16),
        helper.make_tensor("zero", TensorProto.INT64, [], [0]),
        helper.make_tensor("axes", TensorProto.INT64, [1], [0]),
        helper.make_tensor("rest", TensorProto.INT64, [1], [4]),
    ]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], weights,
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def count_boxes(text: str) -> int:
    return len(re.findall(r"^\s*n\d+ \[", text, re.MULTILINE))


def test_thousand_nodes_are_drawn_as_one_block():
    text = dyn.draw(make_model(125))
    assert count_boxes(text) == 5  # four of a block, and the last one
    assert "125 times: l0/MatMul ... l124/MatMul" in text
    assert "Gather" not in text and "(4 nodes for sizes)" in text


def test_edges_carry_dims():
    text = dyn.draw(make_model(2))
    assert re.search(r'in0 -> n0 \[label="\[batch, 4\]"\]', text)
    assert "style=dotted" in text  # from a copy of the block to the next one


def test_what_does_not_repeat_is_all_there():
    assert count_boxes(dyn.draw(make_model(1))) == 5


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not there")
def test_svg(tmp_path):
    dyn.draw(make_model(3), tmp_path / "model.svg")
    assert "</svg>" in (tmp_path / "model.svg").read_text()


def test_missing_folder_is_an_error(tmp_path):
    with pytest.raises(OSError):
        dyn.draw(make_model(1), tmp_path / "nothing" / "model.dot")
