"""Every form of CUDA kernels, run on the machine's GPU against the interpreter; without one, launches are checked only."""

import itertools
import pathlib
import sys
import warnings

import numpy as np
import pytest

import cuda_device
from launch_plans import HostProgram, Refused

sys.path.append(str(pathlib.Path(__file__).parents[1] / "kernels"))
from kernel_models import Case
from test_random_sizes import CASES, Sizes, check_equal, make_inputs, symbols_of

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

NAMES = ["elementwise-arithmetic-float16", "elementwise-arithmetic-int8", "elementwise-broadcast-float", "reductions-ReduceMean",
         "reductions-ReduceMax-uint8", "reductions-ArgMax", "reductions-CumSum", "reductions-Softmax",
         "reductions-LayerNormalization-f16", "contractions-MatMul-batched", "contractions-MatMul-f16", "contractions-Gemm-nt",
         "contractions-epilogue-dynamic", "attention-masked", "movement-Transpose-rank-4", "movement-Gather", "movement-Concat",
         "selection-TopK", "selection-ScatterElements", "windows-Conv-any-window"]
SIZES = (0, 1, 2, 13, 32, 67)
# Rows that take a block, and a large one.
LONG_ROWS = {"reductions-ReduceMean", "reductions-ReduceMax-uint8", "reductions-ArgMax", "reductions-Softmax"}
LONG_SIZES = (300, 8200)


def compile_for_cuda(tool, model, folder):
    """A program with PTX only, which every newer device takes."""
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    imported = tool("dyn-translate", "--import-onnx", folder / "model.onnx", "-o", folder / "model.mlir")
    assert imported.returncode == 0, imported.stderr
    done = tool("dyn-opt", folder / "model.mlir", "--dyn-pipeline=to=target target=cuda cuda-arch=sm_80",
                "--mlir-print-op-generic")
    assert done.returncode == 0, done.stderr
    return HostProgram(done.stdout)


def sizes_of(name, model, generator):
    """Pins one symbol after the other to these sizes."""
    symbols = symbols_of(model)
    sizes = Sizes(CASES[name], symbols, generator)
    for number, size in enumerate(SIZES * max(1, -(-len(symbols) // 2))):
        yield sizes.make(symbols[(number + number // len(SIZES)) % len(symbols)], size)
    if name in LONG_ROWS:
        for symbol, size in itertools.product(symbols, LONG_SIZES):
            yield sizes.make(symbol, size)


def check(device, name, model, program):
    """The number of runs whose launches have been made."""
    case, generator = CASES[name], np.random.default_rng(1)
    with warnings.catch_warnings(action="ignore"):
        reference = dyn.Reference(model.SerializeToString())
    types = {tensor.name: np.dtype(tensor.dtype) for tensor in reference.outputs}
    module, count = device.load(program), 0
    for symbols in sizes_of(name, model, generator):
        inputs = make_inputs(case, model, symbols, generator)
        try:
            expected = reference.run(inputs)
        except dyn.Error:
            expected = None
        for blocks in (None, 1):
            try:
                outputs, error = cuda_device.run(device, module, program, symbols, inputs, types, blocks)
            except Refused:
                assert expected is None
                continue
            assert expected is not None and error[0] == 0
            count += 1
            if isinstance(device, cuda_device.NoDevice):
                continue
            for tensor, theirs in zip(reference.outputs, expected, strict=True):
                check_equal(outputs[tensor.name], theirs, case.tolerance, f"{tensor.name}, {blocks or 'all'} blocks, {symbols}")
    device.unload(module)
    return count


@pytest.fixture(scope="module")
def gpu():
    try:
        return cuda_device.CudaDevice()
    except OSError as error:
        pytest.skip(f"kernels are not run: {error}")


@pytest.mark.parametrize("name", NAMES)
def test_launches_fit_their_kernels(tool, tmp_path, name):
    model = CASES[name].model()
    assert check(cuda_device.NoDevice(), name, model, compile_for_cuda(tool, model, tmp_path))


@pytest.mark.parametrize("name", NAMES)
def test_kernels_on_the_gpu(gpu, tool, tmp_path, name):
    model = CASES[name].model()
    assert check(gpu, name, model, compile_for_cuda(tool, model, tmp_path))


def test_an_index_outside_is_recorded(gpu, tool, tmp_path):
    case = Case("float[A, C] x, int64[B] i", "y = Gather(x, i)")
    program = compile_for_cuda(tool, case.model(), tmp_path)
    inputs = {"x": np.ones((5, 33), np.float32), "i": np.zeros(300, np.int64)}
    module = gpu.load(program)
    for place, index in ((0, 5), (7, -6), (299, 2**40)):
        inputs["i"][:] = 0
        inputs["i"][place] = index
        for blocks in (None, 1):
            _, error = cuda_device.run(gpu, module, program, {"A": 5, "B": 300, "C": 33}, inputs, {"y": np.float32}, blocks)
            assert error == (1, 0, [index, 5])
    gpu.unload(module)
