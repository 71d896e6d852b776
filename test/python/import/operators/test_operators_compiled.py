"""Every operator, compiled once, computes what onnxruntime computes at every size, 0 and 1 included."""

import warnings

import numpy as np
import onnx
import onnxruntime
import pytest

import attention_cases
import contrib_cases
import layer_cases
from contrib_cases import GROUPED, HEADS, PROMPT, contrib
from models import build, make_inputs, run_onnxruntime
from operator_cases import CASES
from zoo.runners import Interpreter, largest_difference

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

DEFINED = {**attention_cases.DEFINED, **contrib_cases.DEFINED, **layer_cases.DEFINED}
SIZES = [{"N": 2, "C": 3, "S": 5, "K": 4}, {"N": 1, "C": 1, "S": 1, "K": 1}, {"N": 0, "C": 3, "S": 5, "K": 4},
         {"N": 7, "C": 3, "S": 5, "K": 4}, {"N": 3, "C": 17, "S": 33, "K": 2}]
# Sizes that are refused though onnxruntime runs them: a dim of 1 that has a name would change the rank.
REFUSED = {"Squeeze-all": lambda sizes: 1 in (sizes["N"], sizes["C"])}
# onnxruntime does not survive a batch of 0.
ENDS_THE_PROCESS = ("RNN", "GRU", "LSTM", "GroupQueryAttention", "QAttention")
FAILURES = {
    **dict.fromkeys(["NonZero", "NonMaxSuppression", "NonMaxSuppression-centres", "Unique",
                     "Unique-unsorted", "Unique-axis", "Unique-axis-1", "Unique-microsoft"], "sizes that data decide are not compiled yet"),
    **dict.fromkeys(["Det", "GatherBlockQuantized-4-bits", "Inverse"], "interpreted only"),
}


def expected_outputs(name, model, inputs, sizes, interpreter):
    """onnxruntime's, but for reductions of nothing, where it returns the wrong dims, and for what ends its process
    where there are no sequences: those are interpreted.

    None where that refuses.
    """
    try:
        if 0 in sizes.values() and name.startswith(("Reduce", "ArgM", *ENDS_THE_PROCESS)):
            return interpreter.run(inputs)
        return run_onnxruntime(model, inputs)
    except Exception:  # It says no by exceptions of several kinds.
        return None


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=FAILURES[name]))
                                  if name in FAILURES else name for name in CASES])
def test_computes_at_every_size(name, request, here):
    model = build(CASES[name])
    onnx.save(model, here / "model.onnx")
    with warnings.catch_warnings(action="ignore"):
        executable = dyn.compile(here / "model.onnx", threads=1)
    interpreter = Interpreter(request.config.getoption("--build-dir").resolve() / "bin/dyn-run", here / "model.onnx", here)
    compared = 0
    for sizes in SIZES:
        inputs = make_inputs(model, sizes)
        expected = expected_outputs(name, model, inputs, sizes, interpreter)
        try:
            got = executable.run(inputs)
        except dyn.ShapeError as error:
            is_known = name in REFUSED and REFUSED[name](sizes)
            assert expected is None or is_known, f"only Dyn refuses {sizes}: {error}"
            continue
        if expected is not None:
            for ours, theirs in zip(got, expected, strict=True):
                assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), sizes
                assert largest_difference(ours, theirs) < 1e-5, sizes
            compared += 1
    assert compared


@pytest.mark.parametrize("name", DEFINED)
def test_computes_what_the_operator_stands_for(name):
    operands, operator, definition = DEFINED[name]
    model, graph = build(contrib(*operands, operator)), build(contrib(*operands, definition, opset=21))
    reference, executable = dyn.Reference(model), dyn.compile(model, threads=1)
    for sizes in SIZES:
        inputs = make_inputs(model, sizes)
        try:
            (expected,) = run_onnxruntime(graph, inputs)
        except onnxruntime.capi.onnxruntime_pybind11_state.Fail:
            # It refuses some empty tensors: these are only interpreted and compiled.
            assert 0 in sizes.values(), sizes
            (expected,) = reference.run(inputs)
            assert not expected.size
        for (ours,) in (reference.run(inputs), executable.run(inputs)):
            assert (ours.shape, ours.dtype) == (expected.shape, expected.dtype), sizes
            assert largest_difference(ours, expected) < 1e-5, sizes


def gather_blocks(kind, attributes):
    return contrib(f"{kind} x, int64[N] i, float[7, 3] s", "y", f"y = com.microsoft.GatherBlockQuantized<{attributes}>(x, i, s)")


def bnb(attributes):
    return contrib("float[N, 40] x, uint8[120] z, float[15] s", "y", f"y = com.microsoft.MatMulBnb4<{attributes}>(x, z, s)")


@pytest.mark.parametrize("case, message", [
    (contrib("float[2, 5] x, float[5] b", "y", "y = com.microsoft.BiasSplitGelu(x, b)"), "BiasSplitGelu/y"),
    (contrib("float[N, S] x, int32[1] a", "y", "y = com.microsoft.ExpandDims(x, a)"), "ExpandDims/y.*the axis"),
    (contrib("float[N, S] x", "y", "a = Constant<value = int32 {3}>() y = com.microsoft.ExpandDims(x, a)"),
     "axis 3 is out of range for a result of rank 3"),
    (contrib("float[N, S] x, float[K, N, S] z, float[S] b", "y", "y = com.microsoft.BiasAdd(x, b, z)"), "BiasAdd/y"),
    (contrib("float[N, S] x", "y, i, c", "y, i, c = com.microsoft.Unique(x)"), "Unique/y.*rank 2"),
    (contrib("uint8[N, 12] x, int8[12, 36] w, float[36] b, float s", "y",
             "y = com.microsoft.QAttention<num_heads = 3>(x, w, b, s, s)"), "QAttention/y.*rank 2"),
    (gather_blocks("uint8[7, 20]", "block_size = 24"), "GatherBlockQuantized/y.*'block_size' is 24"),
    (gather_blocks("uint8[7, 20]", "block_size = 32"), "dim 1 of operand 2 is 3 instead of 2"),
    (gather_blocks("uint8[8, 20]", "block_size = 16"), "dim 0 of operand 2 is 7 instead of 8"),
    (gather_blocks("uint8[7, 20]", "bits = 3, block_size = 16"), "'bits' is 3"),
    (gather_blocks("uint8[7, 20]", "gather_axis = 1, quantize_axis = 0"), "not 1 and 0"),
    (gather_blocks("float16[7, 20]", "block_size = 16"), "operand 0 has elements of type float16"),
    (bnb("K = 40, N = 6, block_size = 24, quant_type = 1"), "MatMulBnb4/y.*block_size = 24"),
    (bnb("K = 40, N = 6, block_size = 16, quant_type = 2"), "quant_type = 2"),
    (bnb("K = 40, N = 6, block_size = 16, quant_type = 0, transB = 0"), "not transposed"),
    (bnb("K = 40, N = 7, block_size = 16, quant_type = 0"), "MatMulBnb4/y"),
    (contrib("uint16[N, S] x, uint16[S, K] z", "y", "y = com.microsoft.MatMulInteger16(x, z)"), "type uint16; only int16"),
    (contrib("float[N, 6, S] x, float[6, 1, 4] w", "y", "y = com.microsoft.CausalConvWithState<dilation = 2>(x, w)"), "'dilation' is 2"),
    (contrib("float[N, 6, S] x, float[6, 1, 4] w", "y", "y = com.microsoft.CausalConvWithState<channels_last = 1>(x, w)"), "'channels_last'"),
    (contrib("float[N, 3, S, 7, 2] x, float[N, 3, S, 7, 3] g", "y", "y = com.microsoft.GridSample(x, g)"), "GridSample/y.*rank 5"),
    (contrib("float[N, 7, 7, 6] x, float[6] g, float[6] b", "y", "y = com.microsoft.GroupNorm<groups = 4, activation = 0>(x, g, b)"),
     "6 channels do not make up 4 groups"),
    (contrib("float[N, 7, 7, 6] x, float[6] g, float[6] b", "y", "y = com.microsoft.GroupNorm<groups = 2, activation = 2>(x, g, b)"),
     "'activation' = 2"),
    (contrib("float[N, 7, 6] x, float[6] g, float[6] b", "y", "y = com.microsoft.GroupNorm<groups = 2, activation = 0>(x, g, b)"),
     "GroupNorm/y.*rank 3"),
    (contrib("float[4, 4, S] x, float[4, S] b", "y", "y = com.microsoft.BiasSoftmax<axis = 2, is_inner_broadcast = 1>(x, b)"),
     "as many dims as the data"),
    (contrib("float[4, 4, S] x, float[4, 1, S] b", "y", "y = com.microsoft.BiasSoftmax<axis = 2, is_inner_broadcast = 0>(x, b)"),
     "contradict attribute 'is_inner_broadcast'"),
    (contrib("int32[N, S] i, uint8[7, 6] w, uint8[6] g, float s, uint8 z", "y", "y = com.microsoft.QEmbedLayerNormalization"
             "(i, , w, w, w, g, g, , s, s, s, s, s, z, z, z, z, z)"), "operand 4, a table of segments"),
    (contrib("int32[N, S] i, uint8[7, 6] w, uint8[6] g, float s, uint8 z", "y", "y = com.microsoft.QEmbedLayerNormalization"
             "(i, , w, w, , g, g, , s, s, , s, s, z, z, , z)"), "operand 17 is missing"),
    (contrib("float[N, S] x, float[K, S] z", "y", 'y = com.microsoft.CDist<metric = "cosine">(x, z)'), "metric 'cosine'"),
    (contrib("float[1, 2, S, 5] x, float[K, 4] r, int32[K] z, int32[2] t", "y", 'y = com.microsoft.CropAndResize<mode = "cubic">(x, r, z, t)'),
     "mode 'cubic'"),
    (contrib("float[1, 2, S, 5] x, float[3, 5] r, int32[3] z, int32[2] t", "y", "y = com.microsoft.CropAndResize(x, r, z, t)"), "CropAndResize/y"),
    (contrib("float[N, 1] x, float[3, 5] z", "y", "y = com.microsoft.CDist(x, z)"), "CDist/y"),
    (contrib("float[N, 3] x", "y", "y = com.microsoft.UnfoldTensor<size = 4>(x)"), "dim 1 of operand 0 is 3"),
    (contrib("float[N, 3] x", "y", "y = com.microsoft.UnfoldTensor<size = 4, step = 0>(x)"), "must be positive"),
    (contrib("int64[N, S] i, float[N, K] x", "y", "y = com.microsoft.NGramRepeatBlock<ngram_size = 0>(i, x)"), "'ngram_size' is 0"),
    (contrib("float[B, 3] t, int64 l", "y", "y = com.microsoft.RelativePositionBias<max_distance = 9>(t, l, l)"), "number of buckets"),
    (contrib("float[8, 3] t, int64 l", "y", "y = com.microsoft.RelativePositionBias<max_distance = 4>(t, l, l)"), "distances up to 4"),
    (contrib("float[N, S] x", "y", 'p = Constant<value = int64[4] {1, 0, 0, 1}>() y = com.microsoft.Pad<mode = "wrap">(x, p)'),
     "mode 'wrap' is not supported"),
    (contrib("float[2, 8] x, float[3] s", "y", "y = com.microsoft.GatedRMSNorm(x, s, x)"), "GatedRMSNorm/y"),
    (contrib("float[N, S] x, float[S] s", "y", 'y = com.microsoft.GatedRMSNorm<activation = "relu">(x, s, x)'), "activation 'relu'"),
    (contrib("float[N, S, C] x, float[C] s", "y, w", "y, w = com.microsoft.LinearAttentionGate(x, s, s)"), "operand 3 is missing"),
    (contrib("float[N, S, 2, 6] k, float[N, S, 6] v, float[2, 6] a", "y, n", "y, n = com.microsoft.EngramGate(k, k, v, a, a)"), "operand 5 is missing"),
    (contrib("float[2, 7] x", "y", "y = com.microsoft.BranchwiseRMSNorm<num_branches = 3>(x)"), "BranchwiseRMSNorm/y"),
    (contrib("float[N, 3, 5] x, float[4] s", "y", "y = com.microsoft.BranchwiseRMSNorm(x, s)"), "BranchwiseRMSNorm/y"),
    (contrib("float[N, 3, 5] x, float[3] p", "y", "y = com.microsoft.HyperConnectionPreMix(x, p)"), "operand 1 has rank 1"),
    (contrib("float[N, S, 24] x, int64[3, N, S] p, float[9, 4] c", "y", "y = com.microsoft.MRotaryEmbedding<mrope_section = [2, 1, 1]>(x, p, c, c)"),
     "MRotaryEmbedding/y.*'num_heads'"),
    (contrib("float[N, S, 24] x, int64[3, N, S] p, float[9, 4] c", "y", "y = com.microsoft.MRotaryEmbedding<num_heads = 3, "
             "mrope_section = [2, 1, 2]>(x, p, c, c)"), "MRotaryEmbedding/y"),
    (contrib(GROUPED + ", float[1] s", "y", PROMPT + f'y = com.microsoft.GroupQueryAttention<{HEADS}, k_quant_type = "PER_TENSOR">'
             "(q, k, v, , , lengths, total, , , , , , , s)"), "'k_quant_type' is 'PER_TENSOR', but not operand 12"),
    (contrib(GROUPED + ", uint8[N, 2, K, 8] p, float[1] s", "y", PROMPT + f'y = com.microsoft.GroupQueryAttention<{HEADS}, '
             'k_quant_type = "PER_TENSOR", v_quant_type = "PER_TENSOR">(q, k, v, p, p, lengths, total, , , , , , s, s)'),
     "operand 3 has elements of type uint8, which does not fit to 8 bits"),
    (contrib(GROUPED, "y, nk, nv, s", PROMPT + f"y, nk, nv, s = com.microsoft.GroupQueryAttention<{HEADS}, qk_output = 1>(q, k, v, , , lengths, total)"),
     "'qk_output' is 1"),
    (contrib("float[N, 32] x, uint8[6, 2, 8] w, float[12] s", "y", 'y = com.microsoft.MatMulNBitsMlp<activation = "gelu", K = 32, N = 6, '
             "block_size = 16>(x, , , w, s, , w, s)"), "activation 'gelu'"),
    (contrib("int64[N, S] x, int64[4] m, int64[6] v", "y", "y = com.microsoft.NGramHashMapping<max_ngram_size = 1, n_head_per_ngram = 2, "
             "pad_id = 3>(x, m, v)"), "'max_ngram_size' = 1"),
    (contrib("int64[N, S] x, int64[4] m, int64[5] v", "y", "y = com.microsoft.NGramHashMapping<max_ngram_size = 4, n_head_per_ngram = 2, "
             "pad_id = 3>(x, m, v)"), "NGramHashMapping/y"),
    (contrib("float[N, 3, S, 9] x", "y", "y = Crop<border = [1, 0, 3]>(x)", opset=9), "must have 4 and 2 entries"),
    (contrib("float[N, 2, S, 9] x", "y", "y = ImageScaler<bias = [1.0, 2.0, 3.0]>(x)", opset=9), "ImageScaler/y"),
    *((contrib(f"float[N, 2, 3, {width}] x", "y", "y = Crop<border = [6, 0, 6, 0]>(x)", opset=9), "Crop/y") for width in (9, 11)),
    (contrib("float[2, 2, 3, 9] x", "y", "y = Crop<border = [6, 0, 0, 0], scale = [3, 4]>(x)", opset=9), "Crop/y"),
    (contrib("float[N, 3, S, 7] x, float[3, 4, 2, 3] w", "y", "p = Constant<value = int64[6] {1, 0, 0, 1, 0, 0}>() "
             "y = com.microsoft.ConvTransposeWithDynamicPads(x, w, p)"), "ConvTransposeWithDynamicPads/y")])
def test_what_is_refused(case, message):
    with pytest.raises(dyn.CompileError, match=message):
        dyn.compile(build(case), threads=1)


def relative_positions(table, length, is_bidirectional, most):
    """By the definition of T5's buckets; the table has the entries of a head together."""
    buckets, heads = table.shape
    ahead = np.arange(length)[None, :] - np.arange(length)[:, None]
    own = buckets // 2 if is_bidirectional else buckets
    distance = np.abs(ahead) if is_bidirectional else np.maximum(-ahead, 0)
    exact = own // 2
    ratio = np.maximum(distance, exact).astype(np.float32) / np.float32(exact)
    far = exact + (np.log(ratio) / np.log(np.float32(most) / np.float32(exact)) * np.float32(own - exact)).astype(int)
    bucket = np.where(distance < exact, distance, np.minimum(far, own - 1)) + (own if is_bidirectional else 0) * (ahead > 0)
    return table.reshape(heads, buckets)[:, bucket][None]


@pytest.mark.parametrize("is_bidirectional", [0, 1])
def test_relative_position_biases(is_bidirectional):
    model = build(contrib("float[8, 3] t, int64[1] l", "y", f"y = com.microsoft.RelativePositionBias<max_distance = 19, "
                          f"is_bidirectional = {is_bidirectional}>(t, l, l)"))
    table = np.random.default_rng(0).standard_normal((8, 3)).astype(np.float32)
    for runner in (dyn.Reference(model), dyn.compile(model, threads=1)):
        for length in (0, 1, 2, 7, 31):
            (ours,) = runner.run({"t": table, "l": np.array([length])})
            np.testing.assert_array_equal(ours, relative_positions(table, length, is_bidirectional, 19))


def test_padding_is_removed_and_restored():
    removing = build(contrib("float[N, S, H] x, int32[N] c", "y, o, l, m", "y, o, l, m = com.microsoft.RemovePadding(x, c)"))
    restoring = build(contrib("float[T, H] y, int32[N, S] o", "z", "z = com.microsoft.RestorePadding(y, o)"))
    restorers = (dyn.Reference(restoring), dyn.compile(restoring, threads=1))
    for counts, length in [((3, 0, 5), 5), ((1,), 1), ((), 3), ((2, 7, 1), 7), ((0, 0), 2), ((), 0)]:
        counts = np.array(counts, np.int32)
        x = np.random.default_rng(0).standard_normal((len(counts), length, 3)).astype(np.float32)
        here = np.arange(length) < counts[:, None]
        offsets = np.concatenate([np.flatnonzero(here), np.flatnonzero(~here)]).reshape(here.shape).astype(np.int32)
        results = dyn.Reference(removing).run({"x": x, "c": counts})
        wanted = (x[here], offsets, np.cumsum([0, *counts]).astype(np.int32), np.array([max([0, *counts])], np.int32))
        for got, expected in zip(results, wanted, strict=True):
            assert got.dtype == expected.dtype
            np.testing.assert_array_equal(got, expected)
        for runner in restorers:
            (restored,) = runner.run({"y": x[here], "o": offsets})
            np.testing.assert_array_equal(restored, np.where(here[:, :, None], x, np.float32(0)))


def test_windows_that_are_longer_than_a_dim():
    model = build(contrib("float[N, S] x", "y", "y = com.microsoft.UnfoldTensor<size = 4, step = 3>(x)"))
    for runner in (dyn.Reference(model), dyn.compile(model, threads=1)):
        (windows,) = runner.run({"x": np.arange(14, dtype=np.float32).reshape(2, 7)})
        np.testing.assert_array_equal(windows, [[[0, 1, 2, 3], [3, 4, 5, 6]], [[7, 8, 9, 10], [10, 11, 12, 13]]])
        for length in (0, 3):
            with pytest.raises(dyn.Error, match="UnfoldTensor/y"):
                runner.run({"x": np.zeros((2, length), np.float32)})


def test_tables_with_other_numbers_of_blocks():
    model = build(contrib("uint8[V, W] x, int64[N] i, float[A, B] s", "y",
                          "y = com.microsoft.GatherBlockQuantized<block_size = 16, bits = 8>(x, i, s)"))
    inputs = {"x": np.full((7, 33), 130, np.uint8), "i": np.array([1, -1])}
    for runner in (dyn.Reference(model), dyn.compile(model, threads=1)):
        np.testing.assert_array_equal(runner.run({**inputs, "s": np.ones((7, 3), np.float32)})[0], np.full((2, 33), 2, np.float32))
        for blocks in (1, 2, 4):
            with pytest.raises(dyn.Error, match="GatherBlockQuantized/y"):
                runner.run({**inputs, "s": np.ones((7, blocks), np.float32)})
        with pytest.raises(dyn.Error, match="index 7"):
            runner.run({**inputs, "i": np.array([7]), "s": np.ones((7, 3), np.float32)})


def test_an_affine_grid_takes_its_rank_from_data():
    """Where nothing declares it, ONNX's definition finds it, which has no flat batch of one image."""
    model = build((20, "float[N, A, B] t, int64[R] s", "y", "y = AffineGrid(t, s)"))
    reference = dyn.Reference(model)
    for count, spatial in [(2, 2), (3, 3), (1, 3)]:
        inputs = {"t": np.linspace(-1, 2, count * spatial * (spatial + 1), dtype=np.float32).reshape(count, spatial, spatial + 1),
                  "s": np.array([count, 1, 5, 2, 7][:spatial + 2])}
        (ours,), (expected,) = reference.run(inputs), run_onnxruntime(model, inputs)
        assert ours.shape == expected.shape
        assert largest_difference(ours, expected) < 1e-5
    with pytest.raises(dyn.Error, match="rank 1"):
        reference.run({"t": np.ones((1, 2, 3), np.float32), "s": np.array([1, 1, 5, 2])})


def test_the_batch_of_an_affine_grid_is_that_of_its_matrices():
    """A reshape would take any batch for -1."""
    model = build((20, "float[N, 2, 3] t, int64[4] s", "y", "y = AffineGrid(t, s)"))
    assert [guard.predicate for guard in dyn.shapes(model).guards] == ["0 <= s_20", "0 <= s_30", "s_00 == N"]
    matrices = np.ones((2, 2, 3), np.float32)
    for runner in dyn.Reference(model), dyn.compile(model):
        assert runner.run({"t": matrices, "s": np.array([2, 7, 4, 0])})[0].shape == (2, 4, 0, 2)
        for batch in -1, 1, 0, 3:
            with pytest.raises(dyn.Error):
                runner.run({"t": matrices, "s": np.array([batch, 7, 4, 5])})


def test_matrices_of_an_affine_grid_fit_its_rank():
    model = build((20, "float[N, A, B] t, float[N, C, H, W] x", "y", "s = Shape(x) y = AffineGrid(t, s)"))
    shapes = dyn.shapes(model)
    assert sorted(guard.predicate for guard in shapes.guards) == ["A == 2", "B == 3"]
    assert shapes.outputs["y"].dims == ("N", "H", "W", "2")


@pytest.mark.parametrize("operands", ["float[N, 2, 3] t, int64[4] s", "float[N, A, B] t, int64[R] s"])
def test_a_single_place_between_corners_is_no_number(operands):
    """ONNX's definition divides by 0 there, and what a model declares changes nothing about it."""
    reference = dyn.Reference(build((20, operands, "y", "y = AffineGrid<align_corners = 1>(t, s)")))
    (grid,) = reference.run({"t": np.ones((2, 2, 3), np.float32), "s": np.array([2, 1, 1, 3])})
    assert grid.shape == (2, 1, 3, 2) and np.isnan(grid).all()
