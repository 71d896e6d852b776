"""Broken models end the importer by itself, in time, and leave no half file. `utils/fuzz-import` goes on for longer, and
test/fuzz/Import looks at every access."""

import pathlib
import subprocess
import sys

import onnx.parser
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("path", sorted((ROOT / "test/fuzz/Import/corpus").glob("*.onnxtxt")), ids=lambda path: path.stem)
def test_corpus_is_imported(import_model, here, path):
    (here / "data").write_bytes(bytes(64))
    assert import_model(onnx.parser.parse_model(path.read_text())).text


def test_broken_models(request, tmp_path):
    build_dir = request.config.getoption("--build-dir")
    command = [sys.executable, ROOT / "utils/fuzz-import", "--runs", "150", "--build-dir", build_dir, "--keep", tmp_path]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr
