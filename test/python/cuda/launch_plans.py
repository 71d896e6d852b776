"""The host side of a module that is compiled for CUDA, evaluated at sizes: nothing else runs it yet.

Reads what the phase `target` leaves, in generic form, of the ops that the tests' models need; any other is an error.
"""

import ast
import math
import operator
import re


class Refused(Exception):
    """There is no run at these sizes."""


class _Ceilings(ast.NodeTransformer):
    """`a @ b` stands for `a ceildiv b`, whose precedence it has."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            return ast.Call(ast.Name("ceildiv", ast.Load()), [node.left, node.right], [])
        return node


def evaluate(text, symbols):
    """An expression or predicate over symbols."""
    for word, sign in (("ceildiv", "@"), ("floordiv", "//"), ("mod", "%")):
        text = text.replace(f" {word} ", f" {sign} ")
    tree = ast.fix_missing_locations(_Ceilings().visit(ast.parse(text, mode="eval")))
    functions = {"ceildiv": lambda a, b: -(-a // b), "bcast": lambda a, b: b if a == 1 else a, "max": max, "min": min}
    return eval(compile(tree, text, "eval"), {"__builtins__": functions}, symbols)


def dims_of_memref(text):
    """Dims, None where dynamic."""
    return [None if dim == "?" else int(dim) for dim in re.fullmatch(r"memref<((?:[\d?]+x)*)\w+>", text)[1].split("x")[:-1]]


def attribute(line, name, kind):
    """What is between the brackets of `name = #dyn.kind<...>`."""
    return re.search(rf"\b{name} = #dyn\.{kind}<(?:\"([^\"]*)\"|([^<>]*))>", line).expand(r"\1\2")


class HostProgram:
    def __init__(self, text):
        start = text.index('"gpu.binary"')
        end = text.index("\n", start)
        escaped = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', text[start:end])[1]
        self.ptx = re.sub(r"\\([0-9A-F]{2}|.)", lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else m[1], escaped)
        # The bits of each parameter of each kernel.
        self.parameters = {name: [int(bits) for bits in re.findall(r"\.param \.[a-z](\d+) ", declared)]
                           for name, declared in re.findall(r"\.visible \.entry (\w+)\((.*?)\)\n", self.ptx, re.DOTALL)}
        self.threads = {name: int(count) for name, count in re.findall(r"\.entry (\w+)\(.*?\.(?:max|req)ntid (\d+)", self.ptx, re.DOTALL)}
        lines = [line.strip() for line in text[:start].splitlines()]
        header = next(line for line in lines if 'sym_name = "main"' in line)
        attributes = re.findall(r"\{[^{}]*\}", re.search(r"arg_attrs = \[(.*)\], function_type", header)[1])
        # The name, dims, and whether it is an output.
        self.arguments = [(re.search(r'dyn\.name = "(\w+)"', each)[1], re.search(r"dyn\.dims<\[(.*?)\]>", each)[1],
                           "dyn.output" in each) for each in attributes]
        first = next(i for i, line in enumerate(lines) if line.startswith("^bb0("))
        self.lines = lines[first + 1:next(i for i, line in enumerate(lines) if line.startswith('"func.return"'))]

    def dims_of(self, text, symbols):
        return list(evaluate(f"({text},)", symbols)) if text else []

    def run(self, symbols, addresses, allocate, launch):
        """Calls `allocate(bytes)` for memory of its own, and `launch(kernel, grid, block, arguments)`, of which the
        error record is 0. `addresses`: of the arguments. Raises `Refused` if a check fails."""
        values = {f"%arg{i}": (address, self.dims_of(dims, symbols)) for i, (address, (_, dims, *_)) in
                  enumerate(zip(addresses, self.arguments, strict=True))}
        # Whether the branches around a line are taken.
        taken = []
        for line in self.lines:
            if line == "}, {":
                taken[-1] = not taken[-1]
            elif line.startswith("})"):
                taken.pop()
            elif line.endswith("({"):
                operand = re.fullmatch(r'"scf\.if"\((%\d+)\) \(\{', line)[1]
                # What is inside of a branch that is not taken has not been computed.
                taken.append(bool(values.get(operand)))
                taken[-1] = taken[-1] and all(taken)
            elif all(taken):
                self.run_op(line, values, symbols, allocate, launch)

    def run_op(self, line, values, symbols, allocate, launch):
        result, name, operands, rest = re.match(r'(?:(%\d+) = )?"([\w.]+)"\(([^)]*)\)(.*)', line).groups()
        v = [values[operand] for operand in operands.split(", ") if operand]
        memref = re.search(r"-> (memref<\S*>)$", rest)
        if name in ARITHMETIC:
            value = ARITHMETIC[name](*v)
        elif name == "arith.constant":
            text = re.search(r"value = (-?\w+)", rest)[1]
            value = int(text == "true" if text in ("true", "false") else text)
        elif name == "arith.cmpi":
            value = int(COMPARISONS[int(re.search(r"predicate = (\d+)", rest)[1])](*v))
        elif name == "dyn_shape.sym":
            value = symbols[re.search(r'name = "(\w+)"', rest)[1]]
        elif name in ("dyn_shape.apply", "dyn_shape.holds", "dyn_shape.check"):
            names = re.findall(r'"(\w+)"', re.search(r"names = \[(.*?)\]", rest)[1])
            text = attribute(rest, "expr", "expr") if name == "dyn_shape.apply" else attribute(rest, "predicate", "pred")
            value = int(evaluate(text, dict(zip(names, v, strict=True))))
            if name == "dyn_shape.check" and not value:
                raise Refused(text)
        elif name == "dyn_shape.arena":
            value = (allocate(v[0]), [v[0]])
        elif name in ("memref.view", "memref.expand_shape", "memref.collapse_shape"):
            dims = dims_of_memref(memref[1])
            address, old = v[0]
            sizes = v[2:] if name == "memref.view" else v[1:]
            if name == "memref.view":
                address += v[1]
            elif name == "memref.collapse_shape":
                groups = ast.literal_eval(re.search(r"reassociation = (\[.*?\])\}", rest)[1])
                sizes = [math.prod(old[i] for i in group) for group, dim in zip(groups, dims, strict=True) if dim is None]
            sizes = iter(sizes)
            value = (address, [next(sizes) if dim is None else dim for dim in dims])
        elif name == "gpu.launch_func":
            kernel = re.search(r"kernel = @\w+::@(\w+)", rest)[1]
            segments = re.search(r"operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, (\d+), 0>", rest)
            assert len(v) == 6 + int(segments[1]), line
            launch(kernel, v[:3], v[3:6], v[6:])
        elif name != "scf.yield":
            raise NotImplementedError(line)
        if result:
            values[result] = value


# By the numbers of arith's predicates, of which unsigned ones come last.
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
ARITHMETIC = {
    **dict.fromkeys(("arith.index_cast", "arith.index_castui", "llvm.inttoptr"), lambda a: a),
    "arith.addi": lambda a, b: a + b, "arith.muli": lambda a, b: a * b, "arith.divui": lambda a, b: a // b,
    "arith.maxsi": max, "arith.minsi": min, "arith.andi": lambda a, b: a & b, "arith.ori": lambda a, b: a | b,
    "memref.extract_aligned_pointer_as_index": lambda a: a[0], "llvm.mlir.zero": lambda: 0,
}
