"""The wheel that pyproject.toml describes."""

import pathlib
import re
import subprocess
import sys
import tomllib

import numpy
import onnx
import pytest

import small_models

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_its_metadata_are_those_of_the_build():
    (version,) = re.findall(r"^project\(Dyn VERSION (\S+) ", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert PROJECT["project"]["version"] == version
    pinned = set((ROOT / "utils/requirements.txt").read_text().split())
    assert set(PROJECT["build-system"]["requires"]) <= pinned


def test_it_is_complete(tmp_path):
    """Built from what utils/build has left in the compiler's cache, and installed where nothing else of Dyn is."""
    pytest.importorskip("scikit_build_core", reason="the build backend is not installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", ROOT, "--no-deps", "--no-build-isolation", "-w", tmp_path / "wheels"], check=True)
    (wheel,) = (tmp_path / "wheels").iterdir()
    subprocess.run([*pip, "install", "--no-deps", "--target", tmp_path / "site", wheel], check=True)
    onnx.save(small_models.positions(), tmp_path / "model.onnx")
    # Without site (-S), which would find the package in build; numpy comes from where it is here.
    script = (f"import sys; sys.path[:0] = ['site', {str(pathlib.Path(numpy.__file__).parents[1])!r}]\n"
              "import dyn, numpy; print(dyn.__file__)\n"
              "print(dyn.compile('model.onnx').run({'x': numpy.zeros((2, 3, 4), 'f4')})[0].shape)")
    ran = subprocess.run([sys.executable, "-S", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    place, dims = ran.stdout.splitlines()
    assert (tmp_path / place).samefile(tmp_path / "site/dyn/__init__.py") and dims == "(2, 3, 4)"
