"""Models in the reference interpreter."""

import functools
import os
import warnings
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from dyn import _dyn, _sizes
from dyn._arrays import Tensor, as_dense, as_strings, check_names, describe, take_bytes
from dyn._errors import CompileError, ModelError, ShapeError
from dyn._files import OwnFiles
from dyn._import import Dim, as_file, data_folder, import_options


class Reference:
    """A model that is interpreted, plainly and slowly: what compiled models are compared with.

    model, dims, input_dims, folder, input_values, default_dim, declared: as for `dyn.compile`.
    infer_shapes: find the dims of every value before the run, as far as they can be known, and check them in it; done
        with declared="strict" and "trust" in any case, which are about these.

    Any number of threads may use one at the same time: runs wait for each other, while other threads of the interpreter
    go on. Ctrl-C ends a run between two nodes, such as one of a loop that its data never end. Runs models too whose sizes
    or ranks data decide. Raises ModelError, CompileError as `dyn.compile` does.
    """

    def __init__(
        self,
        model,
        dims: "Mapping[str, Dim | int] | None" = None,
        input_dims: Mapping[str, str] | None = None,
        infer_shapes: bool = False,
        folder: str | os.PathLike | None = None,
        input_values: Mapping[str, object] | None = None,
        default_dim: "Dim | int | None" = None,
        declared: str = "refine",
    ):
        with OwnFiles() as own:
            try:
                source = as_file(model, own)
                data = data_folder(source, own, folder)
                options = import_options(source, data, dims, input_dims, input_values, default_dim, declared)
                self._model = _dyn.Reference(source, options, infer_shapes)
            except RuntimeError as error:
                raise CompileError(own.tidy(str(error))) from None
            self._tidy = own.tidy
            for note in self._model.warnings():
                warnings.warn(own.tidy(note), stacklevel=2)

    def __repr__(self) -> str:
        return f"<dyn.Reference ({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.outputs))})>"

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The inputs in the model's order: name, dtype, dims (none where the rank is not known)."""
        return describe(self._model.inputs())

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The outputs in the model's order."""
        return describe(self._model.outputs())

    def run(self, inputs: Mapping[str, object]) -> list:
        """Runs the model on arrays by input name; gives fresh arrays in the order of the outputs.

        A sequence is a list of arrays, an optional what is in it or None; strings are arrays of objects. What the interpreter warns of is a warning at
        each run. Raises ModelError for an input that is missing, unknown or of another element type, ShapeError for all
        that the interpreter refuses.
        """
        ports = self._model.inputs()
        tensors = describe(ports)
        check_names(tensors, inputs)
        values, kept = [], []
        for port, tensor in zip(ports, tensors):
            values.append(_pack(port[1], tensor, inputs[tensor.name], kept))
        try:
            outputs, notes = self._model.run(values)
        except RuntimeError as error:
            raise ShapeError(self._tidy(str(error))) from None
        for note in notes:
            warnings.warn(self._tidy(note), stacklevel=2)
        return [_unpack(tensor.kind, value) for tensor, value in zip(self.outputs, outputs)]


    def bind(self, sizes: Mapping[str, object]) -> "BoundReference":
        """Fixes the dims of the inputs, for runs that have no others.

        sizes: as `Executable.bind` takes them. What data decide may be given too, as dims of outputs, and holds of each
        run then. Inputs whose rank is not known, and sequences, may have any dims in a run unless some are given.

        ShapeError says why there are no such sizes, with the facts and nodes that it follows from, or else all that is
        missing; CompileError what contradicts itself at all sizes.
        """
        given = _sizes.read(self._known_sizes, sizes)
        return BoundReference(self, given, _sizes.infer_shapes(self._known_sizes, given, are_planned=False))

    @functools.cached_property
    def _known_sizes(self) -> _sizes.Model:
        try:
            declarations, guards, aliases, inputs, outputs, listed = self._model.sizes()
        except RuntimeError as error:
            raise CompileError(self._tidy(str(error))) from None
        symbols = _dyn.declared_symbols(declarations)
        named = describe(inputs), describe(outputs)
        return _sizes.Model(*named, symbols, declarations, guards, aliases, describe(listed))


class BoundReference:
    """A model in the interpreter at fixed dims of inputs; `Reference.bind` makes it."""

    def __init__(self, reference: Reference, given: _sizes.Given, shapes):
        self._reference = reference
        self._given = given
        self._shapes = {tensor.name: shape for tensor, shape in zip(reference.inputs, shapes) if shape is not None}

    @property
    def input_dims(self) -> dict[str, tuple[int, ...]]:
        """The dims of the inputs by name. Those whose rank is not known are there if they were given, as they were given."""
        return dict(self._shapes)

    def run(self, inputs: Mapping[str, object]) -> list:
        """As `Reference.run`, on inputs of these dims alone. ShapeError too where data give an output other dims than it
        is bound to."""
        for name, shape in self._shapes.items():
            if isinstance(inputs, Mapping) and name in inputs:
                _sizes.verify_bound(name, np.shape(inputs[name]), shape)
        for tensor in self._reference._known_sizes.listed:
            values = inputs.get(tensor.name) if isinstance(inputs, Mapping) else None
            for index, value in enumerate(values if isinstance(values, list | tuple) else [] if values is None else [values]):
                _sizes.verify_listed(tensor, index, np.shape(value), self._given)
        outputs = self._reference.run(inputs)
        shapes = [getattr(output, "shape", ()) for output in outputs]
        _sizes.verify_outputs(self._reference._known_sizes, self._given, shapes, "the data of this run")
        return outputs


def _pack(number, tensor: Tensor, value, kept: list):
    """What the extension takes: addresses of arrays, which `kept` keeps, and lists of such."""
    if tensor.kind.startswith("optional"):
        rest = tensor.kind.removeprefix("optional").strip() or "tensor"
        return [] if value is None else [_pack(number, replace(tensor, kind=rest), value, kept)]
    if tensor.kind == "sequence":
        if not isinstance(value, list | tuple):
            raise ModelError(f"input '{tensor.name}' is a {type(value).__name__}, must be a list of arrays")
        return [_pack(number, replace(tensor, kind="tensor"), element, kept) for element in value]
    if tensor.dtype.hasobject:
        return (number, *as_strings(tensor, value))
    array = as_dense(tensor, value)
    kept.append(array)
    return (number, array.shape, array.ctypes.data)


def _unpack(kind: str, value):
    if kind.startswith("optional"):
        return _unpack(kind.removeprefix("optional").strip() or "tensor", value[0]) if value else None
    if kind == "sequence":
        return [_unpack("tensor", element) for element in value]
    return take_bytes(*value)
