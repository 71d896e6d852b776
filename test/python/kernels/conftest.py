"""Compiles programs and compares what they give with numpy."""

import numpy as np
import pytest


class Compiled:
    def __init__(self, program, tool, folder):
        self.program, self.tool, self.folder = program, tool, folder
        self.runs = 0
        source = folder / "program.mlir"
        source.write_text(str(program))
        for name, data in program.files.items():
            (folder / name).write_bytes(data)
        done = tool("dyn-run", "--compile", source, "-o", folder / "program.so")
        assert done.returncode == 0, done.stderr + str(program)

    def run(self, inputs):
        """The finished process, and the outputs if it succeeded."""
        self.runs += 1
        folder = self.folder / f"run{self.runs}"
        folder.mkdir()
        arguments = ["--output-dir", folder, "--threads=2"]
        for i, array in enumerate(inputs):
            np.save(folder / f"in{i}.npy", array)
            arguments.append(f"--input=in{i}={folder}/in{i}.npy")
        done = self.tool("dyn-run", self.folder / "program.so", *arguments)
        count = len(self.program.results) if done.returncode == 0 else 0
        return done, [np.load(folder / f"out{i}.npy") for i in range(count)]

    def check(self, *, tolerance=2e-4, **sizes):
        inputs = self.program.make_inputs(sum(sizes.values()), sizes)
        expected = self.program.compute(inputs, sizes)
        done, outputs = self.run(inputs)
        assert done.returncode == 0, done.stderr
        for value, array, reference in zip(self.program.results, outputs, expected):
            assert array.shape == np.shape(reference), f"{value.name} at {sizes}"
            np.testing.assert_allclose(array, reference, tolerance, tolerance, err_msg=f"{value.name} at {sizes}")


@pytest.fixture
def compile_program(tool, tmp_path):
    return lambda program: Compiled(program, tool, tmp_path)
