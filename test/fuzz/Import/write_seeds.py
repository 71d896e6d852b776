"""Writes the models of the corpus as libFuzzer takes them, a file each.

    write_seeds.py FOLDER [--node-tests]     with the models of ONNX's node tests beside them, of up to 4 KiB
"""

import argparse
import pathlib

import onnx.backend.test
import onnx.parser

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
NODES = pathlib.Path(onnx.backend.test.__file__).parent / "data" / "node"
LARGEST = 4096


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--node-tests", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for path in CORPUS.glob("*.onnxtxt"):
        model = onnx.parser.parse_model(path.read_text())
        (options.folder / f"{path.stem}.onnx").write_bytes(model.SerializeToString())
    if options.node_tests:
        for path in NODES.glob("*/model.onnx"):
            if path.stat().st_size <= LARGEST:
                (options.folder / f"{path.parent.name}.onnx").write_bytes(path.read_bytes())


if __name__ == "__main__":
    main()
