"""The symbols and guards of the shared models: guards.py --update writes `symbols_and_guards.txt` anew.

A guard too many refuses sizes, or says the same twice; one too few lets a wrong size in. Either way it is to be seen.
"""

import argparse
import pathlib
import sys
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXPECTED = pathlib.Path(__file__).with_name("symbols_and_guards.txt")


def describe(path):
    """The symbols with their facts and origins, then the guards, one a line."""
    import dyn

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shapes = dyn.shapes(path)
    return [*(f"{symbol.name}: {symbol.facts} from {symbol.origin}" for symbol in shapes.symbols.values()),
            *(f"guard {guard}" for guard in shapes.guards)]


def read():
    """Lines by model."""
    models, lines = {}, []
    for line in EXPECTED.read_text().splitlines():
        if line.startswith("    "):
            lines.append(line[4:])
        else:
            lines = models[line] = []
    return models


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", required=True)
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--models-dir", type=pathlib.Path, default=ROOT.parent / "shared" / "models")
    options = parser.parse_args()
    sys.path[:0] = [str(options.build_dir.resolve() / "python"), str(ROOT / "utils")]
    from zoo import recipes

    with EXPECTED.open("w") as file:
        for name in recipes.NAMES:
            print(name, *describe(options.models_dir / f"{name}.onnx"), sep="\n    ", file=file)


if __name__ == "__main__":
    main()
