"""Sizes of ONNX models: inferred, written back, checked. Nothing is compiled, and weights are not read."""

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dyn import _dyn
from dyn._errors import CompileError
from dyn._import import Dim, as_bytes, as_path, import_options

# Of calls in any thread; its size is that of what is in use at once.
_contexts = _dyn.ContextPool()


@dataclass(frozen=True)
class Symbol:
    """A size that has a name: a dim or an element of an input, or what data determine."""

    name: str
    facts: str
    """Its range, and what else is declared: "[0, ?] mod 8"."""
    origin: str
    """Where its value comes from: "dim 1 of 'x'", "element 0 of 'shape'", "data"; or what it abbreviates."""


@dataclass(frozen=True)
class Guard:
    """What must hold of the sizes of a run, and the node that needs it."""

    predicate: str
    because: str
    node: str

    def __str__(self) -> str:
        return f"{self.predicate}  ({self.because}{', node ' + self.node if self.node else ''})"


@dataclass(frozen=True)
class Value:
    """A tensor or a sequence of the model."""

    name: str
    dtype: str
    """The element type as in modules: "f32"; empty where it is not known."""
    node: str
    """The node that computes it; empty for an input."""
    dims: tuple[str, ...] | None
    """Expressions; "?" for a dim that is not known, None where the rank is not. Of a sequence those that all of its
    tensors have."""
    length: str | None = None
    """Of a sequence; "?" where it is not known."""


class Shapes:
    """All sizes of a model. Prints as a table."""

    def __init__(self, table):
        self._table = table

    @cached_property
    def symbols(self) -> dict[str, Symbol]:
        return {symbol[0]: Symbol(*symbol) for symbol in self._table.symbols()}

    @cached_property
    def guards(self) -> tuple[Guard, ...]:
        return tuple(Guard(*guard) for guard in self._table.guards())

    @cached_property
    def inputs(self) -> dict[str, Value]:
        return _values(self._table.inputs())

    @cached_property
    def outputs(self) -> dict[str, Value]:
        return _values(self._table.outputs())

    @cached_property
    def values(self) -> dict[str, Value]:
        """Inputs and all that nodes compute, by name."""
        return {**self.inputs, **_values(self._table.values())}

    @cached_property
    def _text(self) -> str:
        return self._table.text().rstrip("\n")

    def __getstate__(self):
        # The table itself can't be copied: all that is asked of it.
        names = ("symbols", "guards", "inputs", "outputs", "values", "_text")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<dyn.Shapes of {len(self.values)} values over {', '.join(self.symbols) or 'no symbols'}>"


def _values(values) -> dict[str, Value]:
    return {value[0]: Value(*value) for value in values}


@dataclass(frozen=True)
class Finding:
    """Something that a declared dim gets wrong, and the facts it follows from."""

    text: str
    reasons: tuple[str, ...]


class DimCheck:
    """What `check_dims` has found. True if there is nothing to object to. Prints as a report."""

    def __init__(self, check):
        findings, names, undecided, guards, self._text = check
        self.findings: tuple[Finding, ...] = tuple(Finding(text, tuple(reasons)) for text, reasons in findings)
        self.names: tuple[str, ...] = tuple(names)
        """Other names of sizes; no fault."""
        self.undecided: tuple[str, ...] = tuple(undecided)
        """Declarations that are neither proved nor refuted: the data of a run tell the size, or it is no easy question."""
        self.guards: tuple[str, ...] = tuple(guards)
        """What a run checks before any kernel."""

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<dyn.DimCheck with {len(self.findings)} findings>"


def _infer(model, folder=None, *options, **named):
    """The sizes of a model, for functions that are called by the user; all options as `import_options` takes them."""
    content, data = None, None if folder is None else os.path.abspath(os.fsdecode(folder))
    if not isinstance(model, (str, os.PathLike)):
        source, content, data = "model.onnx", as_bytes(model), data or ""
    elif isinstance(model, str) and "\n" in model or (source := as_path(model)).endswith(".mlir"):
        raise ValueError("a module has its sizes in its types: this is for ONNX models")
    try:
        inferred = _dyn.Shapes(_contexts, source, content, import_options(source, data, *options, **named))
    except RuntimeError as error:
        raise CompileError(str(error)) from None
    for note in inferred.warnings:
        warnings.warn(note, stacklevel=3)
    return inferred


def _refuse_conflicts(inferred):
    if conflicts := inferred.conflicts():
        raise CompileError("\n".join(conflicts))


def shapes(
    model,
    dims: "Mapping[str, Dim | int] | None" = None,
    input_dims: Mapping[str, str] | None = None,
    declared: str = "refine",
    folder: str | os.PathLike | None = None,
    input_values: Mapping[str, object] | None = None,
    default_dim: "Dim | int | None" = None,
) -> Shapes:
    """The sizes of all values of an ONNX model, as expressions over its symbols.

    The parameters are those of `dyn.compile`.

    Weights are not read, and need not be there. Raises CompileError for a model that can't be read, or whose nodes
    contradict each other at every size.
    """
    inferred = _infer(model, folder, dims, input_dims, input_values, default_dim, declared)
    _refuse_conflicts(inferred)
    return Shapes(inferred.table())


def infer_shapes(
    model,
    dims: "Mapping[str, Dim | int] | None" = None,
    input_dims: Mapping[str, str] | None = None,
    declared: str = "refine",
    folder: str | os.PathLike | None = None,
    input_values: Mapping[str, object] | None = None,
    default_dim: "Dim | int | None" = None,
):
    """The model as a new onnx.ModelProto, with the dims of all values in `value_info` and outputs.

    A dim is a number or an expression over the names of the inputs' dims, as PyTorch's exporter writes and SymPy reads
    it: "past_seq + seq", "(width - 1)//8 + 1", "Max(1, n)". Weights are as they were: what lay in files of its own still
    does, under the same name.

    The parameters are those of `dyn.shapes`.
    """
    import onnx

    inferred = _infer(model, folder, dims, input_dims, input_values, default_dim, declared)
    _refuse_conflicts(inferred)
    return onnx.ModelProto.FromString(inferred.serialize())


def infer_both(model, **options) -> "tuple[object, Shapes]":
    """What `infer_shapes` and `shapes` give, by one inference."""
    import onnx

    inferred = _infer(model, **options)
    _refuse_conflicts(inferred)
    return onnx.ModelProto.FromString(inferred.serialize()), Shapes(inferred.table())


def check_dims(
    model,
    dims: "Mapping[str, Dim | int] | None" = None,
    input_dims: Mapping[str, str] | None = None,
    declared: str = "refine",
    folder: str | os.PathLike | None = None,
    input_values: Mapping[str, object] | None = None,
    default_dim: "Dim | int | None" = None,
) -> DimCheck:
    """Which declared dims of an ONNX model its graph contradicts, forces to one size, or equates, and why.

    The parameters are those of `dyn.shapes`.
    """
    inferred = _infer(model, folder, dims, input_dims, input_values, default_dim, declared)
    return DimCheck(inferred.check())


def write_with_shapes(model: str | os.PathLike, output: str | os.PathLike, **options) -> None:
    """`infer_shapes` from file to file. External data is copied beside an output in another folder."""
    inferred = _infer(model, **options)
    _refuse_conflicts(inferred)
    try:
        inferred.write(os.fsdecode(output))
    except RuntimeError as error:
        raise OSError(str(error)) from None
