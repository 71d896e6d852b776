"""python -m dyn.draw MODEL.onnx -o PICTURE.svg

Draws a model with the dims of its values on the edges. Blocks that repeat are drawn once, and nodes that only compute
sizes are left out.
"""

import argparse
import os
import sys
import warnings

from dyn._arguments import add_import_options, get_import_options
from dyn._draw import draw
from dyn._errors import Error


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m dyn.draw", description=__doc__.split("\n\n")[1])
    parser.add_argument("model", help="the ONNX model")
    parser.add_argument("-o", "--output", required=True, help="PICTURE.svg, .png, .pdf, or .dot for Graphviz text")
    add_import_options(parser)
    options = parser.parse_args(arguments)
    try:
        with warnings.catch_warnings(action="ignore"):
            draw(options.model, options.output, **get_import_options(options))
    except (Error, OSError, ValueError) as error:
        text = str(error).removeprefix(f"{os.path.basename(options.model)}: ")
        print(f"{options.model}: error: {text}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
else:
    # `import dyn.draw` gives the function that `dyn.draw` is.
    sys.modules[__name__] = draw
