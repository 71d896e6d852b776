import dataclasses
import importlib.util
import pathlib
import shutil

import pytest

from guarded import GuardedModel, load_runtime
from zoo import recipes, runners

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Compiled:
    """One model, compiled once, and what it is compared with."""

    model: recipes.Model
    dyn: object
    interpreter: object
    onnxruntime: runners.OnnxRuntime
    guarded: GuardedModel | None

    def close(self):
        for runner in (self.dyn, self.interpreter, self.onnxruntime, self.guarded):
            if runner:
                runner.close()


class Shelf:
    """Holds the model of the last test, because compiled models and their weights are big."""

    def __init__(self, models_dir, folder, build, kind):
        self.models_dir, self.folder, self.build, self.kind = models_dir, folder, build, kind
        self.program = build / "bin" / "dyn-run"
        self.name = self.compiled = self.failure = None

    def take(self, name):
        if name != self.name:
            self.clear()
            self.name = name
            try:
                self.compiled = self._compile(recipes.load_model(self.models_dir, name))
            except Exception as error:
                self.failure = error
        if self.failure:
            raise self.failure
        return self.compiled

    def clear(self):
        if self.compiled:
            self.compiled.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.name = self.compiled = self.failure = None

    def _compile(self, model):
        self.folder.mkdir()
        path = model.place(self.folder)
        interpreter = runners.Interpreter(self.program, path, self.folder) if self.program.exists() else None
        guarded = None
        if self.kind == "package":
            dyn = runners.DynPackage(path)
            dyn.executable.save(self.folder / "guarded.so")
            guarded = GuardedModel(load_runtime(self.build), self.folder / "guarded.so", dyn.threads)
        elif self.kind == "dyn-run":
            dyn = runners.DynRun(self.program, path, self.folder)
        else:
            dyn, interpreter = interpreter, None
        return Compiled(model, dyn, interpreter, runners.OnnxRuntime(path), guarded)


@pytest.fixture(scope="session")
def shelf(request, models_dir, tmp_path_factory):
    build = request.config.getoption("--build-dir").resolve()
    kind = request.config.getoption("--runner")
    if kind is None:
        kind = "package" if importlib.util.find_spec("dyn") else "dyn-run"
    shelf = Shelf(models_dir, tmp_path_factory.mktemp("models") / "model", build, kind)
    if kind != "package" and not shelf.program.exists():
        pytest.skip("dyn-run is not built")
    yield shelf
    shelf.clear()


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
    if not {"shelf", "sizes"} <= set(metafunc.fixturenames):
        return
    folder, failures, cases = metafunc.config.getoption("--models-dir"), expected_failures(), []
    for name in recipes.NAMES:
        for sizes in recipes.load_model(folder, name).sizes() if folder.is_dir() else [{}]:
            text = " ".join(f"{symbol}={size}" for symbol, size in sizes.items())
            reason = failures.get((name, "")) or failures.get((name, text))
            marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
            cases.append(pytest.param(name, sizes, id=f"{name} {text}".strip(), marks=marks))
    metafunc.parametrize("name, sizes", cases)
