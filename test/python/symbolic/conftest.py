import pytest
from engine import Engine


@pytest.fixture
def engine(request):
    library = request.config.getoption("--build-dir").resolve() / "lib" / "libdyn_symbolic.so"
    if not library.exists():
        pytest.skip(f"no {library.name} in the build")
    engine = Engine(library)
    yield engine
    engine.close()
