"""python -m dyn.infer_shapes --input MODEL.onnx --output OUT.onnx

Writes a model again with the dims of all values. Takes the arguments of onnxruntime.tools.symbolic_shape_infer.
"""

import argparse
import os
import sys
import warnings

from dyn._errors import Error
from dyn._shapes import infer_shapes, write_with_shapes


def report(path: str, severity: str, message) -> None:
    """A line on standard error. Messages that are not about a node begin with the file's name."""
    text = str(message).removeprefix(f"{os.path.basename(path)}: ")
    print(f"{path}: {severity}: {text}", file=sys.stderr)


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m dyn.infer_shapes", description=__doc__.split("\n\n")[1])
    parser.add_argument("--input", required=True, help="the ONNX model")
    parser.add_argument("--output", help="the file to write (default: say only whether sizes can be inferred)")
    parser.add_argument(
        "--declared",
        choices=["refine", "strict", "override", "trust"],
        default="refine",
        help="what the dims of outputs and value_info count for",
    )
    unused = parser.add_argument_group(
        "accepted for the sake of onnxruntime's tool, and of no effect: nothing is merged or guessed"
    )
    unused.add_argument("--auto_merge", action="store_true")
    unused.add_argument("--guess_output_rank", action="store_true")
    unused.add_argument("--int_max", type=int)
    unused.add_argument("--verbose", type=int)
    options = parser.parse_args(arguments)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        try:
            if options.output:
                write_with_shapes(options.input, options.output, declared=options.declared)
            else:
                infer_shapes(options.input, declared=options.declared)
        except Error as error:
            report(options.input, "error", error)
            return 1
        finally:
            for note in notes:
                report(options.input, "warning", note.message)
    return 0


if __name__ == "__main__":
    sys.exit(main())
else:
    # `import dyn.infer_shapes` gives the function that `dyn.infer_shapes` is.
    sys.modules[__name__] = infer_shapes
