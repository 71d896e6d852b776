"""Weights that lie in files of their own: only inside the model's folder, and copied to OUT.weights."""

import os

import numpy as np
import pytest
from onnx import TensorProto, helper

DATA = np.arange(5000, dtype=np.float32)


def make_model(location, kind=TensorProto.FLOAT, count=5000, offset=None, length=None, as_constant=False):
    entries = {"location": location, "offset": offset, "length": length}
    tensor = TensorProto(name="w", data_type=kind, dims=[count], data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        if value is not None:
            tensor.external_data.add(key=key, value=str(value))
    output = helper.make_tensor_value_info("y", kind, None)
    if as_constant:
        nodes, initializers = [helper.make_node("Constant", [], ["y"], name="/c", value=tensor)], []
    else:
        nodes, initializers = [helper.make_node("Identity", ["w"], ["y"])], [tensor]
    graph = helper.make_graph(nodes, "g", [], [output], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_copied_beside_the_module(import_model, here):
    (here / "data").mkdir()
    (here / "data" / "w.bin").write_bytes(b"\0" * 12 + DATA.tobytes())
    imported = import_model(make_model("data/w.bin", offset=12, length=20000))
    assert imported.weights == [("model.weights", 0, 20000, "tensor<5000xf32>")]
    assert (here / "out" / "model.weights").read_bytes() == DATA.tobytes()


def test_the_name_is_relative_to_the_module(tool, here):
    (here / "w.bin").write_bytes(DATA.tobytes())
    (here / "model.onnx").write_bytes(make_model("w.bin").SerializeToString())
    for cwd, model, out in [(here, "model.onnx", "out.mlir"), (here.parent, here / "model.onnx", here / "out.mlir")]:
        assert tool("dyn-translate", "--import-onnx", model, "-o", out, cwd=cwd).returncode == 0
        assert '#dyn.weight<"out.weights", 0, 20000>' in (here / "out.mlir").read_text()


def test_used_in_place_where_the_module_has_no_file(tool, here):
    (here / "w.bin").write_bytes(DATA.tobytes())
    (here / "model.onnx").write_bytes(make_model("w.bin").SerializeToString())
    process = tool("dyn-translate", "--import-onnx", "model.onnx", cwd=here)
    assert process.returncode == 0 and f'#dyn.weight<"{here / "w.bin"}", 0, 20000>' in process.stdout


def test_small_ones_are_read(import_model, here):
    (here / "w.bin").write_bytes(DATA.tobytes())
    assert "dense<[2.000000e+00, 3.000000e+00]>" in import_model(make_model("w.bin", count=2, offset=8)).text


def test_inline(import_model, here):
    (here / "w.bin").write_bytes(DATA.tobytes())
    assert import_model(make_model("w.bin"), "--inline-weights").weights == []


def test_booleans_are_copied(import_model, here):
    (here / "w.bin").write_bytes(bytes([2, 0] * 2500))
    imported = import_model(make_model("w.bin", kind=TensorProto.BOOL))
    assert imported.weights[0][0] == "model.weights"
    assert (here / "out" / "model.weights").read_bytes() == bytes([1, 0] * 2500)


def test_links_inside_the_folder(import_model, here):
    (here / "real.bin").write_bytes(DATA.tobytes())
    (here / "link.bin").symlink_to("real.bin")
    assert import_model(make_model("link.bin")).weights[0][0] == "model.weights"
    assert (here / "out" / "model.weights").read_bytes() == DATA.tobytes()


@pytest.mark.parametrize("as_constant", [False, True])
@pytest.mark.parametrize("location, message", [
    ("/etc/passwd", "has an absolute path"),
    ("C:\\\\data", "has an absolute path"),
    ("../outside.bin", "lies outside the model's folder"),
    ("a/../../outside.bin", "lies outside the model's folder"),
    ("a\\\\..\\\\..\\\\outside.bin", "lies outside the model's folder"),
    ("w.bin\0.txt", "is no path"),
    ("", "its location is missing"),
])
def test_locations_outside_the_folder_are_refused(import_model, here, location, message, as_constant):
    (here.parent / "outside.bin").write_bytes(DATA.tobytes())
    assert message in import_model(make_model(location, as_constant=as_constant)).error


def test_links_out_of_the_folder_are_refused(import_model, here):
    outside = here.parent / f"{here.name}.outside"
    outside.write_bytes(DATA.tobytes())
    (here / "w.bin").symlink_to(outside)
    assert "is a link that leaves the model's folder" in import_model(make_model("w.bin")).error


def test_a_folder_whose_name_starts_like_the_models_is_outside(import_model, here):
    other = here.parent / f"{here.name}2"
    other.mkdir()
    (other / "w.bin").write_bytes(DATA.tobytes())
    (here / "sub").symlink_to(other)
    assert "is a link that leaves the model's folder" in import_model(make_model("sub/w.bin")).error


def test_missing(import_model):
    error = import_model(make_model("nowhere.bin")).error
    assert "tensor 'w': external data" in error and "nowhere.bin': No such file or directory" in error


def test_paths_are_told_in_the_letters_that_they_have(import_model):
    assert "/données.bin': No such file or directory" in import_model(make_model("données.bin")).error
    # A name that is cut is not cut within a letter.
    assert f"'/{'é' * 99}...' has an absolute path" in import_model(make_model("/" + "é" * 150)).error


def test_not_a_regular_file(import_model, here):
    os.mkfifo(here / "w.bin")
    assert "is not a regular file" in import_model(make_model("w.bin")).error
    (here / "folder").mkdir()
    for name in ("folder", "."):
        assert f"'{name}' is a folder, not a file" in import_model(make_model(name)).error


@pytest.mark.parametrize("size, offset", [(0, None), (19999, None), (20000, 1), (20000, 2**64 - 1), (20000, 2**63)])
def test_short_files(import_model, here, size, offset):
    (here / "w.bin").write_bytes(b"\1" * size)
    at = f"at offset {offset or 0}"
    assert f"holds {size} bytes, too few for 20000 bytes {at}" in import_model(make_model("w.bin", offset=offset)).error


def test_a_length_that_does_not_fit_the_type(import_model, here):
    (here / "w.bin").write_bytes(DATA.tobytes())
    assert "declared with 19996 bytes instead of the 20000" in import_model(make_model("w.bin", length=19996)).error


@pytest.mark.parametrize("text", ["-1", "1e3", "", "0x10", "99999999999999999999999"])
def test_numbers_that_are_none(import_model, here, text):
    (here / "w.bin").write_bytes(DATA.tobytes())
    assert "is no number" in import_model(make_model("w.bin", offset=text)).error


@pytest.mark.parametrize("output", ["w.bin", "w.mlir"])
def test_an_output_in_the_place_of_the_data(tool, here, output):
    """Weights of OUT.mlir go to OUT.weights."""
    location = "w.weights" if output == "w.mlir" else output
    (here / location).write_bytes(DATA.tobytes())
    (here / "model.onnx").write_bytes(make_model(location).SerializeToString())
    process = tool("dyn-translate", "--import-onnx", "model.onnx", "-o", output, cwd=here)
    assert process.returncode == 1
    assert f"external data '{location}' would be overwritten by the output '{location}'" in process.stderr
    assert (here / location).read_bytes() == DATA.tobytes()
    assert sorted(path.name for path in here.iterdir()) == ["model.onnx", location]


def test_an_output_in_the_place_of_the_model(tool, here):
    (here / "model.onnx").write_bytes(make_model("w.bin").SerializeToString())
    (here / "link").symlink_to("model.onnx")
    for output in ["model.onnx", "link"]:
        process = tool("dyn-translate", "--import-onnx", "model.onnx", "-o", output, cwd=here)
        assert process.returncode == 1 and f"the output '{output}' is the model itself" in process.stderr
    process = tool("dyn-translate", "--import-onnx", "model.onnx", "-o", "w.weights", cwd=here)
    assert process.returncode == 1 and "so the module needs another name" in process.stderr
    assert sorted(path.name for path in here.iterdir()) == ["link", "model.onnx"]


def test_a_device_gets_weights_in_the_module(tool, here):
    (here / "w.bin").write_bytes(DATA.tobytes())
    (here / "model.onnx").write_bytes(make_model("w.bin", kind=TensorProto.INT32).SerializeToString())
    assert tool("dyn-translate", "--import-onnx", "model.onnx", "-o", "/dev/null", cwd=here).returncode == 0
    assert sorted(path.name for path in here.iterdir()) == ["model.onnx", "w.bin"]
