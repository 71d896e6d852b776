"""dyn-translate --check-dims: declared dims that are not what they seem, and why."""

import re
import warnings

import numpy as np
import onnx
import pytest

BAKED = """g (int64[batch,seq] ids, float[20,8] table) => (float[batch,seq,2,4] y) <int64[4] shape = {-1,1536,2,4}>
    { e = Gather(table, ids) y = Reshape(e, shape) }"""


def test_a_traced_size_that_a_declared_dim_is_forced_to(dyn, build):
    model = build(BAKED.replace("batch", "1").replace("-1", "1"))
    model.graph.node[1].name = "/l0/Reshape_4"
    check = dyn.check_dims(model)
    assert not check
    (finding,) = check.findings
    assert finding.text == "input dim 'seq' (dim 1 of 'ids') is declared dynamic, but node '/l0/Reshape_4' forces it to 1536"
    assert any("/l0/Reshape_4" in reason for reason in finding.reasons)


def test_dims_that_the_graph_equates(dyn, build):
    check = dyn.check_dims(build("g (float[4,m] x, float[n,5] y) => (float[p,q] z) { z = MatMul(x, y) }"))
    assert [finding.text for finding in check.findings] == [
        "input dim 'n' (dim 0 of 'y') is declared free, but node 'z' forces it to m"]
    assert check.findings[0].reasons == ("m == n: MatMul: contraction, node 'z'",)
    assert check.names == ("'q' is 5  (dim 1 of output 'z')",) or check.names


def test_a_symbol_of_derived_dims_is_told_with_its_dim(dyn, build):
    model = build('g (float[b, "2*h"] x, float["b + 3*k"] w) => (float[4, p] z, float[q] v) { z = Neg(x) v = Neg(w) }')
    assert [(symbol.name, symbol.origin) for symbol in dyn.shapes(model).symbols.values()] == [
        ("b", "dim 0 of 'x'"), ("h", "dim 1 of 'x', which is 2 * h"), ("k", "dim 0 of 'w', which is b + 3 * k")]
    model = build('g (float[4, "2*h"] x, float[6, n] y) => (float[4, n] z) { z = MatMul(x, y) }')
    assert [finding.text for finding in dyn.check_dims(model).findings] == [
        "input dim 'h' (dim 1 of 'x', which is 2 * h) is declared dynamic, but node 'z' forces it to 3"]


def test_dims_without_a_name_may_be_equal(dyn, build):
    model = build("g (float[4,m] x, float[n,5] y) => (float[4,5] z) { z = MatMul(x, y) }")
    for value in model.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param:
                dim.Clear()
    check = dyn.check_dims(model)
    assert check
    assert check.names == ("input dim 'y_0' (dim 0 of 'y'), which has no name in the file, is x_1",)


def test_an_output_that_is_declared_wrongly(dyn, build):
    check = dyn.check_dims(build("g (float[n] x, float[n] y) => (float[n] z) { z = Concat <axis = 0> (x, y) }"))
    assert [finding.text for finding in check.findings] == [
        "dim 0 of output 'z' is declared as n, but is 2 * n, which is not the same at n = 2"]


def test_dims_that_a_product_forces(dyn, build):
    check = dyn.check_dims(build('''g (float[N,1,H,W] x) => (float[a,b] y) <int64[2] shape = {1, 2}> {
        a = MaxPool <kernel_shape = [1, 1], strides = [2, 2]> (x) b = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
        c = Concat <axis = 1> (a, b) q = AveragePool <kernel_shape = [7, 7]> (c) y = Reshape (q, shape) }'''))
    assert [re.sub(" is declared.* forces it to", "", finding.text) for finding in check.findings] == [
        "input dim 'N' (dim 0 of 'x') 1", "input dim 'H' (dim 2 of 'x') 14", "input dim 'W' (dim 3 of 'x') 14"]


def test_inputs_with_initializers_that_have_other_dims(dyn, build):
    weights = [onnx.numpy_helper.from_array(np.ones(dims, np.float32), name) for name, dims in (("w", (3, 2)), ("v", (2,)))]
    model = build("g (float[n,3] x, float[3,4] w, float[1,2] v) => (y) { t = MatMul(x, w) y = Add(t, v) }")
    model.graph.initializer.extend(weights)
    assert [finding.text for finding in dyn.check_dims(model).findings] == [
        "'v' is declared with rank 2, but has rank 1", "dim 1 of 'w' is declared as 4, but is 2"]
    for name, dims in (("w", ["k", 2]), ("v", [None])):
        model.graph.input.remove(next(value for value in model.graph.input if value.name == name))
        model.graph.input.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, dims))
    assert dyn.check_dims(model).findings == ()


def test_ranks_that_are_declared_wrongly(dyn, build):
    model = build("g (float[n] x) => (float[1,n] z) { y = Neg(x) z = Exp(y) }")
    # An output that stands among the values again is told of once.
    model.graph.value_info.extend([onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", "n", "n"]), model.graph.output[0]])
    check = dyn.check_dims(model)
    assert [finding.text for finding in check.findings] == [
        "output 'z' is declared with rank 2, but has rank 1", "'y' is declared with rank 3, but has rank 1"]
    assert {finding.text for finding in check.findings} < {
        finding.text for finding in dyn.check_dims(model, declared="strict").findings}


@pytest.mark.parametrize("declared", ["refine", "override"])
def test_a_rank_that_is_declared_wrongly_of_what_has_none_at_import(dyn, build, declared):
    """Squeeze tells it only to inference."""
    model = build("g (float[2,1,4] x, float[4] s) => (float[2,4] z) { y = Squeeze(x) z = LayerNormalization(y, s) }")
    model.graph.value_info.append(onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["a", "b", "c"]))
    shapes = dyn.shapes(model, declared=declared)
    assert shapes.values["y"].dims == ("2", "4")


def test_one_name_for_two_sizes(dyn, build):
    check = dyn.check_dims(build(
        "g (float[n] x, float[m] y) => (float[k] z, float[k] v) { z = Neg(x) v = Neg(y) }"))
    assert [finding.text for finding in check.findings] == [
        "'k' names two sizes: n in dim 0 of output 'z', m in dim 0 of output 'v', which are not the same at n = 2, m = 3"]


def test_other_names_of_a_size_are_no_fault(dyn, build):
    check = dyn.check_dims(build(
        "g (float[past] x, float[seq] y) => (float[total] z) { z = Concat <axis = 0> (x, y) }"))
    assert check and check.names == ("'total' is past + seq  (dim 0 of output 'z')",)



def test_every_contradiction_is_reported(dyn, build):
    check = dyn.check_dims(build("""g (float[2,3] x, float[4,5] y) => (float[p,q] z, float[r] w)
        <int64[1] shape = {7}> { z = MatMul(x, y) w = Reshape(x, shape) }"""))
    assert len(check.findings) == 2
    assert "'z'" in check.findings[0].text and "3" in check.findings[0].text and "4" in check.findings[0].text
    assert "'w'" in check.findings[1].text and "7" in check.findings[1].text


@pytest.mark.parametrize("body, message", [
    ("Reshape(x, s)", r"\(dyn.reshape_to\): has two -1 in its shape"),
    ("Expand(x, s)", "'-1'|-1"), ("ConstantOfShape(s)", "-1")])
def test_a_contradiction_names_its_node(dyn, build, body, message):
    model = build(f"g (float[n,4] x) => (float[p,q] y) <int64[2] s = {{-1, -1}}> {{ [culprit] y = {body} }}")
    (finding,) = dyn.check_dims(model).findings
    assert finding.text.startswith("node 'culprit'") and re.search(message, finding.text)
    with pytest.raises(dyn.CompileError, match="^node 'culprit'"):
        dyn.shapes(model)


def test_nothing_is_said_of_sizes_that_only_a_contradiction_leaves_open(dyn, build):
    for body, dims in [("MatMul(x, y)", "8,4"), ("Add(x, y)", "n,8")]:
        check = dyn.check_dims(build(f"g (float[n,7] x, float[{dims}] y) => (float[n,4] z) {{ t = {body} z = Relu(t) }}"))
        assert len(check.findings) == 1 and "'t'" in check.findings[0].text and "7" in check.findings[0].text
        assert not check.guards and not check.names
    # A size that data determine stays open beside it.
    check = dyn.check_dims(build("""g (float[n] x, float[n,7] a, float[8,4] b) => (int64[1,n] z, float[p,q] c)
        { c = MatMul(a, b) z = NonZero(x) }"""))
    assert len(check.findings) == 2 and "'c'" in check.findings[0].text and "dim 1 of output 'z'" in check.findings[1].text


@pytest.mark.parametrize("graph, status", [
    ("g (float[n] x) => (float[n] y) { y = Neg(x) }", 0),
    ("g (float[n] x) => (float[m] y) { y = Neg(x) }", 0),
    ("g (float[n] x) => (float[7] y) { y = Neg(x) }", 1)])
def test_the_exit_status_says_whether_there_are_findings(tool, build, tmp_path, graph, status):
    (tmp_path / "model.onnx").write_bytes(build(graph).SerializeToString())
    process = tool("dyn-translate", "--check-dims", tmp_path / "model.onnx")
    assert process.returncode == status, process.stdout + process.stderr
    assert (process.stdout.splitlines()[0] == "no findings") == (status == 0)


@pytest.mark.parametrize("inputs, body, message", [
    ("float[n,4] x", "y = Concat(x, x)", "attribute 'axis' is missing"),
    ("float[n,4] x", "y = Concat <axis = 1.5> (x, x)", "attribute 'axis' has a value of the wrong kind"),
    ("float[n,4] x", "y = Conv(x)", "operand 1 is missing"),
    ("float[n,4] x", "y = Clip(x, , x, x)", "has 4 operands, at most 3 are supported"),
    ("float[n,4] x, int64[4] z", "y = Add(x, z)", "operands have different element types"),
    ("float[n,4] x", "y = And(x, x)", "operand 0, 'x', has elements of type float"),
    ("float[n,m,4] x", "y = MaxPool <kernel_shape = [2, 2]> (x)", "operand 0 has rank 3, windows of 2 dims need 4"),
    ("float[n,4] x", "y = Einsum <equation = \"ijk->ij\"> (x)", "names 3 dims, the operand has rank 2"),
    ("float[n,4] x", "y = Transpose <perm = [0, 0]> (x)", "attribute 'perm' is no permutation: 0, 0"),
    ("float[n,4] x, bool c", "y = If (c) <then_branch = t () => (float[n,4] u) { u = Neg(x) }, "
     "else_branch = e () => (int64[2] v) { v = Shape(x) }>", "output 0 has elements of type f32 in one branch, of type i64"),
])
def test_nodes_that_no_run_can_mean_are_findings(dyn, tool, build, tmp_path, inputs, body, message):
    """What ONNX itself does not define is told apart from what is not supported."""
    model = build(f"g ({inputs}) => (float[p,q] y) {{ [culprit] {body} }}")
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    process = tool("dyn-translate", "--check-dims", tmp_path / "model.onnx")
    assert process.returncode == 1 and process.stdout.startswith("node 'culprit'") and message in process.stdout, process.stdout
    with pytest.raises(dyn.CompileError, match=re.escape(message)):
        dyn.shapes(model)


def test_an_initializer_of_no_shape_is_a_finding(dyn, build):
    model = build("g (float[n] x) => (float[n] y) <float[1] w = {1.0}> { [adds] y = Add(x, w) }")
    model.graph.initializer[0].dims[0] = -2
    (finding,) = dyn.check_dims(model).findings
    assert finding.text == "node 'adds' (Add): tensor 'w' has the negative dim -2"


@pytest.mark.parametrize("body", ["y = NoSuchOp(x)", "y = LpNormalization <p = 3> (x)"])
def test_nodes_that_can_not_be_imported_are_told(dyn, tool, build, tmp_path, body):
    (tmp_path / "model.onnx").write_bytes(build(f"g (float[n,4] x) => (float[p,q] y) {{ {body} }}").SerializeToString())
    process = tool("dyn-translate", "--check-dims", tmp_path / "model.onnx")
    lines = process.stdout.splitlines()
    assert process.returncode == 0 and lines[0] == "no findings in the nodes that can be imported", process.stdout
    assert lines[-1] == "1 node was not checked, and the model can't be compiled: see the warnings"
    assert "warning" in process.stderr and "'y'" in process.stderr
    with pytest.warns(UserWarning, match="'y'"):
        assert "1 node was not checked" in str(dyn.check_dims(tmp_path / "model.onnx"))


def test_a_file_that_is_no_model_has_an_exit_status_of_its_own(tool, tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"nonsense")
    process = tool("dyn-translate", "--check-dims", tmp_path / "model.onnx")
    assert process.returncode == 2 and process.stdout == "" and len(process.stderr.splitlines()) == 1


def test_a_dim_that_the_exporter_related_to_nothing(dyn, models_dir):
    """It declares `s42 - 1`, for `time = 4*s42`, which stands nowhere in the file."""
    check = dyn.check_dims(models_dir / "exported/rnn/conformer_dynamo.onnx")
    assert any("s42" in finding.text and "time" in finding.text for finding in check.findings), str(check)


def test_a_constant_that_is_right_at_no_size(dyn, build):
    """Exporters of scikit-learn write such outputs. The model runs, and gives what the graph says."""
    model = build("g (float[n,4] x) => (float[n,5] y) { y = Neg(x) }")
    text = "dim 1 of output 'y' is declared as 5, but is 4"
    assert any(text in finding.text for finding in dyn.check_dims(model).findings)
    with pytest.warns(match=text):
        compiled = dyn.compile(model)
    (y,) = compiled.run({"x": np.ones((3, 4), np.float32)})
    assert y.shape == (3, 4) and compiled.output_dims({"n": 7})["y"] == (7, 4)
    with pytest.raises(dyn.CompileError, match=text):
        dyn.shapes(model, declared="strict")
    with pytest.raises(dyn.CompileError, match="4 and 5 cannot be equal"):
        dyn.shapes(model, declared="trust")


@pytest.mark.parametrize("inputs, body, message", [
    ("float[n,6,h,w] x", "y = DepthToSpace<blocksize = 2>(x)",
     "dim 1 of operand 0 is 6, which is not a multiple of 4 (the square of blocksize); its inputs: 'x' [n, 6, h, w]"),
    ("float[n,c,6,7] x", "y = SpaceToDepth<blocksize = 2>(x)",
     "dim 3 of operand 0 is 7, which is not a multiple of 2 (blocksize); its inputs: 'x' [n, c, 6, 7]"),
    ("float[n,4] x", "y = Softmax<axis = 2>(x)", "axis 2 is out of range for rank 2; its inputs: 'x' [n, 4]"),
])
def test_what_the_import_objects_to_is_a_finding(dyn, tool, build, tmp_path, inputs, body, message):
    model = build(f"g ({inputs}) => (float y, float z) {{ [culprit] {body} z = Neg(x) }}")
    check = dyn.check_dims(model)
    (finding,) = check.findings
    assert finding.text.startswith("node 'culprit' (") and finding.text.endswith(f"): {message}")
    assert "not checked" not in str(check)
    (tmp_path / "model.onnx").write_bytes(model.SerializeToString())
    process = tool("dyn-translate", "--print-shapes", tmp_path / "model.onnx")
    # No size is inferred of what never is; the rest has its sizes.
    (y,) = {line for line in process.stdout.splitlines() if line.startswith("  y  ")}
    assert process.returncode == 1 and re.fullmatch(r"  y  (of unknown rank|\[(u0(, u\d)*)?\]) f32", y), y


def test_an_objection_tells_the_dims_of_what_nodes_compute(dyn, build):
    (finding,) = dyn.check_dims(build("""g (float[n,6] x) => (float y) {
        t = Concat<axis = 0>(x, x) [culprit] y = Softmax<axis = 2>(t) }""")).findings
    assert finding.text.endswith("axis 2 is out of range for rank 2; its inputs: 't' [2 * n, 6]")
    (finding,) = dyn.check_dims(build("""g (float[n] x) => (int64 y) {
        u = NonZero(x) [culprit] y = Concat<axis = 2>(u, u) }""")).findings
    assert finding.text.endswith("its inputs: 'u' [1, ?], 'u' [1, ?]")


def test_what_is_not_supported_in_a_branch_is_no_finding(dyn, build):
    """It may never be run."""
    model = build("""g (float[n,6,h,w] x, bool c) => (float y) {
        y = If(c) <then_branch = t () => (float a) { a = DepthToSpace<blocksize = 2>(x) },
                   else_branch = e () => (float b) { b = Neg(x) }> }""")
    with pytest.warns(UserWarning, match="not a multiple of 4"):
        assert dyn.check_dims(model)


def test_what_blocks_need_of_symbolic_dims_is_a_guard(dyn, build):
    check = dyn.check_dims(build("g (float[n,c,h,w] x) => (float[p,q,r,s] y) { [deep] y = DepthToSpace<blocksize = 2>(x) }"))
    assert check and check.guards == (
        "c mod 4 == 0  (DepthToSpace: dim 1 of `x` is a multiple of the square of blocksize, node deep)",)
    check = dyn.check_dims(build("g (float[n,c,h,w] x) => (float[p,q,r,s] y) { [flat] y = SpaceToDepth<blocksize = 3>(x) }"))
    assert sorted(check.guards) == [
        f"{dim} mod 3 == 0  (SpaceToDepth: dim {place} of `x` is a multiple of blocksize, node flat)"
        for place, dim in ((2, "h"), (3, "w"))]


def test_a_sequence_whose_node_contradicts_itself_goes_with_it(dyn, build):
    """Its tensors are no more when others ask for them."""
    check = dyn.check_dims(build("""g (float[2,3] x, float[4,5] w) => (float[] y, float[] z) <int64 first = {0}>
        { pair = SequenceConstruct(x, x)
          all = SequenceMap(pair, w) <body = each (float[p,q] e, float[r,s] v) => (float[t,u] o) { o = MatMul(e, v) }>
          y = SequenceAt(all, first) z = ConcatFromSequence <axis = 0> (all) }"""))
    assert "SequenceMap" in check.findings[0].text and "3 and 4" in check.findings[0].text


@pytest.mark.parametrize("infer", ["check_dims", "shapes", "infer_shapes"])
def test_an_attribute_that_the_operator_does_not_have(dyn, build, infer):
    model = build("g (float[n] x) => (float[n] y) { y = Selu <alfa = 2.0> (x) }")
    model.graph.node[0].name = "/act"
    with pytest.warns(UserWarning, match=re.escape("node '/act' (Selu): has attribute 'alfa', which the operator does not have")):
        getattr(dyn, infer)(model)
    # ONNX leaves such names to writers.
    model.graph.node[0].attribute[0].name = "__alfa"
    with warnings.catch_warnings(action="error"):
        getattr(dyn, infer)(model)


def test_what_is_not_proved_is_no_finding(dyn, build):
    """The two agree wherever the guard holds, which no proof shows; a finding says at which sizes they do not."""
    text = ("g (float[D] x, float[B] z) => (float[k] y) { s = Shape(z) e = Expand(x, s) t = Shape(e) m = Min(s, t) "
            "i = Constant<value_int=0>() n = Squeeze(m) o = Constant<value_int=1>() r = Range(i, n, o) y = Cast<to=1>(r) }")
    model = build(text)
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_param = "Min(B, Max(B, D)*Min(B, D, 1))"
    check = dyn.check_dims(model)
    assert check and len(check.undecided) == 1 and "min(B, bcast(B, D))" in check.undecided[0]
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_param = "Max(B, D)"
    (finding,) = dyn.check_dims(model).findings
    assert finding.text.endswith("which is not the same at D = 2, B = 1")


@pytest.mark.parametrize("declared, warned", [("(4*B)//B", False), ("B*4//B", False), ("(5*B)//B", True), ("B//B + 3", False)])
def test_a_quotient_declares_nothing_where_it_has_no_value(dyn, build, declared, warned):
    """PyTorch writes the dim that a batch is divided out of so; of an empty batch it is no number."""
    model = build("g (float[B,4,S] x) => (float[B,4,S] y) { y = Abs(x) }")
    model.graph.output[0].type.tensor_type.shape.dim[1].dim_param = declared
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled = dyn.compile(model)
    assert ["is declared as" in str(warning.message) for warning in caught] == [True] * warned
    (y,) = compiled.run({"x": np.ones((0, 4, 3), np.float32)})
    assert y.shape == (0, 4, 3)


def test_dims_that_inputs_declare_are_sizes(dyn, build):
    nodes = """<int64[1] one = {1}, int64[1] end = {9223372036854775807}, int64[1] zero = {0}> {
        part = Slice(x, one, end, zero) y = Neg(part) }"""
    model = build(f'g (float["2*s - 1"] x, float[s] k) => (float["2*s - 2"] y) {nodes}')
    # With s = 0 there would be an input of the size -1.
    assert dyn.shapes(model).outputs["y"].dims == ("2 * s - 2",) and not dyn.check_dims(model).findings
    for runner in dyn.compile(model), dyn.Reference(model):
        assert runner.run({"x": np.zeros(1, np.float32), "k": np.zeros(1, np.float32)})[0].shape == (0,)
        with pytest.raises(dyn.ShapeError) as refused:
            runner.run({"x": np.zeros(1, np.float32), "k": np.zeros(0, np.float32)})
        assert str(refused.value) == "input 'x' dim 0 is 1, must be 2 * s - 1 = -1; got s = 0 (dim 0 of input 'k')"
    with pytest.raises(dyn.Error, match="declared as dim 1 of input 'x': '0 <= -n - 1' cannot hold"):
        dyn.shapes(build('g (float[n, "-1 - n"] x) => (float[p, q] y) { y = Neg(x) }'))


def test_sizes_are_looked_for_up_to_64_bits(dyn, build):
    model = build("g (float[n] x, float[n] y) => (float[n] z) { z = Concat <axis = 0> (x, y) }")
    # The only multiples are 0, which has no other size, and one whose double is none.
    assert dyn.check_dims(model, dims={"n": dyn.Dim(0, None, divisor=2**62)}).undecided
    assert dyn.check_dims(model, dims={"n": dyn.Dim(0, None, divisor=2**61)}).findings[0].text.endswith(f"at n = {2**61}")


@pytest.mark.parametrize("names", [("u1", "u0"), ("u0", "u1"), ("k", "l")])
def test_names_of_the_file_are_not_those_that_sizes_get_here(dyn, build, names):
    """PyTorch calls sizes from data u0, u1, ... in an order of its own."""
    model = build(f"g (bool[n] x, bool[m] w) => (int64[1,{names[0]}] y, int64[1,{names[1]}] z) {{ y = NonZero(x) z = NonZero(w) }}")
    assert dyn.check_dims(model)
    for declared in "refine", "strict", "trust":
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            shapes = dyn.shapes(model, declared=declared)
        assert [shape.dims for shape in shapes.outputs.values()] == [("1", "u0"), ("1", "u1")]
        assert not shapes.guards


@pytest.mark.parametrize("name", ["s0", "k"])
def test_names_of_the_file_are_not_those_that_elements_get_here(dyn, build, name):
    """An element of the input `s` would be s0."""
    model = build(f"""g (float[T] x, int64 s) => (float[{name}] z) <int64[1] zero = {{0}}> {{
        i = Unsqueeze(s, zero) y = Slice(x, zero, i, zero) z = Neg(y) }}""")
    model.graph.value_info.append(onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [name]))
    assert dyn.check_dims(model)
    (alias,) = dyn.compile(model).aliases
    assert alias.startswith(f"{name} == ")


def test_a_name_of_outputs_is_one_size_where_it_binds(dyn, build):
    model = build("g (float[N,4] x) => (float[K,4] y, float[K,4] z) { y = Concat<axis = 0>(x, x) z = Relu(x) }")
    with pytest.raises(dyn.CompileError, match="dim 0 of output 'z' is declared as K, but is N; elsewhere K is 2 . N"):
        dyn.shapes(model, declared="strict")
    assert [guard.predicate for guard in dyn.shapes(model, declared="trust").guards] == ["N == 0"]
    with warnings.catch_warnings(action="ignore"):
        assert not dyn.shapes(model).guards
        runner = dyn.compile(model, declared="trust", threads=1)
    assert runner.run({"x": np.ones((0, 4), np.float32)})[1].shape == (0, 4)
    with pytest.raises(dyn.ShapeError, match="as declared, which declared=override ignores"):
        runner.run({"x": np.ones((2, 4), np.float32)})
