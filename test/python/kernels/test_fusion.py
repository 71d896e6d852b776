"""Whole layers: what is fused gives what separate ops would."""

import math

import numpy as np
from program import Program

HEADS, WIDTH = 2, 8
ERF = np.vectorize(math.erf, otypes=[np.float32])


def softmax(p, x):
    exponentials = p.exp(p.sub(x, p.reduce("max", x, [-1])))
    return p.div(exponentials, p.reduce("sum", exponentials, [-1]))


def layer_norm(p, x, scale, bias):
    centred = p.sub(x, p.reduce("mean", x, [-1]))
    square = p.elementwise("pow", centred, p.constant(2.0), compute=np.power)
    variance = p.add(p.reduce("mean", square, [-1]), p.constant(1e-5))
    deviation = p.elementwise("sqrt", variance, compute=np.sqrt)
    return p.add(p.mul(p.div(centred, deviation), scale), bias)


def gelu(p, x):
    cumulative = p.add(p.elementwise("erf", p.div(x, p.constant(1.4142135)), compute=ERF), p.constant(1.0))
    return p.mul(p.mul(x, cumulative), p.constant(0.5))


def linear(p, x, columns):
    product = p.matmul(x, p.argument([x.dims[-1], columns]), [*x.dims[:-1], columns])
    return p.add(product, p.argument([columns]))


def attention(p, x, mask):
    def project():
        heads = p.reshape(linear(p, x, WIDTH), ["B", "S", HEADS, WIDTH // HEADS])
        return p.transpose(heads, (0, 2, 1, 3))

    query, key, value = project(), project(), project()
    scores = p.matmul(query, p.transpose(key, (0, 1, 3, 2)), ["B", HEADS, "S", "S"])
    weights = softmax(p, p.add(p.div(scores, p.constant(2.0)), mask))
    mixed = p.transpose(p.matmul(weights, value, ["B", HEADS, "S", WIDTH // HEADS]), (0, 2, 1, 3))
    return linear(p, p.reshape(mixed, ["B", "S", WIDTH]), WIDTH), key


def test_transformer_layer(compile_program):
    p = Program(B="[0, 64] from arg0[0]", S="[0, 64] from arg0[1]")
    x, mask = p.argument(["B", "S", WIDTH]), p.argument(["B", "S"], "i64", lambda g, shape: g.integers(0, 2, shape))
    hidden = p.sub(p.constant(1.0), p.cast(mask, "f32"), ["B", "S"])
    bias = p.reshape(p.mul(hidden, p.constant(-10.0)), ["B", 1, 1, "S"])
    mixed, key = attention(p, x, bias)
    after = layer_norm(p, p.add(mixed, x), p.argument([WIDTH]), p.argument([WIDTH]))
    y = linear(p, gelu(p, linear(p, after, 2 * WIDTH)), WIDTH)
    p.give(layer_norm(p, p.add(y, after), p.argument([WIDTH]), p.argument([WIDTH])), key, after)
    compiled = compile_program(p)
    for b, s in ((2, 5), (1, 1), (3, 17), (0, 4), (2, 0), (1, 33)):
        compiled.check(B=b, S=s)


def test_softmax_over_other_axes(compile_program):
    p = Program(B="[0, 64] from arg0[0]", S="[0, 64] from arg0[1]")
    x = p.argument(["B", "S", 3])
    exponentials = p.exp(p.sub(x, p.reduce("max", x, [1])))
    p.give(p.div(exponentials, p.reduce("sum", exponentials, [1])), p.div(exponentials, p.reduce("sum", exponentials, [0])))
    compiled = compile_program(p)
    for b, s in ((2, 5), (1, 1), (0, 4), (2, 0), (4, 19)):
        compiled.check(B=b, S=s)


def test_rotary_embedding_over_a_cache(compile_program):
    half = 2
    p = Program(B="[0, 64] from arg0[0]", S="[1, 64] from arg0[1]", P="[0, 64] from arg3[2]")
    x, cos, sin = p.argument(["B", "S", HEADS, 2 * half]), p.argument(["S", 2 * half]), p.argument(["S", 2 * half])
    past = p.argument(["B", HEADS, "P", 2 * half])
    heads = p.transpose(x, (0, 2, 1, 3))
    dims = ["B", HEADS, "S", half]
    low = p.op("slice", [heads], dims, lambda a, shape: a[..., :half], attributes="[0:, 0:, 0:, 0:] ")
    high = p.op("slice", [heads], dims, lambda a, shape: a[..., half:], attributes=f"[0:, 0:, 0:, {half}:] ")
    negated = p.elementwise("neg", high, compute=np.negative)
    rotated = p.emit(f"concat 3 ({negated.name}, {low.name}) : ({negated.type}, {low.type}) -> {{result}}", heads.dims,
                     "f32", lambda a, b, shape: np.concatenate([a, b], 3), [negated, low])
    turned = p.add(p.mul(heads, cos), p.mul(rotated, sin))
    keys = p.emit(f"concat 2 ({past.name}, {turned.name}) : ({past.type}, {turned.type}) -> {{result}}",
                  ["B", HEADS, "S + P", 2 * half], "f32", lambda a, b, shape: np.concatenate([a, b], 2), [past, turned])
    p.give(softmax(p, p.matmul(turned, p.transpose(keys, (0, 1, 3, 2)), ["B", HEADS, "S", "S + P"])), keys)
    compiled = compile_program(p)
    for b, s, k in ((2, 5, 3), (1, 1, 0), (1, 1, 40), (0, 4, 2), (3, 17, 5)):
        compiled.check(B=b, S=s, P=k)
