"""The rules that the engine's sources state: lines `/// rule NAME: CONDITION |- CLAIM` before the functions that use them.

Conditions and claims are Python expressions over integers, with the functions of the engine's syntax.
"""

import ast
import pathlib
import re
from dataclasses import dataclass

import z3

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "lib" / "Symbolic"
RULE = re.compile(r"^/// rule ([\w-]+): (.*) \|- (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Rule:
    name: str
    condition: str
    claim: str
    place: str


def read_rules():
    rules = []
    for path in sorted(SOURCES.rglob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        for match in RULE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            rules.append(Rule(*match.groups(), f"{path.relative_to(SOURCES)}:{line}"))
    return rules


class Translation(ast.NodeVisitor):
    """One side of a rule as a formula of Z3. `defined` collects what must hold for it to have a value; every division has
    a quotient of its own, tied to its operands by the definition of rounding down."""

    def __init__(self, symbols):
        self.symbols = symbols
        self.defined = []
        self.quotients = {}

    def translate(self, text):
        return self.visit(ast.parse(text, mode="eval").body)

    def visit_Constant(self, node):
        return z3.BoolVal(node.value) if isinstance(node.value, bool) else z3.IntVal(node.value)

    def visit_Name(self, node):
        return self.symbols.setdefault(node.id, z3.Int(node.id))

    def visit_UnaryOp(self, node):
        operand = self.visit(node.operand)
        return z3.Not(operand) if isinstance(node.op, ast.Not) else -operand

    def visit_BinOp(self, node):
        left, right = self.visit(node.left), self.visit(node.right)
        return {ast.Add: left.__add__, ast.Sub: left.__sub__, ast.Mult: left.__mul__}[type(node.op)](right)

    def visit_BoolOp(self, node):
        join = z3.And if isinstance(node.op, ast.And) else z3.Or
        return join([self.visit(value) for value in node.values])

    def visit_Compare(self, node):
        sides = [self.visit(side) for side in (node.left, *node.comparators)]
        relations = {ast.Eq: "__eq__", ast.NotEq: "__ne__", ast.LtE: "__le__", ast.Lt: "__lt__", ast.GtE: "__ge__",
                     ast.Gt: "__gt__"}
        return z3.And([getattr(left, relations[type(relation)])(right)
                       for left, relation, right in zip(sides, node.ops, sides[1:])])

    def visit_Call(self, node):
        return getattr(self, node.func.id)(*[self.visit(argument) for argument in node.args])

    def floordiv(self, dividend, divisor):
        key = (dividend.sexpr(), divisor.sexpr())
        if key not in self.quotients:
            quotient = z3.FreshInt("q")
            remainder = dividend - divisor * quotient
            self.quotients[key] = quotient
            self.defined += [divisor != 0, z3.If(divisor > 0, z3.And(remainder >= 0, remainder < divisor),
                                                 z3.And(remainder <= 0, remainder > divisor))]
        return self.quotients[key]

    def ceildiv(self, dividend, divisor):
        return -self.floordiv(-dividend, divisor)

    def mod(self, dividend, divisor):
        return dividend - divisor * self.floordiv(dividend, divisor)

    def max(self, *operands):
        result = operands[0]
        for operand in operands[1:]:
            result = z3.If(operand > result, operand, result)
        return result

    def min(self, *operands):
        return -self.max(*[-operand for operand in operands])

    def bc_ok(self, left, right):
        return z3.Or(left == right, left == 1, right == 1)

    def bcast(self, *operands):
        result = operands[0]
        for operand in operands[1:]:
            self.defined.append(self.bc_ok(result, operand))
            result = z3.If(result == 1, operand, result)
        return result


def make_obligation(rule, constants=()):
    """A solver that has a model exactly where the rule fails: its condition and the left side of its claim have values,
    the condition holds, and the claim does not. `constants` fixes symbols."""
    symbols = {}
    translation = Translation(symbols)
    condition, claim = translation.translate(rule.condition), translation.translate(rule.claim)
    solver = z3.Solver()
    solver.add(*translation.defined, condition, z3.Not(claim))
    for name, value in constants:
        solver.add(symbols[name] == value)
    return solver
