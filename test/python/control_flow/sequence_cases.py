"""Small models with sequences and optionals, as ONNX text: `name: (opset, inputs, outputs, body)`."""

AT = "zero = Constant<value = int64 {0}>() last = Constant<value = int64 {-1}>() "
X = "float[N, C] x"

# `v` has four columns, though the file does not say so: rows, and sizes of it, are made of those of `x`.
FOUR = ("b = Shape<start = 0, end = 1>(x) zero = Constant<value = int64[1] {0}>() four = Constant<value = int64[1] {4}>() "
        "one = Constant<value = int64[1] {1}>() row = Constant<value = float[1, 4] {1.0, 2.0, 3.0, 4.0}>() "
        "e = Concat<axis = 0>(b, four) r = Expand(row, e) z = Constant<value = int64[1, 4] {0, 0, 0, 0}>() i = Expand(z, e) ")
BEHIND = {
    "tile": "t = Concat<axis = 0>(b, one) v = Tile(row, t)",
    "expand": "v = Identity(r)",
    "reshape": "m = Constant<value = int64[1] {-1}>() t = Concat<axis = 0>(m, four) v = Reshape(r, t)",
    "pad": "t = Concat<axis = 0>(zero, zero, b, zero) v = Pad(row, t)",
    "slice": "v = Slice(r, zero, b, zero)",
    "constant-of-shape": "v = ConstantOfShape(e)",
    "gather-elements": "j = ConstantOfShape<value = int64[1] {1}>(e) v = GatherElements<axis = 1>(r, j)",
    "scatter-elements": "j = ConstantOfShape<value = int64[1] {1}>(e) v = ScatterElements<axis = 1, reduction = \"add\">(r, j, r)",
    "top-k": "v, k = TopK(r, four)",
    "cumsum": "l = Squeeze(one) v = CumSum(r, l)",
    "reduce-mean": "u = Unsqueeze(r, zero) v = ReduceMean<keepdims = 0>(u, zero)",
    "flatten": "v = Flatten(r)",
    "trilu": "v = Trilu(r)",
}

CASES = {
    **{f"split-behind-{name}": (18, X, "y", FOUR + body + " s = SplitToSequence<axis = 1>(v) y = ConcatFromSequence<axis = 1>(s)")
       for name, body in BEHIND.items()},
    # The number of the sizes is one that the model computes.
    "split-at-sizes-behind-expand": (18, "float[N, 6] x", "y, n", "f = Shape(x) r = Shape(f) two = Constant<value = int64 {2}>() "
                                     "p = Expand(two, r) q = Concat<axis = 0>(p, r) s = SplitToSequence<axis = 1>(x, q) "
                                     "y = ConcatFromSequence<axis = 1>(s) n = SequenceLength(s)"),
    "construct-at": (18, X, "y", AT + "a = Exp(x) s = SequenceConstruct(x, a) y = SequenceAt(s, last)"),
    "construct-concat": (18, X, "y", "a = Exp(x) s = SequenceConstruct(x, a) y = ConcatFromSequence<axis = -1>(s)"),
    "construct-stack": (18, X, "y", "a = Exp(x) s = SequenceConstruct(x, a, x) y = ConcatFromSequence<axis = -1, new_axis = 1>(s)"),
    "empty-insert": (18, X, "y, n", AT + "e = SequenceEmpty() a = Exp(x) s = SequenceInsert(e, x) t = SequenceInsert(s, a, zero) "
                     "b = Neg(x) u = SequenceInsert(t, b, last) n = SequenceLength(u) y = ConcatFromSequence<axis = 0>(u)"),
    "erase": (18, X, "y", AT + "a = Exp(x) s = SequenceConstruct(x, a, a) t = SequenceErase(s, zero) u = SequenceErase(t) "
              "y = SequenceAt(u, zero)"),
    "split-ones": (18, "float[N, 3] x", "y", AT + "s = SplitToSequence<axis = 1>(x) y = SequenceAt(s, last)"),
    "split-squeezed": (18, "float[N, 3] x", "y", "s = SplitToSequence<axis = -1, keepdims = 0>(x) y = ConcatFromSequence<axis = 0>(s)"),
    # As PyTorch writes `unbind`, and onnxruntime reads it.
    "unbind": (18, "float[N, 3] x", "y", AT + "one = Constant<value = int64 {1}>() "
               "s = SplitToSequence<axis = 1, keepdims = 0>(x, one) y = SequenceAt(s, last)"),
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
    "optional-17": (17, X, "y, h", "o = Optional(x) y = OptionalGetElement(o) h = OptionalHasElement(o)"),
    "no-optional": (18, X, "y, h", "y = Neg(x) h = OptionalHasElement()"),
    "in-a-loop": (18, X, "y", AT + "a = Exp(x) s = SequenceConstruct(x, a) m = Constant<value = int64 {2}>() go = Constant<value = bool {1}>() "
                  "y = Loop(m, go, x) <body = b (int64 i, bool k, float[A, B] p) => (bool q, float[D, E] n) "
                  "{ q = Identity(k) l = Constant<value = int64 {-1}>() f = SequenceAt(s, l) n = Add(p, f) }>"),
}

# Of which only a run tells the lengths: interpreted, not compiled. Inputs are lists of arrays, or None.
SEQ = "seq(float[A, B]) s"
ZERO = "zero = Constant<value = int64 {0}>() "
AT_RUN = {
    "position-from-data": (18, X + ", int64 p", "y", "s = SequenceConstruct(x, x) y = SequenceAt(s, p)"),
    "count-from-sizes": (18, X, "y, n", ZERO + "s = SplitToSequence(x) y = ConcatFromSequence<axis = 0>(s) n = SequenceLength(s)"),
    "unbind": (18, X, "y, n", "one = Constant<value = int64 {1}>() s = SplitToSequence<axis = 0, keepdims = 0>(x, one) "
               "y = ConcatFromSequence<axis = 0, new_axis = 1>(s) n = SequenceLength(s)"),
    "split-at-data": (18, "float[N, 7] x, int64[K] p", "y", ZERO + "s = SplitToSequence<axis = 1>(x, p) y = SequenceAt(s, zero)"),
    "split-in-chunks-of-data": (18, "float[N, 7] x, int64 p", "y", "l = Constant<value = int64 {-1}>() "
                                "s = SplitToSequence<axis = 1>(x, p) y = SequenceAt(s, l)"),
    "input": (18, SEQ + ", int64 p", "y, n", "y = SequenceAt(s, p) n = SequenceLength(s)"),
    "insert": (18, SEQ + ", int64 p, float[A, B] x", "y", "t = SequenceInsert(s, x, p) y = ConcatFromSequence<axis = 0>(t)"),
    "append": (18, SEQ + ", float[A, B] x", "y", "t = SequenceInsert(s, x) y = ConcatFromSequence<axis = 1, new_axis = 1>(t)"),
    "erase": (18, SEQ + ", int64 p", "y", "t = SequenceErase(s, p) y = ConcatFromSequence<axis = -1>(t)"),
    "output": (18, X, "s", "a = Exp(x) s = SequenceConstruct(x, a)"),
    "if": (18, X + ", bool c", "y", "s = If(c) <then_branch = a () => (seq(float[P, Q]) u) { n = Neg(x) u = SequenceConstruct(x, n) }, "
           "else_branch = b () => (seq(float[R, T]) v) { v = SequenceConstruct(x) }> y = ConcatFromSequence<axis = 0>(s)"),
    "loop": (18, X + ", int64 m", "y, n", "go = Constant<value = bool {1}>() e = SequenceConstruct(x) "
             "s = Loop(m, go, e) <body = b (int64 i, bool k, seq(float[P, Q]) u) => (bool q, seq(float[R, T]) v) "
             "{ q = Identity(k) z = Constant<value = int64 {-1}>() l = SequenceAt(u, z) w = Exp(l) v = SequenceInsert(u, w) }> "
             "n = SequenceLength(s) y = ConcatFromSequence<axis = 0>(s)"),
    "rows-of-a-loop": (18, X, "y", ZERO + "h = Shape<start = 0, end = 1>(x) n = Squeeze(h) go = Less(zero, n) e = SequenceEmpty() "
                       "one = Constant<value = int64 {1}>() first = Constant<value = int64[1] {0}>() "
                       "s, k = Loop(, go, e, zero) <body = b (int64 i, bool on, seq(float[P, Q]) u, int64 j) => "
                       "(bool q, seq(float[R, T]) v, int64 l) { l = Add(j, one) q = Less(l, n) r = Gather(x, j) "
                       "w = Unsqueeze(r, first) v = SequenceInsert(u, w) }> y = ConcatFromSequence<axis = 0>(s)"),
    "slices-of-a-loop": (18, X, "y", ZERO + "h = Shape<start = 0, end = 1>(x) n = Squeeze(h) go = Less(zero, n) e = SequenceEmpty() "
                         "first = Constant<value = int64[1] {0}>() "
                         "s, k = Loop(, go, e, zero) <body = b (int64 i, bool on, seq(float[P, Q]) u, int64 j) => "
                         "(bool q, seq(float[R, T]) v, int64 l) { one = Constant<value = int64 {1}>() l = Add(j, one) q = Less(l, n) "
                         "f = Unsqueeze(j, first) t = Unsqueeze(l, first) w = Slice(x, f, t, first) v = SequenceInsert(u, w) }> "
                         "y = ConcatFromSequence<axis = 0>(s)"),
    "map": (18, SEQ + ", float[B] z", "y", "t = SequenceMap<body = b (float[A, B] u, float[B] w) => (float[E, F] v) "
            "{ v = Mul(u, w) }>(s, z) y = ConcatFromSequence<axis = 0>(t)"),
    "optional": (18, "optional(float[A, B]) o", "h", "h = OptionalHasElement(o)"),
    "optional-sequence": (18, "optional(seq(float[A, B])) o", "y", ZERO + "s = OptionalGetElement(o) y = SequenceAt(s, zero)"),
}

# What is refused, and what is said.
REFUSED = {
    "sequence-for-a-tensor": (18, X, "y", "s = SequenceConstruct(x) y = Neg(s)",
                              r"node '/Neg_1' \(Neg\): operand 0, 's', is no tensor"),
    "tensor-for-a-sequence": (18, X, "y", "y = ConcatFromSequence<axis = 0>(x)", "operand 0, 'x', is a tensor, which the operator does not take"),
    "position-out-of-range": (18, X, "y", "p = Constant<value = int64 {1}>() s = SequenceConstruct(x) y = SequenceAt(s, p)",
                              "position 1 is out of range for 1"),
    "nothing-to-concat": (18, X, "y", "s = SequenceEmpty() y = ConcatFromSequence<axis = 0>(s)", "a sequence without tensors has no dims"),
    "mixed-elements": (18, X + ", int64[N] z", "y", "s = SequenceConstruct(x, z) n = SequenceLength(s) y = Cast<to = 1>(n)",
                       "operands have different element types"),
    "mixed-insert": (18, SEQ + ", int64[N] z", "t", "t = SequenceInsert(s, z)", "the tensor has elements of another type than the sequence"),
    "sequence-in-a-sequence": (18, SEQ, "t", "t = SequenceConstruct(s)", "operand 0, 's', is no tensor"),
    "tensor-and-sequence-branches": (18, X + ", bool c", "y", "s = If(c) <then_branch = a () => (u) { u = SequenceConstruct(x) }, "
                                     "else_branch = b () => (v) { v = Neg(x) }> y = Identity(s)", "in one branch"),
}

# Refused by a run: inputs, and what is said.
REFUSED_AT_RUN = {
    "position": (*AT_RUN["input"], {"s": 2, "p": 2}, "position 2 is out of range for 2"),
    "erase-of-nothing": (*AT_RUN["erase"], {"s": 0, "p": 0}, "there is no tensor to erase"),
    "join-of-nothing": (*AT_RUN["map"], {"s": 0, "z": None}, "a sequence without tensors has no dims"),
    "empty-optional": (18, X, "y", "o = Optional<type = float[N]>() y = OptionalGetElement(o)", {"x": None},
                       "there is nothing in the optional"),
}
