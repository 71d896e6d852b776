"""Pictures of models: what repeats is folded, and what only computes sizes is left out."""

import random
import re
import shutil
import subprocess

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


def test_what_no_output_needs_is_not_drawn():
    """Exporters leave such nodes behind. What a branch reads is needed; what only they read is not."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[n] x, bool c) => (float[n] y) {
      dead = Abs(x)
      deader, deadest = Split<axis = 0>(dead)
      read = Sqrt(x)
      y = If(c) <then_branch = t () => (float[n] a) { a = Neg(read) }, else_branch = e () => (float[n] b) { b = Exp(x) }>
    }""")
    labels = re.findall(r'^ *n\d+ \[label="(.*?)"', dyn.draw(model), re.MULTILINE)
    assert sorted(labels) == ["If", "Sqrt"]


def make_heads(classes: int, steps: int, stages: int = 1) -> onnx.ModelProto:
    """Heads that each choose what is not zero of their own, after stages of other widths, each with an output."""
    nodes, weights, value, outputs = [], [], "x", []
    for stage in range(stages):
        name = f"stage{stage}/"
        for step in range(steps):
            nodes.append(helper.make_node("MatMul", [value, f"{name}w{step}"], [f"{name}p{step}"]))
            nodes.append(helper.make_node("Relu", [f"{name}p{step}"], [f"{name}r{step}"]))
            rows = 4 if not stage and not step else 4 + stage if step else 3 + stage
            weights.append(helper.make_tensor(f"{name}w{step}", TensorProto.FLOAT, [rows, 4 + stage], [1.0] * rows * (4 + stage)))
            value = f"{name}r{step}"
        outputs.append(value)
    parts = []
    for number in range(classes):
        name = f"class{number}/"
        weights.append(helper.make_tensor(name + "n", TensorProto.FLOAT, [1], [number]))
        nodes += [
            helper.make_node("Neg", [name + "n"], [name + "m"]),
            helper.make_node("Add", [value, name + "m"], [name + "a"]),
            helper.make_node("NonZero", [name + "a"], [name + "z"]),
            helper.make_node("Transpose", [name + "z"], [name + "t"], perm=[1, 0]),
            helper.make_node("GatherND", [value, name + "t"], [name + "y"]),
        ]
        parts.append(name + "y")
    nodes.append(helper.make_node("Concat", parts, ["y"], axis=0))
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ["y", *outputs]], weights,
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def measure(text, path):
    """The width of a picture."""
    path.write_text(text)
    svg = subprocess.run(["dot", "-Tsvg", path], check=True, capture_output=True, text=True).stdout
    return int(re.search(r'width="(\d+)pt"', svg)[1])


def test_heads_side_by_side_are_one():
    text = dyn.draw(make_heads(200, 1))  # a thousand nodes
    assert count_boxes(text) == 7
    assert '"200 x NonZero"' in text and "Neg" not in text
    assert re.search(r'label="\[u0\] \.\.\. \[u199\]"', text) and text.count("label=\"[2, u0]") == 1


def test_chains_are_boxes_of_lines_where_there_are_too_many():
    def draw_labels(length):
        choose = random.Random(1).choice
        nodes = [
            helper.make_node(choose(["Sin", "Cos", "Tan", "Abs", "Exp", "Neg", "Erf"]), [f"v{i}"], [f"v{i + 1}"])
            for i in range(length)
        ]
        inputs = [helper.make_tensor_value_info("v0", TensorProto.FLOAT, ["batch", 4])]
        outputs = [helper.make_tensor_value_info(f"v{length}", TensorProto.FLOAT, None)]
        graph = helper.make_graph(nodes, "g", inputs, outputs)
        text = dyn.draw(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]))
        return re.findall(r'^\s*n\d+ \[label="(.*?)"', text, re.MULTILINE)

    assert all("\\n" not in label for label in draw_labels(20))
    labels = draw_labels(400)
    assert len(labels) <= 150 and max(label.count("\\n") for label in labels) > 10


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not there")
@pytest.mark.parametrize("classes, steps, stages", [(200, 1, 1), (7, 3, 120), (40, 100, 3)])
def test_large_models_are_narrow(tmp_path, classes, steps, stages):
    text = dyn.draw(make_heads(classes, steps, stages))
    assert count_boxes(text) <= 150
    assert measure(text, tmp_path / "model.dot") <= 2500


def test_inputs_of_one_place_are_one():
    names = [f"past.{layer}" for layer in range(12)]
    graph = helper.make_graph(
        [helper.make_node("Concat", names, ["y"], axis=1)], "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", "past"]) for name in names],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )  # fmt: skip
    text = dyn.draw(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]))
    assert 'in0 [label="past.0 ... past.11\\n(12)", shape=ellipse]' in text
    assert text.count("->") == 2


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not there")
def test_svg(tmp_path):
    dyn.draw(make_model(3), tmp_path / "model.svg")
    assert "</svg>" in (tmp_path / "model.svg").read_text()


def test_missing_folder_is_an_error(tmp_path):
    with pytest.raises(OSError):
        dyn.draw(make_model(1), tmp_path / "nothing" / "model.dot")
