"""How many kernels and launches real models need at most: what is fused stays fused. And every attention is one."""

import functools
import re

import onnx
import onnx.parser
import pytest

from zoo import recipes

# Kernels, launches. Weights of zeros may make one launch more than others do.
BOUNDS = {
    "transformer/attention_mask2d_fp32": (2, 2),
    "transformer/attention_past_state": (9, 9),
    "transformer/bert_toy_optimized": (15, 54),
    "transformer/gpt2_past_one_layer": (15, 15),
    "exported/transformer/bert_auto_dynamo": (16, 45),
    "exported/transformer/bert_base_dynamo": (13, 115),
    "exported/transformer/bert_base_legacy": (11, 113),
    "exported/transformer/clip_dynamo": (35, 76),
    "exported/transformer/clip_legacy": (30, 71),
    "exported/transformer/gpt2_cache_dynamo": (17, 117),
    "exported/transformer/gpt2_cache_legacy": (15, 115),
    "exported/transformer/gpt2_prefill_dynamo": (16, 38),
    "exported/transformer/gpt2_prefill_legacy": (14, 36),
    "exported/transformer/llama_cache_legacy": (22, 66),
    "exported/transformer/minilm_l6_dynamo": (13, 61),
    "exported/transformer/minilm_l6_legacy": (11, 59),
    "exported/transformer/qwen2_optimum_dynamo": (25, 72),
    "exported/transformer/qwen2_optimum_legacy": (23, 70),
    "exported/transformer/roberta_dynamo": (19, 48),
    "exported/transformer/roberta_legacy": (16, 45),
    "exported/transformer/vit_small_dynamo": (10, 58),
    "exported/transformer/vit_small_legacy": (10, 58),
    "exported/transformer/whisper_encoder_dynamo": (13, 42),
    "exported/transformer/whisper_encoder_legacy": (12, 41),
}


# Nodes that are attentions, or a part of one.
ATTENTIONS = ("Softmax", "Attention", "MultiHeadAttention", "GroupQueryAttention", "FlexAttention")

# Models with such nodes that are not compiled: what the refusal says. They run in the interpreter.
INTERPRETED = {
    "control-flow/cpu_if": "not compiled yet: dyn.if (node 'if')",
    "exported/data-dependent/mask_select_dynamo": "dim 1 of its result, 'u0', depends on data",
    "exported/data-dependent/mask_select_legacy": "dim 1 of its result, 'u0', depends on data",
    "exported/data-dependent/ssdlite320_legacy": "not compiled yet: dyn.if (node 'If_2406')",
    "exported/data-dependent/token_prune_dynamo": "dim 1 of its result, 'u0', depends on data",
    "exported/data-dependent/token_prune_legacy": "dim 1 of its result, 'u0', depends on data",
}


def count_attentions(nodes, functions):
    """In bodies of control flow as well, and in functions as often as they are called."""
    count = 0
    for node in nodes:
        bodies = [body for attribute in node.attribute for body in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else []))]
        function = functions.get((node.domain, node.op_type, node.overload))
        if function:
            count += count_attentions(function.node, functions)
        else:
            count += node.op_type in ATTENTIONS
        count += sum(count_attentions(body.node, functions) for body in bodies)
    return count


@functools.cache
def find_attentions(folder):
    """How many attentions each model has that has any."""
    found = {}
    for path in sorted(folder.rglob("*.onnx")):
        model = onnx.load(path, load_external_data=False)
        functions = {(function.domain, function.name, function.overload): function for function in model.functions}
        if count := count_attentions(model.graph.node, functions):
            found[str(path.relative_to(folder).with_suffix(""))] = count
    return found


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames and "models_dir" in metafunc.fixturenames:
        folder = metafunc.config.getoption("--models-dir")
        metafunc.parametrize("name", find_attentions(folder) if folder.is_dir() else [""])


def test_launches(tool, models_dir, tmp_path, name):
    model = recipes.place_without_values(models_dir / f"{name}.onnx", tmp_path)
    done = tool("dyn-translate", "--import-onnx", model, "-o", tmp_path / "model.mlir")
    assert done.returncode == 0, done.stderr
    done = tool("dyn-opt", tmp_path / "model.mlir", "--dyn-pipeline=to=kernels")
    if name in INTERPRETED:
        assert done.returncode == 1 and INTERPRETED[name] in done.stderr
        return
    assert done.returncode == 0, done.stderr
    kernels = len(re.findall(r"func\.func private @", done.stdout))
    launches = re.findall(r"dyn_shape\.launch @(attention)?", done.stdout)
    assert launches.count("attention") == find_attentions(models_dir)[name]
    most_kernels, most_launches = BOUNDS.get(name, (kernels, len(launches)))
    assert len(launches) <= most_launches, f"{len(launches)} launches"
    assert kernels <= most_kernels, f"{kernels} kernels"


def test_all_models_that_are_named_have_attentions(models_dir):
    assert {*BOUNDS, *INTERPRETED} <= {*find_attentions(models_dir)}


# Heads share keys and values in all but the first.
NODES = {
    "MultiHeadAttention": "com.microsoft.MultiHeadAttention<num_heads = 8>(q, kw, vw)",
    "GroupQueryAttention": "com.microsoft.GroupQueryAttention<num_heads = 8, kv_num_heads = 2>(q, k, v, pk, pv, lengths, total)",
    "Attention": "Attention<q_num_heads = 8, kv_num_heads = 2, is_causal = 1>(q, k, v, , pk, pv)",
}


@pytest.mark.parametrize("kind", ["float", "float16", "bfloat16", "double"])
@pytest.mark.parametrize("name", NODES)
def test_operators_of_attention_are_one_kernel(tool, tmp_path, name, kind):
    inputs = (f"{kind}[B, S, 256] q, {kind}[B, T, 256] kw, {kind}[B, T, 256] vw, {kind}[B, S, 64] k, {kind}[B, S, 64] v, "
              f"{kind}[B, 2, P, 32] pk, {kind}[B, 2, P, 32] pv, int32[B] lengths, int32 total")
    onnx.save(onnx.parser.parse_model(f'<ir_version: 11, opset_import: ["" : 23, "com.microsoft" : 1]> '
                                      f'g ({inputs}) => ({kind}[B, S, 256] y) {{ y = {NODES[name]} }}'), tmp_path / "model.onnx")
    done = tool("dyn-translate", "--import-onnx", tmp_path / "model.onnx", "-o", tmp_path / "model.mlir")
    assert done.returncode == 0, done.stderr
    done = tool("dyn-opt", tmp_path / "model.mlir", "--dyn-pipeline=to=kernels")
    assert done.returncode == 0, done.stderr
    kinds = re.findall(r"dyn_shape\.launch @(attention|contraction|row)", done.stdout)
    assert kinds == ["attention"]
