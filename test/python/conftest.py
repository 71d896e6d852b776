"""What all Python tests share: where the build and the shared models are."""

import pathlib
import subprocess
import sys

import onnx
import onnx.parser
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils"))


def pytest_addoption(parser):
    parser.addoption("--build-dir", type=pathlib.Path, default=ROOT / "build", help="the build to test")
    parser.addoption("--models-dir", type=pathlib.Path, default=ROOT.parent / "shared" / "models",
                     help="the shared models; tests that need them are skipped without it")
    parser.addoption("--runner", choices=["package", "dyn-run", "interpreter"],
                     help="what runs the models: the Python package (default where it is built), dyn-run, or its interpreter")
    parser.addoption("--soak", type=int, default=1, metavar="N", help="run N times as many random sizes")


def pytest_configure(config):
    """The package of the build that is tested comes first, whatever else is installed."""
    sys.path.insert(0, str(config.getoption("--build-dir").resolve() / "python"))


@pytest.fixture(scope="session")
def models_dir(request):
    folder = request.config.getoption("--models-dir")
    if not folder.is_dir():
        pytest.skip(f"no models at {folder}")
    return folder


@pytest.fixture(scope="session")
def tool(request):
    """Runs a program of the build; skips the test if it was not built."""
    folder = request.config.getoption("--build-dir").resolve() / "bin"

    def run(name, *arguments, **options):
        if not (folder / name).exists():
            pytest.skip(f"{name} is not built")
        command = [folder / name, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)

    return run


@pytest.fixture(scope="session")
def dyn():
    return pytest.importorskip("dyn")


@pytest.fixture
def build():
    """A model from ONNX's textual form of a graph."""

    def build(graph, opset=17, domains=""):
        text = f'<ir_version: 8, opset_import: ["" : {opset}{domains}]> {graph}'
        return onnx.parser.parse_model(text)

    return build
