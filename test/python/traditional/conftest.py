"""Tests of traditional models run onnxruntime as those of all operators do."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "import" / "operators"))
