"""utils/new-pass writes files that compile and have the form that the tree has."""

import json
import pathlib
import shlex
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIBRARY = "Transforms/Shapes"


def new_pass(root, *arguments):
    return subprocess.run([sys.executable, ROOT / "utils/new-pass", f"--root={root}", *arguments], capture_output=True,
                          text=True)


@pytest.fixture
def tree(tmp_path):
    for folder in (f"include/dyn/{LIBRARY}", f"lib/{LIBRARY}"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


@pytest.mark.parametrize("on", ["function", "module"])
def test_new_pass_compiles(tree, on, request):
    result = new_pass(tree, LIBRARY, "CountSymbols", "counts the symbols of a function", f"--on={on}")
    assert result.returncode == 0, result.stderr
    source = tree / f"lib/{LIBRARY}/CountSymbols.cpp"
    assert "  CountSymbols.cpp\n  ExplainSizes.cpp\n" in (tree / f"lib/{LIBRARY}/CMakeLists.txt").read_text()
    assert "-dyn-count-symbols " in (tree / f"test/{LIBRARY}/count-symbols.mlir").read_text()

    build = request.config.getoption("--build-dir").resolve()
    commands = [shlex.split(entry["command"]) for entry in json.loads(
        subprocess.check_output(["ninja", "-C", build, "-t", "compdb"], text=True))]
    compile_command = next(command for command in commands if f"{ROOT}/lib/{LIBRARY}/MinimizeGuards.cpp" in command)
    compiler = next(word for word in compile_command if "clang++" in word or "g++" in word)
    system = compile_command[compile_command.index("-isystem") + 1]
    tblgen = next(word for command in commands for word in command if word.endswith("mlir-tblgen"))
    definitions = tree / f"include/dyn/{LIBRARY}/Passes.td"
    subprocess.run([tblgen, "-gen-pass-decls", "-name", "DynShapes", f"-I{system}", definitions, "-o",
                    definitions.with_name("Passes.h.inc")], check=True)
    subprocess.run([compiler, "-std=c++17", "-Werror", "-Wall", "-Wextra", "-Wno-unused-parameter", "-fsyntax-only",
                    f"-I{tree}/include", f"-I{ROOT}/include", f"-I{build}/include", "-isystem", system, source],
                   check=True)


def test_new_pass_is_formatted(tree):
    formatter = shutil.which("clang-format-22")
    if not formatter:
        pytest.skip("no clang-format-22")
    assert new_pass(tree, LIBRARY, "CountSymbols", "counts the symbols of a function").returncode == 0
    shutil.copy(ROOT / ".clang-format", tree)
    subprocess.run([formatter, "--dry-run", "--Werror", tree / f"lib/{LIBRARY}/CountSymbols.cpp"], check=True)


@pytest.mark.parametrize("arguments, message", [
    (("Transforms/Nothing", "CountSymbols", "counts"), "'Transforms/Nothing' has no passes"),
    ((LIBRARY, "count-symbols", "counts"), "'count-symbols' is no name in CamelCase without `Pass`"),
    ((LIBRARY, "MinimizeGuards", "drops guards"), "MinimizeGuards.cpp exists already"),
])
def test_nothing_is_written_for_wrong_names(tree, arguments, message):
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    result = new_pass(tree, *arguments)
    assert result.returncode != 0 and message in result.stderr
    assert before == {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
