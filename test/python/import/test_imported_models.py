"""Real models: what must be imported, and what must be refused."""

import onnx
import pytest

ROAD = [f"exported/transformer/{name}" for name in [
    "bert_auto_dynamo", "bert_base_dynamo", "bert_base_legacy", "clip_dynamo", "clip_legacy", "gpt2_cache_dynamo",
    "gpt2_cache_legacy", "gpt2_prefill_dynamo", "gpt2_prefill_legacy", "llama_cache_legacy", "minilm_l6_dynamo",
    "minilm_l6_legacy", "qwen2_optimum_dynamo", "qwen2_optimum_legacy", "roberta_dynamo", "roberta_legacy",
    "vit_small_dynamo", "vit_small_legacy", "whisper_encoder_dynamo", "whisper_encoder_legacy"]]
SMALL = ["transformer/attention_mask2d_fp32", "transformer/attention_past_state", "transformer/bert_toy_optimized",
         "transformer/gpt2_past_one_layer", "shape/concat_dyn_test", "shape/cuda_graph_with_shape_nodes",
         "shape/gemm_dyn_inner_test", "shape/layernorm", "shape/mul_1_dynamic", "shape/trt_reshape",
         "shape/invalid_dim_param_value_repetition",
         "shape/test_shape_data_propagation_with_shape_related_nodes_v2"]


@pytest.mark.parametrize("name", SMALL)
def test_small_models(import_model, models_dir, name):
    assert "func.func @main" in import_model(models_dir / f"{name}.onnx").text


@pytest.mark.parametrize("name", ROAD)
def test_exported_models_without_their_weights(import_model, models_dir, name):
    """The weights are not stored: all that is missing is their file."""
    imported = import_model(models_dir / f"{name}.onnx")
    if (models_dir / f"{name}.weights").exists():
        assert imported.weights
    else:
        assert "No such file or directory" in imported.error


@pytest.mark.parametrize("name, message", [
    ("icm-31000000518082", "node 'Add1' (Add): input 1, 'Addcst', is computed by no node"),
    ("test_arbitrary_external_file", "'../../../../../../../etc/passwd' lies outside the model's folder"),
])
def test_hostile_models_are_refused(import_model, models_dir, name, message):
    assert message in import_model(models_dir / "hostile" / f"{name}.onnx").error


@pytest.mark.parametrize("name", ["bert_toy_optimized", "gpt2_past_one_layer"])
def test_findings_of_the_checker_are_warnings(import_model, models_dir, name):
    imported = import_model(models_dir / "transformer" / f"{name}.onnx")
    assert imported.text and any("ONNX's checker objects" in line for line in imported.warnings)


def test_attention_takes_keys_whose_rank_is_only_declared(import_model):
    """What is reshaped to sizes of unknown number has a rank where the model says its dims."""
    import_model(onnx.parser.parse_model("""
        <ir_version: 11, opset_import: ["" : 23]>
        g (float[B, 8, S, 16] q, float[B, 2, T, 16] k, int64[N] shape) => (float[B, 8, S, 16] y)
            <float[B, 2, T, 16] keys> {
          keys = Reshape(k, shape)
          y = Attention(q, keys, keys)
        }""")).text
