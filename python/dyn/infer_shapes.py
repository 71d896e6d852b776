"""python -m dyn.infer_shapes --input MODEL.onnx --output OUT.onnx

Writes a model again with the dims of all values. Takes the arguments of onnxruntime.tools.symbolic_shape_infer.
"""

import argparse
import os
import sys
import tempfile
import warnings

from dyn._arguments import add_import_options, get_import_options
from dyn._errors import Error
from dyn._files import output_file
from dyn._shapes import infer_shapes, shapes, write_with_shapes


def report(path: str, severity: str, message) -> None:
    """A line on standard error. Messages that are not about a node begin with the file's name."""
    text = str(message).removeprefix(f"{os.path.basename(path)}: ")
    print(f"{path}: {severity}: {text}", file=sys.stderr)


def parse(arguments) -> argparse.Namespace:
    # Its own options are read first, as they are spelled, so that others may be cut short as before.
    own = argparse.ArgumentParser(allow_abbrev=False, add_help=False, usage=argparse.SUPPRESS)
    add_import_options(own)
    parser = argparse.ArgumentParser(
        prog="python -m dyn.infer_shapes",
        description=__doc__.split("\n\n")[1],
        epilog=own.format_help(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--input", required=True, help="the ONNX model")
    parser.add_argument("--output", help="the file to write (default: say only whether sizes can be inferred)")
    parser.add_argument(
        "--verbose", type=int, default=0, help="from 3 on: symbols, guards and all dims on standard error (default 0)"
    )
    external = parser.add_argument_group("external data", "weights that have files of their own keep them otherwise")
    external.add_argument(
        "--save_as_external_data", action="store_true", help="put the weights of initializers into files of their own"
    )
    external.add_argument("--all_tensors_to_one_file", action="store_true", help="one file instead of one for each")
    external.add_argument(
        "--external_data_location",
        default="./",
        help="that file, from the output's folder on; in a folder it is called as the output, with .data behind",
    )
    external.add_argument(
        "--external_data_size_threshold", type=int, default=1024, help="bytes from which on (default 1024)"
    )
    unused = parser.add_argument_group(
        "accepted for the sake of onnxruntime's tool, and of no effect: nothing is merged or guessed, no size is boundless"
    )
    unused.add_argument("--auto_merge", action="store_true")
    unused.add_argument("--guess_output_rank", action="store_true")
    unused.add_argument("--int_max", type=int, default=2**31 - 1)
    own.error = parser.error
    known, rest = own.parse_known_args(arguments)
    return parser.parse_args(rest, known)


def move_files(source: str, target: str, last: str) -> None:
    """All files below a folder to another one, that called `last` at the end; none if another one would be replaced."""
    names = [
        os.path.relpath(os.path.join(folder, name), source) for folder, _, files in os.walk(source) for name in files
    ]
    data = [name for name in names if name != last]
    for name in data:
        if os.path.lexists(os.path.join(target, name)):
            raise FileExistsError(f"'{os.path.join(target, name)}' is there already, and is not replaced")
    for name in [*data, last]:
        os.makedirs(os.path.dirname(os.path.join(target, name)) or ".", exist_ok=True)
        os.replace(os.path.join(source, name), os.path.join(target, name))


def save_with_external_data(model, options: argparse.Namespace) -> None:
    import onnx

    try:
        onnx.load_external_data_for_model(model, os.path.dirname(options.input))
    except onnx.checker.ValidationError as error:
        raise ValueError(str(error)) from None
    folder, name = os.path.split(os.path.realpath(options.output))
    location = options.external_data_location
    if os.path.basename(location) in ("", ".") or os.path.isdir(os.path.join(folder, location)):
        location = os.path.join(location, name + ".data")
    location = os.path.normpath(location)
    if os.path.isabs(location) or location.split(os.sep)[0] == os.pardir:
        raise ValueError(f"external data must lie in the model's folder, which '{location}' does not")
    with tempfile.TemporaryDirectory(prefix=".dyn-", dir=folder) as temporary:
        os.makedirs(os.path.join(temporary, os.path.dirname(location)), exist_ok=True)
        onnx.save_model(
            model,
            os.path.join(temporary, name),
            save_as_external_data=True,
            all_tensors_to_one_file=options.all_tensors_to_one_file,
            location=location,
            size_threshold=options.external_data_size_threshold,
            convert_attribute=False,
        )
        move_files(temporary, folder, name)


def run(options: argparse.Namespace) -> None:
    sizes = get_import_options(options)
    if options.verbose > 2:
        with warnings.catch_warnings(action="ignore"):
            print(shapes(options.input, **sizes), file=sys.stderr)
    replaces = options.output and os.path.exists(options.output) and os.path.samefile(options.input, options.output)
    if options.output and not replaces and not options.save_as_external_data:
        write_with_shapes(options.input, options.output, **sizes)
        return
    model = infer_shapes(options.input, **sizes)
    if options.output and options.save_as_external_data:
        save_with_external_data(model, options)
    elif options.output:
        # Nothing is lost: the weights of the model are in the new one, or where they were.
        with output_file(options.output) as file:
            file.write(model.SerializeToString())


def main(arguments=None) -> int:
    options = parse(arguments)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        try:
            run(options)
        except (Error, OSError, ValueError) as error:
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
