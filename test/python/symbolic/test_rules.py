"""Every rule of the engine is an obligation that Z3 proves, as SMT-LIB; what Z3 leaves open is checked by enumeration."""

import itertools
import re

import pytest
from rules import RULE, SOURCES, make_obligation, read_rules

z3 = pytest.importorskip("z3")

# Effort, not time, so that every machine gets the same answer.
RESOURCES = 5_000_000

# Products of unknowns with quotients by unknowns, and powers, that Z3 leaves open: proved for each of these values of symbols, and
# looked at point by point.
OPEN = {"halves": {"a": range(1, 17)}, "join-halves": {"a": range(1, 17)},
        "parts": {"a": range(1, 9), "n": (2, 3, 5, 7, 11, 13)},
        "divisor-of-cube": {"x": range(-18, 19)}, "roots-of-other-numbers": {"y": range(-16, 17)}}

# Files whose functions rewrite or deduce; in them every function states its rules, or stands here because it has none.
FILES = ["Bounds/Elimination.cpp", "Bounds/Reduction.cpp", "Expressions/ConstantDivision.cpp", "Expressions/Division.cpp", "Expressions/MinMax.cpp", "Integers/LinearRows.cpp",
         "Integers/LinearSystem.cpp", "Solver/Equations/Congruences.cpp", "Solver/Equations/Equations.cpp", "Solver/Broadcasts/BroadcastText.cpp", "Solver/Inequalities.cpp", "Solver/Integers/MixedRadix.cpp", "Solver/Equations/NonlinearEquations.cpp", "Solver/Equations/Residues.cpp",
         "Solver/Products.cpp", "Solver/Integers/ProductEquations.cpp", "Solver/Rewriting.cpp"]
WITHOUT_RULES = {
    # Intervals and effort.
    "reduceProducts", "exchangeProducts",  # steps of forEachReduction
    "getInterval", "getIntervalLower", "getIntervalUpper", "getSign", "scaleGoal", "getReplaced", "eliminate",
    # Dispatch, storage and order.
    "max", "findOwner", "findInvertible",
    # As often as the other one of that name finds something.
    "joinHalves",
    "store", "settle", "keepUnsolved", "assertTrue", "keepTrue", "assume", "assertDisjunction", "decide",
    "decideNonNegative", "getCongruence", "isRewrittenRather", "getRewrittenTerm", "getMonomialRange",
    "areBroadcastable", "divides", "namesValue", "withProductEquations", "reduceByProducts", "learnFromProducts",
    "learnOfAllFactors", "relateProducts",
    # Exponents, and what `compare` finds of several products.
    "isUseful", "getColumn", "addNumber", "getProduct", "eliminate", "getRatio", "hasOnlyNumbers", "haveSameZeros", "add",
    "mergeTerms", "reduce", "findEqualProducts",
    # Digits by digits, and looks at what is known.
    "getDigits", "divide", "isBelow", "isNonNegative", "mayHaveDigits", "putValues", "getZeroSums", "addOrdersOfQuotients",
    # The Omega test: what puts the steps together, and what turns solutions back.
    "solve", "replace", "getBounds", "choose", "eliminate", "eliminateBounded"}

RULES = read_rules()


def test_every_rule_has_a_name_of_its_own():
    names = [rule.name for rule in RULES]
    assert sorted(set(names)) == sorted(names)


def test_every_rule_is_read():
    """One in the middle of a line, or on two lines, would count for nothing."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(SOURCES.rglob("*.cpp")))
    assert re.findall(r"\brule ([\w-]+):", text) == [match[1] for match in RULE.finditer(text)]
    assert all(rule.claim.strip()[-1] not in "=<>+-*(," for rule in RULES)


@pytest.mark.parametrize("file", FILES)
def test_every_function_states_its_rules(file):
    text = (SOURCES / file).read_text(encoding="utf-8")
    function = re.compile(r"((?:^///.*\n)*)^[\w:<>, ]+?[ *&](?:ExprBuilder|BoundProver::Search|FactStore|MixedRadix|OmegaTest|ProductEquations)::(\w+)\(", re.M)
    silent = {match[2] for match in function.finditer(text) if not RULE.search(match[1])}
    assert silent <= WITHOUT_RULES


class Undefined(Exception):
    pass


def floordiv(dividend, divisor):
    if divisor == 0:
        raise Undefined
    return dividend // divisor


def bc_ok(left, right):
    return left == right or left == 1 or right == 1


def bcast(*sizes):
    result = sizes[0]
    for size in sizes[1:]:
        if not bc_ok(result, size):
            raise Undefined
        result = size if result == 1 else result
    return result


FUNCTIONS = {"floordiv": floordiv, "ceildiv": lambda a, b: -floordiv(-a, b), "bc_ok": bc_ok, "bcast": bcast,
             "mod": lambda a, b: a - b * floordiv(a, b), "max": max, "min": min}


def check_by_enumeration(rule):
    words = set(re.findall(r"\b[A-Za-z]+\b(?!\()", rule.condition + " " + rule.claim))
    names = sorted(words - {"True", "and", "or", "not"})
    condition, claim = compile(rule.condition, rule.name, "eval"), compile(rule.claim, rule.name, "eval")
    span = {1: 200, 2: 30, 3: 9, 4: 5, 5: 3}.get(len(names), 2)
    held = 0
    for values in itertools.product(range(-span, span + 1), repeat=len(names)):
        point = dict(zip(names, values))
        try:
            if eval(condition, FUNCTIONS, point):
                assert eval(claim, FUNCTIONS, point), f"{rule.name} fails at {point}"
                held += 1
        except Undefined:
            continue
    assert held > 0, f"{rule.name} never applies"


def check(rule, constants=()):
    """What Z3 says of the obligation as SMT-LIB, which other provers read too."""
    obligation = z3.Solver()
    obligation.set("rlimit", RESOURCES)
    obligation.from_string(make_obligation(rule, constants).to_smt2())
    verdict = obligation.check()
    assert verdict != z3.sat, f"{rule.place}: {rule.name} fails at {obligation.model()}"
    return verdict


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_rule(rule):
    check_by_enumeration(rule)
    if rule.name in OPEN:
        values = itertools.product(*OPEN[rule.name].values())
        assert all(check(rule, list(zip(OPEN[rule.name], chosen))) == z3.unsat for chosen in values)
    else:
        assert check(rule) == z3.unsat, f"{rule.place}: Z3 leaves {rule.name} open"
