"""One artefact for several CPUs."""

import numpy as np
import pytest

import dyn
import small_models

FEATURES = ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")


def best_here():
    with open("/proc/cpuinfo") as text:
        flags = text.read().split()
    return "x86-64-v4" if all(feature in flags for feature in FEATURES) else "x86-64-v3"


def lookup(rows):
    """Rows of a table by index."""
    table = np.arange(rows * 64, dtype=np.float32).reshape(rows, 64)
    return small_models.model(
        [small_models.helper.make_node("Gather", ["table", "ids"], ["y"], name="lookup")],
        [("ids", small_models.INT64, ["n"])],
        [("y", small_models.FLOAT, ["n", 64])],
        {"table": table},
    )


@pytest.mark.parametrize("order", ["x86-64-v3,x86-64-v4", "x86-64-v4,x86-64-v3"])
def test_loading_takes_the_best_that_the_machine_runs(order, tmp_path):
    compiled = dyn.compile(small_models.dense(rows=70, columns=50), target_cpu=order)
    compiled.save(tmp_path / "model.so")
    one = dyn.compile(small_models.dense(rows=70, columns=50), target_cpu="x86-64-v3")
    assert one.target_cpu == "x86-64-v3"
    for exe in (compiled, dyn.load(tmp_path / "model.so")):
        assert exe.target_cpu == best_here()
        for batch in (0, 1, 7, 33):
            x = np.linspace(-1, 1, batch * 70, dtype=np.float32).reshape(batch, 70)
            np.testing.assert_allclose(exe.run({"x": x})[0], one.run({"x": x})[0], rtol=1e-4, atol=1e-4)


def test_the_plain_name_uses_all_that_it_stands_for():
    if best_here() != "x86-64-v4":
        pytest.skip("this machine lacks AVX-512")
    assert dyn.compile(small_models.dense(), target_cpu="x86-64-v4").target_cpu == "x86-64-v4"


def test_weights_that_lie_alike_are_stored_once(tmp_path):
    rows, sizes = 8192, []
    for target in ("x86-64-v3", "x86-64-v3,x86-64-v4"):
        dyn.compile(lookup(rows), target_cpu=target).save(tmp_path / "model.so")
        sizes.append((tmp_path / "model.so").stat().st_size)
    assert rows * 64 * 4 <= sizes[0] <= sizes[1] < 1.1 * sizes[0]
    exe = dyn.load(tmp_path / "model.so")
    assert exe.run({"ids": np.array([8191, 0])})[0][:, 0].tolist() == [8191 * 64, 0]


@pytest.mark.parametrize(
    "names, message",
    [
        ("x86-64-v3,x86-64-v3", "code for 'x86-64-v3' is the same as for 'x86-64-v3'"),
        ("haswell,x86-64-v3", "code for 'x86-64-v3' is the same as for 'haswell'"),
        ("x86-64-v3,", "unknown CPU ''"),
        ("x86-64-v3,i387", "unknown CPU 'i387'"),
    ],
)
def test_lists_that_make_no_sense_are_refused(names, message):
    with pytest.raises(dyn.CompileError, match=message):
        dyn.compile(small_models.dense(), target_cpu=names)
