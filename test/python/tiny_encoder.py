"""A sentence encoder that is small enough to be compiled in each test: 20 words, 16 positions."""

import numpy as np

from zoo.sentence_encoder import build_encoder

CONFIG = {"hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 2, "intermediate_size": 12,
          "max_position_embeddings": 16, "vocab_size": 20, "type_vocab_size": 2, "layer_norm_eps": 1e-12}


def build():
    return build_encoder(CONFIG, _random_weights())


def inputs(batch, seq, seed=0):
    ids = np.random.default_rng(seed).integers(0, CONFIG["vocab_size"], (batch, seq))
    return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}


def _random_weights():
    """Under the names that the encoder asks for."""
    width, inner = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    dims = {"embeddings.word_embeddings.weight": (CONFIG["vocab_size"], width),
            "embeddings.position_embeddings.weight": (CONFIG["max_position_embeddings"], width),
            "embeddings.token_type_embeddings.weight": (CONFIG["type_vocab_size"], width)}
    norms = ["embeddings.LayerNorm"]
    for layer in (f"encoder.layer.{index}" for index in range(CONFIG["num_hidden_layers"])):
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
