"""Other programs that run a node test, as far as they do it right."""

import copy
import functools
import warnings

import node_cases
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from zoo.runners import OnnxRuntimeOfModels


class Refused(Exception):
    """A program does not run a model at the sizes of its inputs."""


def _open_reference(model: onnx.ModelProto):
    evaluator = ReferenceEvaluator(model)
    return lambda inputs: evaluator.run(None, inputs)


@functools.cache
def _onnxruntime():
    """One process for all models, because some legal sizes end it."""
    return OnnxRuntimeOfModels()


def _open_onnxruntime(model: onnx.ModelProto):
    content = model.SerializeToString()
    return lambda inputs: _onnxruntime().run((content, inputs))


PROGRAMS = {"onnx.reference": _open_reference, "onnxruntime": _open_onnxruntime}


def _plain(value):
    """As the tests' own values are: arrays, also for scalars, and texts as objects."""
    if isinstance(value, list | tuple):
        return [_plain(element) for element in value]
    if value is None:
        return None
    array = np.asarray(value)
    return array.astype(object) if array.dtype.kind in "US" else array


def _types(values):
    return [_types(value) if isinstance(value, list) else getattr(value, "dtype", None) for value in values]


class Peer:
    """A program with a model whose input dims are all free."""

    def __init__(self, name, run):
        self.name, self._run, self._types = name, run, None

    def run(self, inputs):
        """Raises Refused for all that the program objects to, and where element types are not those of other sizes."""
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            try:
                outputs = [_plain(value) for value in self._run(copy.deepcopy(inputs))]
            except Exception as error:
                raise Refused(f"{self.name}: {error}") from None
        types = [None if isinstance(value, list) else kind for value, kind in zip(outputs, _types(outputs))]
        if self._types is not None and types != self._types:
            raise Refused(f"{self.name} gives elements of {types} instead of {self._types}")
        self._types = types
        return outputs


class Peers:
    """The programs that give what a node test expects at its own sizes. Each is asked once it is its turn."""

    def __init__(self, model: onnx.ModelProto, inputs, expected):
        self._model = node_cases.name_dims(model, node_cases.NAMES_OF_DIMS["symbolic"])
        self._inputs, self._expected = inputs, expected
        self._opened: dict[str, Peer | None] = {}

    def __iter__(self):
        for name in PROGRAMS:
            if name not in self._opened:
                self._opened[name] = self._open(name)
            if peer := self._opened[name]:
                yield peer

    def _open(self, name) -> Peer | None:
        try:
            with warnings.catch_warnings(action="ignore"):
                peer = Peer(name, PROGRAMS[name](self._model))
        except Exception:  # whatever a program objects to
            return None
        try:
            for value, theirs, right in zip(self._model.graph.output, peer.run(self._inputs), self._expected,
                                            strict=True):
                node_cases.compare(theirs, right, value.name)
        except (AssertionError, AttributeError, Refused, ValueError):
            return None
        return peer
