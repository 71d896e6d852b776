"""Sizes of all inputs from a few of inputs, outputs and symbols, forwards, backwards and across nodes."""

import random

import numpy as np
import pytest

import dyn
import small_models as models

LINEAR = [
    models.helper.make_node("MatMul", ["x", "w"], ["h"], name="/mm"),
    models.helper.make_node("Add", ["h", "b"], ["r"], name="/add"),
    models.helper.make_node("Concat", ["r", "past"], ["y"], axis=0, name="/cat"),
]


@pytest.fixture(scope="module")
def linear():
    """y = concat(x w + b, past), where no two inputs share a name."""
    inputs = {"x": ["n", "k"], "w": ["k2", "m"], "b": ["m2"], "past": ["p", "m3"]}
    return dyn.compile(models.model(LINEAR, [(name, models.FLOAT, dims) for name, dims in inputs.items()],
                                    [("y", models.FLOAT, ["total", "width"])]), threads=1)


@pytest.fixture(scope="module")
def reshaped():
    """z = reshape(x, [-1, 48, 32]) w."""
    nodes = [models.helper.make_node("Reshape", ["x", "s"], ["y"], name="/reshape"),
             models.helper.make_node("MatMul", ["y", "w"], ["z"], name="/mm")]
    model = models.model(nodes, [("x", models.FLOAT, ["batch", "seq"]), ("w", models.FLOAT, ["kk", "o"])],
                         [("z", models.FLOAT, ["blocks", 48, "o"])], {"s": np.array([-1, 48, 32])})
    return dyn.compile(model, threads=1)


@pytest.mark.parametrize("sizes", [
    {"x": (2, 3), "y": (7, 4), "m": 4, "m2": 4},
    {"x": (2, None), "w": (3, 4), "b": (4,), "past": (5, None)},
    {"total": 7, "n": 2, "k2": 3, "width": 4, "m": 4, "b": [4]},
    {"y": (7, None), "x": (None, 3), "past": (5, 4), "b": (4,), "w": (None, 4)},
    {"n": 2, "k": 3, "m": 4, "m2": 4, "p": 5},
])
def test_sizes_follow_in_every_direction(linear, sizes):
    bound = linear.bind(sizes)
    assert bound.input_dims == {"x": (2, 3), "w": (3, 4), "b": (4,), "past": (5, 4)}
    arrays = {name: np.ones(dims, np.float32) for name, dims in bound.input_dims.items()}
    for _ in range(2):
        (y,) = bound.run(arrays)
        assert y is bound.outputs[0] and y.shape == (7, 4) and y[0, 0] == 4 and y[6, 3] == 1


def test_a_row_is_repeated(linear):
    assert linear.bind({"x": (2, 3), "y": (7, 4), "m": 4, "m2": 1}).input_dims["b"] == (1,)


def test_a_guard_tells_what_nothing_else_does(reshaped):
    assert reshaped.bind({"x": (2, 768), "o": 5}).input_dims == {"x": (2, 768), "w": (32, 5)}
    assert reshaped.bind({"x": (2, None), "z": (3, 48, 5)}).input_dims == {"x": (2, 2304), "w": (32, 5)}


@pytest.mark.parametrize("sizes, missing", [
    ({}, "n (dim 0 of input 'x'), k (dim 1 of input 'x'), m (dim 1 of input 'w'), m2 (dim 0 of input 'b'), "
         "p (dim 0 of input 'past')"),
    ({"x": (2, 3), "w": (3, 4)}, "m2 (dim 0 of input 'b', 1 to 4), p (dim 0 of input 'past')"),
    ({"x": (2, 3), "y": (7, 4)}, "m (dim 1 of input 'w', 1 to 4), m2 (dim 0 of input 'b', 1 to 4)"),
    ({"x": (2, None), "y": (7, None), "b": (4,)}, "k (dim 1 of input 'x'), m (dim 1 of input 'w', 1 to 4)"),
])
def test_all_that_is_missing_is_told_at_once(linear, sizes, missing):
    for ask in linear.bind, linear.output_dims, linear.arena_bytes:
        with pytest.raises(dyn.ShapeError) as refused:
            ask(sizes)
        assert str(refused.value) == f"missing: {missing}"


@pytest.mark.parametrize("sizes, message", [
    ({"x": (2, 3), "w": (5, 4)},
     "input 'w' dim 0, k2, is given as 5, but must be 3\n"
     "  k == k2: MatMul: contraction, node '/mm'\n"
     "  k == 3: input 'x' dim 1 is given as 3"),
    ({"n": 2, "k": 3, "k2": 4},
     "'k2' is given as 4, but must be 3\n"
     "  k == k2: MatMul: contraction, node '/mm'\n"
     "  k == 3: 'k' is given as 3"),
    ({"x": (2, 3), "y": (1, 4)},
     "output 'y' dim 0 (node '/cat'), n + p, is given as 1, but must be >= 2\n"
     "  n == 2: input 'x' dim 0 is given as 2"),
    ({"total": 9, "n": 12},
     "'n' is given as 12, but must be <= 9\n"
     "  total == n + p: dim 0 of output 'y', node '/cat'\n"
     "  total == 9: 'total' is given as 9"),
    ({"b": (4,), "past": (None, 3)},
     "input 'past' dim 1, m3, is given as 3, but must be 4\n"
     "  m3 == bcast(m, m2): Concat: dims, node '/cat'\n"
     "  m2 == 4: input 'b' dim 0 is given as 4"),
    ({"n": 2, "x": (3, None)}, "input 'x' dim 0 is given as 3, but 'n' is given as 2"),
])
def test_contradictions_come_first_and_tell_the_chain(linear, sizes, message):
    with pytest.raises(dyn.ShapeError) as refused:
        linear.bind(sizes)
    assert str(refused.value) == message


def test_dims_that_are_numbers(reshaped):
    with pytest.raises(dyn.ShapeError, match="^output 'z' dim 1 is given as 47, but must be 48$"):
        reshaped.bind({"z": (1, 47, None)})
    with pytest.raises(dyn.ShapeError, match=r"^input 'w' dim 0, kk, is given as 31, but must be 32\n  kk == 32: MatMul"):
        reshaped.bind({"w": (31, None)})


def test_what_leaves_a_choice_is_missing_and_what_is_no_whole_number_is_refused(reshaped):
    with pytest.raises(dyn.ShapeError, match=r"^missing: batch \(dim 0 of input 'x'.*\), seq \(dim 1 of input 'x'"):
        reshaped.bind({"z": (1, 48, 5)})
    with pytest.raises(dyn.ShapeError, match="input 'x' dim 1, seq, is given as 7, but can't be"):
        reshaped.bind({"x": (2, 7)})


@pytest.mark.parametrize("sizes, error, text", [
    ({"y": 3}, TypeError, "sizes of output 'y' must be a sequence"),
    ({"y": (1, 2, 3)}, dyn.ShapeError, "output 'y' has rank 3"),
    ({"x": (None, -1)}, dyn.ShapeError, "input 'x' dim 1 is -1, which is no size"),
    ({"total": None}, TypeError, "'total' must be an integer"),
    ({"z": (1,)}, dyn.ModelError, r"'z' is neither an input \(x, w, b, past\) nor an output \(y\) nor a symbol"),
])
def test_sizes_that_are_none(linear, sizes, error, text):
    with pytest.raises(error, match=text):
        linear.bind(sizes)


def test_declared_facts_bind():
    exe = dyn.compile(models.append(), dims={"batch": dyn.Dim(1, 4), "seq": dyn.Dim(1, 8, divisor=4)})
    with pytest.raises(dyn.ShapeError, match=r"(?s)^'batch' is given as 5, but must be <= 4\n  batch: \[1, 4\]: declared"):
        exe.bind({"batch": 5})
    with pytest.raises(dyn.ShapeError, match="seq .dim 1 of input 'new', 4 to 8"):
        exe.bind({"batch": 1, "past_seq": 3})
    # Of a multiple of 4 that is at most 7 only one is left.
    assert exe.bind({"batch": 1, "total": 7, "past": (None, 3, None)}).input_dims["new"] == (1, 4, 2)


@pytest.mark.parametrize("sizes", [
    {"x": (2, 3), "w": (3, 4), "b": (4,), "past": (5, 4)},
    {"x": (0, 1), "w": (1, 1), "b": (6,), "past": (1, 6)},
])
def test_fewer_sizes_never_give_others(linear, sizes):
    """Whatever is left out of sizes that fit: the same is found, or what is missing is told, and then suffices."""
    generator = random.Random(0)
    everything = sizes | linear.output_dims(sizes)
    symbols = {dim: size for tensor in linear.inputs for dim, size in zip(tensor.dims, sizes[tensor.name])}
    for _ in range(60):
        given = {name: tuple(size if generator.random() < 0.6 else None for size in dims)
                 for name, dims in everything.items() if generator.random() < 0.7}
        try:
            bound = linear.bind(given)
        except dyn.ShapeError as error:
            names = [part.split(" (")[0] for part in str(error).removeprefix("missing: ").split("), ")]
            bound = linear.bind(given | {name: symbols[name] for name in names})
        assert bound.input_dims == sizes, given


def two_inputs(x, m, y=("U", "V")):
    nodes = [models.helper.make_node("Relu", [name], [result]) for name, result in ("xy", "mz")]
    return models.model(nodes, [("x", models.FLOAT, x), ("m", models.FLOAT, m)],
                        [("y", models.FLOAT, y), ("z", models.FLOAT, ["W", "Z"])])


PRODUCTS = ["batch*seq", "batch"], ["rows*seq", "rows"]


@pytest.mark.parametrize("dims, shapes, refusal", [
    ((["batch*seq", 4], ["batch", "seq + 1"]), ((0, 4), (0, 6)), None),
    (PRODUCTS, ((0, 0), (15, 3)), None),
    (PRODUCTS, ((10, 2), (0, 0)), None),
    (PRODUCTS, ((0, 0), (0, 0)), None),
    (PRODUCTS, ((10, 2), (18, 3)), "dim 0 is (10|18)"),
    ((["batch*seq", "batch"], [4, 4]), ((3, 0), (4, 4)), "'x' dim 0 is 3, must be batch . seq = 0"),
])
def test_a_factor_of_0_tells_nothing_of_the_other(dims, shapes, refusal):
    model = two_inputs(*dims)
    inputs = {name: np.ones(shape, np.float32) for name, shape in zip("xm", shapes)}
    for options in {}, {"dims": {"seq": dyn.Dim(5, 9)}}:
        for runner in dyn.compile(model, threads=1, **options), dyn.Reference(model, **options):
            if refusal:
                with pytest.raises(dyn.ShapeError, match=refusal):
                    runner.run(inputs)
            else:
                assert [output.shape for output in runner.run(inputs)] == list(shapes)


def test_what_only_a_later_symbol_tells():
    """Of x alone, seq is any size; cols tells rows, which tells seq."""
    names = {"x": ["batch*seq", "batch"], "m": ["rows*seq"], "w": ["rows*cols", "cols"]}
    nodes = [models.helper.make_node("Relu", [name], [result]) for name, result in zip("xmw", "yzv")]
    model = models.model(nodes, [(name, models.FLOAT, dims) for name, dims in names.items()],
                         [(result, models.FLOAT, [f"{result}{axis}" for axis, _ in enumerate(dims)])
                          for result, dims in zip("yzv", names.values())])
    for runner in dyn.compile(model, threads=1), dyn.Reference(model):
        for shapes in ((0, 0), (15,), (6, 2)), ((10, 2), (15,), (6, 2)), ((10, 2), (0,), (0, 2)), ((10, 2), (0,), (0, 0)):
            inputs = {name: np.ones(shape, np.float32) for name, shape in zip("xmw", shapes)}
            assert [output.shape for output in runner.run(inputs)] == list(shapes)
        with pytest.raises(dyn.ShapeError, match="dim 0 is (10|16)"):
            runner.run({"x": np.ones((10, 2), np.float32), "m": np.ones(16, np.float32), "w": np.ones((6, 2), np.float32)})


@pytest.mark.parametrize("options", [{}, {"dims": {"seq": dyn.Dim(5, 9)}}])
def test_any_size_may_be_given_for_what_nothing_tells(options):
    model = two_inputs(["batch*seq", "batch"], [3, 3])
    for runner in dyn.compile(model, threads=1, **options), dyn.Reference(model, **options):
        assert runner.bind({"batch": 0, "seq": 7}).input_dims["x"] == (0, 0)
        with pytest.raises(dyn.ShapeError):
            runner.bind({"x": (10, 2), "seq": 7})
        if options:
            with pytest.raises(dyn.ShapeError, match="'seq' is given as 12, but must be <= 9"):
                runner.bind({"batch": 0, "seq": 12})


def test_names_of_outputs_may_hold_an_equation():
    model = two_inputs(["N", 4], [3, 3], ["a == b", 4])
    exe = dyn.compile(model, threads=1)
    assert exe.output_dims({"a == b": 5})["y"] == (5, 4)
    for runner in exe, dyn.Reference(model):
        assert runner.bind({"a == b": 5}).input_dims["x"] == (5, 4)


# --- The interpreter ---


@pytest.mark.parametrize("infer_shapes", [False, True])
def test_the_interpreter_is_bound_alike(infer_shapes):
    inputs = {"x": ["n", "k"], "w": ["k2", "m"], "b": ["m2"], "past": ["p", "m3"]}
    model = models.model(LINEAR, [(name, models.FLOAT, dims) for name, dims in inputs.items()],
                         [("y", models.FLOAT, ["total", "width"])])
    reference = dyn.Reference(model, infer_shapes=infer_shapes)
    with pytest.raises(dyn.ShapeError, match="'k2' is given as 4, but must be 3"):
        reference.bind({"n": 2, "k": 3, "k2": 4, "m": 1, "m2": 1, "p": 1, "m3": 1})
    bound = reference.bind({"x": (2, 3), "total": 7, "m": 4, "b": (4,)})
    assert bound.input_dims == {"x": (2, 3), "w": (3, 4), "b": (4,), "past": (5, 4)}
    arrays = {name: np.ones(dims, np.float32) for name, dims in bound.input_dims.items()}
    for _ in range(2):
        assert bound.run(arrays)[0].tolist() == 2 * [4 * [4]] + 5 * [4 * [1]]
    with pytest.raises(dyn.ShapeError, match=r"^input 'b' has dims \[1\], but is bound to \[4\]$"):
        bound.run(arrays | {"b": np.ones(1, np.float32)})
    with pytest.raises(dyn.ShapeError, match=r"^input 'w' dim 0, k2, is given as 5, but must be 3\n  k == k2: MatMul.*, node '/mm'"):
        reference.bind({"x": (2, 3), "w": (5, 4)})
    with pytest.raises(dyn.ShapeError, match=r"^missing: n \(dim 0 of input 'x'\), m \(dim 1 of input 'w'\), m2"):
        reference.bind({"w": (5, None)})


def test_sizes_that_data_determine():
    nodes = [models.helper.make_node("NonZero", ["x"], ["i"]), models.helper.make_node("Transpose", ["i"], ["y"]),
             models.helper.make_node("Add", ["x", "z"], ["s"], name="/add")]
    model = models.model(nodes, [("x", models.FLOAT, ["a", 2]), ("z", models.FLOAT, ["c", 2])],
                         [("y", models.INT64, ["found", 2]), ("s", models.FLOAT, ["a", 2])])
    reference = dyn.Reference(model)
    assert reference.bind({"s": (3, None), "c": 3, "x": (3, None)}).input_dims == {"x": (3, 2), "z": (3, 2)}
    bound = reference.bind({"x": (2, None), "z": (2, 2), "y": (3, 2)})
    arrays = {"x": np.float32([[1, 0], [1, 1]]), "z": np.zeros((2, 2), np.float32)}
    assert bound.run(arrays)[0].tolist() == [[0, 0], [1, 0], [1, 1]]
    with pytest.raises(dyn.ShapeError, match="^output 'y' dim 0 is given as 3, but the data of this run make it 2$"):
        bound.run(arrays | {"x": np.float32([[1, 0], [0, 1]])})
    named = reference.bind({"x": (2, None), "z": (2, 2), "found": 3})
    assert len(named.run(arrays)[0]) == 3
    with pytest.raises(dyn.ShapeError,
                       match="^output 'y' dim 0, 'found', is given as 3, but the data of this run make it 2$"):
        named.run(arrays | {"x": np.float32([[1, 0], [0, 1]])})
    with pytest.raises(dyn.ShapeError, match="^input 'z' dim 1 is given as 3, but must be 2$"):
        reference.bind({"z": (2, 3)})


def test_sizes_that_data_determine_are_held_in_expressions():
    nodes = [models.helper.make_node("NonZero", ["x"], ["i"]), models.helper.make_node("Concat", ["i", "i"], ["y"], axis=1)]
    reference = dyn.Reference(models.model(nodes, [("x", models.FLOAT, ["N"])], [("y", models.INT64, [1, None])]))
    assert reference.bind({"N": 4, "u0": 2}).run({"x": np.float32([1, 0, 1, 0])})[0].shape == (1, 4)
    with pytest.raises(dyn.ShapeError, match="^output 'y' dim 1, 2 . u0, is 6 by what is given, but the data of this run make it 4$"):
        reference.bind({"N": 4, "u0": 3}).run({"x": np.float32([1, 0, 1, 0])})


def test_inputs_without_dims():
    nodes = [models.helper.make_node("SequenceLength", ["q"], ["n"]), models.helper.make_node("Shape", ["x"], ["y"])]
    info = models.helper
    graph = info.make_graph(nodes, "g", [
        info.make_tensor_sequence_value_info("q", models.FLOAT, None), info.make_tensor_value_info("x", models.FLOAT, None),
        info.make_tensor_value_info("z", models.FLOAT, ["a"])], [info.make_tensor_value_info("n", models.INT64, []),
                                                                 info.make_tensor_value_info("y", models.INT64, None)])
    reference = dyn.Reference(info.make_model(graph, opset_imports=[info.make_opsetid("", 17)], ir_version=8))
    arrays = {"q": [np.zeros(3, np.float32)], "x": np.zeros((2, 4), np.float32), "z": np.zeros(5, np.float32)}
    assert [y.tolist() for y in reference.bind({"a": 5}).run(arrays)] == [1, [2, 4]]
    bound = reference.bind({"a": 5, "x": (2, None)})
    assert bound.input_dims == {"x": (2, None), "z": (5,)} and bound.run(arrays)[1].tolist() == [2, 4]
    with pytest.raises(dyn.ShapeError, match=r"input 'x' has dims \[3\], but is bound to \[2, None\]"):
        bound.run(arrays | {"x": np.zeros(3, np.float32)})
    with pytest.raises(dyn.ModelError, match="input 'q' has no dims of its own"):
        reference.bind({"a": 5, "q": (3,)})
    with pytest.raises(dyn.ShapeError, match="^missing: a "):
        reference.bind({})
