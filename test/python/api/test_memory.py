"""Working memory, and that what it holds is not overwritten too early, at sizes that no plan was made for."""

import struct

import numpy as np
import onnxruntime
import pytest
from onnx import helper

import dyn
import small_models

COUNT = 6


def branches():
    """Branches of unrelated lengths: each leaves one tensor that all results need, and works with bigger ones."""
    generator = np.random.default_rng(0)
    nodes, inputs, outputs, weights = [], [], [], {}
    for i in range(COUNT):
        weights[f"w{i}"] = generator.normal(size=(16, 64)).astype(np.float32) / 4
        weights[f"v{i}"] = generator.normal(size=(64, 160 + 32 * i)).astype(np.float32) / 8
        weights[f"u{i}"] = generator.normal(size=(160 + 32 * i, 64)).astype(np.float32) / 12
        inputs.append((f"x{i}", small_models.FLOAT, [f"n{i}", 16]))
        nodes += [
            helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"a{i}"], name=f"/{i}/a"),
            helper.make_node("MatMul", [f"a{i}", f"v{i}"], [f"b{i}"], name=f"/{i}/b"),
            helper.make_node("MatMul", [f"b{i}", f"u{i}"], [f"c{i}"], name=f"/{i}/c"),
        ]
    for i in reversed(range(COUNT)):
        nodes += [
            helper.make_node("Add", [f"a{i}", f"c{i}"], [f"d{i}"], name=f"/{i}/d"),
            helper.make_node("MatMul", [f"d{i}", f"v{i}"], [f"e{i}"], name=f"/{i}/e"),
            helper.make_node("ReduceSum", [f"e{i}"], [f"y{i}"], name=f"/{i}/y", keepdims=0),
        ]
        outputs.append((f"y{i}", small_models.FLOAT, []))
    return small_models.model(nodes, inputs, outputs, weights)


@pytest.fixture(scope="module")
def model():
    return branches()


@pytest.fixture(scope="module")
def executable(model):
    return dyn.compile(model, threads=2)


def sizes(count):
    generator = np.random.default_rng(1)
    for _ in range(count):
        yield {f"n{i}": int(2 ** generator.uniform(0, 11)) - 1 for i in range(COUNT)}


def test_is_near_what_is_needed_at_the_same_time(executable):
    for point in sizes(300):
        arena, live = executable.arena_bytes(point), executable.live_bytes(point)
        assert live <= arena <= max(1.15 * live, live + 2**16), point


def test_nothing_is_overwritten_too_early(model, executable):
    session = onnxruntime.InferenceSession(model.SerializeToString())
    generator = np.random.default_rng(2)
    for point in sizes(60):
        inputs = {f"x{i}": generator.normal(size=(point[f"n{i}"], 16)).astype(np.float32) for i in range(COUNT)}
        for got, expected in zip(executable.run(inputs), session.run(None, inputs)):
            np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-2)


def residuals():
    """A sum with a residual over and over; each sum is the last to read the residual."""
    generator = np.random.default_rng(0)
    weights = {"first": generator.normal(size=(16, 64)).astype(np.float32) / 4,
               "up": generator.normal(size=(64, 256)).astype(np.float32) / 8,
               "down": generator.normal(size=(256, 64)).astype(np.float32) / 16,
               "last": generator.normal(size=(64, 8)).astype(np.float32) / 8}
    nodes = [helper.make_node("MatMul", ["x", "first"], ["h0"])]
    for i in range(3):
        nodes += [
            helper.make_node("MatMul", [f"h{i}", "up"], [f"u{i}"]),
            helper.make_node("Relu", [f"u{i}"], [f"r{i}"]),
            helper.make_node("MatMul", [f"r{i}", "down"], [f"d{i}"]),
            helper.make_node("Add", [f"h{i}", f"d{i}"], [f"h{i + 1}"]),
        ]
    nodes.append(helper.make_node("MatMul", ["h3", "last"], ["y"]))
    return small_models.model(nodes, [("x", small_models.FLOAT, ["n", 16])], [("y", small_models.FLOAT, ["n", 8])], weights)


def test_sums_with_residuals_are_in_place():
    model = residuals()
    executable = dyn.compile(model, threads=2)
    row = (executable.arena_bytes({"n": 4096}) - executable.arena_bytes({"n": 2048})) / 2048
    assert row == (64 + 256) * 4, "one residual and one product"
    session = onnxruntime.InferenceSession(model.SerializeToString())
    generator = np.random.default_rng(2)
    for n in (0, 1, 2, 13, 64, 257):
        inputs = {"x": generator.normal(size=(n, 16)).astype(np.float32)}
        np.testing.assert_allclose(executable.run(inputs)[0], session.run(None, inputs)[0], rtol=1e-4, atol=1e-4)


def load_segments(content):
    """(offset, address, bytes, alignment) of what a shared object has loaded."""
    header, entry_bytes, count = struct.unpack_from("<Q", content, 32)[0], *struct.unpack_from("<HH", content, 54)
    for entry in (struct.unpack_from("<IIQQQQQQ", content, header + i * entry_bytes) for i in range(count)):
        kind, _, offset, address, _, in_file, _, alignment = entry  # Elf64_Phdr
        if kind == 1:
            yield offset, address, in_file, alignment


def test_weights_can_lie_on_large_pages(tmp_path):
    rows, columns = 1024, 1536
    weight = np.random.default_rng(0).standard_normal((rows, columns), np.float32)
    model = small_models.model([helper.make_node("MatMul", ["x", "w"], ["y"])], [("x", small_models.FLOAT, ["n", rows])],
                               [("y", small_models.FLOAT, ["n", columns])], {"w": weight})
    executable = dyn.compile(model, threads=1)
    executable.save(tmp_path / "model.dyn")
    large_page = 2**21
    segments = list(load_segments((tmp_path / "model.dyn").read_bytes()))
    assert sum(in_file for _, _, in_file, _ in segments) > weight.nbytes
    for offset, address, _, alignment in segments:
        assert alignment == large_page and offset % large_page == address % large_page
    x = np.ones((3, rows), np.float32)
    np.testing.assert_allclose(executable.run({"x": x})[0], x @ weight, rtol=1e-4, atol=1e-4)
