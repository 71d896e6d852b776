"""Options of imports on command lines, spelled as those of dyn-run and dyn-translate."""

import argparse

from dyn import _dyn
from dyn._import import Dim


def _reader(read):
    """Of texts that `read` refuses, the command line says why."""

    def parse(text: str):
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse


def _facts(text: str) -> Dim:
    return Dim(*_dyn.parse_dim_range(text))


def _dim(text: str) -> tuple[str, Dim]:
    name, facts = _dyn.parse_dim(text)
    return name, Dim(*facts)


class _Collect(argparse.Action):
    """Keeps what is given by name, once for each name."""

    def __call__(self, parser, namespace, value, option=None):
        name, given = value
        known = getattr(namespace, self.dest) or {}
        if known.get(name, given) != given:
            parser.error(f"argument {option}: '{name}' is given twice, with different values")
        setattr(namespace, self.dest, {**known, name: given})


def add_import_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("sizes", "what is known of them beside the model; NAME=... may be repeated")

    def add(name: str, metavar: str, help: str, read) -> None:
        group.add_argument(name, metavar=metavar, type=_reader(read), action=_Collect, default={}, help=help)

    add("--dim", "NAME=RANGE", "facts about a declared dim, such as seq=8, seq=1..512 or seq=1..512:8 (a divisor)", _dim)
    add("--input-dims", "INPUT=[DIM,...]", "dims of an input, such as x=[N,3,H,S + P]", _dyn.parse_input_dims)
    add("--input-values", "INPUT=V,...", "elements of an input of integers, such as sr=16000", _dyn.parse_input_values)
    group.add_argument("--default-dim", metavar="RANGE", type=_reader(_facts), help="facts about dims of inputs without a name")
    group.add_argument(
        "--declared",
        choices=["refine", "strict", "override", "trust"],
        default="refine",
        help="what the dims of outputs and value_info count for (default refine)",
    )


def get_import_options(options: argparse.Namespace) -> dict:
    """The keywords of `dyn.shapes`."""
    return {
        "dims": options.dim,
        "input_dims": options.input_dims,
        "input_values": options.input_values,
        "default_dim": options.default_dim,
        "declared": options.declared,
    }
