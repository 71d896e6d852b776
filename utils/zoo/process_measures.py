"""What processes need: memory that stays after runs, time and memory of compilation."""

import ctypes
import multiprocessing
import os
import pathlib
import random
import statistics

from . import measure, runners

COUNT = 300
GIB = 1 << 30


def resident_bytes():
    """Without what the C library keeps of freed memory, such as that of inputs and outputs that are gone."""
    ctypes.CDLL(None).malloc_trim(0)
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def in_process(function, *arguments):
    """What `function` gives in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def _resident(kind, path, model, sizes, threads):
    """Resident memory of the program after the largest size, and after all."""
    if kind == "dyn":
        import dyn

        run = dyn.load(str(path), threads=threads).run
    else:
        session = runners.open_onnxruntime(path, threads)

        def run(inputs):
            session.run(None, inputs)
    for _ in range(3):
        run(model.inputs(sizes[0]))
    largest = resident_bytes()
    for some in sizes[1:]:
        run(model.inputs(some))
    return largest, resident_bytes()


def resident_memory(model, arguments, folder):
    import dyn

    from . import benchmark

    path, artefact = model.place(folder), folder / "model.so"
    dyn.compile(str(path)).save(str(artefact))
    chosen = benchmark.chosen_sizes(model, arguments)
    largest = {symbol: max(sizes[symbol] for sizes in chosen) for symbol in chosen[0]}
    generator = random.Random(0)
    sizes = [largest] + [{symbol: generator.randint(min(top, 1), top) for symbol, top in largest.items()} for _ in range(COUNT)]
    ours = in_process(_resident, "dyn", artefact, model, sizes, arguments.threads)
    theirs = in_process(_resident, "onnxruntime", path, model, sizes, arguments.threads)
    yield {"model": model.stem, "largest": largest, "dyn_mib": ours[0] / 2**20, "dyn_ratio": ours[1] / ours[0],
           "onnxruntime_mib": theirs[0] / 2**20, "onnxruntime_ratio": theirs[1] / theirs[0]}


def run_measured(command):
    """Seconds and peak bytes of a command."""
    found = {}

    def run():
        process = os.posix_spawn(command[0], command, os.environ)
        _, status, found["usage"] = os.wait4(process, 0)
        if status:
            raise RuntimeError(f"{' '.join(command)} failed")
    seconds = measure.seconds(run)
    return seconds, found["usage"].ru_maxrss * 1024, found["usage"].ru_utime + found["usage"].ru_stime


def _load(kind, path, repeats):
    """Seconds of loading, once the file is in memory."""
    def load():
        if kind == "dyn":
            import dyn

            return dyn.load(str(path))
        return runners.open_onnxruntime(path, 0)
    load()
    return statistics.median(measure.seconds(load) for _ in range(repeats))


def _compile(path, dims):
    """Seconds of compilation with these facts about dims."""
    import dyn

    return measure.seconds(lambda: dyn.compile(str(path), dims=dims))


def ranges_ratio(model, path, repeats):
    """Time to compile for narrow ranges of sizes over that for all sizes."""
    import dyn

    narrow = {symbol: dyn.Dim(1, 64) for symbol in model.sizes()[0]}
    times = [[in_process(_compile, path, dims) for dims in (narrow, {})] for _ in range(repeats)]
    return statistics.median(narrow / free for narrow, free in times)


def compilation(model, arguments, folder):
    path, artefact = model.place(folder), folder / "model.so"
    command = [str(arguments.build_dir / "bin/dyn-run"), "--compile", str(path), "-o", str(artefact)]
    seconds, peak, cpu = min(run_measured(command) for _ in range(arguments.repeats))
    weights = sum(file.stat().st_size for file in folder.iterdir() if file != artefact)
    yield {"model": model.stem, "compile_s": seconds, "cpu_s": cpu, "peak_mib": peak / 2**20, "peak_over_allowed": peak / (3 * weights + GIB),
           "narrow_ratio": ranges_ratio(model, path, arguments.repeats), "weights_mib": weights / 2**20, "artefact_mib": artefact.stat().st_size / 2**20,
           "load_ms": in_process(_load, "dyn", artefact, arguments.repeats) * 1e3,
           "onnxruntime_load_ms": in_process(_load, "onnxruntime", path, arguments.repeats) * 1e3}
