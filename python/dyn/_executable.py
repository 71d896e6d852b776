"""Compiled models."""

import functools
import itertools
import operator
import os
from collections.abc import Mapping, Sequence

import numpy as np

from dyn import _dyn, _sizes
from dyn._arrays import Tensor, as_dense, check_names, describe, empty
from dyn._errors import ModelError, ShapeError
from dyn._files import output_file
from dyn._profile import Profile
from dyn._prove import Verdict, ask


def verify_threads(threads: int) -> int:
    """Their number, which counts the caller."""
    try:
        number = operator.index(threads)
    except TypeError:
        raise TypeError(f"threads must be a number, not {threads!r}") from None
    if not 0 <= number <= _dyn.MAX_THREADS:
        raise ValueError(f"threads is {number}: must be 0 (one for each core) or at most {_dyn.MAX_THREADS}")
    return number


class Executable:
    """A compiled model; `compile` and `load` make them.

    Any number of threads may use one at the same time. Working memory is kept for the next run, as much as the largest
    run so far needed, for each run that went on at the same time; that of large outputs is kept for two further runs
    after the last array that uses it is gone. `trim` gives both back.
    """

    def __init__(self, path: str, threads: int = 0):
        try:
            self._model = _dyn.Model(path, verify_threads(threads))
        except RuntimeError as error:
            raise ModelError(str(error)) from None
        self._inputs = describe(self._model.inputs())
        self._outputs = describe(self._model.outputs())
        self._names = {tensor.name for tensor in self._inputs}
        # Where each output's dims lie among those of all.
        ends = list(itertools.accumulate((len(tensor.dims) for tensor in self._outputs), initial=0))
        self._slices = [slice(*ends) for ends in itertools.pairwise(ends)]

    def __repr__(self) -> str:
        return f"<dyn.Executable ({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.outputs))})>"

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The inputs in the model's order: name, dtype, dims."""
        return self._inputs

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The outputs in the model's order: name, dtype, dims."""
        return self._outputs

    @property
    def target_cpu(self) -> str:
        """What the code that runs was generated for; of several, the one that uses most of this machine."""
        return self._model.target_cpu()

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the symbols that dims are expressed in."""
        return tuple(self._model.symbols())

    @property
    def facts(self) -> str:
        """The symbols with what is declared of them and where they come from, as `#dyn.symbols` writes it."""
        return self._model.facts()

    @property
    def guards(self) -> tuple[str, ...]:
        """What sizes must fulfil beyond the facts, each with its reason: checked before any kernel runs."""
        return tuple(f"{guard}  ({reason})" if reason else guard for guard, reason in self._guards())

    @property
    def aliases(self) -> tuple[str, ...]:
        """What names of dims stand for that no input has: those of outputs, "present_seq == past_seq + seq", and those that
        the model was compiled for one size of, "batch == 1"."""
        return tuple(alias for alias, _ in self._reasoned(self._model.aliases()))

    @staticmethod
    def _facts(text: str) -> list[_sizes.Fact]:
        """What the extension tells in lines."""
        return [tuple(line.split("\t")) for line in text.split("\n") if line]

    @staticmethod
    def _reasoned(text: str) -> list[tuple[str, str]]:
        return [(relation, ", ".join(filter(None, reasons))) for relation, *reasons in Executable._facts(text)]

    @functools.cached_property
    def _known_sizes(self) -> _sizes.Model:
        guards, aliases = self._facts(self._model.guards()), self._facts(self._model.aliases())
        return _sizes.Model(self._inputs, self._outputs, self.symbols, self.facts, guards, aliases)

    def _guards(self) -> list[tuple[str, str]]:
        return self._reasoned(self._model.guards())

    def explain(self, predicate: str) -> Verdict:
        """Does a relation between sizes hold at every size that the model runs at, and why?

        It may mention the model's symbols, and the names of `aliases`. ValueError for others, and for a text that is no predicate.
        """
        facts = [*self._guards(), *self._reasoned(self._model.aliases())]
        names = [name for alias in self.aliases for name in _dyn.symbols_of_predicate(alias)]
        return ask(predicate, self.facts, facts, list(dict.fromkeys([*self.symbols, *names])))

    def run(self, inputs: Mapping[str, object]) -> list[np.ndarray]:
        """Runs the model on arrays by input name; gives fresh arrays in the order of the outputs.

        Inputs are numpy arrays or anything that DLPack can pass; one that is not dense is copied once. Other threads of
        the interpreter run meanwhile. Raises ModelError for an input that is missing, unknown or of another element
        type, ShapeError for sizes, and for indices in data, that the model does not allow.
        """
        arrays = self._arrays(inputs)
        data = _dyn.addresses(arrays)
        symbols, dims, arena = self._check([array.shape for array in arrays], data)
        outputs = [empty(tensor, shape, self._model) for tensor, shape in zip(self._outputs, dims)]
        self._execute(symbols, data, outputs, arena)
        return outputs

    def profile(self, inputs: Mapping[str, object], runs: int = 10) -> Profile:
        """Times the kernels of runs on arrays as `run` takes them, beside what the machine can do at most.

        The first run is not among the `runs` that are timed. The machine is measured at the same occasion.
        """
        runs = operator.index(runs)
        if not 1 <= runs < 2**31:
            raise ValueError(f"runs is {runs}: must be at least 1")
        arrays = self._arrays(inputs)
        data = _dyn.addresses(arrays)
        symbols, dims, arena = self._check([array.shape for array in arrays], data)
        outputs = [empty(tensor, shape, self._model) for tensor, shape in zip(self._outputs, dims)]
        self._execute(symbols, data, outputs, arena)
        return Profile(*self._model.profile(symbols, data, _dyn.addresses(outputs), arena, runs))

    def output_dims(self, sizes: Mapping[str, object]) -> dict[str, tuple[int, ...]]:
        """The dims of the outputs by name, at sizes as `bind` takes them."""
        _, _, dims, _ = self._resolve(sizes)
        return {tensor.name: shape for tensor, shape in zip(self._outputs, dims)}

    def arena_bytes(self, sizes: Mapping[str, object]) -> int:
        """The bytes of working memory of a run, at sizes as `bind` takes them."""
        return self._resolve(sizes)[-1]

    def live_bytes(self, sizes: Mapping[str, object]) -> int | None:
        """The bytes of working memory that are needed at the same time, below which no plan can go; None if unknown."""
        return self._model.live_bytes(self._resolve(sizes)[1])

    def bind(self, sizes: Mapping[str, object]) -> "Bound":
        """Fixes sizes and allocates working memory and the outputs, for runs that do no shape work.

        sizes: by symbol or by a name of `aliases` ({"batch": 2, "seq": 7}), by input ({"input_ids": (2, 7)}) or by output,
        in any mixture. None stands for a dim that is not given: {"input_ids": (2, None)}. All others are inferred, in any
        direction and across nodes.

        ShapeError says why there are no such sizes, with the facts and nodes that it follows from, or else all that is
        missing. MemoryError where there is not so much memory.
        """
        shapes, symbols, dims, arena = self._resolve(sizes)
        try:
            self._model.reserve(arena)
        except MemoryError:
            raise self._memory_error(symbols, arena) from None
        return Bound(self, shapes, symbols, dims, arena)

    def trim(self) -> None:
        """Gives memory that no run and no output uses back to the system, as after a run of unusual size.

        The next run allocates what it needs. Weights are pages of the artefact's file, which the system drops by itself
        where memory is short.
        """
        self._model.free_memory()

    def save(self, path: str | os.PathLike) -> None:
        """Writes the artefact; the file appears complete or not at all.

        A symbolic link stays, and what it points to is replaced; a device or a pipe is written to. OSError where that
        is impossible.
        """
        # What was loaded, whatever has become of the path.
        file, position = self._model.file(), 0
        with output_file(path, mode=0o777) as target:
            while piece := os.pread(file, 1 << 24, position):
                target.write(piece)
                position += len(piece)

    def _arrays(self, inputs: Mapping[str, object]) -> list[np.ndarray]:
        if type(inputs) is dict and inputs.keys() == self._names:
            return [as_dense(tensor, inputs[tensor.name]) for tensor in self._inputs]
        check_names(self._inputs, inputs)
        return [as_dense(tensor, inputs[tensor.name]) for tensor in self._inputs]

    def _execute(self, symbols: list[int], data: list[int], outputs: Sequence[np.ndarray], arena: int) -> None:
        try:
            self._model.run(symbols, data, _dyn.addresses(outputs), arena)
        except MemoryError:
            raise self._memory_error(symbols, arena) from None
        except RuntimeError as error:
            raise ShapeError(str(error)) from None

    def _memory_error(self, symbols: list[int], arena: int) -> MemoryError:
        values = ", ".join(f"{name} = {value}" for name, value in zip(self.symbols, symbols))
        at = f" at {values}" if values else ""
        return MemoryError(f"the model needs {arena} bytes of working memory{at}")

    def _check(self, shapes: Sequence[Sequence[int]], data: Sequence[int] = ()):
        """Values of symbols, dims of the outputs, arena bytes."""
        try:
            symbols, flat, arena = self._model.check(list(itertools.chain.from_iterable(shapes)), data)
        except RuntimeError as error:
            raise ShapeError(str(error)) from None
        return symbols, [tuple(flat[dims]) for dims in self._slices], arena

    def _resolve(self, sizes: Mapping[str, object]):
        """Dims of the inputs, values of symbols, dims of the outputs, arena bytes."""
        given = _sizes.read(self._known_sizes, sizes)
        shapes = _sizes.infer_shapes(self._known_sizes, given, are_planned=True)
        symbols, dims, arena = self._check(shapes)
        for name, value in zip(self.symbols, symbols):
            if given.symbols.get(name, value) != value and not _sizes.fits(self._known_sizes, given, shapes, symbols):
                raise ShapeError(f"'{name}' is given as {given.symbols[name]}, but the dims of the inputs make it {value}")
        _sizes.verify_outputs(self._known_sizes, given, dims, "the dims of the inputs")
        return shapes, symbols, dims, arena


class Bound:
    """A model at fixed sizes, for one thread at a time. Its outputs are overwritten by its next run."""

    def __init__(self, executable: Executable, shapes, symbols, dims, arena):
        self._executable = executable
        self._shapes = shapes
        self._symbols = symbols
        self._arena = arena
        self._outputs = [empty(tensor, shape) for tensor, shape in zip(executable.outputs, dims)]

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} = {value}" for name, value in zip(self._executable.symbols, self._symbols))
        return f"<dyn.Bound {sizes} of {self._executable!r}>"

    @property
    def input_dims(self) -> dict[str, tuple[int, ...]]:
        """The dims of the inputs by name."""
        return {tensor.name: shape for tensor, shape in zip(self._executable.inputs, self._shapes)}

    @property
    def outputs(self) -> list[np.ndarray]:
        """The arrays that runs write, in the order of the model's outputs."""
        return list(self._outputs)

    def run(self, inputs: Mapping[str, object]) -> list[np.ndarray]:
        """Runs the model; gives `outputs`, the same arrays at each run, whose contents the next run overwrites.

        An output may be given as an input: it is copied first.
        """
        arrays = self._executable._arrays(inputs)
        for index, (tensor, shape) in enumerate(zip(self._executable.inputs, self._shapes)):
            array = arrays[index]
            if array.shape != shape:
                _sizes.verify_bound(tensor.name, array.shape, shape)
            if any(np.may_share_memory(array, output) for output in self._outputs):
                arrays[index] = array.copy()
        self._executable._execute(self._symbols, _dyn.addresses(arrays), self._outputs, self._arena)
        return self.outputs


def load(path: str | os.PathLike, threads: int = 0) -> Executable:
    """Loads an artefact that `save` or `dyn-run --compile` wrote.

    threads: of a run, together with the caller; 0: one for each core.

    Raises ModelError if it is none, or was compiled for CPU features that this machine lacks.
    """
    return Executable(os.fsdecode(path), threads)
