"""What exporters leave in dim_param reaches the module as an expression, or as a name that proves nothing."""

import pathlib

import onnx
from onnx import TensorProto, helper

TABLE = pathlib.Path(__file__).parent.parent / "symbolic" / "dim_texts.tsv"


def test_texts_of_dims_are_expressions_or_names(import_model):
    rows = [row.split("\t") for row in TABLE.read_text(encoding="utf-8").splitlines()[1:]]
    names = [text for text, reading in rows if text == reading]
    # Their symbols are known from inputs of their own, which come first.
    known = sorted({*names, "h4", "w4", "s12", "s18", "s23", "s42", "samples", "batch", "seq", "time", "height", "width"})
    others = [(text, reading) for text, reading in rows if text != reading]
    texts = known + [text for text, _ in others]
    inputs = [helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, [text]) for i, text in enumerate(texts)]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [texts[0]])
    graph = helper.make_graph([helper.make_node("Identity", ["x0"], ["y"])], "texts", inputs, [output])
    text = import_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])).text
    aliases = dict(line.split(" = ", 1) for line in text.splitlines() if line.startswith("#"))
    arguments = next(line for line in text.splitlines() if "func.func @main" in line).split("%arg")[1:]
    assert len(arguments) == len(texts)
    for argument, (written, reading) in zip(arguments, [(name, name) for name in known] + others):
        dims = argument.split("tensor<?xf32, ", 1)[1].split(">", 1)[0]
        dims = aliases.get(dims, dims + ">")
        expected = f'"{written}"' if reading == "name" else reading
        assert dims == f"#dyn.dims<[{expected}]>", (written, argument)
