"""Measures one thing about Dyn, next to onnxruntime where it does the same; prints a table and, last, a line of JSON.

    utils/measure first-run     the first run at a size over the tenth there, after a run at another size
    utils/measure fixed         a model over the same model compiled for one size
    utils/measure resident      resident memory after runs at 300 sizes over that after the largest
    utils/measure compile       time and peak memory of compilation, size of the artefact, time to load it
    utils/measure import        import of 384 MiB of weights over copying them; what it takes beyond reading them
    utils/measure calls         what a run costs beside its kernels: from C, and from Python
    utils/measure kernels       contractions, softmax, ... alone: shares of what the machine could do at most

Ratios below 1 say that Dyn is faster. `--models` and `--sizes` are as for utils/benchmark.
"""

import argparse
import json
import math
import os
import pathlib
import sys
import tempfile

from . import benchmark, call_measures, import_measures, kernel_measures, model_measures, process_measures, recipes

MEASURES = {
    "first-run": model_measures.first_run,
    "fixed": model_measures.fixed_sizes,
    "resident": process_measures.resident_memory,
    "compile": process_measures.compilation,
    "import": import_measures.imports,
    "calls": call_measures.calls,
    "kernels": kernel_measures.kernels,
}


def parse_arguments():
    parser = argparse.ArgumentParser(prog="utils/measure", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=MEASURES)
    parser.add_argument("--models", nargs="+", metavar="NAME", default=["minilm_l6_legacy", "bert_base_dynamo", "gpt2_cache_legacy"])
    parser.add_argument("--sizes", nargs="+", type=recipes.parse_sizes, metavar="S=1,T=2", help="instead of those of utils/benchmark --grid")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--target-cpu", default="native", help="kernels: as of dyn.compile, such as x86-64-v3 (default native)")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each program at each size (default 0.5)")
    parser.add_argument("--repeats", type=int, default=5, help="of what can be measured once only (default 5)")
    recipes.add_models_argument(parser)
    parser.add_argument("--build-dir", type=pathlib.Path, default=benchmark.ROOT / "build")
    parser.set_defaults(grid=True)
    return parser.parse_args()


def text_of(value):
    if isinstance(value, dict):
        return " ".join(f"{name}={size}" for name, size in value.items())
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    arguments = parse_arguments()
    rows, headings, failed = [], None, []

    def take(found):
        nonlocal headings
        for row in found:
            if headings != list(row):
                headings = list(row)
                benchmark.show(*headings)
                benchmark.show(*["---"] * len(headings))
            benchmark.show(*map(text_of, row.values()))
            rows.append(row)

    measure = MEASURES[arguments.what]
    if measure in (call_measures.calls, kernel_measures.kernels):
        take(measure(arguments))
    elif measure is import_measures.imports:
        with tempfile.TemporaryDirectory() as folder:
            take(measure(arguments, pathlib.Path(folder)))
    else:
        for model in benchmark.find_models(arguments):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    take(measure(model, arguments, pathlib.Path(folder)))
                except Exception as error:  # One model that fails must not end the others.
                    failed.append(f"{model.name}: {str(error).splitlines()[0]}")
    means = {name: geometric_mean([row[name] for row in rows if name in row])
             for name in dict.fromkeys(name for row in rows for name in row) if name.endswith(("ratio", "share"))}
    print()
    for name, mean in means.items():
        values = [row[name] for row in rows if name in row]
        print(f"{name}: geometric mean of {len(values)} {mean:.3f}, from {min(values):.3f} to {max(values):.3f}")
    for line in failed:
        print(f"failed: {line}", file=sys.stderr)
    machine = {"processor": benchmark.processor(), "cores": os.cpu_count(), "threads": arguments.threads}
    print(json.dumps({"what": arguments.what, "machine": machine, "means": means, "rows": rows, "failed": failed}))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
