"""Whole models: first runs, and what it costs that sizes are not known."""

import statistics

from . import benchmark, measure, runners


def first_run(model, arguments, folder):
    """At each size, after one run at the size before it in the list."""
    import dyn

    path, artefact = model.place(folder), folder / "model.so"
    dyn.compile(str(path)).save(str(artefact))
    sizes = benchmark.chosen_sizes(model, arguments)
    for before, now in zip(sizes[-1:] + sizes[:-1], sizes):
        others, inputs = model.inputs(before), model.inputs(now)
        firsts, tenths = ([], []), ([], [])
        for _ in range(arguments.repeats):
            ours, theirs = dyn.load(str(artefact), threads=arguments.threads), runners.open_onnxruntime(path, arguments.threads)
            for run, first, tenth in zip((ours.run, lambda values: theirs.run(None, values)), firsts, tenths):
                run(others)
                times = [measure.seconds(lambda: run(inputs)) for _ in range(12)]
                first.append(times[0])
                tenth.append(statistics.median(times[8:]))  # One run alone is disturbed too easily.
        ratios = [statistics.median(a / b for a, b in zip(first, tenth)) for first, tenth in zip(firsts, tenths)]
        yield {"model": model.stem, "sizes": now, "after": before, "dyn_first_ms": statistics.median(firsts[0]) * 1e3,
               "dyn_ratio": ratios[0], "onnxruntime_first_ms": statistics.median(firsts[1]) * 1e3, "onnxruntime_ratio": ratios[1]}


def symbols_of(executable, inputs):
    """Sizes of the symbols that are dims of inputs."""
    return {dim: size for tensor in executable.inputs for dim, size in zip(tensor.dims, inputs[tensor.name].shape)
            if dim in executable.symbols}


def open_fixed_onnxruntime(path, threads, sizes):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    for name, size in sizes.items():
        options.add_free_dimension_override_by_name(name, size)
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def fixed_sizes(model, arguments, folder):
    """At each size, next to the model compiled for this size; the same of onnxruntime."""
    import dyn

    path, threads = model.place(folder), arguments.threads
    ours, theirs = dyn.compile(str(path), threads=threads), runners.open_onnxruntime(path, threads)
    for sizes in benchmark.chosen_sizes(model, arguments):
        inputs = model.inputs(sizes)
        symbols = symbols_of(ours, inputs)
        our_fixed = dyn.compile(str(path), dims=symbols, threads=threads)
        their_fixed = open_fixed_onnxruntime(path, threads, symbols)
        times = measure.interleave(
            [lambda: ours.run(inputs), lambda: our_fixed.run(inputs), lambda: theirs.run(None, inputs),
             lambda: their_fixed.run(None, inputs)], arguments.seconds)
        yield {"model": model.stem, "sizes": sizes, "dyn_ms": times[0] * 1e3, "dyn_fixed_ms": times[1] * 1e3,
               "dyn_ratio": times[0] / times[1], "onnxruntime_ratio": times[2] / times[3]}
