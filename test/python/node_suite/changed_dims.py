"""Models of one node at sizes that are wrong in one dim, which Dyn must refuse where the others do."""

import warnings

import numpy as np
import onnx

OTHER_SIZES = (lambda size: size + 1, lambda size: 1 if size > 1 else 3)
"""One more, and what would be repeated where a program repeats."""


def free_dims(model: onnx.ModelProto) -> onnx.ModelProto:
    """Every dim of an input is a symbol of its own; nothing is declared of results."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    for value in result.graph.input:
        for place, dim in enumerate(value.type.tensor_type.shape.dim):
            dim.Clear()
            dim.dim_param = f"{value.name}_{place}"
    for value in result.graph.output:
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.ClearField("shape")
    return result


def resize(array: np.ndarray, place: int, size: int) -> np.ndarray:
    """What is there, again and again."""
    return np.resize(array, (*array.shape[:place], size, *array.shape[place + 1:])).astype(array.dtype)


def changes(inputs):
    """(input, place, size, all inputs) where one dim has another size."""
    for name, array in inputs.items():
        for place, size in enumerate(array.shape):
            for other in sorted({change(size) for change in OTHER_SIZES}):
                yield name, place, other, inputs | {name: resize(array, place, other)}


def find_accepted(model: onnx.ModelProto, inputs, refuses) -> list[str]:
    """The changes that Dyn accepts, and `refuses(inputs)` says are refused elsewhere, as `input[place] = size`."""
    import dyn

    model = free_dims(model)
    with warnings.catch_warnings(action="ignore"):
        reference = dyn.Reference(model)
    found = []
    for name, place, size, changed in changes(inputs):
        try:
            reference.run(changed)
        except dyn.Error:
            continue
        if refuses(changed):
            found.append(f"{name}[{place}] = {size}")
    return found
