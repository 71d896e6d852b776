"""The shared models: their recipes, weights and inputs.

A recipe says how a model is run: the dims and values of its inputs, sizes that are known to work, the difference allowed.
The exported models have theirs in a JSON file beside them; the others in RECIPES and SIZES_ONLY below, in the same form.
"""

import dataclasses
import functools
import importlib.util
import json
import pathlib
import shutil
import zlib

import numpy as np
import onnx


def _recipe(cases, tolerance=1e-5, **inputs):
    """Inputs are (dtype, dims, values); `values` as in make_inputs."""
    symbols = list(cases)
    columns = zip(*cases.values())
    return {"inputs": [{"name": name, "dtype": dtype, "dims": dims, "values": values}
                       for name, (dtype, dims, values) in inputs.items()],
            "cases": [{"sizes": dict(zip(symbols, column))} for column in columns],
            "tolerance_of_max": tolerance}


_ATTENTION = {"input": ("float32", ["batch", "seq", 768], "normal"), "weight": ("float32", [768, 2304], "small"),
              "bias": ("float32", [2304], "small")}
_TOY_IDS = {name: ("int64", ["batch", "seq"], values)
            for name, values in {"input_ids": [0, 99], "token_type_ids": [0, 16], "input_mask": "mask"}.items()}

RECIPES = {
    "shape/layernorm": _recipe(
        {"r": [3, 1, 5, 1, 0, 7, 4, 2, 3], "c": [8, 8, 1, 1, 4, 13, 257, 3, 1], "s": [8, 8, 1, 1, 4, 13, 1, 3, 5],
         "t": [8, 8, 1, 1, 4, 13, 257, 1, 5]},
        X=("float32", ["r", "c"], "normal"), Scale=("float32", ["s"], "normal"), B=("float32", ["t"], "normal")),
    "shape/concat_dyn_test": _recipe(
        {"a": [2, 1, 0, 3, 0, 5, 17], "b": [3, 1, 4, 0, 0, 7, 2], "c": [4, 1, 5, 2, 0, 11, 31]},
        **{"0": ("float32", ["a", "c", 3], "normal"), "1": ("float32", ["b", "c", 3], "normal")}),
    "shape/gemm_dyn_inner_test": _recipe(
        {"k": [4, 1, 2, 7, 31, 257, 0]}, A=("float32", ["k", 6], "normal"), B=("float32", ["k", 7], "normal")),
    # The next two have no other legal sizes: they are multiplied with three rows of two, and declare four rows of one.
    "shape/mul_1_dynamic": _recipe(
        {"i": [3, 1, 1, 3], "j": [2, 1, 2, 1]}, X=("float32", ["i", "j"], "normal")),
    "shape/trt_reshape": _recipe({"N": [2]}, data=("float32", ["N", 2], "normal"), shape=("int64", [2], ([4, 1],))),
    "shape/cuda_graph_with_shape_nodes": _recipe(
        {"a": [3, 1, 1, 7, 0, 5, 64, 0], "b": [4, 1, 9, 1, 3, 0, 33, 0]}, X=("float32", ["a", "b"], "normal")),
    "shape/test_shape_data_propagation_with_shape_related_nodes_v2": _recipe(
        {"batch": [2, 1, 1, 3, 5, 2, 1, 1, 2, 0, 0], "width": [4, 1, 7, 1, 13, 31, 2, 0, 3, 2, 3],
         "height": [5, 1, 1, 9, 11, 3, 64, 2, 0, 5, 0]},
        input=("float32", ["batch", 3, "width", "height"], "normal")),
    "shape/invalid_dim_param_value_repetition": _recipe(
        {"n": [2, 1, 0, 7]}, X1=("float32", ["n", "n"], "normal"), X2=("float32", ["n", "n"], "normal")),
    "transformer/attention_mask2d_fp32": _recipe(
        {"batch": [2, 1, 1, 3, 1, 5, 1], "seq": [8, 1, 2, 7, 31, 3, 257]}, 2e-4,
        **_ATTENTION, mask_index=("int32", ["batch", "seq"], "mask")),
    "transformer/attention_past_state": _recipe(
        {"batch": [2, 1, 1, 3, 1, 5, 1, 1], "seq": [4, 1, 1, 7, 31, 2, 13, 1],
         "past_seq": [5, 0, 1, 3, 0, 11, 1, 1023]}, 2e-4,
        **_ATTENTION, past=("float32", [2, "batch", 12, "past_seq", 64], "normal")),
    "transformer/bert_toy_optimized": _recipe(
        {"batch": [2, 1, 1, 3, 5, 1, 7, 0], "seq": [7, 1, 2, 13, 31, 512, 5, 3]}, 2e-4, **_TOY_IDS),
    "transformer/gpt2_past_one_layer": _recipe(
        {"batch": [2, 1, 1, 3, 1, 5, 1], "seq": [3, 1, 1, 2, 8, 1, 5], "past_seq": [4, 0, 7, 5, 0, 1, 3]}, 2e-4,
        input_ids=("int64", ["batch", "seq"], [0, 20]),
        past_0=("float32", [2, "batch", 2, "past_seq", 2], "normal")),
}

# These are run for their sizes alone: only the models above are compiled, and compared by values, at all sizes.
SIZES_ONLY = {
    "cnn/averagepool_dyn_autopad_test": _recipe(
        {"batch": [2, 1, 0, 5, 3]}, **{"0": ("float32", ["batch", 3, 5, 5, 5], "normal")}),
    # From a kernel of no elements onnxruntime does not return, so kernels are counted from 1.
    "cnn/conv_dynamic_img_and_weights_test": _recipe(
        {"h": [5, 3, 7, 4, 1, 1], "w": [7, 3, 11, 4, 7, 1], "kh": [2, 2, 0, 1, 0, 0], "kw": [2, 2, 1, 3, 4, 0]},
        **{"0": ("float32", [1, 3, "h", "w"], "normal"), "1": ("float32", [1, 3, "kh + 1", "kw + 1"], "normal")}),
    "cnn/mobilenet_v3_small_excerpt": _recipe(
        {"batch_size": [2, 1, 0, 3, 5]}, input=("float32", ["batch_size", 3, 224, 224], "normal")),
    "cnn/upsample": _recipe(
        {"batch": [1, 2, 0, 3, 1, 2], "h": [2, 1, 2, 7, 0, 5], "w": [3, 1, 3, 5, 4, 0]},
        **{"up_sampling2d_input:0": ("float32", ["batch", "h", "w", 3], "normal")}),
    # Both branches squeeze an axis that is 1 at no other sizes.
    "control-flow/cpu_if": _recipe(
        {"rows": [3, 1, 0, 7, 2, 1], "columns": [4, 1, 3, 0, 2, 5]}, X=("float32", [1, "rows", "columns"], "normal")),
    "control-flow/fp16model_loop": _recipe(
        {"rows": [3, 1, 7, 2, 0, 0], "columns": [4, 1, 2, 0, 3, 0]}, data=("float16", ["rows", "columns"], "normal")),
    "control-flow/loop_sub_one": _recipe(
        {"trips": [5, 1, 0, 7, -1]}, MAX_ITERS=("int64", [1], (["trips"],)), A=("float32", [1], "normal")),
    "data-dependent/nms_dynamic_boxes_test": _recipe(
        {"boxes": [5, 1, 0, 7, 11], "most": [3, 1, 2, 0, 20]},
        boxes=("float32", [1, "boxes", 4], "uniform"), scores=("float32", [1, 1, "boxes"], "uniform"),
        max_output_boxes_per_class=("int64", [1], (["most"],)), iou_threshold=("float32", [1], ([0.5],)),
        score_threshold=("float32", [1], ([0.1],))),
    "data-dependent/ort_github_issue_26272_dds": _recipe(
        {"d1": [2, 1, 0, 5, 3], "d2": [3, 1, 3, 7, 0]}, data=("float32", ["d1", "d2"], [0, 2])),
    "data-dependent/topk_fp32": _recipe(
        {"dim1": [2, 1, 2, 0, 3, 2, 1], "dim2": [3, 1, 2, 2, 1, 0, 1], "dim3": [4, 1, 5, 3, 7, 4, 0],
         "k": [2, 1, 0, 2, 7, 2, 0]},
        input=("float32", ["dim1", "dim2", "dim3"], "normal"), k=("int64", [1], (["k"],))),
    "quantized/matmul_integer_to_float_int8_bias": _recipe(
        {"M": [2, 1, 3, 0, 1, 2, 2], "K": [3, 1, 5, 3, 0, 3, 3], "N": [4, 1, 7, 4, 2, 0, 1], "C": [4, 1, 7, 1, 1, 0, 5]},
        A=("uint8", ["M", "K"], [0, 256]), B=("int8", ["K", "N"], [-128, 128]), a_scale=("float32", [1], "uniform"),
        b_scale=("float32", ["C"], "uniform"), bias=("float32", ["N"], "normal")),
    "quantized/qdq_minimal_model": _recipe(
        {"batch": [1, 2, 1, 0, 1, 1], "height": [64, 80, 7, 64, 1, 0], "width": [32, 50, 13, 64, 1, 5]},
        input=("uint8", ["batch", 3, "height", "width"], [0, 256])),
    "rnn/lstm_tanh_bidirectional": _recipe({"seq": [5, 1, 2, 0, 7]}, Input3=("float32", ["seq", 1, 2], "normal")),
    # onnxruntime refuses a scan of nothing.
    "rnn/scan_1": _recipe({"Sequence": [5, 1, 2, 7, 3]}, Input13165=("float32", ["Sequence", 1, 3], "normal")),
    # The recurrent layer takes 192 to 703 samples; at batch 0 it ends onnxruntime's process.
    "rnn/silero_vad_16k_op15": _recipe(
        {"batch": [1, 2, 3, 1, 2], "sequence": [512, 576, 300, 192, 703]},
        input=("float32", ["batch", "sequence"], "normal"), state=("float32", [2, "batch", 128], "normal"),
        sr=("int64", [], (16000,))),
}

# What no recipe can run, and why: Dyn refuses it, and so does onnxruntime.
NEVER_RUN = {
    "hostile/icm-31000000518082": "it reads a value that nothing computes",
    "hostile/test_arbitrary_external_file": "its weights are said to lie in a file outside of its folder",
}

# The exported transformers; those whose symbols have an end say where it is (rows of a position table).
TRANSFORMERS = {
    "bert_auto_dynamo": 512, "bert_base_dynamo": 512, "bert_base_legacy": 512, "clip_dynamo": 77, "clip_legacy": 77,
    "gpt2_cache_dynamo": 1024, "gpt2_cache_legacy": 1024, "gpt2_prefill_dynamo": 1024, "gpt2_prefill_legacy": 1024,
    "llama_cache_legacy": 600, "minilm_l6_dynamo": 512, "minilm_l6_legacy": 512, "qwen2_optimum_dynamo": 600,
    "qwen2_optimum_legacy": 600, "roberta_dynamo": 512, "roberta_legacy": 512, "vit_small_dynamo": None,
    "vit_small_legacy": None, "whisper_encoder_dynamo": None, "whisper_encoder_legacy": None}

# Exported models of other kinds.
OTHERS = ["cnn/mobilenet_v3_small_dynamo", "cnn/mobilenet_v3_small_legacy", "cnn/r3d_18_dynamo", "cnn/r3d_18_legacy",
          "recommender/din_dynamo", "recommender/din_legacy", "recommender/pointnet_dynamo", "recommender/pointnet_legacy",
          "rnn/mel_frontend_dynamo", "rnn/tcn_dynamo", "rnn/tcn_legacy"]

# Zeros, ones and primes besides the sizes of their recipes, for both exporters.
OTHER_SIZES = {
    "mobilenet_v3_small": {"batch": [0, 1, 1, 3], "height": [64, 1, 31, 13], "width": [32, 1, 2, 7]},
    "r3d_18": {"batch": [0, 1, 1], "time": [1, 1, 3], "height": [1, 1, 13], "width": [1, 1, 7]},
    "din": {"batch": [0, 1, 1, 3, 5], "time": [0, 0, 1, 1, 13]},
    "pointnet": {"batch": [0, 1, 3, 2], "points": [1, 1, 2, 31]},
    "mel_frontend": {"batch": [0, 2, 0, 3], "samples": [0, 0, 1, 1009]},
    "tcn": {"batch": [0, 1, 2, 3], "time": [1, 1, 2, 31]},
}

NAMES = [*RECIPES, *(f"exported/transformer/{name}" for name in TRANSFORMERS), *(f"exported/{name}" for name in OTHERS)]


def _further_sizes(symbols, end):
    """Sizes besides a recipe's own: ones, zeros, primes and the end of the range."""
    if symbols == ["batch", "seq"]:
        rows = [(1, 2), (2, 1), (3, 13), (7, 5), (1, 31), (1, end), (0, 3), (2, 0)]
    elif symbols == ["batch", "seq", "past_seq"]:
        rows = [(1, 1, 0), (2, 3, 0), (1, 2, 1), (1, 7, 13), (3, 1, 17), (1, 1, end - 1), (0, 1, 3), (1, 0, 4)]
    elif symbols == ["batch", "time", "seq"]:
        rows = [(1, 1, 1), (2, 1, 7), (1, 3, 2), (3, 2, 13), (1, 2, end), (5, 1, 31), (0, 1, 3), (1, 0, 3), (1, 2, 0)]
    else:
        rows = [(0,), (3,), (4,), (5,), (6,), (8,), (11,)]
    return [dict(zip(symbols, row)) for row in rows]


@dataclasses.dataclass
class Model:
    """A shared model: where it is and how it is run."""

    name: str
    path: pathlib.Path
    recipe: dict
    own_recipe: bool

    @property
    def tolerance(self):
        return self.recipe["tolerance_of_max"]

    @property
    def stem(self):
        return self.path.stem

    def sizes(self):
        """All assignments of sizes to symbols that the suite runs, the recipe's own first."""
        found = [case["sizes"] for case in self.recipe["cases"]]
        if self.stem in TRANSFORMERS:
            symbols = [symbol for symbol in ("batch", "time", "seq", "past_seq") if symbol in found[0]]
            found += [sizes for sizes in _further_sizes(symbols, TRANSFORMERS[self.stem]) if sizes not in found]
        columns = OTHER_SIZES.get(self.stem.removesuffix("_dynamo").removesuffix("_legacy"), {})
        further = [dict(zip(columns, row)) for row in zip(*columns.values())]
        return found + [sizes for sizes in further if sizes not in found]

    def must_run(self, sizes):
        """Whether the model's own recipe says that it runs."""
        return self.own_recipe and any(sizes == case["sizes"] for case in self.recipe["cases"])

    def inputs(self, sizes, ragged=False, seed=0):
        return make_inputs(self.recipe, sizes, ragged, seed)

    def operations(self, sizes):
        """A generous estimate of the operations of one run: every weight once for each position, tables not at all.

        The models without a recipe of their own are tiny; convolutions use a weight more often than can be told here.
        """
        if not self.own_recipe:
            return 0
        if "/cnn/" in self.name:
            return float("inf")
        if any(size == 0 for symbol, size in sizes.items() if symbol != "past_seq"):
            return 0
        tables = _tables(self.path)
        weights = sum(np.prod(weight["dims"], dtype=float) for weight in self.recipe["weights"] if weight["name"] not in tables)
        positions = {"vit_small": 197, "whisper_encoder": 1500}.get(self.stem.rsplit("_", 1)[0], 1)
        return 2 * weights * positions * np.prod([size for symbol, size in sizes.items() if symbol != "past_seq"], dtype=float)

    def place(self, folder):
        """The path of the model with its weights; those that are not stored are written to `folder`."""
        if not self.own_recipe:
            return self.path
        _materializer(self.path).write_weights(self.recipe, folder / f"{self.stem}.weights")
        return pathlib.Path(shutil.copy(self.path, folder))


def place_without_values(path, folder):
    """The path of a model with weights of zeros, which are written to `folder` if they are not stored; for what no value decides."""
    recipe = path.with_suffix(".json")
    if not recipe.exists():
        return path
    ends = [entry["offset"] + int(np.prod(entry["dims"], dtype=np.int64)) * np.dtype(entry["dtype"]).itemsize
            for entry in json.loads(recipe.read_text())["weights"]]
    with open(folder / f"{path.stem}.weights", "wb") as file:
        file.truncate(max(ends, default=0))
    return shutil.copy(path, folder)


@functools.cache
def _tables(path):
    """The names of the weights whose rows are only picked."""
    readers = {}
    for node in onnx.load(path, load_external_data=False).graph.node:
        for place, name in enumerate(node.input):
            readers.setdefault(name, set()).add((node.op_type, place))
    return {name for name, found in readers.items() if found == {("Gather", 0)}}


def parse_sizes(text):
    return {symbol: int(size) for symbol, size in (part.split("=") for part in text.split(","))}


def add_models_argument(parser):
    default = pathlib.Path(__file__).resolve().parents[3] / "shared" / "models"
    parser.add_argument("--models-dir", type=pathlib.Path, default=default)


def load_model(models_dir, name):
    path = models_dir / f"{name}.onnx"
    written = RECIPES.get(name) or SIZES_ONLY.get(name)
    own_recipe = written is None
    recipe = written or json.loads(path.with_suffix(".json").read_text())
    return Model(name, path, recipe, own_recipe)


def _materializer(model_path):
    """The program that writes weights; it lies in the shared folder, above the exported models."""
    for folder in model_path.parents:
        if (folder / "materialize.py").exists():
            spec = importlib.util.spec_from_file_location("materialize", folder / "materialize.py")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise FileNotFoundError(f"no materialize.py above {model_path}")


def make_inputs(recipe, sizes, ragged=False, seed=0):
    """name -> array. With `ragged`, the rows of a mask end at different places."""
    return {entry["name"]: _values(entry, sizes, ragged, seed) for entry in recipe["inputs"]}


def _values(entry, sizes, ragged, seed):
    def size(text):
        return eval(str(text), {"__builtins__": {}}, dict(sizes))

    dims = [size(dim) for dim in entry["dims"]]
    generator = np.random.Generator(np.random.PCG64(zlib.crc32(f"{entry['name']}/{seed}/{dims}".encode())))
    kind = entry["values"]
    if kind == "mask" or entry["name"] == "attention_mask":
        values = np.ones(dims)
        if ragged and dims[1] > 1:
            ends = generator.integers(1, dims[1] + 1, (dims[0], 1))
            values = np.arange(dims[1])[None] < ends
    elif kind == "positions":
        past = sizes.get("past_seq", 0)
        values = np.broadcast_to(np.arange(past, past + dims[-1]), dims)
    elif isinstance(kind, tuple):
        values = np.reshape([size(value) for value in np.ravel(kind)], dims)
    elif isinstance(kind, list):
        values = generator.integers(kind[0], kind[1], dims)
    elif kind == "uniform":
        values = generator.random(dims)
    else:
        values = generator.standard_normal(dims) * (0.05 if kind == "small" else 1)
    return np.array(values, dtype=entry["dtype"], order="C")
