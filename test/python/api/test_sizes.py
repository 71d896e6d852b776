"""Sizes that people give, by symbol and by input, and what is inferred from them."""

import numpy as np
import pytest

import dyn
import small_models as models


@pytest.fixture(scope="module")
def append():
    return dyn.compile(models.append())


@pytest.fixture(scope="module")
def masked():
    """y = concat(past, new) + mask, whose dim is a sum."""
    model = models.model(
        [
            models.helper.make_node("Concat", ["past", "new"], ["present"], axis=0),
            models.helper.make_node("Add", ["present", "mask"], ["y"]),
        ],
        [("past", models.FLOAT, ["past"]), ("new", models.FLOAT, ["seq"]), ("mask", models.FLOAT, ["past + seq"])],
        [("y", models.FLOAT, ["total"])],
    )
    return dyn.compile(model)


def test_sizes_by_symbol_and_by_input(append):
    expected = {"present": (1, 5, 2)}
    assert append.output_dims({"batch": 1, "past_seq": 2, "seq": 3}) == expected
    assert append.output_dims({"past": (1, 2, 2), "new": (1, 3, 2)}) == expected
    assert append.output_dims({"past": np.array([1, 2, 2]), "seq": np.int32(3)}) == expected


def test_sums_are_solved_for_what_is_unknown(masked):
    assert masked.inputs[2].dims == ("past + seq",)
    assert masked.output_dims({"past": (4,), "mask": (9,)}) == {"y": (9,)}
    assert masked.output_dims({"seq": 0, "mask": (9,)}) == {"y": (9,)}
    with pytest.raises(dyn.ShapeError, match=r"^missing: past \(dim 0 of input 'past', 0 to 9\)$"):
        masked.output_dims({"mask": (9,)})
    with pytest.raises(dyn.ShapeError):
        masked.output_dims({"past": (10,), "mask": (9,)})


def test_sizes_that_disagree(append):
    with pytest.raises(dyn.ShapeError, match="input 'past' dim 0 is given as 1, but 'batch' is given as 3"):
        append.output_dims({"batch": 3, "past": (1, 2, 2), "new": (1, 3, 2)})
    with pytest.raises(dyn.ShapeError, match=r"'new' dim 0 is 2, must be batch = 1 \(dim 0 of input 'past'\)"):
        append.output_dims({"past": (1, 2, 2), "new": (2, 3, 2)})


@pytest.mark.parametrize(
    "sizes, error, text",
    [
        ({"batch": -1}, dyn.ShapeError, "'batch' is -1, which is no size"),
        ({"batch": 2**70}, dyn.ShapeError, "no size"),
        ({"batch": 1.5}, TypeError, "'batch' must be an integer, not 1.5"),
        ({"past": 3}, TypeError, "'past' must be a sequence"),
        ({"past": (1, 2)}, dyn.ShapeError, "'past' has rank 2"),
        ({"width": 3}, dyn.ModelError, "'width' is neither an input"),
        ({"batch": 2**62, "past_seq": 2**62, "seq": 1}, dyn.ShapeError, "does not fit in 64 bits"),
    ],
)
def test_sizes_that_can_not_be(append, sizes, error, text):
    with pytest.raises(error, match=text):
        append.output_dims(sizes)


def test_a_symbol_that_an_input_contradicts(append):
    """The culprit is what was given, not what would follow from it."""
    with pytest.raises(dyn.ShapeError, match="^input 'past' dim 0 is given as 2, but 'batch' is given as 3$"):
        append.output_dims({"past": (2, 7, 2), "batch": 3, "seq": 1})


def test_outputs_that_no_memory_holds(append):
    dims = r"\[1099511627776, 262145, 2\]"
    with pytest.raises(MemoryError, match=f"output 'present' of dims {dims} needs {2**43 * (2**18 + 1)} bytes"):
        append.bind({"batch": 2**40, "past_seq": 2**18, "seq": 1})


def test_working_memory_that_there_is_not():
    # Two products of n by n elements between inputs and an output of n.
    module = """
      func.func @main(%x: tensor<?x1xf32, #dyn.dims<[n, 1]>> {dyn.name = "x"})
          -> (tensor<?xf32, #dyn.dims<[n]>> {dyn.name = "y"})
          attributes {dyn.symbols = #dyn.symbols<n: [0, ?] from arg0[0]>} {
        %0 = dyn.transpose %x perm [1, 0] : (tensor<?x1xf32, #dyn.dims<[n, 1]>>) -> tensor<1x?xf32, #dyn.dims<[1, n]>>
        %1 = dyn.matmul %x, %0 : (tensor<?x1xf32, #dyn.dims<[n, 1]>>, tensor<1x?xf32, #dyn.dims<[1, n]>>)
            -> tensor<?x?xf32, #dyn.dims<[n, n]>>
        %2 = dyn.matmul %1, %1 : (tensor<?x?xf32, #dyn.dims<[n, n]>>, tensor<?x?xf32, #dyn.dims<[n, n]>>)
            -> tensor<?x?xf32, #dyn.dims<[n, n]>>
        %3 = dyn.reduce sum %2 axes [1] : (tensor<?x?xf32, #dyn.dims<[n, n]>>) -> tensor<?xf32, #dyn.dims<[n]>>
        return %3 : tensor<?xf32, #dyn.dims<[n]>>
      }
    """
    exe = dyn.compile(module)
    bytes = exe.arena_bytes({"n": 10**7})
    assert bytes > 10**14
    with pytest.raises(MemoryError, match=f"the model needs {bytes} bytes of working memory at n = 10000000"):
        exe.run({"x": np.zeros((10**7, 1), np.float32)})
    with pytest.raises(MemoryError, match=f"the model needs {bytes} bytes of working memory at n = 10000000"):
        exe.bind({"n": 10**7})
    assert exe.run({"x": np.ones((3, 1), np.float32)})[0].tolist() == [9, 9, 9]


def test_bound_outputs_may_be_inputs():
    """A state that goes round: y reads x from the other end."""
    exe = dyn.compile(
        "func.func @main(%x: tensor<?xf32, #dyn.dims<[N]>> {dyn.name = \"x\"})\n"
        "    -> (tensor<?xf32, #dyn.dims<[N]>> {dyn.name = \"y\"})\n"
        "    attributes {dyn.symbols = #dyn.symbols<N: [0, ?] from arg0[0]>} {\n"
        "  %0 = dyn.cumsum %x axis 0 : (tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32, #dyn.dims<[N]>>\n"
        "  return %0 : tensor<?xf32, #dyn.dims<[N]>>\n"
        "}\n"
    )
    bound = exe.bind({"N": 4})
    (y,) = bound.run({"x": np.ones(4, np.float32)})
    np.testing.assert_array_equal(y, [1, 2, 3, 4])
    (y,) = bound.run({"x": y})
    np.testing.assert_array_equal(y, [1, 3, 6, 10])
