"""Values, not forms, against SymPy: what it prints is read, and what we print in its syntax it reads."""

import random
from pathlib import Path

import pytest

sympy = pytest.importorskip("sympy")

SYMBOLS = {name: sympy.Symbol(name, integer=True) for name in ("height", "s0", "past")}
CONSTANTS = [-7, -3, -2, -1, 0, 1, 2, 3, 4, 5, 8, 16]
SAMPLES = [-17, -8, -1, 0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 64, 100, 1000]


def pick_tree(source, depth):
    """A nested tuple: an operation with its operands, a name or a number."""
    if depth == 0 or source.random() < 0.15:
        return source.choice(CONSTANTS) if source.random() < 0.35 else source.choice(list(SYMBOLS))
    operation = source.choice(["+", "-", "*", "floordiv", "floordiv", "mod", "max", "min", "half"])
    left = pick_tree(source, depth - 1)
    if operation in ("floordiv", "mod"):
        right = source.choice([2, 3, 4, 6, 8, 16, -2, -3])
    elif operation == "half":
        return ("half", left, source.choice([2, 4]), source.choice([1, 3]))
    else:
        right = pick_tree(source, depth - 1)
    return (operation, left, right)


def evaluate(tree, point):
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return point[tree]
    operation, left, *rest = tree
    left = evaluate(left, point)
    if operation == "half":
        return (rest[1] * left + 1) // rest[0]
    right = evaluate(rest[0], point)
    return {"+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right,
            "floordiv": lambda: left // right, "mod": lambda: left % right, "max": lambda: max(left, right),
            "min": lambda: min(left, right)}[operation]()


def build(tree):
    """With SymPy's constructors, which rewrite as they like."""
    if isinstance(tree, int):
        return sympy.Integer(tree)
    if isinstance(tree, str):
        return SYMBOLS[tree]
    operation, left, *rest = tree
    left = build(left)
    if operation == "half":
        return sympy.floor(left * sympy.Rational(rest[1], rest[0]) + sympy.Rational(1, rest[0]))
    right = build(rest[0])
    return {"+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right,
            "floordiv": lambda: sympy.floor(left / right), "mod": lambda: sympy.Mod(left, right),
            "max": lambda: sympy.Max(left, right), "min": lambda: sympy.Min(left, right)}[operation]()


@pytest.mark.parametrize("seed", range(8))
def test_values_agree(engine, seed):
    source = random.Random(seed)
    read = 0
    for _ in range(60):
        tree = pick_tree(source, source.randint(1, 3))
        theirs = build(tree)
        text = str(theirs)
        ours = engine.parse(text)
        # SymPy leaves rational numbers outside of floor, which have no value here, and Piecewise.
        if ours is None:
            assert engine.column > 0 and engine.error
            continue
        read += 1
        printed = engine.print(ours, engine.SYMPY)
        assert engine.parse(printed).node == ours.node, printed
        assert engine.parse(engine.print(ours)).node == ours.node, engine.print(ours)
        back = sympy.sympify(printed, locals=SYMBOLS)
        for _ in range(6):
            point = {name: source.choice(SAMPLES) for name in SYMBOLS}
            expected = evaluate(tree, point)
            values = {SYMBOLS[name]: sympy.Integer(value) for name, value in point.items()}
            assert theirs.subs(values) == expected, f"SymPy itself errs on {text} at {point}"
            assert engine.evaluate(ours, point) == expected, f"{text} became {printed} at {point}"
            assert back.subs(values) == expected, f"{printed} is read by SymPy as {back} at {point}"
    assert read >= 50


class bcast(sympy.Function):
    """Where its operands broadcast."""

    @classmethod
    def eval(cls, *operands):
        if all(operand.is_Integer for operand in operands):
            return next((operand for operand in operands if operand != 1), sympy.Integer(1))


class CleanDiv(sympy.Function):
    @classmethod
    def eval(cls, dividend, divisor):
        if dividend.is_Integer and divisor.is_Integer:
            assert dividend % divisor == 0
            return dividend // divisor


@pytest.mark.parametrize("text, points", [
    ("bcast(height, past)", [(1, 5), (5, 1), (5, 5), (0, 1), (1, 0), (1, 1)]),
    ("2*bcast(height, past + 1)*s0 - bcast(height, 1)", [(1, 5), (6, 5), (0, 0), (5, 0)]),
    ("exactdiv(height*past, past + height)", [(6, 3), (6, 6), (-6, 3)]),
    ("bcast(exactdiv(height, past), s0) floordiv 3", [(35, 5), (-14, -2), (49, 7)])])
def test_what_sympy_has_no_function_for_is_one_that_nobody_has_defined(engine, text, points):
    expr = engine.parse(text)
    printed = engine.print(expr, engine.SYMPY)
    assert engine.parse(printed).node == expr.node, printed
    assert str(sympy.sympify(printed)), printed
    theirs = sympy.sympify(printed, locals={**SYMBOLS, "bcast": bcast, "CleanDiv": CleanDiv})
    for height, past in points:
        point = {"height": height, "past": past, "s0": 7}
        value = engine.evaluate(expr, point)
        assert value is not None
        assert theirs.subs({SYMBOLS[name]: number for name, number in point.items()}) == value, (printed, point)


TEXTS = [row.split("\t") for row in (Path(__file__).parent / "dim_texts.tsv").read_text(encoding="utf-8").splitlines()[1:]]


@pytest.mark.parametrize("text, reading", TEXTS, ids=[text for text, _ in TEXTS])
def test_what_exporters_leave_in_dim_param_is_read(engine, text, reading):
    """An expression, or `name` for what stands for itself and proves nothing; never a wrong reading."""
    expr = engine.parse(text)
    if reading == "name":
        # It has signs that no expression has.
        assert expr is None and engine.column > 0 and engine.error and not text.isidentifier()
        quoted = engine.parse(f'"{text}"')
        assert engine.print(quoted) == f'"{text}"' and engine.parse(f"{engine.print(quoted)} + 1") is not None
        return
    assert engine.print(expr) == reading
    for syntax in (engine.DYN, engine.SYMPY):
        assert engine.parse(engine.print(expr, syntax)).node == expr.node
    # What Python makes of the same text, where it is Python.
    for values in [(224, 96, 17), (1, 1, 1), (2, 33, 400), (640, 1601, 9)]:
        point = dict(zip(sorted(find_names(text)), values))
        expected = evaluate_text(text, point)
        assert expected is None or engine.evaluate(expr, point) == expected


def test_every_exported_dim_is_in_the_table(models_dir):
    rows = (models_dir / "exported" / "dim_params.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert {row.split("\t")[0] for row in rows} - {text for text, _ in TEXTS} == set()


def find_names(text):
    import re
    return set(re.findall(r"[A-Za-z_]\w*", text)) - {"floor", "ceiling", "Max", "Min", "Mod", "Abs"}


def evaluate_text(text, point):
    functions = {"floor": sympy.floor, "ceiling": sympy.ceiling, "Max": sympy.Max, "Min": sympy.Min,
                 "Mod": sympy.Mod, "Abs": sympy.Abs}
    try:
        value = eval(text, functions, {name: sympy.Integer(value) for name, value in point.items()})
    except (SyntaxError, NameError, TypeError, AttributeError):
        return None
    return int(value) if value.is_Integer else None
