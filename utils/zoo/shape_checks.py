"""Compares inferred sizes with those that onnxruntime really produces, for every value of the shared models.

    utils/check-shapes [MODEL...]        names below the models' folder, such as exported/transformer/minilm_l6_legacy

Prints a line for each model: the number of size vectors, of dims that are inferred wrongly or not at all. Differences that
are onnxruntime's own choice, and models that neither program takes, are listed with the reason.
"""

import argparse
import pathlib
import sys
import tempfile
import warnings

from zoo import recipes, shapes

MODELS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "models"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models-dir", type=pathlib.Path, default=MODELS)
    parser.add_argument("--sizes", type=int, default=5, help="how many size vectors of each model")
    parser.add_argument("models", nargs="*")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = 0
    for name in arguments.models or shapes.all_models(arguments.models_dir):
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = shapes.check_model(arguments.models_dir, name, pathlib.Path(folder), arguments.sizes)
            except Exception as error:
                print(f"{name}: {str(error).splitlines()[0] if str(error) else type(error).__name__}", flush=True)
                failed += 1
                continue
        print(f"{name}: {len(found.compared)} size vectors, {len(found.wrong)} wrong, {len(found.unknown)} unknown", flush=True)
        for line in found.wrong[:5]:
            print(f"    {line}")
        for line in found.expected[:2]:
            print(f"    expected, because {shapes.EXPECTED[name][1]}: {line}")
        for line in found.unknown[:3]:
            print(f"    unknown: {line}")
        failed += bool(found.wrong)
    if not arguments.models:
        for name, reason in recipes.NEVER_RUN.items():
            print(f"{name}: not run, because {reason}")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
