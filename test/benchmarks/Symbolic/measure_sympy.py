"""What the lines of symbolic-benchmark that SymPy has an answer to cost in SymPy: CPU time, one line each."""

import itertools
import statistics
import time
import tracemalloc

import sympy

# The cache of SymPy makes the second time cheap, so what is cold has symbols of its own.
numbers = itertools.count()


def fresh():
    return sympy.Symbol(f"s{next(numbers)}", integer=True, nonnegative=True)


def show(name, nanoseconds, unit="ns"):
    print(f"{name:32s}{nanoseconds:14.0f} {unit}")


def measure_warm():
    s, p, t = fresh(), fresh(), fresh()
    scaled, total, other, shifted = s * 768 + p, s + p, t + 12, p + 12
    repeats = 3000
    for name, operation in {
        "warmAdd": lambda: scaled + other,
        "warmMul": lambda: total * other,
        "warmCompare": lambda: scaled - shifted == 0,
    }.items():
        operation()
        start = time.process_time()
        for _ in range(repeats):
            operation()
        show(name, (time.process_time() - start) / repeats * 1e9)


def measure_cold():
    batch = sympy.Symbol("B", integer=True, positive=True)
    for name, formula in {
        "coldAdd": lambda s: s + 1,
        "coldFloorDiv": lambda s: sympy.floor(s / 64),
        "coldMinMax": lambda s: sympy.Min(s, 512) + sympy.Max(s, 512),
        "coldConvolution": lambda s: sympy.floor((s + 2 - 3) / sympy.Integer(2)) + 1,
        "coldReshape": lambda s: batch * s * 768 / (batch * s * 12),
    }.items():
        symbols = [fresh() for _ in range(300)]
        start = time.process_time()
        for symbol in symbols:
            formula(symbol)
        show(name, (time.process_time() - start) / len(symbols) * 1e9)


def measure_memory():
    a, b = fresh(), fresh()
    count = 20000
    kept = []
    tracemalloc.start()
    for factor in range(1, count + 1):
        kept.append(a * factor + b)
    show("memory", tracemalloc.get_traced_memory()[0] / (2 * count), "bytes/node")
    tracemalloc.stop()


def measure_equalities():
    """Symbols that equal one of three sizes or a sum, written out as facts come; each question for the first time."""
    sizes = fresh(), fresh(), fresh()
    symbols, facts, times = [], {}, []
    for i in range(1000):
        value = sizes[1] + sizes[2] if i % 5 == 4 else symbols[i // 2] if i % 5 == 3 else sizes[i % 3]
        symbol = fresh()
        facts[symbol] = value.xreplace(facts)
        symbols.append(symbol)
    for i in range(1000):
        start = time.perf_counter()
        _ = (symbols[i] - symbols[(i * 7 + 3) % 1000]).xreplace(facts) == 0
        times.append(time.perf_counter() - start)
    show("equalityAfterThousandFacts median", statistics.median(times) * 1e9)
    show("equalityAfterThousandFacts worst", max(times) * 1e9)


def measure_transformer(nodes):
    """The questions of `transformer` in Facts.cpp; SymPy has no ranges, so those about them are left out."""
    b, s = (sympy.Symbol(name, integer=True, positive=True) for name in "bs")
    p = fresh()
    heads, width, hidden = sympy.Integer(12), sympy.Integer(64), sympy.Integer(768)
    questions = [
        lambda: hidden - heads * width == 0,
        lambda: b * s * hidden / (b * s * width),
        lambda: p + s,
        lambda: p + s - (s + p) == 0,
        lambda: hidden - hidden == 0,
        lambda: fresh().xreplace({}),
        lambda: b * heads * s * (p + s) * 4,
        lambda: (b * s * 768 - b * s * 3072).is_nonpositive,
    ]
    start = time.process_time()
    for node in range(nodes):
        if node % 10 < len(questions):
            questions[node % 10]()
    show(f"transformer/{nodes}", (time.process_time() - start) * 1e9)


print(f"SymPy {sympy.__version__}, CPU time")
measure_warm()
measure_cold()
measure_memory()
measure_equalities()
for count in (1000, 10000, 100000):
    measure_transformer(count)
