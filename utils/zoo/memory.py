"""Measures working memory: bytes of the arena over those of what is needed at the same time, which no plan can go below.

    utils/measure-memory                                   all shared models at their recipes' sizes
    utils/measure-memory --models minilm_l6_legacy --sizes batch=1,seq=128 batch=8,seq=32
    utils/measure-memory --random 50                       at so many random sizes within the facts instead

One compilation serves all sizes of a model. Prints the worst size of each, and which are beyond the target: 1.15 times
the bound where that is above 64 KiB, else 64 KiB more.
"""

import argparse
import pathlib
import random
import sys
import tempfile

from . import recipes, runners

SMALL = 64 * 1024


def parse_arguments():
    parser = argparse.ArgumentParser(prog="utils/measure-memory", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", metavar="NAME", help="names or ends of names")
    parser.add_argument("--sizes", nargs="+", type=recipes.parse_sizes, metavar="S=1,T=2", help="instead of the recipes' sizes")
    parser.add_argument("--random", type=int, metavar="COUNT", help="random sizes, up to the largest of the recipes")
    recipes.add_models_argument(parser)
    return parser.parse_args()


def is_within_target(arena, live):
    return arena <= (1.15 * live if live > SMALL else live + SMALL)


def random_sizes(model, count):
    """Up to twice the largest of each symbol, small ones as often as large ones."""
    generator = random.Random(0)
    largest = {}
    for sizes in model.sizes():
        for symbol, size in sizes.items():
            largest[symbol] = max(largest.get(symbol, 1), size)
    for _ in range(count):
        yield {symbol: int(2 ** generator.uniform(0, 1 + top.bit_length())) for symbol, top in largest.items()}


def measure(model, all_sizes):
    """Rows of sizes, arena and bound; sizes that the model refuses, or that data decide, are left out."""
    with tempfile.TemporaryDirectory() as folder:
        compiled = runners.DynPackage(model.place(pathlib.Path(folder)))
    for sizes in all_sizes:
        arena, live = compiled.memory(model.inputs(sizes))
        if live is not None:
            yield sizes, arena, live


def main():
    arguments = parse_arguments()
    names = [name for name in recipes.NAMES if not arguments.models or name.endswith(tuple(arguments.models))]
    if not names:
        sys.exit("utils/measure-memory: no model is called so")
    beyond = 0
    for name in names:
        model = recipes.load_model(arguments.models_dir, name)
        chosen = arguments.sizes or (random_sizes(model, arguments.random) if arguments.random else model.sizes())
        try:
            rows = list(measure(model, chosen))
        except runners.Refused as error:
            print(f"{name}: {error}")
            continue
        missed = [row for row in rows if not is_within_target(*row[1:])]
        beyond += len(missed)
        ratios = [(arena / live, sizes, arena, live) for sizes, arena, live in rows if live > SMALL]
        worst = max(ratios, key=lambda row: row[0], default=None)
        text = f"worst {worst[0]:.3f} at {worst[1]}: {worst[2]} bytes, {worst[3]} needed" if worst else "small"
        print(f"{name}: {len(rows)} sizes, {len(missed)} beyond the target; {text}", flush=True)
    print(f"{beyond} beyond the target")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
