"""Guards that bound one symbol are simplified without the engine where nothing but ranges is declared.

The engine says the same of them: a constraint of another symbol makes it do the work.
"""

import itertools
import re

FUNCTION = """func.func @f{number}(%x: tensor<?xf32, #dyn.dims<[M]>>, %y: tensor<?xf32, #dyn.dims<[N]>>) -> tensor<?xf32, #dyn.dims<[M]>>
    attributes {{dyn.symbols = #dyn.symbols<M: {facts} from arg0[0], N: [0, ?] from arg1[0]>{constraint}}} {{
  dyn.require {guard} because "test"
  return %x : tensor<?xf32, #dyn.dims<[M]>>
}}
"""
CONSTRAINT = ', dyn.constraints = #dyn.constraints<"N <= 100">'
FACTS = ["[0, ?]", "[0, 8]", "[3, 8]", "[1, 1]", "[0, ?] mod 4", "[2, 9223372036854775807]"]
GUARDS = [text for text, bound in itertools.product(["M <= {}", "M < {}", "{} <= M", "{} < M", "M == {}", "{} == M"],
                                                    [0, 1, 2, 3, 5, 8, 9, 2**62, 2**63 - 1])
          for text in [text.format(bound)]]


def simplify(tool, tmp_path, constraint):
    path = tmp_path / "guards.mlir"
    cases = list(itertools.product(FACTS, GUARDS))
    path.write_text("".join(FUNCTION.format(number=number, facts=facts, guard=guard, constraint=constraint) + "\n// -----\n"
                            for number, (facts, guard) in enumerate(cases)))
    result = tool("dyn-opt", path, "--dyn-minimize-guards", "--split-input-file")
    functions = re.split(r"func\.func @f", result.stdout)[1:]
    found = {int(text.split("(")[0]): re.findall(r"dyn\.require (.*) because", text) for text in functions}
    return {case: found.get(number) for number, case in enumerate(cases)}


def test_what_is_said_without_the_engine_is_what_the_engine_says(tool, tmp_path):
    alone, engine = (simplify(tool, tmp_path, constraint) for constraint in ("", CONSTRAINT))
    assert alone == engine
    # All but what no size meets.
    assert sum(guards is not None for guards in alone.values()) > len(alone) / 2
    assert alone["[0, 8]", "M <= 9"] == [] and alone["[0, 8]", "5 < M"] == ["6 <= M"] and alone["[3, 8]", "M < 5"] == ["M <= 4"]
