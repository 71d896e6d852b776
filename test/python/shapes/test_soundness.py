"""Every inferred dim of every value is what onnxruntime produces. `utils/check-shapes` does this for all shared models."""

import pytest

from zoo import shapes

MODELS = [
    "shape/concat_dyn_test", "shape/cuda_graph_with_shape_nodes", "shape/gemm_dyn_inner_test", "shape/layernorm",
    "shape/mul_1_dynamic", "shape/invalid_dim_param_value_repetition",
    "shape/test_shape_data_propagation_with_shape_related_nodes_v2", "shape/trt_reshape",
    "transformer/attention_past_state", "transformer/bert_toy_optimized", "transformer/gpt2_past_one_layer",
    "exported/transformer/minilm_l6_dynamo", "exported/transformer/minilm_l6_legacy",
    "exported/transformer/qwen2_optimum_dynamo", "exported/rnn/tcn_legacy",
    "exported/recommender/din_legacy", "exported/data-dependent/mask_select_dynamo",
    "exported/data-dependent/token_prune_legacy"]


@pytest.mark.parametrize("name", MODELS)
def test_inferred_dims_are_those_of_onnxruntime(dyn, models_dir, tmp_path, name):
    compared, wrong, unknown = shapes.check_model(models_dir, name, tmp_path)
    assert compared, "onnxruntime ran at no size"
    assert not wrong
    assert not unknown


def test_a_wrong_dim_is_found(dyn, models_dir, tmp_path):
    """A check that accepts everything would pass the test above."""
    model = shapes.Shapes(models_dir / "shape/gemm_dyn_inner_test.onnx", tmp_path)
    model.dims["Y"] = [6, "A_0 + 1"]
    inputs = shapes.recipes.load_model(models_dir, "shape/gemm_dyn_inner_test").inputs({"k": 4})
    wrong, _ = model.compare(inputs, model.run(inputs))
    model.close()
    assert wrong == ["dim 1 of 'Y' is 7, but A_0 + 1 is inferred, which is 5"]


@pytest.mark.parametrize("text, value", [
    ("n", 7), ("12", 12), ("(n + 1)//2", 4), ("-((-n)//2)", 4), ("Max(3, n - 5)*2", 6), ("n % 4", 3),
    ('"a.b" + n', 12), ("a.b", 5)])
def test_texts_are_evaluated(text, value):
    assert shapes.evaluate(text, {"n": 7, "a.b": 5}) == value
