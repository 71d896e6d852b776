"""Prints sizes of an ONNX model."""

import sys

import dyn

shapes = dyn.shapes(sys.argv[1], dims={"seq": dyn.Dim(1, 512)})
print(shapes.values["scores"].dims, [str(guard) for guard in shapes.guards])
print(shapes.symbols["seq"])
model = dyn.infer_shapes(sys.argv[1])
print([dim.dim_param or dim.dim_value for dim in model.graph.output[1].type.tensor_type.shape.dim])
print(dyn.check_dims(sys.argv[1]).findings[0].text)
