"""Options of imports on command lines, spelled as those of dyn-run and dyn-translate."""

import argparse
import re

from dyn._import import Dim

_RANGE = re.compile(r"(?P<lower>\d*)(?P<dots>\.\.)?(?P<upper>\d*)(:(?P<divisor>\d+))?(@\{(?P<likely>\d+(,\d+)*)\})?")


def _facts(text: str) -> "Dim | int":
    found = _RANGE.fullmatch(text)
    if not found or not (found["dots"] or (found["lower"] and found["lower"] == text)):
        raise argparse.ArgumentTypeError(f"expected V, V..V, V..V:DIVISOR or V..V@{{LIKELY,...}} instead of '{text}'")
    if not found["dots"]:
        return int(text)
    likely = [int(size) for size in (found["likely"] or "").split(",") if size]
    try:
        return Dim(int(found["lower"] or 0), int(found["upper"]) if found["upper"] else None, int(found["divisor"] or 1), likely)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("dyn.Dim: ")) from None


def _named(read):
    """What reads NAME=TEXT; a name may have any character."""

    def parse(text: str):
        name, equals, value = text.partition("=") if "[" in text else text.rpartition("=")
        if not equals or not name:
            raise argparse.ArgumentTypeError(f"expected NAME=VALUE instead of '{text}'")
        return name, read(value)

    return parse


def _values(text: str) -> list[int]:
    try:
        return [int(value) for value in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected integers instead of '{text}'") from None


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
        group.add_argument(name, metavar=metavar, type=_named(read), action=_Collect, default={}, help=help)

    add("--dim", "NAME=RANGE", "facts about a declared dim, such as seq=8, seq=1..512 or seq=1..512:8 (a divisor)", _facts)
    add("--input-dims", "INPUT=[DIM,...]", "dims of an input, such as x=[N,3,H,S + P]", str)
    add("--input-values", "INPUT=V,...", "elements of an input of integers, such as sr=16000", _values)
    group.add_argument("--default-dim", metavar="RANGE", type=_facts, help="facts about dims of inputs without a name")
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
