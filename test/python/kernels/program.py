"""Small dyn programs written beside what numpy computes, to be compiled once and run at many sizes."""

import warnings

import numpy as np

ELEMENT_TYPES = {
    "i1": np.bool_, "i8": np.int8, "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui32": np.uint32,
    "f16": np.float16, "f32": np.float32, "f64": np.float64,
}


def broadcast_size(*sizes):
    return next((size for size in sizes if size != 1), 1)


def evaluate(dims, sizes):
    """The numbers that dims, integers or expressions, stand for."""
    scope = {**sizes, "bcast": broadcast_size}
    return tuple(dim if isinstance(dim, int) else eval(dim, {}, scope) for dim in dims)


class Value:
    def __init__(self, name, dims, element, compute):
        self.name, self.dims, self.element, self.compute = name, list(dims), element, compute

    @property
    def type(self):
        shape = "".join(f"{dim}x" if isinstance(dim, int) else "?x" for dim in self.dims)
        is_static = all(isinstance(dim, int) for dim in self.dims)
        encoding = "" if is_static else f", #dyn.dims<[{', '.join(map(str, self.dims))}]>"
        return f"tensor<{shape}{self.element}{encoding}>"


class Program:
    """A function under construction. `compute` functions get the operands' arrays and the result's shape."""

    def __init__(self, **symbols):
        self.symbols, self.arguments, self.lines, self.results, self.count = symbols, [], [], [], 0
        self.files = {}

    def argument(self, dims, element="f32", make=None):
        """`make(generator, shape)` gives values; the default is normally distributed or small integers."""
        value = Value(f"%a{len(self.arguments)}", dims, element, make)
        self.arguments.append(value)
        return value

    def emit(self, text, dims, element, compute, operands=()):
        self.count += 1
        value = Value(f"%v{self.count}", dims, element,
                      lambda memo, sizes: compute(*[self._get(o, memo, sizes) for o in operands], evaluate(dims, sizes)))
        self.lines.append(f"{value.name} = dyn.{text.replace('{result}', value.type)}")
        return value

    def constant(self, value, element="f32"):
        array = np.asarray(value, ELEMENT_TYPES[element])
        text = f"{array.item():e}" if element.startswith("f") else str(array.item()).lower()
        return self.emit(f"constant dense<{text}> : {{result}}", [], element, lambda shape: array)

    def weight(self, dims, element="f32"):
        """Constant data in a file of its own."""
        name = f"w{len(self.files)}.bin"
        generator = np.random.default_rng(len(self.files))
        array = generator.standard_normal(dims).astype(ELEMENT_TYPES[element])
        self.files[name] = array.tobytes()
        return self.emit(f'constant #dyn.weight<"{name}", 0, {array.nbytes}> : {{result}}', dims, element,
                         lambda shape: array)

    def op(self, name, operands, dims, compute, element=None, attributes=""):
        """An op that prints its operands, then its attributes, then its functional type."""
        names = ", ".join(operand.name for operand in operands)
        types = ", ".join(operand.type for operand in operands)
        return self.emit(f"{name} {names} {attributes}: ({types}) -> {{result}}", dims, element or operands[0].element,
                         compute, operands)

    def elementwise(self, name, *operands, compute, dims=None, element=None, attributes=""):
        return self.op(name, operands, operands[0].dims if dims is None else dims, lambda *a: compute(*a[:-1]), element,
                       attributes)

    def add(self, lhs, rhs, dims=None):
        return self.elementwise("add", lhs, rhs, compute=np.add, dims=dims)

    def mul(self, lhs, rhs, dims=None):
        return self.elementwise("mul", lhs, rhs, compute=np.multiply, dims=dims)

    def sub(self, lhs, rhs, dims=None):
        return self.elementwise("sub", lhs, rhs, compute=np.subtract, dims=dims)

    def div(self, lhs, rhs, dims=None):
        return self.elementwise("div", lhs, rhs, compute=np.divide, dims=dims)

    def exp(self, operand):
        return self.elementwise("exp", operand, compute=np.exp)

    def cast(self, operand, element):
        return self.elementwise("cast", operand, compute=lambda a: a.astype(ELEMENT_TYPES[element]), element=element)

    def matmul(self, lhs, rhs, dims):
        return self.op("matmul", [lhs, rhs], dims, lambda a, b, shape: np.asarray(a @ b, a.dtype))

    def reshape(self, operand, dims):
        return self.emit(f"reshape {operand.name} : {operand.type} to {{result}}", dims, operand.element,
                         lambda a, shape: a.reshape(shape), [operand])

    def transpose(self, operand, perm):
        return self.op("transpose", [operand], [operand.dims[i] for i in perm], lambda a, shape: a.transpose(perm),
                       attributes=f"perm {list(perm)} ")

    def reduce(self, kind, operand, axes, keep=True):
        rank = len(operand.dims)
        axes = [axis % rank for axis in axes]
        dims = [1 if i in axes else dim for i, dim in enumerate(operand.dims) if keep or i not in axes]
        initial = {"max": {"initial": -np.inf}, "min": {"initial": np.inf}}.get(kind, {})

        def compute(a, shape):
            return getattr(np, kind)(a, axis=tuple(axes), keepdims=keep, **initial).astype(a.dtype)

        return self.op(f"reduce {kind}", [operand], dims, compute,
                       attributes=f"axes {axes} {'keep_dims ' if keep else ''}")

    def require(self, predicate, because):
        self.lines.append(f'dyn.require {predicate} because "{because}"')

    def give(self, *values):
        self.results.extend(values)

    def __str__(self):
        def sign(values, prefix):
            return [f'{value.type} {{dyn.name = "{prefix}{i}"}}' for i, value in enumerate(values)]

        arguments = ", ".join(f"%a{i}: {text}" for i, text in enumerate(sign(self.arguments, "in")))
        symbols = ", ".join(f"{name}: {facts}" for name, facts in self.symbols.items())
        attributes = f"attributes {{dyn.symbols = #dyn.symbols<{symbols}>}} " if symbols else ""
        body = "".join(f"  {line}\n" for line in self.lines)
        names, types = (", ".join(getattr(v, field) for v in self.results) for field in ("name", "type"))
        return (f"func.func @main({arguments}) -> ({', '.join(sign(self.results, 'out'))}) {attributes}{{\n{body}"
                f"  return {names} : {types}\n}}\n")

    def make_inputs(self, seed, sizes):
        generator = np.random.default_rng(seed)

        def make(argument):
            shape, dtype = evaluate(argument.dims, sizes), ELEMENT_TYPES[argument.element]
            if argument.compute:
                return np.asarray(argument.compute(generator, shape), dtype)
            if dtype == np.bool_:
                return generator.random(shape) > 0.5
            if np.issubdtype(dtype, np.integer):
                return generator.integers(0 if dtype(0) - 1 > 0 else -9, 9, shape).astype(dtype)
            return generator.standard_normal(shape).astype(dtype)

        return [make(argument) for argument in self.arguments]

    def _get(self, value, memo, sizes):
        if value.name not in memo:
            memo[value.name] = value.compute(memo, sizes)
        return memo[value.name]

    def compute(self, inputs, sizes):
        memo = {argument.name: array for argument, array in zip(self.arguments, inputs)}
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numpy warns of means over nothing
            return [self._get(value, memo, sizes) for value in self.results]
