"""One call leaves nothing behind that another sees, or that memory has to hold."""

import concurrent.futures
import pathlib
import resource

import pytest
from onnx import TensorProto, helper


def make_chain(number, nodes=20, name_length=10):
    """Negations of one dim of its own, with names that no other model has."""
    names = [f"{number}_{index}_".ljust(name_length, "x") for index in range(nodes)]
    steps = [helper.make_node("Neg", [source], [result], name=f"node_{result}")
             for source, result in zip(["x", *names], names)]
    graph = helper.make_graph(steps, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [f"rows{number}", number])],
                              [helper.make_tensor_value_info(names[-1], TensorProto.FLOAT, None)])
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])


def make_contradiction(build):
    return build("g (float[n,4] x, float[n,5] y) => (float[p,q] z) { z = Add(x, y) }")


def test_calls_in_threads(dyn):
    models = [make_chain(number).SerializeToString() for number in range(60)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(dyn.shapes, models * 3))
    for index, table in enumerate(tables):
        number = index % len(models)
        assert list(table.symbols) == [f"rows{number}"]
        assert {value.dims for value in table.values.values()} == {(f"rows{number}", str(number))}


def test_a_result_outlives_what_comes_next(dyn):
    first = dyn.shapes(make_chain(1))
    for number in range(2, 60):
        dyn.shapes(make_chain(number, name_length=1000))
    assert {value.dims for value in first.values.values()} == {("rows1", "1")}
    assert "rows1: [0, ?]" in str(first)


def test_a_model_after_one_that_is_refused(dyn, build):
    for number in range(5):
        with pytest.raises(dyn.CompileError, match="4 and 5 cannot be equal"):
            dyn.shapes(make_contradiction(build))
        with pytest.raises(dyn.CompileError):
            dyn.shapes(b"no model")
        assert list(dyn.shapes(make_chain(number)).symbols) == [f"rows{number}"]


def test_memory_does_not_grow_with_the_number_of_models(dyn):
    """Names alone are 100 KiB of each model."""

    def count_used_bytes():
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()

    def infer(numbers):
        for number in numbers:
            dyn.shapes(make_chain(number, name_length=2500))

    infer(range(20))
    before = count_used_bytes()
    infer(range(20, 320))
    assert count_used_bytes() - before < 8 << 20
