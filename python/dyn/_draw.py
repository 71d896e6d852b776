"""Pictures of models in files."""

import os
import subprocess
import warnings

from dyn._errors import Error
from dyn._picture import to_dot
from dyn._shapes import infer_shapes, shapes


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
    inferred = infer_shapes(model, **options)
    with warnings.catch_warnings(action="ignore"):
        sizes = shapes(model, **options)
    dims = {name: f"[{', '.join(value.dims)}]" for name, value in sizes.values.items() if value.dims is not None}
    data = [symbol.name for symbol in sizes.symbols.values() if symbol.origin.startswith("data")]
    text = to_dot(inferred.graph, dims, data)
    if output is None:
        return text
    path = os.fspath(output)
    kind = os.path.splitext(path)[1].lstrip(".") or "dot"
    if kind == "dot":
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return text
    try:
        subprocess.run(["dot", f"-T{kind}", "-o", path], input=text.encode(), check=True, capture_output=True)
    except FileNotFoundError:
        raise Error(f"'{path}' needs Graphviz' program dot, which is not there; a .dot file needs nothing") from None
    except subprocess.CalledProcessError as failure:
        raise Error(f"dot can't write '{path}': {failure.stderr.decode(errors='replace').strip()}") from None
    return text
