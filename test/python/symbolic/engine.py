"""The engine through its C functions."""

import ctypes


class Expr(ctypes.Structure):
    _fields_ = [("node", ctypes.c_void_p)]


class Engine:
    """One context. Texts in, texts and values out."""

    DYN, SYMPY = 0, 1

    def __init__(self, library):
        self.lib = ctypes.CDLL(str(library))
        for name, result, arguments in [
                ("ContextCreate", ctypes.c_void_p, []),
                ("ContextFree", None, [ctypes.c_void_p]),
                ("ContextGetError", ctypes.c_char_p, [ctypes.c_void_p]),
                ("ContextGetErrorColumn", ctypes.c_size_t, [ctypes.c_void_p]),
                ("Parse", Expr, [ctypes.c_void_p, ctypes.c_char_p]),
                ("ExprGetText", ctypes.c_char_p, [ctypes.c_void_p, Expr, ctypes.c_int]),
                ("ExprEvaluate", ctypes.c_bool, [ctypes.c_void_p, Expr, ctypes.c_void_p, ctypes.c_void_p,
                                                 ctypes.c_size_t, ctypes.c_void_p])]:
            function = getattr(self.lib, "dynSymbolic" + name)
            function.restype, function.argtypes = result, arguments
        self.context = self.lib.dynSymbolicContextCreate()

    def close(self):
        self.lib.dynSymbolicContextFree(self.context)

    def parse(self, text):
        """An expression, or None; then `error` and `column` say why."""
        expr = self.lib.dynSymbolicParse(self.context, text.encode())
        return expr if expr.node else None

    @property
    def error(self):
        return self.lib.dynSymbolicContextGetError(self.context).decode()

    @property
    def column(self):
        return self.lib.dynSymbolicContextGetErrorColumn(self.context)

    def print(self, expr, syntax=DYN):
        return self.lib.dynSymbolicExprGetText(self.context, expr, syntax).decode()

    def evaluate(self, expr, point):
        names = (ctypes.c_char_p * len(point))(*[name.encode() for name in point])
        values = (ctypes.c_int64 * len(point))(*point.values())
        result = ctypes.c_int64()
        has = self.lib.dynSymbolicExprEvaluate(self.context, expr, names, values, len(point), ctypes.byref(result))
        return result.value if has else None
