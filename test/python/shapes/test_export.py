"""Inferred dims in value_info: dyn-translate --export-onnx-shapes, dyn.infer_shapes, python -m dyn.infer_shapes."""

import copy
import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import onnx
import pytest

from zoo.shapes import dims_of

GRAPH = """g (float[batch,seq,8] x) => (float[p,q,r] y) <float[8,4] w>
    { t = MatMul(x, w) s = Softmax <axis = -1> (t) c = Concat <axis = 1> (s, s) y = Relu(c) }"""


@pytest.fixture
def model(build):
    model = build(GRAPH)
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.arange(32, dtype=np.float32).reshape(8, 4), "w"))
    model.graph.node[1].attribute.append(onnx.helper.make_attribute("__note", "kept"))
    return model


def dims(model):
    return {value.name: dims_of(value) for value in [*model.graph.input, *model.graph.value_info, *model.graph.output]}


@pytest.fixture
def export(tool, tmp_path):
    """Runs dyn-translate; gives the model that it wrote."""

    def export(path, *options, output=None):
        output = output or tmp_path / "out.onnx"
        process = tool("dyn-translate", "--export-onnx-shapes", path, "-o", output, *options)
        assert process.returncode == 0, process.stderr
        return onnx.load(output, load_external_data=False)

    return export


def test_every_value_gets_its_dims(dyn, model):
    """Also one whose operator is taken apart at import (Softmax, Relu)."""
    assert dims(dyn.infer_shapes(model)) == {
        "x": ["batch", "seq", 8], "w": [8, 4], "t": ["batch", "seq", 4], "s": ["batch", "seq", 4],
        "c": ["batch", "2*seq", 4], "y": ["batch", "2*seq", 4]}


def test_values_that_are_folded_or_passed_on_get_theirs_too(dyn, build):
    model = build("""g (float[n] x) => (float[m] y) <int64[1] two = {2}>
        { three = Add(two, one) one = Constant <value = int64[1] {1}> () same = Identity(x) dropped = Dropout(same)
          s = Shape(x) d = Mul(s, three) e = Expand(one, d) f = Cast <to = 1> (e) y = Concat <axis = 0> (f, dropped) }""")
    assert dims(dyn.infer_shapes(model)) == {
        "x": ["n"], "three": [1], "one": [1], "same": ["n"], "dropped": ["n"], "s": [1], "d": [1],
        "e": ["3*n"], "f": ["3*n"], "y": ["4*n"]}


def test_nothing_else_changes(dyn, model):
    inferred = dyn.infer_shapes(model)
    for changed in (model, inferred):
        del changed.graph.value_info[:]
        for value in (*changed.graph.input, *changed.graph.output):
            value.type.tensor_type.ClearField("shape")
    assert inferred == model


@pytest.mark.parametrize("length", [4000, 400_000])
def test_large_weights_stay_wherever_they_stand(dyn, build, export, tmp_path, length):
    """Those of initializers, of constants, of constants in a branch. In large models they are not read for the sizes."""
    model = build(f"""g (float[n,{length}] x, bool c) => (y)
        {{ k = Constant() t = Add(x, w) s = Sub(t, k)
          y = If <then_branch = yes () => (a) {{ a = Constant() }}, else_branch = no () => (b) {{ b = Identity(s) }}> (c) }}""")
    tensors = [onnx.numpy_helper.from_array(np.arange(length, dtype=np.float32) + i, "w") for i in range(3)]
    model.graph.initializer.append(tensors[0])
    then_branch = next(a.g for a in model.graph.node[3].attribute if a.name == "then_branch")
    for node, tensor in ((model.graph.node[0], tensors[1]), (then_branch.node[0], tensors[2])):
        node.attribute.append(onnx.helper.make_attribute("value", tensor))
    onnx.save(model, tmp_path / "in.onnx")
    inferred = dyn.infer_shapes(model)
    assert export(tmp_path / "in.onnx") == inferred
    assert dims(inferred)["s"] == ["n", length]
    del inferred.graph.value_info[:]
    inferred.graph.output[0].CopyFrom(model.graph.output[0])
    assert inferred == model


def test_a_table_can_be_copied(dyn, model):
    table = dyn.shapes(model)
    for copied in (pickle.loads(pickle.dumps(table)), copy.deepcopy(copy.deepcopy(dyn.shapes(model)))):
        assert str(copied) == str(table) and repr(copied) == repr(table)
        assert (copied.symbols, copied.guards, copied.inputs) == (table.symbols, table.guards, table.inputs)
        assert (copied.outputs, copied.values) == (table.outputs, table.values)
    assert table.values["c"].dims == ("batch", "2 * seq", "4")


def test_the_tool_writes_what_python_gives(dyn, export, model, tmp_path):
    onnx.save(model, tmp_path / "in.onnx")
    assert export(tmp_path / "in.onnx") == dyn.infer_shapes(model)


@pytest.fixture
def program(dyn, tmp_path):
    """python -m dyn.infer_shapes in the test's own folder."""
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(dyn.__file__))}
    return lambda *arguments: subprocess.run([sys.executable, "-m", "dyn.infer_shapes", *arguments], cwd=tmp_path,
                                             env=environment, capture_output=True, text=True)


def test_python_as_a_program(dyn, program, model, tmp_path):
    """It takes what onnxruntime's tool takes."""
    onnx.save(model, tmp_path / "in.onnx")
    process = program("--input", "in.onnx", "--output", "out.onnx", "--auto_merge", "--int_max", "100")
    assert process.returncode == 0 and process.stderr == "", process.stderr
    assert onnx.load(tmp_path / "out.onnx") == dyn.infer_shapes(model)


def test_an_error_names_the_file_once(program, build, tmp_path):
    model = build("g (float[n] x) => (float[n] y) { y = Add(x, z) z = Relu(y) }")
    onnx.save(model, tmp_path / "cycle.onnx")
    process = program("--input", "cycle.onnx")
    assert process.returncode == 1
    assert [line.split(": ")[:2] for line in process.stderr.splitlines()][-1] == ["cycle.onnx", "error"]
    assert all(line.count("cycle.onnx") == 1 for line in process.stderr.splitlines()), process.stderr


def test_the_module_does_not_hide_the_function(dyn, model):
    import dyn.infer_shapes

    assert dims(dyn.infer_shapes(model))["y"] == ["batch", "2*seq", 4]


def test_texts_are_those_of_python_and_sympy(dyn, build):
    model = build("""g (float[h,w] x, float[m] a, float[n] b) => (float[p,q] y, float[r] c)
        { c = Add(a, b) y = Identity(x) }""")
    assert dims(dyn.infer_shapes(model))["c"] == ["Max(m, n)*Min(m, n, 1)"]
    model = build("""g (float[m] a, float[n] b, float[h,w] x) => (float[r] y, float[p,q] z) <int64[2] shape = {-1, 6}>
        { c = Add(a, b) y = Concat <axis = 0> (c, c, a) z = Reshape(x, shape) }""")
    assert dims(dyn.infer_shapes(model)) == {
        "a": ["m"], "b": ["n"], "x": ["h", "w"], "c": ["Max(m, n)*Min(m, n, 1)"],
        "y": ["2*(Max(m, n)*Min(m, n, 1)) + m"], "z": ["(h*w)//6", 6]}
    model = build("""g (float[n] x) => (float[p] y) <int64[1] two = {2}, float[1] one = {1}>
        { s = Shape(x) d = Div(s, two) y = Expand(one, d) }""")
    assert dims(dyn.infer_shapes(model))["y"] == ["n//2"]
    assert dims(dyn.infer_shapes(model, dims={"n": dyn.Dim(4, 64, divisor=4)}))["x"] == ["n"]


@pytest.mark.parametrize("m, n", [(0, 0), (0, 1), (1, 0), (1, 1), (1, 5), (5, 1), (5, 5)])
def test_the_text_of_a_broadcast_is_its_size(m, n):
    assert eval("Max(m, n)*Min(m, n, 1)", {"Max": max, "Min": min, "m": m, "n": n}) == np.broadcast_shapes((m,), (n,))[0]


@pytest.mark.parametrize("body", [
    "{ t = Add(a, b) y = Add(t, c) }",
    "{ t = Mul(a, b) u = Concat <axis = 0> (t, a) y = Neg(u) }",
])
def test_broadcasts_are_read_as_they_are_written(dyn, build, body):
    written = dyn.infer_shapes(build(f"g (float[m] a, float[n] b, float[k] c) => (float[p] y) {body}"))
    assert not dyn.check_dims(written).findings
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dyn.shapes(written, declared="strict").outputs["y"].dims == dyn.shapes(written).outputs["y"].dims
        dyn.compile(written)


def test_exact_quotients_are_read_as_they_are_written(dyn, build):
    model = build("""g (float[b,h,s] x) => (float[p,q,r] y) <int64[1] two = {2}, int64[1] all = {-1}, int64[1] i = {0}, int64[1] k = {2}>
        { d = Shape(x) n = Gather(d, i) m = Gather(d, k) t = Mul(n, m) f = Div(t, two) shape = Concat <axis = 0> (f, two, all)
          y = Reshape(x, shape) }""")
    written = dyn.infer_shapes(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dyn.shapes(written, declared="strict")


def test_another_size_is_still_told(dyn, build):
    """A maximum is no broadcast where a size may be 0."""
    model = build("g (float[m] a, float[n] b) => (float[p] y) { y = Add(a, b) }")
    model.graph.output[0].type.tensor_type.shape.dim[0].dim_param = "Max(m, n)"
    with pytest.raises(dyn.CompileError, match="dim 0 of output 'y' is declared as max"):
        dyn.shapes(model, declared="strict")


def test_dims_without_a_name_get_one(dyn, build):
    model = build("g (float[n,4] x) => (float[m,4] y) { y = Neg(x) }")
    model.graph.input[0].type.tensor_type.shape.dim[0].Clear()
    assert dims(dyn.infer_shapes(model)) == {"x": ["x_0", 4], "y": ["x_0", 4]}


def test_names_of_inputs_stay_as_they_are_written(dyn, build):
    model = build("g (float[n] x, float[m] y) => (float[k] z) { z = Concat <axis = 0> (x, y) }")
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "past + seq"
    model.graph.input[1].type.tensor_type.shape.dim[0].dim_param = "a.b/0"
    assert dims(dyn.infer_shapes(model)) == {"x": ["past + seq"], "y": ["a.b/0"], "z": ['"a.b/0" + past + seq']}


def test_words_with_hyphens_are_names(dyn, build):
    model = build("g (float[n,4] x) => (float[k,m] y) { y = Concat <axis = 1> (x, x) }")
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch-size"
    assert dims(dyn.infer_shapes(model, dims={"batch-size": dyn.Dim(1, 9)}))["y"] == ["batch-size", 8]
    assert dyn.shapes(model, dims={"batch-size": 3}).outputs["y"].dims == ("3", "8")
    assert dyn.compile(model, dims={"batch-size": dyn.Dim(1, 9)}).run({"x": np.zeros((2, 4), np.float32)})[0].shape == (2, 8)
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch - 1"
    assert dims(dyn.infer_shapes(model))["y"] == ["batch - 1", 8]


def test_facts_and_dims_that_are_given(dyn, build):
    model = build("g (float[n,m] x) => (float[p,q] y) { y = Neg(x) }")
    assert dims(dyn.infer_shapes(model, dims={"n": 3})) == {"x": [3, "m"], "y": [3, "m"]}
    assert dims(dyn.infer_shapes(model, input_dims={"x": "[2*k, k]"})) == {"x": ["2*k", "k"], "y": ["2*k", "k"]}


def test_declared_dims_count_as_asked(dyn, build):
    model = build("g (float[n] x) => (float[7] y) { y = Neg(x) }")
    assert dims(dyn.infer_shapes(model))["y"] == [7]
    assert dims(dyn.infer_shapes(model, declared="override"))["y"] == ["n"]
    with pytest.raises(dyn.CompileError, match="is declared as 7, but is n"):
        dyn.infer_shapes(model, declared="strict")


def test_a_rank_that_is_declared_wrongly_is_put_right(dyn, build):
    model = build("g (float[n] x) => (float[1,n] z) { y = Neg(x) z = Exp(y) }")
    assert dims(dyn.infer_shapes(model))["z"] == ["n"]
    with pytest.warns(UserWarning, match="output 'z' is declared with rank 2, but has rank 1"):
        executable = dyn.compile(model)
    assert executable.run({"x": np.zeros(3, np.float32)})[0].tolist() == [1, 1, 1]
    for declared in ("strict", "trust"):
        with pytest.raises(dyn.CompileError, match="declared with rank 2"):
            dyn.infer_shapes(model, declared=declared)


def test_a_model_that_contradicts_itself_is_refused(dyn, build, tool, tmp_path):
    model = build("g (float[2,3] x, float[4,5] y) => (float[p,q] z) { z = MatMul(x, y) }")
    with pytest.raises(dyn.CompileError, match="'z'"):
        dyn.infer_shapes(model)
    onnx.save(model, tmp_path / "in.onnx")
    process = tool("dyn-translate", "--export-onnx-shapes", tmp_path / "in.onnx", "-o", tmp_path / "out.onnx")
    assert process.returncode == 1 and "'z'" in process.stderr
    assert not (tmp_path / "out.onnx").exists()


@pytest.fixture
def with_weights(model, tmp_path):
    """The model with external data in a folder of its own."""
    (tmp_path / "model").mkdir()
    path = tmp_path / "model" / "in.onnx"
    onnx.save(model, path, save_as_external_data=True, location="sub.weights", size_threshold=0)
    return path


def test_external_data_stay_beside_the_model(export, with_weights):
    exported = export(with_weights, output=with_weights.parent / "out.onnx")
    assert exported.graph.initializer[0].external_data[0].value == "sub.weights"
    assert sorted(os.listdir(with_weights.parent)) == ["in.onnx", "out.onnx", "sub.weights"]


def test_external_data_are_copied_to_another_folder(export, with_weights, tmp_path):
    (tmp_path / "other").mkdir()
    for _ in range(2):
        export(with_weights, output=tmp_path / "other" / "out.onnx")
    weights = tmp_path / "other" / "sub.weights"
    assert weights.read_bytes() == (with_weights.parent / "sub.weights").read_bytes()
    assert onnx.load(tmp_path / "other" / "out.onnx").graph.initializer[0].raw_data


def test_other_files_are_not_replaced_by_external_data(tool, with_weights, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sub.weights").write_text("something else")
    process = tool("dyn-translate", "--export-onnx-shapes", with_weights, "-o", tmp_path / "other" / "out.onnx")
    assert process.returncode == 1 and "sub.weights" in process.stderr
    assert os.listdir(tmp_path / "other") == ["sub.weights"]


def test_weights_that_are_missing_are_not_needed(export, tool, with_weights, tmp_path):
    os.remove(with_weights.parent / "sub.weights")
    assert dims(export(with_weights))["y"] == ["batch", "2*seq", 4]


@pytest.mark.parametrize("output", ["in.onnx", "sub.weights"])
def test_the_model_and_its_weights_are_not_overwritten(tool, with_weights, output):
    before = (with_weights.parent / output).read_bytes()
    process = tool("dyn-translate", "--export-onnx-shapes", with_weights, "-o", with_weights.parent / output)
    assert process.returncode == 1 and output in process.stderr
    assert (with_weights.parent / output).read_bytes() == before


def test_data_outside_the_folder_are_not_copied(tool, with_weights, tmp_path):
    (tmp_path / "secret").write_text("secret")
    os.remove(with_weights.parent / "sub.weights")
    os.symlink(tmp_path / "secret", with_weights.parent / "sub.weights")
    (tmp_path / "other").mkdir()
    process = tool("dyn-translate", "--export-onnx-shapes", with_weights, "-o", tmp_path / "other" / "out.onnx")
    assert process.returncode == 1 and "leaves the model's folder" in process.stderr
    assert os.listdir(tmp_path / "other") == []


SEQUENCES = """g (float[n,3] x, float[m,3] y, int64[k] l) => (float c, float e, int64 length, float last, seq(float[a,b]) parts)
    { two = SequenceConstruct(x, y) [cut] parts = SplitToSequence<axis = 0>(x, l) none = SequenceEmpty()
      one = SequenceInsert(none, x) some = Optional(x) same = Identity(some) list = Optional(parts)
      c = ConcatFromSequence<axis = 0>(two) e = OptionalGetElement(same) back = OptionalGetElement(list)
      last = SequenceAt(one, first) length = SequenceLength(back) }"""


def test_sequences_and_optionals_are_written_as_such(dyn, build):
    """Dims that differ between the tensors of a sequence are left open."""
    model = build(SEQUENCES, opset=18)
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.array(0), "first"))
    inferred = dyn.infer_shapes(model)
    types = {value.name: value.type for value in [*inferred.graph.value_info, *inferred.graph.output]}

    def read(kind):
        return [dim.dim_param or dim.dim_value or None for dim in kind.tensor_type.shape.dim] if kind.tensor_type.HasField("shape") else None

    for name, dims in [("two", [None, 3]), ("parts", [None, 3]), ("one", ["n", 3]), ("back", [None, 3]), ("none", None)]:
        element = types[name].sequence_type.elem_type
        assert element.tensor_type.elem_type == onnx.TensorProto.FLOAT
        assert dims is None or [dim if dim not in ("a", "b") else None for dim in read(element)] == dims, name
    for name in ("some", "same"):
        assert read(types[name].optional_type.elem_type) == ["n", 3]
    assert read(types["list"].optional_type.elem_type.sequence_type.elem_type) == [None, 3]
    assert read(types["c"]) == ["m + n", 3] and read(types["last"]) == ["n", 3]
    # What ONNX infers of the kinds agrees, and onnxruntime reads the model.
    onnx.checker.check_model(inferred)
    onnx.shape_inference.infer_shapes(inferred, strict_mode=True)
    onnxruntime = pytest.importorskip("onnxruntime")
    onnxruntime.InferenceSession(inferred.SerializeToString())


def test_maps_are_not_written_as_tensors(dyn, build):
    model = build("""g (float[n,2] x) => (float[n,2] y) { z = ai.onnx.ml.ZipMap<classlabels_int64s = [0, 1]>(x)
        w = Identity(z) y = Neg(x) }""", domains=', "ai.onnx.ml" : 3')
    assert not {"z", "w"} & {value.name for value in dyn.infer_shapes(model).graph.value_info}


def test_optionals_come_out_of_functions_and_branches(dyn, build):
    model = build("""g (float[n,3] x, bool c) => (float[a,b] y, float[p,q] z, bool h)
        { held = own.wrap(x) same = own.pass(held) y = OptionalGetElement(same)
          some = If(c) <then_branch = t () => (u) { u = Optional(x) }, else_branch = e () => (w) { w = Identity(held) }>
          h = OptionalHasElement(some) plain = own.pass(x) z = Neg(plain) }
        <domain: "own", opset_import: ["" : 17, "own" : 1]> wrap (v) => (w) { u = Optional(v) w = own.pass(u) }
        <domain: "own", opset_import: ["" : 17]> pass (v) => (w) { w = Identity(v) }""", domains=', "own" : 1')
    inferred = dyn.infer_shapes(model)
    kinds = {value.name: value.type.WhichOneof("value") for value in inferred.graph.value_info}
    assert kinds == dict.fromkeys(("held", "same", "some"), "optional_type") | {"plain": "tensor_type"}
    onnxruntime = pytest.importorskip("onnxruntime")
    onnxruntime.InferenceSession(inferred.SerializeToString(), providers=["CPUExecutionProvider"])


def test_a_long_chain_takes_no_stack(dyn, build):
    body = " ".join(f"v{i + 1} = Identity(v{i})" for i in range(100000))
    inferred = dyn.infer_shapes(build(f"g (float[n] v0) => (float[m] y) {{ {body} y = Neg(v100000) }}"))
    assert dims(inferred)["v100000"] == ["n"]


def test_names_that_come_up_mean_nothing_in_graphs_of_nodes(dyn, build):
    """A body calls sizes of its own u0 and x_0, as NonZero's result and a dim without a name are called around it."""
    model = build("""g (float[?,3] x, float[2,M] y, int64 t) => (int64[2,Q] z, float[2,M] r, float[2,V] v) { z = NonZero(x)
        r = Loop(t, , y) <body = b (int64 i, bool c, float[u0,x_0] p) => (bool e, float[u0,x_0] n) {
            e = Identity(c) s = SequenceConstruct(p) n = Relu(p) }>
        v = Concat<axis = 1>(y, y) }""")
    graph = model.graph.node[1].attribute[0].g
    for dim, text in zip(graph.output[1].type.tensor_type.shape.dim, ["x_0 + 1", "2*H"]):
        dim.dim_param = text
    graph.value_info.append(onnx.helper.make_tensor_sequence_value_info("s", onnx.TensorProto.FLOAT, ["H", "u0"]))
    exported = dyn.infer_shapes(model)
    assert [dim.dim_param for dim in exported.graph.output[0].type.tensor_type.shape.dim][1] == "u0"
    body = exported.graph.node[1].attribute[0].g
    assert "2*M" in dims(exported)["v"]
    for type_of, texts in [(body.input[2].type, ["", ""]), (body.output[1].type, ["", "2*H"]),
                           (body.value_info[0].type.sequence_type.elem_type, ["H", ""])]:
        assert [dim.dim_param for dim in type_of.tensor_type.shape.dim] == texts
