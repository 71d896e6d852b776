"""Binds the attention step of make_shapes_models.py from a few sizes, and shows what is said where that is impossible."""

import sys

import dyn

model = dyn.compile(sys.argv[1], threads=1)
for sizes in [
    {"x": (2, 3, 8), "total": 10},
    {"batch": 2, "next": (None, 10, None), "cache": (None, 7, None)},
    {"x": (2, None, 8)},
    {"x": (2, 3, 8), "cache": (None, 7, None), "values": (None, 11, None)},
]:
    try:
        bound = model.bind(sizes)
        print(bound.input_dims, [y.shape for y in bound.outputs])
    except dyn.ShapeError as error:
        print(error)
