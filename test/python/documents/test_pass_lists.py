"""docs/pass-pipeline.md names the passes of each phase as the pipeline runs them."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PHASES = ["import", "shapes", "reify", "kernels", "buffers", "target", "host", "code"]


def documented_passes(phase):
    """The names in front of the colon or full stop that a section begins with."""
    text = (ROOT / "docs/pass-pipeline.md").read_text()
    (section,) = re.findall(rf"^## {phase}\n\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    names = re.match(r"(?:`([\w-]+)`,?\s*)+(?=[:.])", section)
    return re.findall(r"`([\w-]+)`", names.group()) if names else []


def test_every_phase_has_its_section():
    sections = re.findall(r"^## (\w+)$", (ROOT / "docs/pass-pipeline.md").read_text(), re.MULTILINE)
    assert sections == [*PHASES[1:], "artefact"]


@pytest.mark.parametrize("before, phase", list(zip(PHASES, PHASES[1:])))
def test_lists_are_those_of_the_pipeline(before, phase, tool, tmp_path):
    (tmp_path / "empty.mlir").write_text("module {}\n")
    done = tool("dyn-opt", tmp_path / "empty.mlir", f"--dyn-pipeline=from={before} to={phase}", "--dump-pass-pipeline")
    text = done.stderr[done.stderr.index("builtin.module("):]
    text = text[:text.index("\n)") + 2]
    while "{" in text:  # options
        text = re.sub(r"\{[^{}]*\}", "", text)
    # Names of passes stand alone, those of ops before the passes that they are nested for.
    passes = re.findall(r"([a-z][\w-]*)(?=[,\s)])", text)
    assert documented_passes(phase) == passes
