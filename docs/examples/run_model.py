import sys

import dyn
import numpy as np

exe = dyn.compile(sys.argv[1], dims={"batch": dyn.Dim(0, 64)})
print(exe.outputs[0].dims, exe.guards)
for batch, seq in [(2, 7), (1, 1), (0, 16)]:
    (y,) = exe.run({"x": np.ones((batch, seq, 8), np.float32)})
    print(y.shape, exe.arena_bytes({"batch": batch, "seq": seq}))
try:
    exe.run({"x": np.ones((1, 17, 8), np.float32)})
except dyn.ShapeError as error:
    print(error)
