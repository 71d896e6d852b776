"""Small models with sequences and optionals, as ONNX text: `name: (opset, inputs, outputs, body)`."""

AT = "zero = Constant<value = int64 {0}>() last = Constant<value = int64 {-1}>() "
X = "float[N, C] x"

CASES = {
    "construct-at": (18, X, "y", AT + "a = Exp(x) s = SequenceConstruct(x, a) y = SequenceAt(s, last)"),
    "construct-concat": (18, X, "y", "a = Exp(x) s = SequenceConstruct(x, a) y = ConcatFromSequence<axis = -1>(s)"),
    "construct-stack": (18, X, "y", "a = Exp(x) s = SequenceConstruct(x, a, x) y = ConcatFromSequence<axis = -1, new_axis = 1>(s)"),
    "empty-insert": (18, X, "y, n", AT + "e = SequenceEmpty() a = Exp(x) s = SequenceInsert(e, x) t = SequenceInsert(s, a, zero) "
                     "b = Neg(x) u = SequenceInsert(t, b, last) n = SequenceLength(u) y = ConcatFromSequence<axis = 0>(u)"),
    "erase": (18, X, "y", AT + "a = Exp(x) s = SequenceConstruct(x, a, a) t = SequenceErase(s, zero) u = SequenceErase(t) "
              "y = SequenceAt(u, zero)"),
    "split-ones": (18, "float[N, 3] x", "y", AT + "s = SplitToSequence<axis = 1>(x) y = SequenceAt(s, last)"),
    "split-squeezed": (18, "float[N, 3] x", "y", "s = SplitToSequence<axis = -1, keepdims = 0>(x) y = ConcatFromSequence<axis = 0>(s)"),
    "split-chunks": (18, "float[N, 5] x", "y", AT + "two = Constant<value = int64 {2}>() s = SplitToSequence<axis = 1>(x, two) "
                     "y = SequenceAt(s, last)"),
    "split-sizes": (18, "float[N, 5] x", "y, n", AT + "p = Constant<value = int64[3] {1, 0, 4}>() s = SplitToSequence<axis = 1>(x, p) "
                    "y = SequenceAt(s, last) n = SequenceLength(s)"),
    "split-half": (18, X, "y", AT + "d = Shape<start = 0, end = 1>(x) two = Constant<value = int64[1] {2}>() h = Div(d, two) "
                   "r = Sub(d, h) p = Concat<axis = 0>(h, r) s = SplitToSequence(x, p) y = SequenceAt(s, zero)"),
    "map": (18, X + ", float[C] z", "y", "a = Exp(x) s = SequenceConstruct(x, a) "
            "t = SequenceMap<body = b (float[A, B] u, float[D] w) => (float[E, F] v) { v = Mul(u, w) }>(s, z) "
            "y = ConcatFromSequence<axis = 0>(t)"),
    "optional": (18, X, "y, h", "o = Optional(x) y = OptionalGetElement(o) h = OptionalHasElement(o)"),
    "optional-of-sequence": (18, X, "y", AT + "s = SequenceConstruct(x) o = Optional(s) t = OptionalGetElement(o) y = SequenceAt(t, zero)"),
    "no-optional": (18, X, "y, h", "y = Neg(x) h = OptionalHasElement()"),
    "in-a-loop": (18, X, "y", AT + "a = Exp(x) s = SequenceConstruct(x, a) m = Constant<value = int64 {2}>() go = Constant<value = bool {1}>() "
                  "y = Loop(m, go, x) <body = b (int64 i, bool k, float[A, B] p) => (bool q, float[D, E] n) "
                  "{ q = Identity(k) l = Constant<value = int64 {-1}>() f = SequenceAt(s, l) n = Add(p, f) }>"),
}

# What is refused, and what is said.
REFUSED = {
    "sequence-output": (18, X, "s", "s = SequenceConstruct(x)", "'s', a sequence, where only tensors are supported"),
    "sequence-for-a-tensor": (18, X, "y", "s = SequenceConstruct(x) y = Neg(s)",
                              r"node '/Neg_1' \(Neg\) reads 's', a sequence, where only tensors are supported"),
    "tensor-for-a-sequence": (18, X, "y", "y = ConcatFromSequence<axis = 0>(x)", "operand 0, 'x', is a tensor, which the operator does not take"),
    "position-out-of-range": (18, X, "y", "p = Constant<value = int64 {1}>() s = SequenceConstruct(x) y = SequenceAt(s, p)",
                              "position 1 is out of range for 1"),
    "position-from-data": (18, X + ", int64 p", "y", "s = SequenceConstruct(x, x) y = SequenceAt(s, p)",
                           "'p', must be an integer constant"),
    "count-from-sizes": (18, X, "y", "z = Constant<value = int64 {0}>() s = SplitToSequence(x) y = SequenceAt(s, z)",
                         "the number of parts is not known at import, as dim 0 of operand 0, 'x', is not"),
    "nothing-to-concat": (18, X, "y", "s = SequenceEmpty() y = ConcatFromSequence<axis = 0>(s)", "a sequence without tensors has no dims"),
    "empty-optional": (18, X, "y", "o = Optional<type = float[N]>() y = OptionalGetElement(o)",
                       "an optional without an element is not supported"),
    "mixed-elements": (18, X + ", int64[N] z", "y", "s = SequenceConstruct(x, z) n = SequenceLength(s) y = Cast<to = 1>(n)",
                       "operands have different element types"),
}
