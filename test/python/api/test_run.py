"""Compiling and running through the Python package, against onnxruntime."""

import itertools
import multiprocessing
import os
import re
import threading
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

import dyn
import small_models as models

SIZES = [0, 1, 2, 7, 31, 64]


@pytest.fixture(scope="module")
def dense():
    return dyn.compile(models.dense())


def expected(model, inputs):
    return onnxruntime.InferenceSession(model.SerializeToString()).run(None, inputs)


@pytest.mark.parametrize("batch", SIZES)
def test_one_compilation_serves_every_size(dense, batch):
    x = np.random.default_rng(batch).standard_normal((batch, 8)).astype(np.float32)
    (y,) = dense.run({"x": x})
    np.testing.assert_allclose(y, expected(models.dense(), {"x": x})[0], rtol=1e-5, atol=1e-5)


def test_models_come_as_bytes_and_as_files(tmp_path):
    data = models.dense().SerializeToString()
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    x = np.ones((3, 8), np.float32)
    first, second = dyn.compile(data).run({"x": x}), dyn.compile(path).run({"x": x})
    np.testing.assert_array_equal(first[0], second[0])


def test_inputs_and_outputs_name_their_dims(dense):
    assert [(t.name, t.dtype, t.dims) for t in dense.inputs] == [("x", np.float32, ("batch", "8"))]
    assert [(t.name, t.dtype, t.dims) for t in dense.outputs] == [("y", np.float32, ("batch", "4"))]
    assert dense.symbols == ("batch",)


def test_output_dims_are_expressions():
    exe = dyn.compile(models.append())
    assert exe.outputs[0].dims == ("batch", "past_seq + seq", "2")
    assert exe.output_dims({"batch": 2, "past_seq": 5, "seq": 0}) == {"present": (2, 5, 2)}
    assert exe.output_dims({"past": (1, 0, 2), "new": (1, 3, 2)}) == {"present": (1, 3, 2)}


def test_arrays_that_are_not_dense_are_copied(dense):
    x = np.random.default_rng(0).standard_normal((8, 5)).astype(np.float32).T
    assert not x.flags.c_contiguous
    np.testing.assert_array_equal(dense.run({"x": x})[0], dense.run({"x": x.copy()})[0])


class OnlyDLPack:
    """An array that shows nothing but DLPack's protocol."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_dlpack(dense):
    x = np.ones((2, 8), np.float32)
    np.testing.assert_array_equal(dense.run({"x": OnlyDLPack(x)})[0], dense.run({"x": x})[0])


def test_outputs_outlive_the_model():
    exe = dyn.compile(models.dense())
    (y,) = exe.run({"x": np.ones((2, 8), np.float32)})
    before = y.copy()
    del exe
    np.testing.assert_array_equal(y, before)


def test_threads_share_a_model(dense):
    inputs = [np.full((size, 8), size, np.float32) for size in range(1, 9)]
    alone = [dense.run({"x": x})[0] for x in inputs]
    wrong = []

    def work(index):
        for _ in range(50):
            if not np.array_equal(dense.run({"x": inputs[index]})[0], alone[index]):
                wrong.append(index)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_bound_outputs_are_overwritten(dense):
    bound = dense.bind({"batch": 3})
    first = bound.run({"x": np.ones((3, 8), np.float32)})[0]
    kept = first.copy()
    second = bound.run({"x": np.zeros((3, 8), np.float32)})[0]
    assert second is first and not np.array_equal(first, kept)
    with pytest.raises(dyn.ShapeError, match=r"'x' has dims \[2, 8\], but is bound to \[3, 8\]"):
        bound.run({"x": np.ones((2, 8), np.float32)})


def test_saved_models_load(dense, tmp_path):
    path = tmp_path / "model.so"
    dense.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["model.so"]
    x = np.ones((5, 8), np.float32)
    np.testing.assert_array_equal(dyn.load(path, threads=1).run({"x": x})[0], dense.run({"x": x})[0])


def test_arena_follows_sizes(dense):
    assert dense.arena_bytes({"batch": 0}) <= dense.arena_bytes({"batch": 1000})


def test_working_memory_is_that_of_the_largest_size():
    exe = dyn.compile(models.products())
    largest = exe.arena_bytes({"n": 200})
    assert largest > exe.arena_bytes({"n": 10}) > 0
    for n in [10, 200, 3, 200, 0, 150] * 5:
        assert exe.run({"x": np.ones((n, 8), np.float32)})[0].shape == (n, 8)
    assert largest <= exe._model.free_arena_bytes() < largest + 64
    exe.trim()
    assert exe._model.free_arena_bytes() == 0
    assert exe.run({"x": np.ones((3, 8), np.float32)})[0].shape == (3, 8)
    assert 0 < exe._model.free_arena_bytes() < largest


def test_working_memory_has_that_of_kernels_for_each_thread(tmp_path):
    # What is written to memory does not depend on the threads; the columns that a product copies do.
    dyn.compile(models.products()).save(tmp_path / "model.so")
    one, three = (dyn.load(tmp_path / "model.so", threads=threads) for threads in (1, 3))
    for n in (1, 7, 33, 200):
        arenas = [exe.arena_bytes({"n": n}) for exe in (one, three)]
        lives = [exe.live_bytes({"n": n}) for exe in (one, three)]
        copies = arenas[1] - arenas[0]
        assert copies > 0 and copies % 128 == 0 and lives[1] - lives[0] == copies
        x = np.random.default_rng(n).standard_normal((n, 8)).astype(np.float32)
        np.testing.assert_allclose(three.run({"x": x})[0], x @ x.T @ x, rtol=1e-4, atol=1e-4)


def test_working_memory_of_a_model_without_symbols(tmp_path):
    # So many columns that they are copied whatever the width of vectors.
    x = np.random.default_rng(0).standard_normal((400, 8)).astype(np.float32)
    dyn.compile(models.products(), dims={"n": 400}).save(tmp_path / "model.so")
    one, three = (dyn.load(tmp_path / "model.so", threads=threads) for threads in (1, 3))
    assert not one.symbols and three.arena_bytes({}) > one.arena_bytes({}) == one.live_bytes({})
    for exe in (one, three) * 20:
        np.testing.assert_allclose(exe.run({"x": x})[0], x @ x.T @ x, rtol=1e-3, atol=1e-3)


def test_memory_of_outputs_is_used_again():
    exe = dyn.compile(models.dense())
    x = np.arange(8 * 50_000, dtype=np.float32).reshape(-1, 8)
    first = exe.run({"x": x})[0]
    expected, part, address = first.copy(), first[1:5], first.ctypes.data
    del first
    # A view keeps the memory.
    second = exe.run({"x": x})[0]
    assert second.ctypes.data != address and exe._model.free_output_bytes() == 0
    np.testing.assert_array_equal(part, expected[1:5])
    del part
    assert exe._model.free_output_bytes() >= expected.nbytes
    third = exe.run({"x": x})[0]
    assert third.ctypes.data == address and not np.may_share_memory(second, third)
    np.testing.assert_array_equal(third, expected)
    del second, third
    # What is not needed goes, and all of it with trim; what outlives the model is still there.
    for _ in range(3):
        assert exe.run({"x": x[:3]})[0].shape == (3, 4)
    assert exe._model.free_output_bytes() == 0
    last = exe.run({"x": x})[0]
    exe.run({"x": x})
    assert exe._model.free_output_bytes() > 0
    exe.trim()
    assert exe._model.free_output_bytes() == 0
    del exe
    np.testing.assert_array_equal(last, expected)


def resident_bytes(path) -> int:
    """How much of a mapped file is there without reading it."""
    total, inside = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if re.match("[0-9a-f]+-[0-9a-f]+ ", line):
            inside = line.endswith(str(path))
        elif inside and line.startswith("Rss:"):
            total += int(line.split()[1]) * 1024
    return total


def test_weights_come_by_themselves(tmp_path):
    path = tmp_path / "model.so"
    dyn.compile(models.dense(rows=2048, columns=2048)).save(path)
    exe = dyn.load(path, threads=1)
    end = time.monotonic() + 30
    while resident_bytes(path) < 2048 * 2048 * 4 and time.monotonic() < end:
        time.sleep(0.01)
    assert resident_bytes(path) >= 2048 * 2048 * 4
    del exe


def test_a_file_that_is_replaced_is_loaded_anew(dense, tmp_path):
    path = tmp_path / "model.so"
    dense.save(path)
    before = dyn.load(path)
    dyn.compile(models.append()).save(path)
    after = dyn.load(path)
    assert [tensor.name for tensor in before.inputs] == ["x"]
    assert [tensor.name for tensor in after.inputs] == ["past", "new"]


def test_what_was_loaded_can_be_saved_when_its_file_is_gone(dense, tmp_path):
    dense.save(tmp_path / "first.so")
    exe = dyn.load(tmp_path / "first.so")
    (tmp_path / "first.so").unlink()
    exe.save(tmp_path / "second.so")
    x = np.ones((5, 8), np.float32)
    np.testing.assert_array_equal(dyn.load(tmp_path / "second.so").run({"x": x})[0], dense.run({"x": x})[0])


def test_saving_follows_links_and_writes_to_devices(dense, tmp_path):
    (tmp_path / "old.so").write_text("old")
    (tmp_path / "link.so").symlink_to("old.so")
    (tmp_path / "to-new.so").symlink_to("new.so")
    dense.save(tmp_path / "link.so")
    dense.save(os.fsencode(tmp_path / "to-new.so"))
    dense.save("/dev/null")
    assert (tmp_path / "link.so").is_symlink() and dyn.load(tmp_path / "old.so").inputs == dense.inputs
    assert (tmp_path / "to-new.so").is_symlink() and dyn.load(tmp_path / "new.so").inputs == dense.inputs
    assert Path("/dev/null").is_char_device()
    with pytest.raises(IsADirectoryError):
        dense.save(tmp_path)
    with pytest.raises(FileNotFoundError):
        dense.save(tmp_path / "no" / "such.so")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link.so", "new.so", "old.so", "to-new.so"]


def test_a_forked_process_compiles():
    """The linker's threads, which a fork does not take along, would be waited for."""
    context = multiprocessing.get_context("fork")
    dyn.compile(models.dense())
    process = context.Process(target=lambda: dyn.compile(models.append()))
    process.start()
    process.join(timeout=60)
    alive = process.is_alive()
    process.kill()
    assert not alive and process.exitcode == 0


def test_external_data_of_models_in_memory(tmp_path):
    model = models.dense(rows=64, columns=32)
    expect = dyn.compile(model).run({"x": np.ones((2, 64), np.float32)})
    onnx.save(model, tmp_path / "model.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    model = onnx.load(tmp_path / "model.onnx", load_external_data=False)
    without = pytest.raises(dyn.CompileError, match="'w.bin' is not available: the model was given without the folder")
    with pytest.warns(UserWarning, match="w.bin"), without:
        dyn.compile(model.SerializeToString())
    for exe in [dyn.compile(model, folder=tmp_path), dyn.compile(tmp_path / "model.onnx")]:
        np.testing.assert_array_equal(exe.run({"x": np.ones((2, 64), np.float32)}), expect)


def test_compilation_leaves_no_files(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    exe = dyn.compile(models.dense())
    assert not list(tmp_path.iterdir())
    assert exe.run({"x": np.ones((2, 8), np.float32)})[0].shape == (2, 4)


MODULE = """func.func @main(%x: tensor<?xf32, #dyn.dims<[N]>> {dyn.name = "x"})
    -> (tensor<?xf32, #dyn.dims<[N]>> {dyn.name = "y"})
    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {
  %0 = dyn.tanh %x : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32, #dyn.dims<[N]>>
  return %0 : tensor<?xf32, #dyn.dims<[N]>>
}
"""


def test_modules_come_as_text_and_as_files(tmp_path):
    path = tmp_path / "module.mlir"
    path.write_text(MODULE)
    x = np.linspace(-1, 1, 7, dtype=np.float32)
    for model in (MODULE, path, str(path)):
        np.testing.assert_allclose(dyn.compile(model).run({"x": x})[0], np.tanh(x), rtol=1e-6)


def test_products_of_16_bit_floats_are_summed_in_32_bits():
    rng = np.random.default_rng(0)
    w, x = (rng.standard_normal(dims).astype(np.float16) for dims in [(512, 16), (4, 512)])
    half = models.TensorProto.FLOAT16
    node = models.helper.make_node("MatMul", ["x", "w"], ["y"])
    model = models.model([node], [("x", half, ["n", 512])], [("y", half, ["n", 16])], {"w": w})
    exact = x.astype(np.float64) @ w.astype(np.float64)
    np.testing.assert_allclose(dyn.compile(model).run({"x": x})[0], exact, rtol=1e-3, atol=2e-2)


def test_sizes_that_guards_alone_show():
    """Facts about what is read at run time leave one block: dims are 1, which no type says."""
    model = models.model([models.helper.make_node("Col2Im", ["x", "image", "block"], ["y"], pads=[0, 1, 0, 1])],
                         [("x", models.FLOAT, [1, 5, 15]), ("image", models.INT64, [2]), ("block", models.INT64, [2])],
                         [("y", models.FLOAT, [1, 1, 5, 5])], opset=18)
    inputs = {"x": np.arange(75, dtype=np.float32).reshape(1, 5, 15), "image": np.array([5, 5]), "block": np.array([1, 5])}
    (y,) = dyn.compile(model).run(inputs)
    np.testing.assert_array_equal(y, expected(model, inputs)[0])


@pytest.mark.parametrize("goes_away", [True, False])
def test_a_dim_that_only_a_guard_says_to_be_1_beside_rank_0(goes_away):
    """Views of rank 0 have constant ones on their other side."""
    text = """<ir_version: 8, opset_import: ["" : 18]> g (float[A,B] x, float z) => (float[C] y) {
        s = Shape(x) first = Constant<value_ints=[0]>() last = Constant<value_ints=[1]>()
        a = Gather(s, first) b = Gather(s, last) m = Min(a, b) """
    if goes_away:
        text += """zero = Constant<value_int=0>() one = Constant<value_int=1>() n = Squeeze(m, first)
            r = Range(zero, n, one) c = Cast<to=1>(r) q = Squeeze(c, first) e = Add(q, z) y = Unsqueeze(e, first) }"""
    else:
        text += "e = Exp(z) y = Reshape(e, m) }"
    model = onnx.parser.parse_model(text)
    executable = dyn.compile(model)
    z = np.array(0.5, np.float32)
    for dims in ((1, 1), (1, 3), (7, 1)):
        inputs = {"x": np.zeros(dims, np.float32), "z": z}
        np.testing.assert_allclose(executable.run(inputs)[0], expected(model, inputs)[0], rtol=1e-6)
    for dims in ((2, 3), (0, 1)):
        with pytest.raises(dyn.ShapeError, match=r"min\(A, B\) == 1"):
            executable.run({"x": np.zeros(dims, np.float32), "z": z})


def test_a_value_may_be_several_outputs():
    """JAX's exporter writes the state of a cell so, once as what the cell gives and once as what it keeps."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 16]> g (float[n] x, float[m] w) => (float[n] y, float[m] z) {
      y = Neg(x) z = Abs(w) }""")
    model.graph.output.insert(0, model.graph.output[0])
    model.graph.output.append(model.graph.output[2])
    executable, reference = dyn.compile(model), dyn.Reference(model)
    assert [tensor.name for tensor in executable.outputs] == [tensor.name for tensor in reference.outputs] == ["y", "y", "z", "z"]
    assert dyn.shapes(model).outputs["y"].dims == ("n",)
    for n, m in itertools.product((0, 1, 5), (0, 3)):
        inputs = {"x": np.arange(n, dtype=np.float32), "w": -np.arange(m, dtype=np.float32)}
        for result in executable.run(inputs), reference.run(inputs), executable.bind({"n": n, "m": m}).run(inputs):
            for got, wanted in zip(result, expected(model, inputs), strict=True):
                np.testing.assert_array_equal(got, wanted)
    sequences = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 16]> g (float[n] x) => (seq(float[n]) y) {
      y = SequenceConstruct(x, x) }""")
    sequences.graph.output.append(sequences.graph.output[0])
    assert [len(value) for value in dyn.Reference(sequences).run({"x": np.ones(2, np.float32)})] == [2, 2]
