"""Runs the node tests in a mode and prints how many pass: count.py MODE [--update] [--build-dir FOLDER] [FILTER].

--update writes the list of expected failures anew, by the reasons that their messages say.
"""

import argparse
import collections
import pathlib
import re
import sys

import node_cases

ROOT = pathlib.Path(__file__).resolve().parents[3]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=[*node_cases.MODES, "compiled", "compiled_symbolic"])
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    if options.update and options.filter:
        parser.error("--update writes whole lists")
    sys.path.insert(0, str(options.build_dir.resolve() / "python"))
    names = [name for name in node_cases.NAMES if re.search(options.filter, name)]
    failures = {}
    for name in names:
        if options.verbose:
            print(name, flush=True)
        if message := node_cases.attempt(name, options.mode):
            failures[name] = message
    if options.show:
        for name, message in failures.items():
            print(f"{name}: {message}")
    groups = collections.Counter(re.sub(r"'[^']*'|\d+", "_", text) for text in failures.values())
    if not options.show:
        for text, count in groups.most_common(60):
            print(f"{count:5} {text[:230]}")
    if options.update:
        node_cases.write_expected_failures(options.mode, failures)
    print(f"{options.mode}: {len(names) - len(failures)} of {len(names)} pass")


if __name__ == "__main__":
    main()
