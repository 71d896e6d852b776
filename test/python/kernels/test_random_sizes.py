"""Every class of kernels at random sizes from 0 to 70 in every dim, against the interpreter and onnxruntime.

A model is compiled once for each target and runs with one thread and with two. `--soak N` runs N times as many sizes.
"""

import itertools
import re
import warnings

import numpy as np
import onnx
import pytest

import kernel_models
import movement_models
from guarded import GuardedModel, Refused, load_runtime
from zoo.runners import open_onnxruntime

dyn = pytest.importorskip("dyn", reason="the Python package is not built")

CASES = {name: case for module, tables in (
    (kernel_models, ("ELEMENTWISE", "REDUCTIONS", "CONTRACTIONS", "ATTENTION")),
    (movement_models, ("MOVEMENT", "SELECTION", "WINDOWS", "QUANTIZED"))) for table in tables
    for name, case in ((f"{table.lower()}-{name}", case) for name, case in getattr(module, table).items())}
TARGETS = ("x86-64-v3", "x86-64-v4")
LARGEST = 70
# Around nothing, one, and the widths of vectors and tiles.
MARKED = (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70)
COUNT = 200


def symbols_of(model):
    return list(dict.fromkeys(dim.dim_param for value in model.graph.input for dim in value.type.tensor_type.shape.dim
                              if dim.dim_param))


class Sizes:
    """Sizes of the symbols of a case whose product is bounded, so that the interpreter is quick."""

    def __init__(self, case, symbols, generator):
        self.case, self.symbols, self.generator = case, symbols, generator
        self.pairs = case.pairs.split()
        self.sums = [tuple(re.split("[=+]", text)) for text in case.sums.split()]
        self.free = [symbol for symbol in symbols if symbol not in {pair[-1] for pair in self.pairs} | {total for total, *_ in self.sums}]

    def pick(self, symbol):
        top = LARGEST if self.generator.random() < 0.1 else self.case.usual.get(symbol, LARGEST)
        marked = [size for size in MARKED if size <= top]
        return int(self.generator.choice(marked) if self.generator.random() < 0.4 else self.generator.integers(0, top + 1))

    def make(self, pinned=None, size=None):
        sizes = {symbol: self.pick(symbol) for symbol in self.free}
        if pinned in sizes:
            sizes[pinned] = size
        # One run in 20 is large enough that threads share it.
        bound = self.case.work * (20 if self.generator.random() < 0.05 else 1)
        # A single 0 makes most tensors empty: not in most runs.
        for symbol in self.free:
            if sizes[symbol] == 0 and symbol != pinned and self.generator.random() < 0.8:
                sizes[symbol] = 1
        others = [symbol for symbol in self.free if symbol != pinned]
        while others and np.prod([max(size, 1) for size in sizes.values()], dtype=float) > bound:
            symbol = self.generator.choice(others)
            sizes[symbol] = int(self.generator.integers(1, max(sizes[symbol], 1) + 1)) // 2 + 1
        for pair in self.pairs:
            self.tie(sizes, pair[0], pair[-1], can_repeat_left=">" not in pair)
        for total, *parts in self.sums:
            sizes[total] = sum(sizes[part] for part in parts)
        return {symbol: sizes[symbol] for symbol in self.symbols}

    def tie(self, sizes, left, right, can_repeat_left):
        """Equal, or one of them 1."""
        kind = self.generator.integers(4)
        sizes[right] = 1 if kind == 0 else sizes[left]
        if kind == 1 and can_repeat_left and sum(left in pair for pair in self.pairs) == 1:
            sizes[left] = 1

    def all(self, count):
        for symbol, size in itertools.product(self.symbols, MARKED):
            yield self.make(symbol, size)
        for _ in range(count):
            yield self.make()


def make_inputs(case, model, sizes, generator):
    inputs = {}
    for value in model.graph.input:
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))
        dims = [sizes.get(dim.dim_param, dim.dim_value) for dim in value.type.tensor_type.shape.dim]
        make = case.make.get(value.name)
        values = make(generator, dims, sizes) if make else kernel_models.make_values(generator, dims, dtype, case.is_whole)
        inputs[value.name] = np.ascontiguousarray(np.asarray(values, dtype)).reshape(dims)
    return inputs


def check_equal(got, expected, tolerance, what):
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype), what
    if got.tobytes() == expected.tobytes() or not got.size:
        return
    got, expected = (array if array.dtype.kind in "biu" else array.astype(np.float64) for array in (got, expected))
    if tolerance and got.dtype.kind == "f":
        with np.errstate(all="ignore"):
            is_same = (np.abs(got - expected) <= tolerance * (1 + np.abs(expected))) | (got == expected)
    else:
        is_same = got == expected
    if got.dtype.kind == "f":
        is_same |= np.isnan(got) & np.isnan(expected)
    if not is_same.all():
        at = tuple(int(index) for index in np.argwhere(~is_same)[0])
        pytest.fail(f"{what}: {got[at]} at {at}, must be {expected[at]}; {(~is_same).sum()} of {got.size} are wrong")


class Subject:
    """A case, compiled for the targets of this machine."""

    def __init__(self, case, folder, runtime):
        self.case, self.model = case, case.model()
        data = self.model.SerializeToString()
        self.compiled = {}
        with warnings.catch_warnings(action="ignore"):
            self.reference = dyn.Reference(data)
            for target in TARGETS:
                try:
                    executable = dyn.compile(data, target_cpu=target)
                except dyn.ModelError as error:
                    assert "this machine lacks" in str(error)
                    continue
                path = folder / f"{target}.so"
                executable.save(path)
                self.outputs = executable.outputs
                for threads in (1, 2):
                    self.compiled[target, threads] = GuardedModel(runtime, path, threads)
        self.session = open_onnxruntime(data, 1) if case.peer else None

    def expected(self, inputs):
        try:
            return self.reference.run(inputs)
        except dyn.Error as error:
            return str(error)

    def check(self, sizes, generator):
        inputs = make_inputs(self.case, self.model, sizes, generator)
        expected = self.expected(inputs)
        arrays = [inputs[value.name] for value in self.model.graph.input]
        for (target, threads), model in self.compiled.items():
            what = f"{target}, {threads} threads, {sizes}"
            try:
                got = model.run(arrays, [tensor.dtype for tensor in self.outputs], [len(tensor.dims) for tensor in self.outputs])
            except Refused as error:
                assert isinstance(expected, str), f"{what}: only compiled code refuses: {error}"
                continue
            assert not isinstance(expected, str), f"{what}: only the interpreter refuses: {expected}"
            for tensor, ours, theirs in zip(self.outputs, got, expected, strict=True):
                check_equal(ours, theirs, self.case.tolerance, f"{tensor.name}, {what}")
        if isinstance(expected, str):
            return False
        if self.session and all(sizes.values()):
            for tensor, ours, theirs in zip(self.outputs, expected, self.session.run(None, inputs), strict=True):
                check_equal(ours, theirs, self.case.tolerance * 2, f"{tensor.name} of the interpreter, {sizes}")
        return True

    def close(self):
        for model in self.compiled.values():
            model.close()


@pytest.fixture(scope="module")
def runtime(request):
    return load_runtime(request.config.getoption("--build-dir").resolve())


@pytest.mark.parametrize("name", CASES)
def test_random_sizes(name, runtime, tmp_path, request):
    case = CASES[name]
    subject = Subject(case, tmp_path, runtime)
    generator = np.random.default_rng([ord(letter) for letter in name])
    sizes = Sizes(case, symbols_of(subject.model), generator)
    compared = sum(subject.check(found, generator) for found in sizes.all(COUNT * request.config.getoption("--soak")))
    assert compared
    subject.close()
