"""Dims that a model was compiled for one size of keep their names."""

import numpy as np
import pytest

import dyn
import small_models as models


def test_fixed_dims_are_still_known_by_name():
    executable = dyn.compile(models.positions(), dims={"seq": 8})
    assert executable.symbols == ("batch",) and executable.aliases == ("seq == 8",)
    assert executable.output_dims({"batch": 2, "seq": 8}) == executable.output_dims({"batch": 2}) == {"y": (2, 8, 4)}
    assert executable.arena_bytes({"batch": 2, "seq": 8}) == executable.arena_bytes({"x": (2, 8, 4)})
    assert executable.explain("seq <= 8").answer == "yes"
    with pytest.raises(dyn.ShapeError, match="'seq' is 7, but the model was compiled for 8"):
        executable.output_dims({"batch": 2, "seq": 7})
    with pytest.raises(dyn.ModelError, match="'length' is neither an input"):
        executable.output_dims({"batch": 2, "length": 8})
    assert executable.run({"x": np.zeros((3, 8, 4), np.float32)})[0].shape == (3, 8, 4)


@pytest.mark.parametrize("size, reason", [(-1, "a dim is never below 0"), (2**70, "1180591620717411303424")])
def test_sizes_that_are_none_are_refused_by_name_once(size, reason):
    with pytest.raises(dyn.CompileError, match=reason) as refused:
        dyn.compile(models.positions(), dims={"seq": size})
    assert str(refused.value).count("dim 'seq'") == 1
