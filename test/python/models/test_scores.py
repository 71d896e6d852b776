"""Working memory of a decoder holds no scores, which are one number for each head, query and key."""

import pytest

from zoo import recipes

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

HEADS = 8


def test_a_decoder_keeps_no_scores(models_dir, tmp_path):
    model = recipes.load_model(models_dir, "exported/transformer/qwen2_optimum_legacy")
    executable = dyn.compile(recipes.place_without_values(model.path, tmp_path))
    for seq, past_seq in ((4096, 0), (2048, 2047)):
        inputs = model.inputs({"batch": 1, "seq": seq, "past_seq": past_seq})
        bytes = executable.arena_bytes({name: array.shape for name, array in inputs.items()})
        # One head's scores would take as much as the mask, which the model computes once for all heads.
        assert bytes < HEADS * seq * (past_seq + seq) * 4 // 4, f"seq = {seq}, past_seq = {past_seq}"
