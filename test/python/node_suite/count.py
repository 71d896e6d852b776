"""Runs the node tests in a mode and prints how many pass: count.py MODE [--update] [--build-dir FOLDER] [FILTER].

--update writes the list of expected failures anew, by the reasons that their messages say; for `other_sizes` also the
list of tests that are not compared.
"""

import argparse
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "utils"))

import node_cases  # noqa: E402
import other_sizes  # noqa: E402

OTHER_SIZES = {other_sizes.MODE: "symbolic", f"compiled_{other_sizes.MODE}": "compiled_symbolic"}


def show(found, options):
    if options.show:
        for name, message in found.items():
            print(f"{name}: {message}")
        return
    groups = collections.Counter(re.sub(r"'[^']*'|\d+", "_", text) for text in found.values())
    for text, count in groups.most_common(60):
        print(f"{count:5} {text[:230]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=[*node_cases.MODES, "compiled", "compiled_symbolic", *OTHER_SIZES])
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
    failures, skipped, runs = {}, {}, collections.Counter()
    for name in names:
        if options.verbose:
            print(name, flush=True)
        try:
            if options.mode in OTHER_SIZES:
                compared = other_sizes.run(name, OTHER_SIZES[options.mode])
                runs.update(f"{count} {what}" for what, count in compared.items())
            else:
                node_cases.run(name, options.mode)
        except other_sizes.NotCompared as reason:
            skipped[name] = str(reason)
        except Exception as error:
            failures[name] = node_cases.tell(error)
    show(failures, options)
    show(skipped, options)
    if options.update:
        node_cases.write_expected_failures(options.mode, failures)
        if options.mode in OTHER_SIZES:
            node_cases.write_list(other_sizes.NOT_COMPARED, skipped)
    if runs:
        print("tests by sizes that are compared:", ", ".join(f"{key}: {count}" for key, count in sorted(runs.items())))
    passing = len(names) - len(failures) - len(skipped)
    print(f"{options.mode}: {passing} of {len(names)} pass" + f", {len(skipped)} are not compared" * bool(skipped))


if __name__ == "__main__":
    main()
