"""Views between ops, pieces of tensors and heads that share keys: what is fused across them gives what separate ops would."""

import numpy as np
import pytest
from program import Program

SIZES = ((2, 5), (1, 1), (3, 17), (0, 4), (2, 0), (0, 0), (1, 33), (7, 1))


def slice_of(p, x, axis, begin, end):
    dims = [end - begin if dim == axis else size for dim, size in enumerate(x.dims)]
    bounds = ", ".join(f"{begin}:{end}" if dim == axis else f"0:{size}" for dim, size in enumerate(x.dims))
    index = tuple(slice(begin, end) if dim == axis else slice(None) for dim in range(len(dims)))
    return p.emit(f"slice {x.name}[{bounds}] : {x.type} -> {{result}}", dims, x.element, lambda a, shape: a[index], [x])


def concat(p, axis, *parts):
    dims = list(parts[0].dims)
    sizes = [part.dims[axis] for part in parts]
    dims[axis] = " + ".join(sizes) if isinstance(sizes[0], str) else sum(sizes)
    names, types = (", ".join(getattr(part, field) for part in parts) for field in ("name", "type"))
    return p.emit(f"concat {axis} ({names}) : ({types}) -> {{result}}", dims, parts[0].element,
                  lambda *a: np.concatenate(a[:-1], axis), parts)


def check(compile_program, p, rows=SIZES):
    compiled = compile_program(p)
    for b, s in rows:
        compiled.check(B=b, S=s)


def program():
    return Program(B="[0, 64] from arg0[0]", S="[0, 64] from arg0[1]")


def tanh(p, x):
    return p.elementwise("tanh", x, compute=np.tanh)


@pytest.mark.parametrize("kind", ["same", "per row", "per batch"])
def test_product_then_view(compile_program, kind):
    p = program()
    x = p.argument(["B", "S", 8])
    product = p.matmul(p.reshape(x, ["B * S", 8]), p.weight([8, 16]), ["B * S", 16])
    view = p.reshape(product, ["B", "S", 16])
    if kind == "same":
        view = p.add(view, p.argument(["B", "S", 16]))
    elif kind == "per row":
        view = p.add(view, p.argument(["S", 16]))
    else:
        view = p.add(view, p.argument(["B", 1, 16]))
    p.give(p.reshape(tanh(p, view), ["B * S", 4, 4]), product)
    check(compile_program, p)


def test_transposes_between_views(compile_program):
    p = program()
    x = p.argument(["B", "S", 4, 6])
    joined = p.reshape(p.transpose(x, (0, 2, 1, 3)), ["4 * B", "S", 6])
    divided = p.reshape(p.transpose(joined, (0, 2, 1)), ["B", 4, 6, "S"])
    p.give(p.mul(divided, p.constant(0.5)), tanh(p, p.reshape(divided, ["24 * B", "S"])))
    check(compile_program, p)


def test_views_that_divide_otherwise(compile_program):
    """The loops of one view are not those of the other: (B, 4, 6) and (B, 3, 8)."""
    p = program()
    x = p.argument(["B", "S", 24])
    four = p.reshape(tanh(p, x), ["B", "S", 4, 6])
    three = p.reshape(p.transpose(four, (0, 1, 3, 2)), ["B", "S", 3, 8])
    p.give(p.exp(p.transpose(three, (0, 3, 1, 2))), p.mul(four, four))
    check(compile_program, p)


def test_places_in_divided_loops(compile_program):
    """A slice's place depends on a loop that is divided."""
    p = program()
    x = p.argument(["B", "S", 20])
    piece = slice_of(p, x, 2, 5, 17)
    heads = p.transpose(p.reshape(piece, ["B", "S", 3, 4]), (0, 2, 1, 3))
    p.give(p.mul(heads, heads), p.reshape(heads, ["3 * B", "S", 4]))
    check(compile_program, p)


def test_pieces_of_a_projection(compile_program):
    p = program()
    x = p.argument(["B", "S", 8])
    all_three = p.add(p.matmul(x, p.weight([8, 24]), ["B", "S", 24]), p.argument([24]))

    def heads(number):
        piece = p.reshape(slice_of(p, all_three, 2, 8 * number, 8 * number + 8), ["B", "S", 2, 4])
        return p.transpose(piece, (0, 2, 1, 3))

    scores = p.matmul(heads(0), p.transpose(heads(1), (0, 1, 3, 2)), ["B", 2, "S", "S"])
    exponentials = p.exp(p.sub(scores, p.reduce("max", scores, [-1])))
    weights = p.div(exponentials, p.reduce("sum", exponentials, [-1]))
    mixed = p.transpose(p.matmul(weights, heads(2), ["B", 2, "S", 4]), (0, 2, 1, 3))
    p.give(p.reshape(mixed, ["B", "S", 8]), heads(1))
    check(compile_program, p)


def test_pieces_by_number(compile_program):
    """One of a leading dim's indices, as `unbind` gives it, and the first row."""
    p = program()
    x = p.argument(["B", "S", 3, 4])
    turned = p.transpose(x, (2, 0, 1, 3))
    second = p.reshape(slice_of(p, turned, 0, 1, 2), ["B", "S", 4])
    p.give(p.mul(second, second), p.reshape(slice_of(p, x, 2, 2, 3), ["B", "S", 4]))
    check(compile_program, p)


@pytest.mark.parametrize("halves", [2, 3])
def test_pieces_change_places(compile_program, halves):
    p = program()
    x = p.argument(["B", "S", 2, 4 * halves])
    heads = p.transpose(x, (0, 2, 1, 3))
    pieces = [slice_of(p, heads, 3, 4 * i, 4 * i + 4) for i in range(halves)]
    rotated = concat(p, 3, p.elementwise("neg", pieces[-1], compute=np.negative), *pieces[:-1])
    angle = p.argument(["S", 4])
    angles = p.elementwise("cos", concat(p, 1, *[angle] * halves), compute=np.cos)
    turned = p.add(p.mul(heads, angles), p.mul(rotated, angles))
    p.give(turned, p.matmul(turned, p.transpose(turned, (0, 1, 3, 2)), ["B", 2, "S", "S"]))
    check(compile_program, p)


@pytest.mark.parametrize("reader", ["attention", "product", "pointwise", "other order", "piece"])
def test_transposed_keys_behind_a_cache(compile_program, reader):
    """Keys and values of one tensor, of which keys are put together transposed, read, and given as they came."""
    p = Program(B="[0, 64] from arg0[0]", S="[0, 64] from arg0[1]", P="[0, 64] from arg1[3]")
    heads, width = 3, 4
    x, past = p.argument(["B", "S", 3 * heads * width]), p.argument([2, "B", heads, "P", width])

    def cached(number):
        return p.reshape(slice_of(p, past, 0, number, number + 1), ["B", heads, "P", width])

    def split(number):
        size = heads * width
        return p.reshape(slice_of(p, x, 2, number * size, (number + 1) * size), ["B", "S", heads, width])

    new = split(1)
    keys = concat(p, 3, p.transpose(cached(0), (0, 1, 3, 2)), p.transpose(new, (0, 2, 3, 1)))
    values = concat(p, 2, cached(1), p.transpose(split(2), (0, 2, 1, 3)))
    scores = p.matmul(p.transpose(split(0), (0, 2, 1, 3)), keys, ["B", heads, "S", "P + S"])
    exponentials = p.exp(p.sub(scores, p.reduce("max", scores, [-1])))
    weights = p.div(exponentials, p.reduce("sum", exponentials, [-1]))
    given = {"attention": lambda: p.matmul(weights, values, ["B", heads, "S", width]), "product": lambda: scores,
             "pointwise": lambda: tanh(p, keys), "other order": lambda: p.transpose(keys, (2, 3, 0, 1)),
             "piece": lambda: p.mul(new, new)}[reader]()
    whole = [1, "B", heads, "P + S", width]
    p.give(given, concat(p, 0, p.reshape(p.transpose(keys, (0, 1, 3, 2)), whole), p.reshape(values, whole)))
    compiled = compile_program(p)
    for b, s, past_size in ((1, 1, 31), (2, 5, 3), (1, 1, 0), (3, 17, 1), (0, 4, 2), (2, 0, 5), (2, 0, 0), (7, 1, 2), (1, 13, 33)):
        compiled.check(B=b, S=s, P=past_size)


def test_pieces_in_another_order(compile_program):
    """Pieces that are computed, along the first dim, and a transpose of the whole: what turns the dims round is no swap."""
    p = program()
    x, y = p.argument(["B", "S", 5]), p.argument(["B", 3, "S"])
    pieces = [tanh(p, p.transpose(x, (2, 0, 1))), p.exp(p.transpose(y, (1, 0, 2)))]
    whole = concat(p, 0, *pieces)
    p.give(p.transpose(whole, (1, 2, 0)), p.matmul(whole, p.argument(["S", 4]), [8, "B", 4]))
    check(compile_program, p)


@pytest.mark.parametrize("scales", [False, True])
def test_heads_share_keys(compile_program, scales):
    p = program()
    q = p.argument(["B", "S", 6, 4])
    k, v = p.argument(["B", "S", 2, 4]), p.argument(["B", "S", 2, 4])

    def repeat(x):
        one = p.reshape(p.transpose(x, (0, 2, 1, 3)), ["B", 2, 1, "S", 4])
        dims = ["B", 2, 3, "S", 4]
        many = p.emit(f"broadcast {one.name} : {one.type} to {{result}}", dims, "f32",
                      lambda a, shape: np.broadcast_to(a, shape), [one])
        return p.reshape(many, ["6 * B", "S", 4])

    keys = p.reshape(p.transpose(repeat(k), (0, 2, 1)), ["B", 6, 4, "S"])
    if scales:
        keys = p.mul(keys, p.constant(0.5))
    scores = p.matmul(p.transpose(q, (0, 2, 1, 3)), keys, ["B", 6, "S", "S"])
    exponentials = p.exp(p.sub(scores, p.reduce("max", scores, [-1])))
    weights = p.div(exponentials, p.reduce("sum", exponentials, [-1]))
    p.give(p.matmul(weights, p.reshape(repeat(v), ["B", 6, "S", 4]), ["B", 6, "S", 4]))
    check(compile_program, p)


def test_reduction_over_a_viewed_dim(compile_program):
    """As in a group normalization: what is reduced is divided otherwise before and after."""
    p = program()
    x = p.argument(["B", "S", 3, 4])
    groups = p.reshape(tanh(p, x), ["B", "S", 12])
    centred = p.sub(groups, p.reduce("mean", groups, [-1]))
    p.give(p.mul(p.reshape(centred, ["B", "S", 3, 4]), p.argument([3, 1])))
    check(compile_program, p)
