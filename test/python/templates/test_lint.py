"""utils/lint fails where it can't check."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_a_formatter_that_does_not_run_is_an_error(tmp_path):
    (tmp_path / "clang-format-22").write_text("#!/bin/sh\necho no such library >&2\nexit 127\n")
    (tmp_path / "clang-format-22").chmod(0o755)
    done = subprocess.run([ROOT / "utils/lint"], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert done.returncode == 1
    assert "lint: the format is not checked: no such library" in done.stdout
