"""Times Dyn against onnxruntime, and OpenVINO where the package `openvino` is installed, in one process, in turns, and
prints the ratios of the medians (below 1: Dyn is faster).

    utils/benchmark                                             the shared transformers at their recipes' sizes
    utils/benchmark --models minilm_l6_legacy gpt2_cache_legacy --sizes batch=1,seq=128 batch=8,seq=32
    utils/benchmark --grid                                      transformers at a grid of sizes, the same for all
    utils/benchmark --models sentence_encoder --threads 1 --json build/benchmark.json

Each size's first run is timed by itself and not part of the median. A size that a model has no symbols for is left out.
"""

import argparse
import itertools
import json
import math
import os
import pathlib
import platform
import sys
import tempfile

import onnxruntime

from . import measure, recipes, runners

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENCODER_PATH = ROOT / "build/quickstart/sentence_encoder.onnx"
ENCODER = {"inputs": [{"name": name, "dtype": "int64", "dims": ["batch", "seq"], "values": values} for name, values in
                      {"input_ids": [0, 30522], "attention_mask": "mask", "token_type_ids": [0, 2]}.items()],
           "cases": [{"sizes": {"batch": batch, "seq": seq}} for batch, seq in [(1, 8), (1, 128), (8, 32), (32, 64)]],
           "tolerance_of_max": 2e-4}


def parse_arguments():
    parser = argparse.ArgumentParser(prog="utils/benchmark", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", metavar="NAME", help="names or ends of names; sentence_encoder is the quickstart's")
    parser.add_argument("--sizes", nargs="+", type=recipes.parse_sizes, metavar="S=1,T=2", help="instead of the recipes' sizes")
    parser.add_argument("--grid", action="store_true", help="instead of the recipes' sizes: batch 1 and 4; seq 1, 16, 128, 384, or, "
                        "with a cache, seq 1 and 16 and past_seq 0, 31, 256; recipes' sizes for models with other symbols")
    parser.add_argument("--threads", nargs="+", type=int, default=sorted({1, os.cpu_count()}))
    parser.add_argument("--seconds", type=float, default=1.0, help="for each program at each size (default 1)")
    recipes.add_models_argument(parser)
    parser.add_argument("--json", type=pathlib.Path, help="also write all numbers to this file")
    return parser.parse_args()


def find_models(arguments):
    """The models that are asked for; by default the transformers, the quickstart's among them where it has been built."""
    chosen = arguments.models or [name for name in recipes.NAMES if name.startswith(("exported/transformer/", "transformer/"))]
    if not arguments.models and ENCODER_PATH.exists():
        chosen.append("sentence_encoder")
    for wanted in chosen:
        if wanted == "sentence_encoder":
            yield recipes.Model(wanted, ENCODER_PATH, ENCODER, False)
            continue
        names = [name for name in recipes.NAMES if name.endswith(wanted)]
        if not names:
            sys.exit(f"utils/benchmark: no model is called '{wanted}'; known: {', '.join(recipes.NAMES)}")
        yield from (recipes.load_model(arguments.models_dir, name) for name in names)


# By a model's symbols.
GRIDS = {("batch", "seq"): {"batch": (1, 4), "seq": (1, 16, 128, 384)},
         ("batch", "seq", "time"): {"batch": (1, 4), "seq": (1, 16, 77), "time": (1,)},
         ("batch",): {"batch": (1, 4)},
         ("batch", "past_seq", "seq"): {"batch": (1, 4), "seq": (1, 16), "past_seq": (0, 31, 256)}}


def chosen_sizes(model, arguments):
    symbols = tuple(sorted(model.recipe["cases"][0]["sizes"]))
    if arguments.sizes:
        return [sizes for sizes in arguments.sizes if tuple(sorted(sizes)) == symbols]
    if arguments.grid and symbols in GRIDS:
        return [dict(zip(GRIDS[symbols], row)) for row in itertools.product(*GRIDS[symbols].values())]
    return [case["sizes"] for case in model.recipe["cases"] if is_measurable(case["sizes"])]


def is_measurable(sizes):
    """A cache may be empty; the other sizes of a benchmark may not."""
    return all(size for symbol, size in sizes.items() if symbol != "past_seq")


def benchmark(model, arguments, folder):
    """One row for each size and number of threads."""
    import dyn

    path, artefact = model.place(folder), folder / "model.so"
    compiled = []
    compile_seconds = measure.seconds(lambda: compiled.append(dyn.compile(str(path))))
    compiled.pop().save(str(artefact))
    for threads in arguments.threads:
        ours, theirs = dyn.load(str(artefact), threads=threads), runners.open_onnxruntime(path, threads)
        openvino = open_openvino(model, path, threads)
        for sizes in chosen_sizes(model, arguments):
            inputs = model.inputs(sizes)
            first = [measure.seconds(lambda: ours.run(inputs)), measure.seconds(lambda: theirs.run(None, inputs))]
            differences = map(runners.largest_difference, ours.run(inputs), theirs.run(None, inputs))
            runs = [lambda: ours.run(inputs), lambda: theirs.run(None, inputs)]
            if openvino and runs_in_openvino(openvino, inputs, model, sizes):
                runs.append(lambda: openvino(inputs))
            next_ours, next_theirs, *others = measure.interleave(runs, arguments.seconds)
            row = {"model": model.name, "sizes": sizes, "threads": threads, "dyn_ms": next_ours * 1e3,
                   "onnxruntime_ms": next_theirs * 1e3, "ratio": next_ours / next_theirs, "dyn_first_ms": first[0] * 1e3,
                   "onnxruntime_first_ms": first[1] * 1e3, "difference": max(differences),
                   "compile_seconds": compile_seconds}
            for other in others:
                row |= {"openvino_ms": other * 1e3, "openvino_ratio": next_ours / other}
            yield row


def open_openvino(model, path, threads):
    """As the function of `runners`, but None, and a note, for a model that OpenVINO does not take."""
    try:
        return runners.open_openvino(path, threads)
    except Exception as error:
        print(f"OpenVINO refuses {model.stem}: {str(error).strip().splitlines()[-1]}", file=sys.stderr)
        return None


def runs_in_openvino(run, inputs, model, sizes):
    try:
        run(inputs)
    except Exception as error:
        print(f"OpenVINO refuses {model.stem} at {sizes}: {str(error).strip().splitlines()[-1]}", file=sys.stderr)
        return False
    return True


HEADINGS = ["model", "sizes", "threads", "dyn ms", "onnxruntime ms", "ratio", "first dyn ms", "first onnxruntime ms",
            "difference", "openvino ms", "ratio to openvino"]


def show(*cells):
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def describe(row):
    sizes = " ".join(f"{symbol}={size}" for symbol, size in row["sizes"].items())
    show(row["model"].split("/")[-1], sizes, row["threads"], *(f"{row[key]:.2f}" for key in (
        "dyn_ms", "onnxruntime_ms", "ratio", "dyn_first_ms", "onnxruntime_first_ms")), f"{row['difference']:.1e}",
         *(f"{row[key]:.2f}" if key in row else "-" for key in ("openvino_ms", "openvino_ratio")))


def processor():
    info = pathlib.Path("/proc/cpuinfo")
    names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")] \
        if info.exists() else []
    return names[0] if names else platform.processor() or platform.machine()


def main():
    arguments = parse_arguments()
    machine = {"processor": processor(), "cores": os.cpu_count(), "onnxruntime": onnxruntime.__version__}
    print(f"{machine['processor']}, {machine['cores']} cores, onnxruntime {machine['onnxruntime']}\n")
    show(*HEADINGS)
    show(*["---"] * len(HEADINGS))
    rows, failed = [], []
    for model in find_models(arguments):
        with tempfile.TemporaryDirectory() as folder:
            try:
                for row in benchmark(model, arguments, pathlib.Path(folder)):
                    rows.append(row)
                    describe(row)
            except Exception as error:  # One model that fails must not end the others.
                failed.append(f"{model.name}: {str(error).splitlines()[0]}")
    for threads in arguments.threads:
        for peer, key in (("onnxruntime", "ratio"), ("OpenVINO", "openvino_ratio")):
            ratios = [row[key] for row in rows if row["threads"] == threads and key in row]
            if ratios:
                mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
                print(f"\n{threads} threads, over {peer}: geometric mean of {len(ratios)} ratios {mean:.2f}, worst {max(ratios):.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": machine, "rows": rows, "failed": failed}, indent=1))
    for line in failed:
        print(f"failed: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
