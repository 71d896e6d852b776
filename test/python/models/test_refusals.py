"""Bad inputs and bad files end in one clear line, exit status 1, and no file."""

import resource

import numpy as np
import onnx
import onnx.parser
import pytest

import tiny_encoder


class Program:
    """dyn-run in a folder of its own; every call must be refused."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder

    def refused(self, *arguments, **options):
        process = self.tool("dyn-run", *arguments, **options)
        assert process.returncode == 1, process.stderr or "it was accepted"
        errors = [line for line in process.stderr.splitlines() if " warning: " not in line]
        assert len(errors) == 1, process.stderr
        return errors[0]

    def refused_to_compile(self, model, **options):
        """The error, after a look that nothing was left behind."""
        path = self.folder / "model.onnx"
        path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
        out = self.folder / "out"
        out.mkdir()
        error = self.refused("--compile", path, "-o", out / "model.so", **options)
        assert list(out.iterdir()) == []
        return error


@pytest.fixture
def program(tool, tmp_path):
    return Program(tool, tmp_path)


@pytest.fixture(scope="module")
def artefact(request, tmp_path_factory):
    """The tiny encoder, compiled once."""
    tool = request.getfixturevalue("tool")
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "model.onnx").write_bytes(tiny_encoder.build().SerializeToString())
    process = tool("dyn-run", "--compile", folder / "model.onnx", "-o", folder / "model.so")
    assert process.returncode == 0, process.stderr
    return folder / "model.so"


@pytest.fixture
def run_refused(artefact, program, tmp_path):
    def run(changes):
        inputs = {**tiny_encoder.inputs(2, 5), **changes}
        arguments = [f"--output-dir={tmp_path / 'out'}"]
        for name, value in inputs.items():
            if value is not None:
                np.save(tmp_path / f"{name}.npy", value)
                arguments.append(f"--input={name}={tmp_path / name}.npy")
        error = program.refused(artefact, *arguments)
        assert not list(tmp_path.glob("out/*"))
        return error

    return run


def assert_names(error, *parts):
    for part in parts:
        assert part in error, f"{part!r} is not in: {error}"


def test_the_artefact_runs(artefact, tool):
    process = tool("dyn-run", artefact, "--random=1", "--dim=batch=0,2", "--dim=seq=3,16")
    assert process.returncode == 0, process.stderr


def test_sizes_of_one_symbol_that_differ(run_refused):
    error = run_refused({"attention_mask": np.ones((3, 5), np.int64)})
    assert_names(error, "attention_mask", "dim 0 is 3", "batch = 2")
    error = run_refused({"token_type_ids": np.ones((2, 6), np.int64)})
    assert_names(error, "token_type_ids", "dim 1 is 6", "seq = 5")


@pytest.mark.parametrize("seq", [17, 1000])
def test_a_sequence_longer_than_the_position_table(run_refused, seq):
    error = run_refused(tiny_encoder.inputs(1, seq))
    assert_names(error, "seq", "16", str(seq), "/embeddings/")


@pytest.mark.parametrize("word", [20, -21, 2**40])
def test_a_token_beyond_the_vocabulary(run_refused, word):
    ids = np.ones((2, 5), np.int64)
    ids[1, 3] = word
    assert_names(run_refused({"input_ids": ids}), str(word), "20", "/embeddings/Gather")


def test_a_missing_input(run_refused):
    assert_names(run_refused({"token_type_ids": None}), "token_type_ids")


def test_an_unknown_input(run_refused):
    assert_names(run_refused({"mask": np.ones((2, 5), np.int64)}), "'mask'", "input_ids")


@pytest.mark.parametrize("dtype", ["int32", "float32", "bool"])
def test_a_wrong_dtype(run_refused, dtype):
    shown = {"int32": "i32", "float32": "f32", "bool": "i1"}[dtype]
    error = run_refused({"input_ids": np.ones((2, 5), dtype)})
    assert "input_ids" in error and (dtype in error or shown in error), error


@pytest.mark.parametrize("dims", [(10,), (2, 5, 1), ()])
def test_a_wrong_rank(run_refused, dims):
    assert_names(run_refused({"input_ids": np.ones(dims, np.int64)}), "input_ids", f"rank {len(dims)}", "2")


@pytest.mark.parametrize("name, parts", [
    ("icm-31000000518082", ["Add1", "Addcst"]),
    ("test_arbitrary_external_file", ["etc/passwd", "outside"])])
def test_hostile_models(program, models_dir, name, parts):
    assert_names(program.refused_to_compile((models_dir / "hostile" / f"{name}.onnx").read_bytes()), *parts)


@pytest.mark.parametrize("content", [b"", b"hello", b"\x7fELF" + bytes(100)])
def test_files_of_another_kind(program, content):
    assert_names(program.refused_to_compile(content), "model.onnx", "not an ONNX model")


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_truncated_file(program, part):
    content = tiny_encoder.build().SerializeToString()
    assert_names(program.refused_to_compile(content[:int(len(content) * part)]), "model.onnx")


def test_a_missing_file(program, tmp_path):
    assert_names(program.refused(tmp_path / "none.onnx"), "none.onnx", "No such file")


def test_a_model_without_its_weights(program, models_dir):
    error = program.refused_to_compile((models_dir / "exported/transformer/minilm_l6_legacy.onnx").read_bytes())
    assert_names(error, "model.onnx: error: node '", "tensor 'm.embeddings.", "minilm_l6_legacy.weights': No such file")


def parse(text):
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> {text}')


def test_a_cycle(program):
    model = parse("g (float[N] x) => (float[N] y) { a = Add(x, b) b = Exp(a) y = Neg(b) }")
    for node in model.graph.node:
        node.name = f"/{node.op_type}"
    assert_names(program.refused_to_compile(model), "cycle", "/Add")


@pytest.mark.parametrize("declared, words", [("N, 3, 1", ("rank 3", "rank 2")), ("N, 4", ("3", "4"))])
def test_a_declared_type_that_the_graph_contradicts_is_told(tool, tmp_path, declared, words):
    """The graph alone says what a run gives, so that nothing goes wrong for those who run the model."""
    model = parse(f"g (float[N, 3] x) => (float[{declared}] y) {{ y = Exp(x) }}")
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    process = tool("dyn-run", tmp_path / "model.onnx", "--random=1", "--dim=N=2")
    assert process.returncode == 0, process.stderr
    (warning,) = [line for line in process.stderr.splitlines() if " warning: " in line]
    assert_names(warning, "'y'", *words)


def test_sizes_that_no_broadcast_takes(program):
    model = parse("g (float[N, 3] x, float[N, 4] z) => (float[N, 3] y) { y = Add(x, z) }")
    model.graph.node[0].name = "/Add"
    assert_names(program.refused_to_compile(model), "/Add", "3", "4")


def test_a_declared_size_becomes_a_guard(program, tool, tmp_path):
    """The graph allows any N; the model promises 4 columns."""
    (tmp_path / "model.onnx").write_bytes(parse("g (float[N] x) => (float[4] y) { y = Exp(x) }").SerializeToString())
    assert tool("dyn-run", tmp_path / "model.onnx", "--random=1", "--dim=N=4").returncode == 0
    assert_names(program.refused(tmp_path / "model.onnx", "--random=1", "--dim=N=5"), "N", "4", "5")


def test_artefact_larger_than_a_file_may_be(program):
    # Linux sends a signal here, not only an error.
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))}
    assert "File too large" in program.refused_to_compile(tiny_encoder.build(), **limit)
