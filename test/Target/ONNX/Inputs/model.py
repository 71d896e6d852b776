"""Writes ONNX models that a test holds in ONNX's text syntax, with comment lines that start with `#`.

    model.py TEXT MODEL.onnx        the whole text is one model
    model.py --parts TEXT FOLDER    a line `# --- NAME` starts the model FOLDER/NAME.onnx

Nothing is checked, so that tests can write models that are wrong.
"""

import pathlib
import sys

import onnx.parser


def write(lines, path):
    model = onnx.parser.parse_model("\n".join(line for line in lines if not line.lstrip().startswith("#")))
    for node in model.graph.node:
        node.name = node.name or "/" + node.output[0]
    onnx.save(model, path)


def split(lines):
    parts = {}
    for line in lines:
        if line.startswith("# --- "):
            part = parts.setdefault(line.split()[2], [])
        elif parts:
            part.append(line)
    return parts


def main(arguments):
    if arguments[0] != "--parts":
        text, model = arguments
        write(pathlib.Path(text).read_text().splitlines(), model)
        return
    text, folder = map(pathlib.Path, arguments[1:])
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in split(text.read_text().splitlines()).items():
        write(lines, folder / f"{name}.onnx")


main(sys.argv[1:])
