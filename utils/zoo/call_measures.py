"""What a run costs beside its kernels."""

import pathlib
import subprocess
import tempfile

import numpy as np
import onnx.parser

from . import benchmark, measure, model_measures, runners

TRIVIAL = '<ir_version: 8, opset_import: ["" : 18]> g (float[N] x) => (float[N] y) { y = Neg(x) }'
# Calls between two looks at the clock, which take as long as a part of a call.
CALLS = 100


def build_program(build):
    """Builds and gives the program that times calls of the C interface."""
    subprocess.run(["ninja", "-C", build, "runtime-benchmark"], check=True, capture_output=True)
    return build / "benchmarks/runtime-benchmark"


def check_row(program, name, artefact, inputs, executable):
    dims = [size for tensor in executable.inputs for size in inputs[tensor.name].shape]
    done = subprocess.run([program, artefact, *map(str, dims)], check=True, capture_output=True, text=True)
    return {"model": name, "sizes": model_measures.symbols_of(executable, inputs), "check_us": float(done.stdout) * 1e-3}


def many(call):
    def run():
        for _ in range(CALLS):
            call()
    return run


def calls(arguments):
    """Checks from C at each size of the models; then a trivial model from Python, next to onnxruntime."""
    import dyn

    program = build_program(arguments.build_dir)
    for model in benchmark.find_models(arguments):
        with tempfile.TemporaryDirectory() as folder:
            artefact = pathlib.Path(folder) / "model.so"
            executable = dyn.compile(str(model.place(pathlib.Path(folder))))
            executable.save(str(artefact))
            for sizes in benchmark.chosen_sizes(model, arguments):
                yield check_row(program, model.stem, artefact, model.inputs(sizes), executable)
    trivial = onnx.parser.parse_model(TRIVIAL).SerializeToString()
    executable, session = dyn.compile(trivial, threads=arguments.threads), runners.open_onnxruntime(trivial, arguments.threads)
    inputs = {"x": np.ones(4, np.float32)}
    bound = executable.bind({"N": 4})
    # One thread leaves none that spins, and a core that has slept is slow for longer than a turn.
    pause = 0 if arguments.threads == 1 else measure.PAUSE
    medians = measure.interleave(list(map(many, (
        lambda: executable.run(inputs), lambda: bound.run(inputs), lambda: session.run(None, inputs)))), arguments.seconds, pause=pause)
    ours, bound_us, theirs = (median / CALLS * 1e6 for median in medians)
    yield {"model": "one Neg", "sizes": {"N": 4}, "dyn_run_us": ours, "dyn_bound_us": bound_us, "onnxruntime_us": theirs,
           "ratio": ours / theirs}
