import pathlib
import re

import onnx
import pytest


class Imported:
    """What dyn-translate made of a model."""

    def __init__(self, process, module):
        self.process, self.module = process, module
        self.errors = [line for line in process.stderr.splitlines() if " error: " in line]
        self.warnings = [line for line in process.stderr.splitlines() if " warning: " in line]

    @property
    def text(self):
        assert self.process.returncode == 0, self.process.stderr
        return self.module.read_text()

    @property
    def error(self):
        """The one line that an import ends with that is refused."""
        assert self.process.returncode == 1, self.process.stderr or "the model was imported"
        assert len(self.errors) == 1, self.process.stderr
        assert not self.module.exists()
        return self.errors[0]

    @property
    def weights(self):
        """(file, offset, length, type) of every weight."""
        pattern = r'#dyn\.weight<"([^"]*)", (\d+), (\d+)> : (tensor<[^>]*>)'
        return [(file, int(offset), int(length), kind)
                for file, offset, length, kind in re.findall(pattern, self.text)]


@pytest.fixture
def import_model(tool, tmp_path):
    """Imports a ModelProto, bytes or a path to OUT.mlir in the test's own folder."""

    def run(model, *arguments):
        path = model
        if isinstance(model, onnx.ModelProto):
            model = model.SerializeToString()
        if isinstance(model, bytes):
            path = tmp_path / "model.onnx"
            path.write_bytes(model)
        module = tmp_path / "out" / "model.mlir"
        module.parent.mkdir(exist_ok=True)
        return Imported(tool("dyn-translate", "--import-onnx", path, "-o", module, *arguments), module)

    return run


@pytest.fixture
def here(tmp_path):
    return pathlib.Path(tmp_path)
