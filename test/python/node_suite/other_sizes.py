"""Node tests at sizes that they do not have, compared with onnx's reference evaluator and onnxruntime.

Right is what one of them gives, of those that give what the test expects at its own sizes. A size that one of them
refuses is none to object to if Dyn refuses it too. `differences.txt` names what is known to be wrong in them, and at what
kind of sizes: there it counts only if they agree, and that they don't is checked as well. What stands there of Dyn itself
is what it refuses, never what it computes. `not_compared.txt` has the tests of which nothing can be said.
"""

import collections
import itertools

import node_cases
import numpy as np
import other_inputs
import peers

MODE = "other_sizes"
NOT_COMPARED = node_cases.FOLDER / "not_compared.txt"
DIFFERENCES = node_cases.FOLDER / "differences.txt"
WANTED = {"other sizes": 2, "one": 1, "nothing": 1}
"""So many runs of a kind are compared, if there are as many that a peer runs."""


class NotCompared(Exception):
    """No peer can be asked about a test at other sizes than its own."""


def _difference(names, ours, theirs) -> str:
    try:
        for name, own, other in zip(names, ours, theirs, strict=True):
            node_cases.compare(own, other, f"output '{name}'")
    except AssertionError as error:
        return str(error).strip()
    return ""


def _describe(inputs) -> str:
    return ", ".join(f"{name}: {[np.shape(one) for one in value] if isinstance(value, list) else np.shape(value)}"
                     for name, value in inputs.items() if value is not None)


class _Test:
    def __init__(self, name: str, mode: str, wrong: set[tuple[str, str]], why: str):
        model = node_cases.load(name)
        inputs, expected = next(node_cases.read_sets(name, model))
        _, self._runner = node_cases.make_runner(model, mode)
        self.others = other_inputs.OtherInputs(model, inputs)
        self.peers = peers.Peers(model, inputs, expected)
        self._outputs = [value.name for value in model.graph.output]
        self._wrong, self._why, self.found_wrong = wrong, why, set()

    def compare(self, what, inputs) -> bool:
        """Raises AssertionError where Dyn differs from all peers; False where there is nothing to compare."""
        differences, refusals, ours = {}, [], None
        for peer in self.peers:
            try:
                theirs = peer.run(inputs)
            except peers.Refused as error:
                refusals.append(str(error))
                continue
            if ours is None:
                ours, refused = self._run(inputs)
            if refused and ("Dyn", what) in self._wrong and self._why in refused:
                self.found_wrong.add(("Dyn", what))
                return False
            difference = (f"Dyn refuses what {peer.name} runs: {refused}" if refused
                          else _difference(self._outputs, ours, theirs))
            if not difference:
                return True
            if (peer.name, what) in self._wrong:
                self.found_wrong.add((peer.name, what))
            else:
                differences[peer.name] = difference
        if not differences or refused and refusals:
            return False
        raise AssertionError(f"{next(iter(differences.values()))} (sizes: {_describe(inputs)}; {', '.join(differences)})")

    def _run(self, inputs):
        """(outputs, why the run is refused)."""
        import dyn

        try:
            return node_cases.run_model(self._runner, inputs), ""
        except dyn.ShapeError as error:
            return [], str(error)


def _read_difference(text: str) -> tuple[set[tuple[str, str]], str]:
    """(program, kind of sizes) for each of those that stand before the reason, and the reason."""
    before, _, why = text.partition(": ")
    words, programs = set(before.split(", ")) if text else set(), {"Dyn", *peers.PROGRAMS}
    unknown = words - WANTED.keys() - programs
    assert not unknown, f"no programs and no kinds of sizes: {unknown}"
    return {(program, what) for program in words & programs for what in words & WANTED.keys()}, why


def run(name: str, mode: str = "symbolic") -> collections.Counter:
    """How many runs are compared, by what for. Raises NotCompared where there is none."""
    if name in node_cases.draws_numbers():
        raise NotCompared("random numbers are others in each program")
    wrong, why = _read_difference(differences().get(name, ""))
    test = _Test(name, mode, wrong, why)
    if not any(test.others.changes()):
        raise NotCompared("no input has a dim or says a size")
    if not any(test.peers):
        raise NotCompared("no peer gives what the test expects")
    compared = collections.Counter()
    for what, change in test.others.changes():
        if compared[what] < WANTED[what]:
            compared[what] += any(test.compare(what, inputs) for inputs in test.others.make(change))
    lacking = set(itertools.chain(*wrong)) - set(itertools.chain(*test.found_wrong))
    assert not lacking, f"nothing is wrong in, or at: {lacking}; take it off the list of differences"
    if not compared.total():
        raise NotCompared("no peer is right at other sizes" if wrong else "no peer runs other sizes")
    return compared


def differences() -> dict[str, str]:
    """`programs, kinds of sizes: what is wrong` by the name of a test."""
    return node_cases.read_list(DIFFERENCES)


def not_compared() -> dict[str, str]:
    """Why no size but its own is compared, by the name of a test."""
    return node_cases.read_list(NOT_COMPARED)
