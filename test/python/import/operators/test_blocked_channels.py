"""Models that onnxruntime saves after all of its optimizations: blocks of channels stand together in memory."""

import warnings

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest

from zoo import recipes

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

DOMAIN = "com.microsoft.nchwc"
NETWORKS = {
    # 24 and 40 channels are no whole blocks of 16.
    "incomplete blocks": ("float[N, 3, H, W] x, float[24, 3, 3, 3] w, float[24] b, float[40, 24, 1, 1] v",
                          "c = Conv<pads = [1, 1, 1, 1]>(x, w, b) r = Relu(c) y = Conv<strides = [2, 1]>(r, v)"),
    "depthwise": ("float[N, 3, H, W] x, float[24, 3, 1, 1] w, float[24, 1, 3, 3] v, float[24] b",
                  "c = Conv(x, w) d = Conv<group = 24, pads = [1, 1, 1, 1], strides = [2, 2]>(c, v, b) y = HardSwish(d)"),
    "groups": ("float[N, 32, H, W] x, float[64, 16, 3, 3] w",
               "a = Relu(x) y = Conv<group = 2, pads = [1, 1, 1, 1], dilations = [1, 1]>(a, w)"),
    "sum": ("float[N, 8, H, W] x, float[48, 8, 1, 1] w, float[48, 48, 3, 3] v, float[48] b",
            "c = Conv(x, w, b) d = Conv<pads = [1, 1, 1, 1]>(c, v, b) s = Add(d, c) y = Sigmoid(s)"),
    "concat": ("float[N, 4, H, W] x, float[32, 4, 1, 1] w, float[16, 32, 1, 1] v",
               "c = Conv(x, w) d = Conv(c, v) e = LeakyRelu<alpha = 0.2>(d) y = Concat<axis = 1>(c, e)"),
    "pools": ("float[N, 3, H, W] x, float[20, 3, 3, 3] w",
              "c = Conv<pads = [2, 2, 2, 2]>(x, w) m = MaxPool<kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1>(c) "
              "a = AveragePool<kernel_shape = [2, 2], pads = [1, 1, 1, 1], count_include_pad = 1>(m) "
              "b = AveragePool<kernel_shape = [2, 2], auto_pad = \"SAME_UPPER\">(a) g = GlobalAveragePool(b) "
              "h = GlobalMaxPool(b) y = Add(g, h)"),
    "nearest": ("float[N, 3, H, W] x, float[24, 3, 1, 1] w, float[16, 24, 1, 1] v",
                "s = Constant<value_floats = [1.0, 1.0, 3.0, 2.0]>() c = Conv(x, w) "
                "r = Resize<mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\">(c, , s) "
                "y = Conv(r, v)"),
    "linear": ("float[N, 3, H, W] x, float[24, 3, 1, 1] w, float[16, 24, 1, 1] v",
               "s = Constant<value_floats = [1.0, 1.0, 2.0, 2.0]>() c = Conv(x, w) "
               "r = Resize<mode = \"linear\", coordinate_transformation_mode = \"half_pixel\">(c, , s) y = Conv(r, v)"),
    "channels last": ("float[N, H, W, 24] x, float[32, 24, 3, 3] w",
                      "t = Transpose<perm = [0, 3, 1, 2]>(x) c = Conv<pads = [1, 1, 1, 1]>(t, w) "
                      "y = Transpose<perm = [0, 2, 3, 1]>(c)"),
}
SIZES = [{"N": 1, "H": 1, "W": 1}, {"N": 2, "H": 7, "W": 5}, {"N": 1, "H": 31, "W": 2}]


def make_network(inputs, body):
    """The inputs behind the first one become weights."""
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g ({inputs}) => (float[a, b, c, d] y) {{ {body} }}')
    generator = np.random.default_rng(0)
    for value in list(model.graph.input)[1:]:
        dims = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        weights = generator.standard_normal(dims).astype(np.float32) / np.sqrt(np.prod(dims[1:], initial=1))
        model.graph.initializer.append(onnx.numpy_helper.from_array(weights.astype(np.float32), value.name))
        model.graph.input.remove(value)
    return model


def optimize(model, path):
    """What onnxruntime saves, and its session, which runs just that."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.optimized_model_filepath = str(path)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    found = onnx.load(path, load_external_data=False)
    if not any(node.domain == DOMAIN for node in found.graph.node):
        pytest.skip("onnxruntime makes no blocks of channels on this CPU")
    return session


def open_quietly(open_model, path):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*optimized for one CPU.*")
        return open_model(path)


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(tmp_path, name):
    path = tmp_path / "optimized.onnx"
    session = optimize(make_network(*NETWORKS[name]).SerializeToString(), path)
    reference, compiled = open_quietly(dyn.Reference, path), open_quietly(dyn.compile, path)
    for sizes in SIZES:
        dims = [dim if isinstance(dim, int) else sizes[dim] for dim in session.get_inputs()[0].shape]
        x = np.random.default_rng(1).standard_normal(dims).astype(np.float32)
        expected = session.run(None, {"x": x})
        for runner in (reference, compiled):
            (got,) = runner.run({"x": x})
            np.testing.assert_allclose(got, expected[0], rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("name", ["cnn/mobilenet_v3_small_legacy", "cnn/espcn_dynamo", "rnn/crnn_legacy"])
def test_shared_models(models_dir, tmp_path, name):
    """Real networks, at two sizes each."""
    model = recipes.load_model(models_dir, f"exported/{name}")
    place, saved = model.place(tmp_path), tmp_path / "optimized.onnx"
    session = optimize(str(place), saved)
    compiled = open_quietly(dyn.compile, saved)
    for sizes in list(model.sizes())[:2]:
        inputs = model.inputs(sizes)
        for got, expected in zip(compiled.run(inputs), session.run(None, inputs), strict=True):
            assert got.shape == expected.shape
            np.testing.assert_allclose(got, expected, atol=1e-5 * max(1e-6, np.abs(expected).max()))


def put_in_blocks(filters, block):
    """As the file holds them: M/block x C/block x kernel... x block of C x block of M; fewer channels than a block stand alone."""
    maps, channels, *kernel = filters.shape
    inner = block if channels >= block else 1
    apart = filters.reshape(maps // block, block, channels // inner, inner, *kernel)
    return apart.transpose(0, 2, *range(4, 4 + len(kernel)), 3, 1).reshape(filters.shape)


def make_blocked(block, channels, kept, image=3):
    """A convolution to `channels`, of which `kept` are not padding."""
    generator = np.random.default_rng(0)
    filters = generator.standard_normal((channels, image, 3, 2)).astype(np.float32)
    more = generator.standard_normal((channels, channels, 1, 1)).astype(np.float32)
    model = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 17, "{DOMAIN}" : 1]> g (float[N, {image}, H, W] x) => (float[a, b, c, d] y) '
        f"{{ c = {DOMAIN}.Conv<kernel_shape = [3, 2]>(x, w) d = {DOMAIN}.Conv<kernel_shape = [1, 1]>(c, v) "
        f"y = {DOMAIN}.ReorderOutput<channels = {kept}>(d) }}")
    for name, value in (("w", filters), ("v", more)):
        model.graph.initializer.append(onnx.numpy_helper.from_array(put_in_blocks(value, block), name))
    return model, filters, more


@pytest.mark.parametrize("block, channels, kept", [(8, 24, 24), (8, 8, 5), (16, 32, 24), (16, 16, 3)])
def test_the_block_follows_from_the_numbers_of_channels(block, channels, kept):
    model, filters, more = make_blocked(block, channels, kept)
    x = np.random.default_rng(1).standard_normal((2, 3, 7, 5)).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 2), axis=(2, 3))
    expected = np.einsum("nchwij,mcij,km->nkhw", windows, filters, more[:, :, 0, 0], optimize=True)[:, :kept]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (got,) = dyn.Reference(model).run({"x": x})
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


def test_an_unknown_block_is_said():
    model, *_ = make_blocked(16, 32, 32)
    with pytest.warns(match="blocks of 8 or of 16 channels: (8|16) are taken"):
        dyn.Reference(model)


def test_filters_that_are_no_blocks():
    model, *_ = make_blocked(8, 24, 24)
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(np.zeros((12, 3, 3, 2), np.float32), "w"))
    with pytest.raises(dyn.ModelError, match="12 and 3 channels, which are no blocks of 8"):
        dyn.Reference(model)


def test_filters_that_are_not_known():
    model, *_ = make_blocked(8, 24, 24)
    del model.graph.initializer[0]
    model.graph.input.append(onnx.helper.make_tensor_value_info("w", onnx.TensorProto.FLOAT, ["m", 3, 3, 2]))
    with pytest.raises(dyn.ModelError, match="the filters, must be known"):
        dyn.Reference(model)
