"""Inferred dims of models that packages of PyPI carry are what onnxruntime produces.

    pip install --no-deps rapidocr-onnxruntime==1.4.4 silero-vad==6.2.0

Without the packages the tests are skipped.
"""

import importlib.util
import pathlib

import numpy as np
import pytest

from zoo import shapes

ROWS = [(1, 32, 32), (2, 64, 96), (1, 96, 32), (3, 32, 160), (1, 224, 64)]
MODELS = {
    "detection": ("rapidocr_onnxruntime", "models/ch_PP-OCRv4_det_infer.onnx",
                  [{"x": (n, 3, h, w)} for n, h, w in ROWS]),
    "direction": ("rapidocr_onnxruntime", "models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
                  [{"x": (n, 3, 48, 192)} for n in (1, 2, 3, 5, 0)]),
    "recognition": ("rapidocr_onnxruntime", "models/ch_PP-OCRv4_rec_infer.onnx",
                    [{"x": (n, 3, 48, w)} for n, w in [(1, 320), (2, 96), (1, 40), (3, 64), (1, 101)]]),
    "voice": ("silero_vad", "data/silero_vad.onnx",
              [{"input": (n, 576), "state": (2, n, 128), "sr": 16000} for n in (1, 2, 3, 7, 4)]),
}


def find(package, path):
    found = importlib.util.find_spec(package)
    if not found:
        pytest.skip(f"{package} is not installed")
    return pathlib.Path(found.submodule_search_locations[0]) / path


def make(value):
    if isinstance(value, tuple):
        return np.random.default_rng(0).standard_normal(value).astype(np.float32)
    return np.array(value, np.int64)


@pytest.mark.parametrize("name", MODELS)
def test_inferred_dims_are_those_of_onnxruntime(dyn, tmp_path, name):
    package, path, runs = MODELS[name]
    model, compared = shapes.Shapes(find(package, path), tmp_path), 0
    try:
        for run in runs:
            inputs = {key: make(value) for key, value in run.items()}
            actual = model.run(inputs)
            if actual is None:
                continue
            compared += 1
            wrong, _ = model.compare(inputs, actual)
            assert not wrong, run
    finally:
        model.close()
    assert compared >= 4
