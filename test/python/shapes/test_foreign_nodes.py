"""Nodes that Dyn has no ops for do not stand in the way of the others' sizes."""

import warnings

import onnx
import pytest

from zoo.shapes import dims_of


@pytest.fixture
def shapes(dyn):
    """dyn.shapes without its warnings."""

    def shapes(model):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return dyn.shapes(model)

    return shapes


CUSTOM = """g (float[n,4] x) => (float[p,q] z, float[r,4] v)
    { a = Neg(x) y = custom.Unknown(a) z = Add(y, y) v = Concat <axis = 0> (a, x) }"""


def test_an_operator_that_nobody_knows(dyn, build):
    model = build(CUSTOM, domains=', "custom" : 1')
    with pytest.warns(match=r"'y' \(custom.Unknown\).*only what ONNX infers"):
        found = dyn.shapes(model)
    assert found.values["a"].dims == ("n", "4") and found.outputs["v"].dims == ("2 * n", "4")
    assert found.values["y"].dims is None


def test_what_the_file_says_of_such_a_node_is_kept(dyn, build):
    model = build(CUSTOM, domains=', "custom" : 1')
    model.graph.value_info.append(onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["m", 7]))
    with pytest.warns():
        inferred = dyn.infer_shapes(model)
    (y,) = [value for value in inferred.graph.value_info if value.name == "y"]
    rows, columns = dims_of(y)
    assert rows and columns in (7, "u1")
    assert dims_of(inferred.graph.output[0]) == [rows, columns]


def test_a_weight_that_is_damaged(dyn, build):
    """It has its dims all the same."""
    model = build("g (float[n,4] x) => (float[p,q] y) <float[4] w = {1, 2, 3, 4}> { a = Add(x, w) y = Neg(a) }")
    (weight,) = model.graph.initializer
    weight.ClearField("float_data")
    weight.raw_data = bytes(12)
    with pytest.warns(match="tensor 'w' has 12 bytes of data instead of the 16") as warned:
        found = dyn.shapes(model)
    assert len(warned) == 1
    assert found.outputs["y"].dims == ("n", "4")


def test_a_weight_of_a_type_that_is_not_supported(dyn, build):
    model = build("g (float[n,4] x) => (float[p,q] y) { a = custom.Mix(x, w) y = Neg(x) }", domains=', "custom" : 1')
    model.graph.initializer.append(onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT, [1], [1]))
    model.graph.initializer[0].data_type = 27
    model.graph.output.append(onnx.helper.make_tensor_value_info("a", onnx.TensorProto.FLOAT, None))
    with pytest.warns(match="'a' .custom.Mix.: tensor 'w' has elements of type 27, which is not supported"):
        found = dyn.shapes(model)
    assert found.outputs["y"].dims == ("n", "4")


def test_branches_of_equal_size(shapes, build):
    found = shapes(build("""g (float[n,4] x, bool c) => (float[p,q] y)
        { t = If (c) < then_branch = left () => (float[a,b] l) { l = Neg(x) },
                       else_branch = right () => (float[d,e] r) { r = Exp(x) } >
          y = Concat <axis = 1> (t, x) }"""))
    assert found.outputs["y"].dims == ("n", "8")


def test_branches_of_different_size(shapes, build):
    """Its first dim depends on data, and what follows from it is told in terms of it."""
    found = shapes(build("""g (float[n,4] x, float[m,4] z, bool c) => (float[p,q] y)
        { t = If (c) < then_branch = left () => (float[a,b] l) { l = Neg(x) },
                       else_branch = right () => (float[d,e] r) { r = Exp(z) } >
          y = Concat <axis = 0> (t, t) }"""))
    rows, columns = found.values["t"].dims
    assert found.symbols[rows].origin == "data, at least min(m, n), at most max(m, n)" and columns == "4"
    assert found.outputs["y"].dims == (f"2 * {rows}", "4")


def test_values_that_no_output_needs(dyn, shapes, build):
    """They have the sizes that ONNX infers, in terms of all others, and what they need is no guard."""
    model = build("""g (float[n,4] x, float[m,4] z) => (float[p,q] y)
        { y = Neg(x) a = Transpose <perm = [1, 0]> (x) b = MatMul(a, y) c = Add(x, z) d = Concat <axis = 1> (a, a) e = Shape(c) }""")
    model.graph.value_info.append(onnx.helper.make_tensor_value_info("d", onnx.TensorProto.FLOAT, ["four", "twice"]))
    found = shapes(model)
    dims = {name: value.dims for name, value in found.values.items() if value.node}
    assert dims == {"y": ("n", "4"), "a": ("4", "n"), "b": ("4", "4"), "c": ("?", "4"), "d": ("4", "?"), "e": ("2",)}
    assert found.values["a"].dtype == found.values["y"].dtype
    assert not found.guards
    written = {value.name: dims_of(value) for value in dyn.infer_shapes(model).graph.value_info}
    assert written == {"a": [4, "n"], "b": [4, 4], "c": [None, 4], "d": [4, "twice"], "e": [2]}


def test_results_of_functions_that_no_output_needs(shapes, build):
    """As of single nodes, with what the calls give: constants, sizes of operands, and attributes."""
    model = build("""g (float[n,4] x) => (float[p,q] y) <int64[1] one = {1}> { y, z, w, v = local.outer<axis = 0>(x, one) }
        <domain: "local", opset_import: ["" : 18, "local" : 1]> outer <axis> (x, one) => (y, z, w, v) {
            y, z = local.inner<axis : int = @axis>(x) k = Constant<value = int64[2] {4, -1}>() w = Reshape(z, k) v = Unsqueeze(w, one) }
        <domain: "local", opset_import: ["" : 18]> inner <axis> (x) => (y, z) { y = Neg(x) z = Concat<axis : int = @axis>(y, y) }""",
                  domains=', "local" : 1')
    found = shapes(model)
    assert {name: found.values[name].dims for name in "yzwv"} == {
        "y": ("n", "4"), "z": ("?", "4"), "w": ("4", "?"), "v": ("4", "1", "?")}
    assert not found.guards


def test_operands_that_a_call_leaves_out_are_left_out_inside(shapes, build):
    found = shapes(build("""g (float[n,4] x) => (float[p,q] y) { y = Neg(x) z = local.f(x) }
        <domain: "local", opset_import: ["" : 18]> f (x, least, most) => (z) { z = Clip(x, least, most) }""", domains=', "local" : 1'))
    assert found.values["z"].dims == ("n", "4")


def test_functions_without_opsets_have_those_of_the_model(shapes, build):
    model = build("""g (float[n,4] x) => (float[p,q] y) { y = Neg(x) z = local.f(x) }
        <domain: "local", opset_import: ["" : 18]> f (x) => (z) { z = Transpose<perm = [1, 0]>(x) }""", domains=', "local" : 1')
    del model.functions[0].opset_import[:]
    assert shapes(model).values["z"].dims == ("4", "n")


def test_of_functions_that_are_defined_twice_the_first_counts(shapes, build):
    """Wherever they are called. The second one would never end."""
    found = shapes(build("""g (float[n,4] x) => (float[p,q] y) { y = local.f(x) z = local.f(x) }
        <domain: "local", opset_import: ["" : 18]> f (x) => (z) { z = Transpose<perm = [1, 0]>(x) }
        <domain: "local", opset_import: ["" : 18, "local" : 1]> f (x) => (z) { z = local.f(x) }""", domains=', "local" : 1'))
    assert {found.values[name].dims for name in "yz"} == {("4", "n")}


def test_functions_that_call_themselves_for_what_nobody_needs(shapes, build):
    """No call of these is made, so that there is an end."""
    found = shapes(build("""g (float[n,4] x) => (float[p,q] y, float[r,s] z) { y = local.f(x) z = Neg(x) }
        <domain: "local", opset_import: ["" : 18, "local" : 1, "custom" : 1]> f (x) => (y) { y = custom.Unknown(x) z = local.f(x) }""",
                         domains=', "local" : 1, "custom" : 1'))
    assert found.outputs["y"].dims == ("u0", "u1") and found.outputs["z"].dims == ("n", "4")


def test_functions_of_which_not_all_nodes_are_known(shapes, build):
    """Of what their other nodes give is told what can be."""
    found = shapes(build("""g (float[n,4] x) => (float[p,q] y) { y, z, w, v = local.outer<k = 1>(x) }
        <domain: "local", opset_import: ["" : 18, "custom" : 1]> outer <k> (x) => (y, z, w, v) {
            y = Neg(x) u = custom.Unknown(x) z = Concat<axis = 0>(u, x) w = Transpose<perm = [1, 0]>(x)
            c = Constant<value = bool {1}>()
            v = If(c)<then_branch = t () => (a) { a = Flatten<axis : int = @k>(x) }, else_branch = e () => (b) { b = Neg(x) }> }""",
                         domains=', "local" : 1, "custom" : 1'))
    assert {name: found.values[name].dims for name in "yzwv"} == {"y": ("n", "4"), "z": None, "w": ("4", "n"), "v": ("n", "4")}


def test_such_nodes_of_functions(shapes, build):
    """Their results are not those of the call, and what they give inside is known there."""
    found = shapes(build("""g (float[n,4] x, float r, int64 t) => (float[p,q] y, float[s,u] z, float[v,w] a) { y, z, a = local.f(x, r, t) }
        <domain: "local", opset_import: ["" : 18, "ai.onnx.preview.training" : 1]> f (x, r, t) => (y, z, a) {
            y = Transpose<perm = [1, 0]>(x) z, h = ai.onnx.preview.training.Adagrad(r, t, x, x, x)
            b, c = ai.onnx.preview.training.Adagrad(r, t, y, y, y) a = Neg(b) }""", domains=', "local" : 1'))
    assert {name: found.values[name].dims for name in "yza"} == {"y": ("4", "n"), "z": ("n", "4"), "a": ("4", "n")}


def test_weights_that_only_such_values_read(shapes, build):
    """They are not imported, but have dims and elements all the same."""
    found = shapes(build("""g (float[n,4] x) => (float[p,q] y) <int64[1] c = {1}, int64[1] z = {0}, float[4,3] w = {0,0,0,0,0,0,0,0,0,0,0,0}>
        { y = Neg(x) s = Shape(x) d = Gather(s, c) u = Size(x) e = Unsqueeze(u, z) f = MatMul(x, w) }"""))
    dims = {name: value.dims for name, value in found.values.items() if value.node}
    assert dims == {"y": ("n", "4"), "s": ("2",), "d": ("1",), "u": (), "e": ("1",), "f": ("n", "3")}


def test_recurrent_layers(shapes, build):
    found = shapes(build("""g (float[seq,batch,8] x, float[1,64,8] w, float[1,64,16] r) => (float[a,b,c,d] y)
        { y = LSTM <hidden_size = 16> (x, w, r) }"""))
    assert found.outputs["y"].dims == ("seq", "1", "batch", "16")


def test_sequences(shapes, build):
    found = shapes(build("""g (float[n] x) => (float[p] y, float[q] z)
        { s = SequenceConstruct(x, x) y = ConcatFromSequence <axis = 0> (s) z = Concat <axis = 0> (x, x) }"""))
    assert found.outputs["y"].dims == found.outputs["z"].dims == ("2 * n",)


def test_sequences_that_nothing_needs_are_told_of(shapes, build):
    found = shapes(build("""g (float[n,3] x, float[m,3] y, int64 k) => (float[n,3] z, seq(float) more)
        { s = SequenceConstruct(x, y) parts = SplitToSequence<axis = 1, keepdims = 0>(x) part = SequenceAt(parts, k)
          none = SequenceEmpty() more = SequenceInsert(s, x, k) z = Neg(x) }"""))
    assert {name: (value.dims, value.dtype, value.length) for name, value in found.values.items()} == {
        "x": (("n", "3"), "f32", None), "y": (("m", "3"), "f32", None), "k": ((), "i64", None),
        "s": (("?", "3"), "f32", "2"), "parts": (("n",), "f32", "?"), "part": (("n",), "f32", None),
        "none": (None, "f32", "?"), "more": (("?", "3"), "f32", "3"), "z": (("n", "3"), "f32", None)}
    for line in ("s  sequence of [?, 3] f32, length 2", "parts  sequence of [n] f32",
                 "none  sequence of tensors of unknown rank f32"):
        assert f"  {line}\n" in str(found)


def test_data_of_loops(shapes, models_dir):
    """All nodes of a real model that has a loop between others."""
    found = shapes(models_dir / "exported/data-dependent/greedy_decode_legacy.onnx")
    assert all(value.dims is None or "?" not in value.dims for value in found.values.values())


@pytest.mark.parametrize("body", ['y = RegexFullMatch<pattern = "a">(u)', "y = EyeLike(u)", "y = ImageDecoder(u)",
                                  "y = ai.onnx.ml.LabelEncoder<keys_int64s = [1], values_int64s = [2]>(u)"])
def test_operands_without_a_type(shapes, build, body):
    """ONNX's inference of these operators reads the type of the operand, which nobody knows."""
    model = build(f"g (float[n,4] x, float u) => (float[p,q] z, float[a] y) {{ {body} z = Neg(x) }}",
                  opset=20, domains=', "ai.onnx.ml" : 4')
    model.graph.input[1].type.tensor_type.ClearField("elem_type")
    found = shapes(model)
    assert found.outputs["z"].dims == ("n", "4")


def test_more_sizes_than_a_tensor_has_dims(shapes, build):
    """ONNX's inference would make a dim of each, and take all memory."""
    found = shapes(build("""g (float[n,4] x, int64[1073741824] sizes) => (float[a,b] y, float[p,q] z)
        { y = Resize<mode = "lanczos">(x, , , sizes) z = Neg(x) }""", opset=19))
    assert found.outputs["z"].dims == ("n", "4")


def test_inputs_without_a_type_are_told_of(dyn, build):
    model = build("g (float[N] x, float[M] w) => (float[A] y, float[B] z) { y = Neg(x) z = Abs(w) }")
    model.graph.input[1].ClearField("type")
    with pytest.warns(match="input 'w' is of no known type: what is computed from it has sizes of its own"):
        inferred = dyn.shapes(model)
    assert inferred.outputs["y"].dims == ("N",) and inferred.outputs["z"].dims not in (None, ("N",), ("M",))


def test_what_is_known_of_values_outlives_such_nodes(shapes, build):
    """Branches are decided by the ops before them, of which those of a node that turns out to be foreign go again."""
    step = """o{0} = Constant<value = int64[1] {{1}}>() w{0} = Unsqueeze(x{0}, o{0}) h{0} = Shape(w{0}) a{0} = Gather(h{0}, o{0})
        c{0} = Equal(a{0}, o{0}) v{0} = If(c{0}) <then_branch = t () => (float[A, B] t{0}) {{ t{0} = Squeeze(w{0}, o{0}) }},
        else_branch = e () => (float[D, E, F] e{0}) {{ e{0} = Identity(w{0}) }}>
        f{0} = custom.Unknown(v{0}) g{0} = Hardmax(f{0}) z{0} = Hardmax(v{0}) x{1} = Exp(v{0}) """
    body = "".join(step.format(number, number + 1) for number in range(20))
    found = shapes(build(f"g (float[n,k] x0) => (float[p,q] y) {{ {body} y = Neg(x20) }}", domains=', "custom" : 1', opset=18))
    assert {found.values[f"z{number}"].dims for number in range(20)} == {("n", "k")}
