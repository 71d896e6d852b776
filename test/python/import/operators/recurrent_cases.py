"""Recurrent networks in all their forms, for operator_cases.py."""

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def case(op, attributes="", directions=1, bias=False, lengths=False, states=False, peepholes=False, layout=0, opset=14):
    """One node, with 3 hidden elements. Lengths are made of data: not all are the same, and none is negative."""
    rows, hidden = 3 * GATES[op], 3
    inputs = ["float[S, N, C] x" if layout == 0 else "float[N, S, C] x", f"float[{directions}, {rows}, C] w",
              f"float[{directions}, {rows}, {hidden}] r"]
    operands, body = ["x", "w", "r"], ""
    if bias:
        inputs.append(f"float[{directions}, {2 * rows}] b")
    operands.append("b" if bias else "")
    if lengths:
        inputs.append("float[N] l")
        body += ("d = Shape(x) i = Constant<value_ints = [%d]>() steps = Gather(d, i) a = Cast<to = 7>(l) "
                 "p = Abs(a) m = Min(p, steps) n = Cast<to = 6>(m) " % layout)
    operands.append("n" if lengths else "")
    state = f"float[{directions}, N, {hidden}]" if layout == 0 else f"float[N, {directions}, {hidden}]"
    names = ["h", "c"] if op == "LSTM" else ["h"]
    if states:
        inputs += [f"{state} {name}" for name in names]
    operands += names if states else [""] * len(names)
    if peepholes:
        inputs.append(f"float[{directions}, {3 * hidden}] p3")
        operands.append("p3")
    while not operands[-1]:
        operands.pop()
    outputs = "y, yh, yc" if op == "LSTM" else "y, yh"
    listed = [f"hidden_size = {hidden}"] + ([attributes] if attributes else []) + ([f"layout = {layout}"] if layout else [])
    return opset, ", ".join(inputs), outputs, body + f"{outputs} = {op}<{', '.join(listed)}>({', '.join(operands)})"


def all_forms(op):
    functions = {"RNN": 1, "GRU": 2, "LSTM": 3}[op]
    several = ['"HardSigmoid"', '"Relu"', '"Softsign"'][:functions]
    with_parameters = ['"LeakyRelu"', '"ScaledTanh"', '"Affine"'][-functions:]
    others = ['"Softplus"', '"Elu"', '"HardSigmoid"'][:functions]
    forms = {
        op: case(op),
        f"{op}-7": case(op, bias=True, opset=7),
        f"{op}-all": case(op, bias=True, states=True, lengths=True),
        f"{op}-reverse": case(op, 'direction = "reverse"', bias=True, states=True, lengths=True),
        f"{op}-both-directions": case(op, 'direction = "bidirectional"', directions=2, bias=True, states=True, lengths=True),
        f"{op}-both-directions-alone": case(op, 'direction = "bidirectional"', directions=2),
        f"{op}-clip": case(op, "clip = 0.3", bias=True),
        f"{op}-activations": case(op, f"activations = [{', '.join(several)}]"),
        f"{op}-activations-with-parameters":
            case(op, f"activations = [{', '.join(with_parameters)}], activation_alpha = [0.1, 0.2, 0.3], "
                     "activation_beta = [0.5, 0.4]"),
        f"{op}-activations-with-defaults": case(op, f"activations = [{', '.join(others)}], clip = 3.0"),
        f"{op}-one-result": (14, "float[S, N, C] x, float[1, %d, C] w, float[1, %d, 3] r" % (3 * GATES[op], 3 * GATES[op]),
                             "yh", f", yh = {op}<hidden_size = 3>(x, w, r)"),
    }
    if op == "RNN":
        # The default of ONNX, 1, is not that of onnxruntime.
        forms["RNN-thresholded"] = case(op, 'activations = ["ThresholdedRelu"], activation_alpha = [0.4]')
    if op == "GRU":
        forms["GRU-linear-before-reset"] = case(op, "linear_before_reset = 1", bias=True, states=True)
        forms["GRU-linear-before-reset-no-bias"] = case(op, "linear_before_reset = 1, clip = 0.5", states=True)
    if op == "LSTM":
        forms["LSTM-peepholes"] = case(op, bias=True, states=True, peepholes=True)
        forms["LSTM-input-forget"] = case(op, "input_forget = 1", bias=True, states=True)
    return forms


CASES = {name: form for op in GATES for name, form in all_forms(op).items()}
