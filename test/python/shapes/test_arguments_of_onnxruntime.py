"""python -m dyn.infer_shapes in the place of onnxruntime's symbolic_shape_infer: what it takes, prints and writes."""

import argparse
import importlib
import os
import runpy
import subprocess
import sys

import numpy as np
import onnx
import onnx.helper as oh
import pytest
from onnx import numpy_helper

MODULES = {"onnxruntime": "onnxruntime.tools.symbolic_shape_infer", "dyn": "dyn.infer_shapes"}


@pytest.fixture
def arguments_of(dyn, monkeypatch):
    """The arguments that a program's own parser has, by name."""

    class Parser(Exception):
        pass

    def find(program):
        def stop(parser, *_):
            raise Parser(parser)

        with monkeypatch.context() as patch:
            patch.setattr(argparse.ArgumentParser, "parse_args", stop)
            patch.delitem(sys.modules, MODULES[program], raising=False)
            with pytest.raises(Parser) as found:
                runpy.run_module(MODULES[program], run_name="__main__")
        return {name: action for action in found.value.args[0]._actions for name in action.option_strings}

    return find


def test_all_arguments_of_onnxruntimes_tool_are_taken(arguments_of):
    theirs, ours = arguments_of("onnxruntime"), arguments_of("dyn")
    assert len(theirs) > 5 and theirs.keys() <= ours.keys(), theirs.keys() - ours.keys()
    for name, action in theirs.items():
        for what in ("nargs", "const", "default", "type", "choices", "required"):
            assert getattr(ours[name], what) == getattr(action, what), (name, what)
    # What is cut short means the same.
    added = ours.keys() - theirs.keys()
    assert not [name for name in added if any(other.startswith(name[:3]) for other in theirs)]


@pytest.fixture
def run(dyn, tmp_path):
    """Runs a tool in the test's own folder."""
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(dyn.__file__))}

    def run(program, *arguments):
        return subprocess.run([sys.executable, "-m", MODULES[program], *arguments], cwd=tmp_path, env=environment,
                              capture_output=True, text=True)

    return run


@pytest.fixture
def model(tmp_path):
    weights = np.arange(1024, dtype=np.float32).reshape(8, 128)
    graph = oh.make_graph([oh.make_node("MatMul", ["x", "w"], ["t"]), oh.make_node("Add", ["t", "b"], ["y"])], "g",
                          [oh.make_tensor_value_info("x", 1, ["n", 8])], [oh.make_tensor_value_info("y", 1, ["n", 128])],
                          [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(weights[0], "b")])
    made = oh.make_model(graph, opset_imports=[oh.make_opsetid("", 18)], ir_version=8)
    onnx.save(made, tmp_path / "in.onnx")
    return made


def files(folder):
    return sorted(os.path.relpath(os.path.join(path, name), folder) for path, _, names in os.walk(folder) for name in names)


def dims(model):
    return {value.name: [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
            for value in [*model.graph.value_info, *model.graph.output]}


@pytest.mark.parametrize("arguments, written", [
    ([], []),
    (["--auto_merge", "--int_max", "100000", "--guess_output_rank", "--verbose", "1"], []),
    (["--save_as_external_data"], ["w"]),
    (["--save_as_external_data", "--external_data_size_threshold", "100"], ["b", "w"]),
    (["--save_as_external_data", "--external_data_size_threshold", "1000000"], []),
    (["--save_as_external_data", "--all_tensors_to_one_file", "--external_data_location", "all.bin",
      "--external_data_size_threshold", "0"], ["all.bin"]),
], ids=str)
def test_both_tools_write_the_same(run, model, tmp_path, arguments, written):
    for program in MODULES:
        (tmp_path / program).mkdir()
        process = run(program, "--input", "in.onnx", "--output", f"{program}/out.onnx", *arguments)
        assert (process.returncode, process.stdout, process.stderr) == (0, "", ""), program
        assert files(tmp_path / program) == sorted(["out.onnx", *written])
        result = onnx.load(tmp_path / program / "out.onnx")
        assert dims(result) == {"t": ["n", 128], "y": ["n", 128]}
        for ours, given in zip(result.graph.initializer, model.graph.initializer, strict=True):
            np.testing.assert_array_equal(numpy_helper.to_array(ours), numpy_helper.to_array(given))


@pytest.mark.parametrize("program", MODULES)
def test_a_model_is_written_in_its_place(run, model, tmp_path, program):
    process = run(program, "--input", "in.onnx", "--output", "in.onnx")
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "")
    assert files(tmp_path) == ["in.onnx"]
    assert dims(onnx.load(tmp_path / "in.onnx"))["t"] == ["n", 128]


@pytest.mark.parametrize("program", MODULES)
@pytest.mark.parametrize("arguments, status", [
    (["--input", "none.onnx", "--output", "out.onnx"], 1),
    (["--output", "out.onnx"], 2),
    (["--input", "in.onnx", "--output", "out.onnx", "--no_such_argument"], 2),
    (["--input", "in.onnx", "--output", "no/such/folder/out.onnx"], 1),
    (["--input", "in.onnx", "--output", "out.onnx", "--int_max", "many"], 2),
    (["--input", "in.onnx"], 0),
], ids=str)
def test_both_tools_end_with_the_same_status(run, model, tmp_path, program, arguments, status):
    process = run(program, *arguments)
    assert process.returncode == status and bool(process.stderr) == (status != 0)
    assert files(tmp_path) == ["in.onnx"]


def test_all_weights_in_a_file_without_a_name(run, model, tmp_path):
    """For onnxruntime its own default is no name."""
    arguments = ["--input", "in.onnx", "--output", "out.onnx", "--save_as_external_data", "--all_tensors_to_one_file"]
    assert run("dyn", *arguments).returncode == 0
    assert files(tmp_path) == ["in.onnx", "out.onnx", "out.onnx.data"]
    np.testing.assert_array_equal(numpy_helper.to_array(onnx.load(tmp_path / "out.onnx").graph.initializer[0]),
                                  numpy_helper.to_array(model.graph.initializer[0]))
    assert run("dyn", *arguments, "--external_data_location", "sub/").returncode == 0
    assert files(tmp_path) == ["in.onnx", "out.onnx", "out.onnx.data", "sub/out.onnx.data"]


@pytest.mark.parametrize("location, message", [("taken", "sub/taken' is there already"), ("../w", "must lie in the model's folder"),
                                               ("/w", "must lie in the model's folder")])
def test_external_data_replace_nothing(run, model, tmp_path, location, message):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "taken").write_text("something else")
    process = run("dyn", "--input", "in.onnx", "--output", "sub/out.onnx", "--save_as_external_data",
                  "--all_tensors_to_one_file", "--external_data_location", location)
    assert process.returncode == 1 and message in process.stderr
    assert files(tmp_path) == ["in.onnx", "sub/taken"]


def test_a_folder_that_is_not_there_is_an_error(run, model):
    process = run("dyn", "--input", "in.onnx", "--output", "nowhere/out.onnx")
    assert process.returncode == 1 and process.stderr.startswith("in.onnx: error: cannot write"), process.stderr


def test_details_go_to_standard_error(run, model):
    process = run("dyn", "--input", "in.onnx", "--verbose", "3")
    assert process.returncode == 0 and process.stdout == ""
    assert "t  [n, 128] f32" in process.stderr


OPTIONS = ["--dim", "n=2..8:2@{4}", "--default-dim=3", "--input-dims", "w=[n, m + 1]", "--input-values=k=1,2", "--declared=override"]


@pytest.mark.parametrize("program", ["dyn.infer_shapes", "dyn.draw"])
def test_options_of_imports_are_taken(dyn, tmp_path, program):
    graph = onnx.parser.parse_graph("""g (float[n, ?] x, float[n, ?] w, int64[2] k) => (float[p, q] y, float[k0, k1] z, float[5, 5] v) {
      y = Neg(x) z = Expand(w, k) v = Abs(w) }""")
    path = tmp_path / "in.onnx"
    onnx.save(oh.make_model(graph, opset_imports=[oh.make_opsetid("", 17)], ir_version=8), path)
    arguments = {"dyn.infer_shapes": ["--inp", path, "--verb", "3"], "dyn.draw": [path, "-o", tmp_path / "out.dot"]}[program]
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(dyn.__file__))}

    def call(*options):
        return subprocess.run([sys.executable, "-m", program, *arguments, *options], env=environment, capture_output=True, text=True)

    process = call(*OPTIONS)
    assert process.returncode == 0, process.stderr
    text = process.stderr if program == "dyn.infer_shapes" else (tmp_path / "out.dot").read_text()
    assert "[n, 3]" in text and "[n, m + 1]" in text
    if program == "dyn.infer_shapes":
        assert "n: [2, 8] mod 2" in text
    for wrong in ["--dim=n", "--dim=n=many", "--dim=n=5..3", "--dim=n=2:0", "--default-dim=..x", "--input-values=k=a"]:
        process = call(wrong)
        assert process.returncode == 2 and f"argument {wrong.partition('=')[0]}: " in process.stderr, wrong
    process = call("--dim=n=2", "--dim=n=3")
    assert process.returncode == 2 and "argument --dim: 'n' is given twice, with different values" in process.stderr
    process = call("--dim=nothing=3")
    assert process.returncode == 1 and "no input has a dim named 'nothing'" in process.stderr


@pytest.fixture
def parse(dyn):
    """Of the options that all command lines of the package have."""
    parser = argparse.ArgumentParser()
    importlib.import_module(f"{dyn.__name__}._arguments").add_import_options(parser)
    return parser.parse_args


@pytest.mark.parametrize("option, text, reason", [
    ("--dim", "n=8..x", "dim 'n': expected a number instead of 'x' in '8..x'"),
    ("--dim", "n=9..3", "dim 'n': the range 9..3 is empty in '9..3'"),
    ("--dim", "n=10..15:8", "dim 'n': no size of 10..15 is a multiple of 8 in '10..15:8'"),
    ("--dim", "n", "expected NAME=RANGE instead of 'n'"),
    ("--dim", "n=1..64@{3", "dim 'n': expected '{' sizes '}' after '@' in '1..64@{3'"),
    ("--default-dim", "1..8:0", "the divisor 0 is not positive in '1..8:0'"),
    ("--input-dims", "x=N,3", "dims of input 'x': expected [DIM, ...] instead of 'N,3'"),
    ("--input-values", "k=1,b", "values of 'k': expected an integer of 64 bits instead of 'b' in '1,b'"),
])
def test_options_are_refused_as_by_other_tools(option, text, reason, parse, capsys, tool, tmp_path):
    with pytest.raises(SystemExit):
        parse([option, text])
    assert capsys.readouterr().err.endswith(f"error: argument {option}: {reason}\n")
    (tmp_path / "model.onnx").write_bytes(b"")
    assert reason in tool("dyn-translate", "--import-onnx", tmp_path / "model.onnx", f"{option}={text}").stderr


@pytest.mark.parametrize("text, expected", [
    ("n=8", "8"), ("a=b=1..512", "1..512"), ("n=1..", "1.."), ("n=..512:8", "0..512:8"), ("n=1..64@{8,16}", "1..64@{8,16}"),
    ("n= 1 .. ? ", "1.."),
])
def test_facts_about_dims(text, expected, parse):
    ((name, dim),) = parse(["--dim", text]).dim.items()
    assert name == text.rpartition("=")[0]
    assert dim._text() == expected


def test_values_may_be_truths(parse):
    assert parse(["--input-values", "k=true,2"]).input_values == {"k": [1, 2]}
