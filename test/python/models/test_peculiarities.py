"""What single models are known for: relations that no declared dim says."""

import numpy as np
import pytest

from zoo.runners import Refused, largest_difference


def refusal(compiled, inputs):
    with pytest.raises(Refused) as caught:
        compiled.dyn.run(inputs)
    return str(caught.value)


def with_rows(mask, rows):
    return np.ones((rows, mask.shape[1]), mask.dtype)


def test_a_mask_with_more_rows_than_sentences(shelf):
    """Its rows are only indexed, so that more of them change nothing; fewer are refused."""
    compiled = shelf.take("exported/transformer/bert_auto_dynamo")
    inputs = compiled.model.inputs({"batch": 3, "seq": 7})
    expected = compiled.dyn.run(inputs)
    mask = inputs["attention_mask"]
    more = compiled.dyn.run({**inputs, "attention_mask": with_rows(mask, 4)})
    assert all(largest_difference(ours, theirs) == 0 for ours, theirs in zip(more, expected))
    message = refusal(compiled, {**inputs, "attention_mask": with_rows(mask, 2)})
    assert "rows of input `attention_mask`" in message and "= 2 (" in message and "= 3 (" in message, message
    message = refusal(compiled, {**inputs, "attention_mask": mask[:, :5]})
    assert "5" in message and "7" in message, message


def test_a_mask_longer_than_past_and_present(shelf):
    """The graph reads it at positions up to past_seq + seq."""
    compiled = shelf.take("exported/transformer/qwen2_optimum_dynamo")
    inputs = compiled.model.inputs({"batch": 2, "seq": 3, "past_seq": 4})
    expected = compiled.dyn.run(inputs)
    mask = inputs["attention_mask"]
    longer = compiled.dyn.run({**inputs, "attention_mask": np.pad(mask, ((0, 0), (0, 5)), constant_values=1)})
    assert all(largest_difference(ours, theirs) == 0 for ours, theirs in zip(longer, expected))
    message = refusal(compiled, {**inputs, "attention_mask": mask[:, :6]})
    assert "dim 1 of input `attention_mask`" in message and "past_seq = 4 (" in message and "seq = 3 (" in message, message


@pytest.mark.parametrize("name, end, node", [
    ("minilm_l6_legacy", 512, "/m/embeddings/"), ("minilm_l6_dynamo", 512, ""), ("gpt2_prefill_dynamo", 1024, "")])
def test_a_sequence_longer_than_the_position_table(shelf, name, end, node):
    compiled = shelf.take(f"exported/transformer/{name}")
    message = refusal(compiled, compiled.model.inputs({"batch": 1, "seq": end + 1}))
    assert str(end) in message and node in message, message


def test_a_word_beyond_the_vocabulary(shelf):
    compiled = shelf.take("exported/transformer/minilm_l6_legacy")
    inputs = compiled.model.inputs({"batch": 2, "seq": 5})
    inputs["input_ids"][1, 2] = 30522
    message = refusal(compiled, inputs)
    assert "30522" in message and "word_embeddings" in message, message


def test_a_cache_of_another_length(shelf):
    compiled = shelf.take("exported/transformer/qwen2_optimum_dynamo")
    inputs = compiled.model.inputs({"batch": 1, "seq": 2, "past_seq": 4})
    name = next(name for name in inputs if "key" in name)
    message = refusal(compiled, {**inputs, name: inputs[name][:, :, :3]})
    assert "3" in message and "4" in message and "past" in message, message


def test_a_declared_size_that_this_run_contradicts(shelf):
    compiled = shelf.take("shape/trt_reshape")
    data = np.ones((3, 2), np.float32)
    message = refusal(compiled, {"data": data, "shape": np.array([3, 2])})
    assert "reshaped" in message or "Reshape" in message, message


def test_one_symbol_with_two_sizes(shelf):
    compiled = shelf.take("shape/invalid_dim_param_value_repetition")
    ones = np.ones((3, 3), np.float32)
    assert compiled.dyn.run({"X1": ones, "X2": ones})[0].shape == (3, 6)
    message = refusal(compiled, {"X1": ones, "X2": ones[:2]})
    assert "X2" in message and "Symbolic" in message and "2" in message and "3" in message, message
