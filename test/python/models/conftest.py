import dataclasses
import importlib.util
import pathlib
import shutil
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "utils"))

from zoo import recipes, runners  # noqa: E402


@dataclasses.dataclass
class Compiled:
    """One model, compiled once, and what it is compared with."""

    model: recipes.Model
    dyn: object
    onnxruntime: runners.OnnxRuntime
    interpreter: object


@pytest.fixture(scope="session")
def programs(request):
    return request.config.getoption("--build-dir").resolve() / "bin"


@pytest.fixture(scope="session")
def make_runner(request, programs):
    """Compiles a model with what --runner says."""
    wanted = request.config.getoption("--runner")
    if wanted is None:
        wanted = "package" if importlib.util.find_spec("dyn") else "dyn-run"

    def make(path, folder):
        if wanted == "package":
            return runners.DynPackage(path)
        if not (programs / "dyn-run").exists():
            pytest.skip("dyn-run is not built")
        if wanted == "interpreter":
            return runners.Interpreter(programs / "dyn-run", path, folder)
        return runners.DynRun(programs / "dyn-run", path, folder)

    return make


@pytest.fixture(scope="session")
def compiled(request, models_dir, make_runner, programs, tmp_path_factory):
    """The model of that name, with its weights, compiled. Its files are big and go away after its last test."""
    model = recipes.load_model(models_dir, request.param)
    folder = tmp_path_factory.mktemp(model.stem)
    path = model.place(folder)
    oracle = runners.OnnxRuntime(path)
    try:
        dyn = make_runner(path, folder)
        interpreter = None
        if not isinstance(dyn, runners.Interpreter) and (programs / "dyn-run").exists():
            interpreter = runners.Interpreter(programs / "dyn-run", path, folder)
        yield Compiled(model, dyn, oracle, interpreter)
        dyn.close()
    finally:
        oracle.close()
        shutil.rmtree(folder)


def expected_failures():
    """(model, sizes as text) -> reason; the sizes are empty where all are meant."""
    found = {}
    for line in (HERE / "expected_failures.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            case, _, reason = line.partition("|")
            name, *sizes = case.split()
            found[name, " ".join(sizes)] = reason.strip()
    return found


def pytest_generate_tests(metafunc):
    if not {"compiled", "sizes"} <= set(metafunc.fixturenames):
        return
    folder, failures, cases = metafunc.config.getoption("--models-dir"), expected_failures(), []
    for name in recipes.NAMES:
        for sizes in recipes.load_model(folder, name).sizes() if folder.is_dir() else [{}]:
            text = " ".join(f"{symbol}={size}" for symbol, size in sizes.items())
            reason = failures.get((name, "")) or failures.get((name, text))
            marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
            cases.append(pytest.param(name, sizes, id=f"{name} {text}", marks=marks))
    metafunc.parametrize("compiled, sizes", cases, indirect=["compiled"])
