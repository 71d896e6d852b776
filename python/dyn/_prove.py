"""Questions to the symbolic engine."""

from collections.abc import Sequence
from dataclasses import dataclass

from dyn import _dyn
from dyn._errors import PredicateError


@dataclass(frozen=True)
class Verdict:
    """The answer to a question about sizes. Only "yes" is true."""

    answer: str
    """"yes", "no" or "unknown"."""
    reasons: tuple[str, ...] = ()
    """The facts that the answer follows from, with where they come from."""

    def __bool__(self) -> bool:
        return self.answer == "yes"

    def __str__(self) -> str:
        return "\n  ".join((self.answer, *self.reasons))


def _require_text(value, what: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a text, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise PredicateError(f"{what} has {value[error.start]!r} at column {error.start + 1}, which is no character") from None


def _ask(predicate: str, declarations: str, facts: Sequence[tuple[str, str]] = (), given: Sequence[str] = ()) -> Verdict:
    try:
        answer, reasons = _dyn.prove(predicate, declarations, list(facts), list(given))
    except ValueError as error:
        raise PredicateError(str(error)) from None
    return Verdict(answer, tuple(reasons))


def ask(predicate: str, declarations: str, facts: Sequence[tuple[str, str]], symbols: Sequence[str]) -> Verdict:
    """The verdict under declared symbols and facts with reasons, on a predicate that may mention `symbols`."""
    _require_text(predicate, "a predicate")
    try:
        names = _dyn.symbols_of_predicate(predicate)
    except ValueError as error:
        raise PredicateError(str(error)) from None
    for name in names:
        if name not in symbols:
            raise PredicateError(f"the model has no symbol {name!r}; its symbols are {', '.join(symbols)}")
    return _ask(predicate, declarations, facts)


def prove(predicate: str, given: str = "") -> Verdict:
    """Does `predicate` hold for all sizes that `given` allows?

    `given` holds predicates, separated by semicolons: "S >= 0; P in 0..4096; S mod 8 == 0", and declarations of symbols
    as modules have them: "S: [1, 512] mod 8, d: int". Symbols are sizes, never negative, unless they are declared as
    `int`. PredicateError for a text that is no predicate, with the column, or for facts that contradict each other, with the
    chain of those that do. (`dyn-prove` warns of such facts and answers that everything follows from them.)
    """
    _require_text(predicate, "a predicate")
    _require_text(given, "given")
    declarations, facts = _dyn.split_facts(given)
    return _ask(predicate, ", ".join(declarations), given=facts)
