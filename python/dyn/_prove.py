"""Questions to the symbolic engine."""

from dataclasses import dataclass

from dyn import _dyn


@dataclass(frozen=True)
class Verdict:
    """The answer to a question about sizes: "yes", "no" or "unknown", and the facts it follows from, with reasons.

    Only "yes" is true.
    """

    answer: str
    reasons: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.answer == "yes"

    def __str__(self) -> str:
        return "\n  ".join((self.answer, *self.reasons))


def prove(predicate: str, given: str = "") -> Verdict:
    """Does `predicate` hold for all sizes that `given` allows?

    `given` holds predicates, separated by semicolons: "S >= 0; P in 0..4096; S mod 8 == 0". Symbols are sizes, never
    negative. ValueError for a text that is no predicate, with the column, or for facts that contradict each other.
    """
    facts = [(fact.strip(), "given") for fact in given.split(";") if fact.strip()]
    answer, reasons = _dyn.prove(predicate, "", facts)
    return Verdict(answer, tuple(reasons))
