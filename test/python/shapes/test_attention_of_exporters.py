"""Attention as PyTorch's new exporter writes it: keys are transposed as matrices of all heads, by sizes that Shape gives."""

import itertools
import re

import numpy as np
import onnx
import pytest

CONSTANTS = """<int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] three = {3}, int64[1] four = {4},
    int64[1] rest = {-1}, int64[1] width = {8}, int64[1] big = {9223372036854775807}, float scale = {0.6}>"""

# How heads are split, and merged again.
SPLITS = {
    "rest_of_heads": "to = Concat<axis = 0>(b, s, rest, width) back = Concat<axis = 0>(b, s, rest)",
    "rest_of_width": "to = Concat<axis = 0>(b, s, four, rest) back = Concat<axis = 0>(b, s, rest)",
    "sizes": "to = Concat<axis = 0>(b, s, four, width) merged = Mul(four, width) back = Concat<axis = 0>(b, s, merged)",
    "rest_of_batch": "to = Concat<axis = 0>(rest, s, four, width) merged = Mul(four, width) back = Concat<axis = 0>(rest, s, merged)",
    "copies": "to = Concat<axis = 0>(zero, zero, four, rest) back = Concat<axis = 0>(zero, zero, rest)",
}

TRANSPOSED = {
    "old": "kt = Transpose<perm = [0,1,3,2]>(kh)",
    "new": """shape_k = Shape(kh) d = Slice(shape_k, three, big) n = Slice(shape_k, two, three) batch = Slice(shape_k, zero, two)
        one_matrix = Concat<axis = 0>(rest, n, d) km = Reshape(kh, one_matrix) kmt = Transpose<perm = [0,2,1]>(km)
        matrices = Concat<axis = 0>(batch, d, n) kt = Reshape(kmt, matrices)""",
}


def make(build, split, form):
    heads = " ".join(f"{name}4 = Reshape({name}, to) {name}h = Transpose<perm = [0,2,1,3]>({name}4)" for name in "qkv")
    return build(f"""g (float[batch,seq,32] q, float[batch,seq,32] k, float[batch,seq,32] v) => (float[o,p,r] y)
        {CONSTANTS}
        {{ shape = Shape(q) b = Slice(shape, zero, one) s = Slice(shape, one, two) {SPLITS[split]} {heads}
           {TRANSPOSED[form]} qs = Mul(qh, scale) ks = Mul(kt, scale) scores = MatMul(qs, ks)
           weights = Softmax<axis = -1>(scores) context = MatMul(weights, vh)
           turned = Transpose<perm = [0,2,1,3]>(context) y = Reshape(turned, back) }}""")


def count_launches(tool, model, folder):
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    done = tool("dyn-translate", "--import-onnx", path, "-o", folder / "model.mlir")
    assert done.returncode == 0, done.stderr
    done = tool("dyn-opt", folder / "model.mlir", "--dyn-pipeline=to=kernels")
    assert done.returncode == 0, done.stderr
    return len(re.findall(r"dyn_shape\.launch @", done.stdout))


@pytest.mark.parametrize("split", SPLITS)
def test_it_is_fused_as_in_the_old_form(tool, build, tmp_path, split):
    old, new = (count_launches(tool, make(build, split, form), tmp_path) for form in ("old", "new"))
    assert new == old <= 3


@pytest.mark.parametrize("split", SPLITS)
def test_dims_are_plain(dyn, build, split):
    shapes = dyn.shapes(make(build, split, "new"))
    assert shapes.values["kt"].dims == ("batch", "4", "8", "seq")
    assert shapes.values["km"].dims == ("4 * batch", "seq", "8")
    assert shapes.guards == ()


@pytest.mark.parametrize("split", SPLITS)
def test_it_runs_where_onnxruntime_does(dyn, build, split):
    onnxruntime = pytest.importorskip("onnxruntime")
    text = make(build, split, "new").SerializeToString()
    session = onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"])
    compiled, reference = dyn.compile(text), dyn.Reference(text)
    ran = 0
    for batch, seq in itertools.product((0, 1, 2), (0, 1, 2, 7)):
        inputs = {name: np.random.default_rng(7).standard_normal((batch, seq, 32), dtype=np.float32) for name in "qkv"}
        try:
            (expected,) = session.run(None, inputs)
        except Exception:
            continue
        ran += 1
        for runner in (compiled, reference):
            (got,) = runner.run(inputs)
            assert got.shape == expected.shape and np.allclose(got, expected, atol=1e-5), (batch, seq)
    assert ran >= 6


def test_a_copy_that_a_run_may_need_stays(dyn, build):
    """Nothing else says that there are rows: at 0 of them, the dim of 4 is copied."""
    model = build(f"""g (float[batch,4,seq,8] x) => (float[p,q,r] y) {CONSTANTS}
        {{ shape = Shape(x) s = Slice(shape, two, three) to = Concat<axis = 0>(rest, s, width) y = Reshape(x, to) }}""")
    onnxruntime = pytest.importorskip("onnxruntime")
    text = model.SerializeToString()
    session = onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"])
    for sizes in [(2, 0), (0, 3), (2, 3), (1, 1)]:
        x = np.ones((sizes[0], 4, sizes[1], 8), np.float32)
        (expected,) = session.run(None, {"x": x})
        for runner in (dyn.compile(text), dyn.Reference(text)):
            assert runner.run({"x": x})[0].shape == expected.shape


@pytest.mark.parametrize("packed", ["queries, keys and values", "keys and values"])
def test_packed_heads_whose_other_inputs_are_left_off(dyn, packed):
    """As onnxruntime's optimiser writes it for diffusion models."""
    def make(names, inputs):
        node = onnx.helper.make_node("MultiHeadAttention", names, ["y"], domain="com.microsoft", num_heads=2)
        infos = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, dims) for name, dims in inputs.items()]
        result = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
        return onnx.helper.make_model(onnx.helper.make_graph([node], "g", infos, [result]), ir_version=8, opset_imports=[
            onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("com.microsoft", 1)])

    three = {name: np.random.default_rng(index).standard_normal((2, 5, 2, 4)).astype(np.float32)
             for index, name in enumerate("qkv")}
    flat = {name: value.reshape(2, 5, 8) for name, value in three.items()}
    if packed == "keys and values":
        model = make(["q", "k"], {"q": ["B", "S", 8], "k": ["B", "S", 2, 2, 4]})
        inputs = {"q": flat["q"], "k": np.stack([three["k"], three["v"]], axis=3)}
    else:
        model = make(["q"], {"q": ["B", "S", 2, 3, 4]})
        inputs = {"q": np.stack(list(three.values()), axis=3)}
    assert dyn.shapes(model).outputs["y"].dims == ("B", "S", "8")
    apart = make(["q", "k", "v"], {name: ["B", "S", 8] for name in "qkv"})
    np.testing.assert_allclose(dyn.Reference(model).run(inputs)[0], dyn.Reference(apart).run(flat)[0], rtol=1e-5, atol=1e-6)


def test_cached_keys_and_values_have_one_length(dyn, build):
    """Also where data tell it, as the greatest of the lengths of all sequences."""
    model = build("""g (float[b,s,32] q, float[b,s,16] k, float[b,s,16] v, float[b,1,p,16] pk, float[b,1,p,16] pv, int32[b] lens)
        => (float[b,s,32] y, float[b,1,t,16] nk, float[b,1,t,16] nv) <int32 one = {1}> { m = ReduceMax<keepdims = 0>(lens) total = Add(m, one)
        y, nk, nv = com.microsoft.GroupQueryAttention<num_heads = 2, kv_num_heads = 1>(q, k, v, pk, pv, lens, total) }""",
                  opset=18, domains=', "com.microsoft" : 1')
    shapes = dyn.shapes(model)
    assert shapes.outputs["nk"].dims == shapes.outputs["nv"].dims == ("b", "1", "u0", "16")
    assert not shapes.guards
