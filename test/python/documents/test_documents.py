"""What README.md and docs/ show is what the programs print."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_print_what_is_shown(document):
    result = subprocess.run([sys.executable, ROOT / "utils/check-documents", document], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_wrong_output_is_found(tmp_path):
    # A check that accepts everything would pass the test above.
    document = ROOT / "build" / "wrong.md"
    document.write_text("```console\n$ echo one\ntwo\n```\n")
    result = subprocess.run([sys.executable, ROOT / "utils/check-documents", document], capture_output=True, text=True)
    document.unlink()
    assert result.returncode == 1 and "'echo one' prints\none" in result.stdout


def test_the_table_of_operators_is_not_stale(request):
    folder = request.config.getoption("--build-dir").resolve()
    command = [sys.executable, ROOT / "utils/operator-table", "--check", "--build-dir", folder]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
