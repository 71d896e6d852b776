"""Writes the models of the corpus as libFuzzer takes them, a file each.

    write_seeds.py FOLDER [--node-tests]     with the models of ONNX's node tests beside them, of up to 4 KiB
    write_seeds.py FOLDER --broken COUNT     with the first COUNT models that utils/fuzz-import makes of both
"""

import argparse
import importlib.machinery
import importlib.util
import pathlib
import random

import onnx.backend.test
import onnx.parser

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
NODES = pathlib.Path(onnx.backend.test.__file__).parent / "data" / "node"
LARGEST = 4096


def write_broken(folder, count):
    path = pathlib.Path(__file__).resolve().parents[3] / "utils/fuzz-import"
    spec = importlib.util.spec_from_loader("fuzz_import", importlib.machinery.SourceFileLoader("fuzz_import", str(path)))
    fuzzer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fuzzer)
    models, files = fuzzer.read_corpus()
    for number in range(count):
        try:
            data = fuzzer.make_case(models, files, random.Random(f"0/{number}"))
        except (ValueError, TypeError, onnx.parser.ParseError):
            continue  # No such message can be written.
        (folder / f"broken-{number}.onnx").write_bytes(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--node-tests", action="store_true")
    parser.add_argument("--broken", type=int, default=0, metavar="COUNT")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for path in CORPUS.glob("*.onnxtxt"):
        model = onnx.parser.parse_model(path.read_text())
        (options.folder / f"{path.stem}.onnx").write_bytes(model.SerializeToString())
    if options.node_tests:
        for path in NODES.glob("*/model.onnx"):
            if path.stat().st_size <= LARGEST:
                (options.folder / f"{path.parent.name}.onnx").write_bytes(path.read_bytes())
    write_broken(options.folder, options.broken)


if __name__ == "__main__":
    main()
