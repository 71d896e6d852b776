"""Pictures of models in files."""

import os
import subprocess

from dyn._errors import Error
from dyn._files import output_file
from dyn._picture import to_dot
from dyn._shapes import infer_both


def draw(model, output: str | os.PathLike | None = None, **options) -> str:
    """The picture of an ONNX model as Graphviz text, with the dims of values on the edges.

    Blocks that repeat, such as the layers of a transformer, are drawn once, with their number, and so is what is done
    side by side, such as once for each class; nodes that only compute sizes are left out, and so are weights, what is
    computed of them alone, and nodes that no output needs. Where dims differ in what is folded, the first and the last are told. In large models boxes
    that follow each other alone are drawn as one, a line each; if that is not enough, what has other dims is folded too.
    Dotted edges go from a copy of a block to the next one.

    output: a file to write: `.dot` takes the text, any other ending is a format of Graphviz' program `dot`, such as
        `.svg`, which must be there then.
    options: those of `dyn.shapes`.
    """
    inferred, sizes = infer_both(model, **options)
    dims = {name: f"[{', '.join(value.dims)}]" for name, value in sizes.values.items() if value.dims is not None}
    data = [symbol.name for symbol in sizes.symbols.values() if symbol.origin.startswith("data")]
    text = to_dot(inferred.graph, dims, data)
    if output is None:
        return text
    path = os.fspath(output)
    kind = os.path.splitext(path)[1].lstrip(".") or "dot"
    picture = text.encode() if kind == "dot" else _render(text, kind, path)
    with output_file(path) as file:
        file.write(picture)
    return text


def _render(text: str, kind: str, path: str) -> bytes:
    try:
        return subprocess.run(["dot", f"-T{kind}"], input=text.encode(), check=True, capture_output=True).stdout
    except FileNotFoundError:
        raise Error(f"'{path}' needs Graphviz' program dot, which is not there; a .dot file needs nothing") from None
    except subprocess.CalledProcessError as failure:
        raise Error(f"dot can't write '{path}': {failure.stderr.decode(errors='replace').strip()}") from None
