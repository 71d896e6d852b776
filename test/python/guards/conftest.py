import re

import pytest


@pytest.fixture
def minimize_guards(tool, tmp_path):
    """By the number of a list of guards over sizes A, B and C, those that dyn-opt leaves; nothing for one that it refuses."""
    def minimize(cases, declared):
        functions = []
        for number, guards in enumerate(cases):
            lines = "\n".join(f'  dyn.require {guard} because "test"' for guard in guards)
            functions.append(f"""func.func @f{number}(%x: tensor<?x?x?xf32, #dyn.dims<[A, B, C]>>) attributes {{dyn.symbols = #dyn.symbols<{declared}>}} {{
{lines}
              return\n}}""")
        path = tmp_path / "guards.mlir"
        path.write_text("\n// -----\n".join(functions))
        done = tool("dyn-opt", path, "--dyn-minimize-guards", "--split-input-file")
        texts = re.split(r"func\.func @f", done.stdout)[1:]
        return {int(text.split("(")[0]): re.findall(r"dyn\.require (.*) because", text) for text in texts}

    return minimize
