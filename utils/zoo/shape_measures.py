"""Symbolic shapes of models: how much is known, and how long that takes, beside ONNX's and onnxruntime's own inference.

    utils/measure-shapes                                 all shared models that run, and decoders of 10,000 and 100,000 nodes
    utils/measure-shapes --models minilm_l6_legacy       names or ends of names
    utils/measure-shapes --nodes 10000 --models          a decoder only
    utils/measure-shapes --rows FILE --models ...        keeps rows in a file, and takes from there what it has

Of each program: the share of dims of what nodes compute that is a number or an expression over the inputs' dims, in
percent, and the time from the file to the result in milliseconds; `-` where it raises, `!` where onnxruntime raises at the
end, since something is lacking. `data` are dims over sizes that data determine. `wrong` are dims that onnxruntime's
`auto_merge` takes for others: their value differs from Dyn's, which
utils/check-shapes compares with runs.
"""

import argparse
import contextlib
import io
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time
import warnings

import onnx
import onnx.shape_inference
from onnx import TensorProto, helper

from . import benchmark, recipes, shapes

COLUMNS = ["model", "nodes", "dims", "known %", "data", "unknown", "symbols", "broadcasts", "guards", "Dyn ms",
           "onnx %", "onnx ms", "ort %", "ort ms", "merge %", "merge ms", "wrong"]
PRIMES = [p for p in range(101, 2000) if all(p % q for q in range(2, 45))]


def make_decoder(nodes):
    """Layers of a decoder whose heads are split by sizes that the graph computes, about so many nodes."""
    list_of_nodes, value, number = [], "x", 0
    weights = [helper.make_tensor(name, TensorProto.INT64, dims, values) for name, dims, values in [
        ("i0", [], [0]), ("i1", [], [1]), ("axis", [1], [0]), ("heads", [1], [4]), ("head", [1], [8]), ("width", [1], [32])]]
    weights.append(helper.make_tensor("w", TensorProto.FLOAT, [32, 32], bytes(4096), raw=True))

    def add(op, *inputs, **attributes):
        nonlocal number
        number += 1
        name = f"v{number}"
        list_of_nodes.append(helper.make_node(op, inputs, [name], name=f"{op}_{number}", **attributes))
        return name

    def size(of, place):
        return add("Unsqueeze", add("Gather", add("Shape", of), place), "axis")

    past = 0
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "seq", 32])]
    while len(list_of_nodes) < nodes:
        heads = []
        for _ in range(3):
            product = add("MatMul", value, "w")
            split = add("Concat", size(product, "i0"), size(product, "i1"), "heads", "head", axis=0)
            heads.append(add("Transpose", add("Reshape", product, split), perm=[0, 2, 1, 3]))
        for place in (1, 2):
            inputs.append(helper.make_tensor_value_info(f"past{past}", TensorProto.FLOAT, ["batch", 4, "past", 8]))
            heads[place] = add("Concat", f"past{past}", heads[place], axis=2)
            past += 1
        scores = add("MatMul", heads[0], add("Transpose", heads[1], perm=[0, 1, 3, 2]))
        mixed = add("Transpose", add("MatMul", add("Softmax", scores, axis=-1), heads[2]), perm=[0, 2, 1, 3])
        joined = add("Concat", size(value, "i0"), size(value, "i1"), "width", axis=0)
        value = add("Add", add("MatMul", add("Reshape", mixed, joined), "w"), value)
    graph = helper.make_graph(list_of_nodes, "decoder", inputs,
                              [helper.make_tensor_value_info(value, TensorProto.FLOAT, None)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def timed(runs, repeats):
    """Of each run the result and the median of the times in milliseconds; (None, None) where it raises. They take
    turns, so that none is alone with warm caches, and what else the machine does is the same for all."""
    results, times = {}, {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            if times[name] is None or sum(times[name]) > 3000:
                continue
            start = time.perf_counter()
            try:
                with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
                    results[name] = run()
                times[name].append((time.perf_counter() - start) * 1000)
            except Exception:
                times[name] = None
    return {name: (None, None) if spent is None else (results[name], statistics.median(spent))
            for name, spent in times.items()}


def place(path, folder):
    """A copy of a model in a folder, with files of zeros for weights that are not stored: onnxruntime opens them."""
    model = onnx.load(path, load_external_data=False)
    sizes = {}
    for tensor in model.graph.initializer:
        if tensor.data_location == TensorProto.EXTERNAL:
            entry = {item.key: item.value for item in tensor.external_data}
            length = math.prod(tensor.dims) * helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
            if not (folder / entry["location"]).resolve().is_relative_to(folder.resolve()):
                raise ValueError(f"{path}: '{entry['location']}' lies outside of the model's folder")
            end = int(entry.get("offset", 0)) + int(entry.get("length", length))
            sizes[entry["location"]] = max(sizes.get(entry["location"], 0), end)
    for location, size in sizes.items():
        (folder / location).parent.mkdir(parents=True, exist_ok=True)
        with (folder / location).open("wb") as file:
            file.truncate(size)
    return shutil.copy(path, folder)


def run_onnxruntime(path, auto_merge):
    """(model, whether all of it is inferred). What its infer_shapes does, which writes a file where that is not so, and
    raises."""
    from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference

    inference = SymbolicShapeInference(2**31 - 1, auto_merge, guess_output_rank=False, verbose=0)
    inference._preprocess(onnx.load(path, load_external_data=False))
    complete = False
    while inference.run_:
        complete = inference._infer_impl()
    inference._update_output_from_vi()
    return inference.out_mp_, complete


def list_sequences(model):
    """Names of the values that are no tensors, so that they have no dims."""
    values = onnx.shape_inference.infer_shapes(model).graph.value_info
    return {value.name for value in values if value.type.HasField("sequence_type")}


class Judge:
    """What is right, by Dyn's own inference: dims at sizes that are primes."""

    def __init__(self, table, inferred, inputs=()):
        self.sizes = {symbol.name: prime for symbol, prime in zip(table.symbols.values(), PRIMES)
                      if not symbol.origin.startswith("data")}
        # A name that Dyn does not keep, such as unk__31, is what the others know the same dim by.
        for value in inputs:
            for own, other in zip(table.values[value.name].dims or (), shapes.dims_of(value) or ()):
                if own in self.sizes and isinstance(other, str):
                    self.sizes.setdefault(other, self.sizes[own])
        # Texts that Python evaluates are those in the model.
        texts = {value.name: shapes.dims_of(value) for value in [*inferred.graph.value_info, *inferred.graph.output]
                 if value.type.HasField("tensor_type")}
        computed = {name: texts.get(name) for name, value in table.values.items() if value.node}
        self.computed = {name: None if dims is None else ["?" if dim is None else str(dim) for dim in dims]
                         for name, dims in computed.items()}
        if None in self.computed.values():
            for name in list_sequences(inferred) & self.computed.keys():
                del self.computed[name]
        self.counts = {"known": 0, "data": 0, "unknown": 0}
        for dims in self.computed.values():
            for dim in ["?"] if dims is None else dims:
                self.counts[self._judge(dim)] += 1

    def _judge(self, dim):
        try:
            shapes.evaluate(dim, self.sizes)
            return "known"
        except shapes.Unknown:
            return "unknown" if dim == "?" or dim.startswith("unk__") else "data"
        except SyntaxError:
            return "unknown"

    @property
    def total(self):
        return max(sum(self.counts.values()), 1)

    def compare(self, model):
        """(share of dims that are known, number of wrong ones) of another program's result."""
        if model is None:
            return None, None
        dims = {value.name: shapes.dims_of(value) for value in [*model.graph.value_info, *model.graph.output]
                if value.type.HasField("tensor_type")}
        known = wrong = 0
        for name, ours in self.computed.items():
            theirs = dims.get(name)
            if theirs is None or ours is None or len(theirs) != len(ours):
                continue
            for own, other in zip(ours, theirs):
                if isinstance(other, int) and other < 0:
                    continue  # Some write -1 for what they do not know.
                try:
                    value = shapes.evaluate(str(other), self.sizes)
                except (shapes.Unknown, SyntaxError):
                    continue
                known += 1
                try:
                    wrong += value != shapes.evaluate(own, self.sizes)
                except (shapes.Unknown, SyntaxError):
                    pass
        return 100 * known / self.total, wrong


def time_passes(path, repeats):
    """Milliseconds of inference, refinement of types and guards alone: without import, parsing and printing."""
    programs = pathlib.Path(__file__).resolve().parents[2] / "build" / "bin"
    module = path.with_suffix(".mlir")
    subprocess.run([programs / "dyn-translate", "--import-onnx", path, "-o", module], check=True, capture_output=True)
    command = [programs / "dyn-opt", module, "--pass-pipeline=builtin.module(func.func(dyn-infer-shapes,dyn-minimize-guards))",
               "--mlir-timing", "--mlir-timing-display=list", "--mlir-output-format=json", "-o", "/dev/null"]
    times = []
    for _ in range(repeats):
        phases = json.loads(subprocess.run(command, check=True, capture_output=True).stderr)
        times.append(1000 * sum(phase["wall"]["duration"] for phase in phases
                                if phase.get("name") in ("InferShapesPass", "MinimizeGuardsPass")))
    return statistics.median(times)


def measure(path, name, repeats, with_peers=True):
    import dyn

    # Each reads the file.
    runs = {"dyn": lambda: dyn.shapes(path)}
    if with_peers:
        runs["onnx"] = lambda: (onnx.shape_inference.infer_shapes(pathlib.Path(path).read_bytes(), data_prop=True), True)
    timings = timed(runs, repeats)
    table, ours = timings["dyn"]
    model = onnx.load(path, load_external_data=False)
    if table is None:
        return {"model": name, "nodes": len(model.graph.node), "Dyn ms": None}
    initializers = {tensor.name for tensor in model.graph.initializer}
    judge = Judge(table, dyn.infer_shapes(path), [value for value in model.graph.input if value.name not in initializers])
    broadcasts = {dim for dims in judge.computed.values() for dim in dims or () if "Max(" in dim and "*Min(" in dim}
    row = {"model": name, "nodes": len(model.graph.node),
           "dims": sum(judge.counts.values()), "known %": 100 * judge.counts["known"] / judge.total,
           "data": judge.counts["data"], "unknown": judge.counts["unknown"], "symbols": len(table.symbols),
           "broadcasts": len(broadcasts), "guards": len(table.guards), "Dyn ms": ours}
    if not with_peers:
        return row
    read = timed({"read": lambda: onnx.ModelProto.FromString(pathlib.Path(path).read_bytes())}, repeats)
    _, row["read ms"] = read["read"]
    timings |= timed({"ort": lambda: run_onnxruntime(path, False), "merge": lambda: run_onnxruntime(path, True)}, 1)
    for peer in ("onnx", "ort", "merge"):
        result, spent = timings[peer]
        inferred, complete = result or (None, False)
        share, wrong = judge.compare(inferred)
        row |= {f"{peer} %": share, f"{peer} ms": spent, f"{peer} complete": complete}
        if peer == "merge":
            row["wrong"] = wrong
    return row


def show(row, columns=COLUMNS):
    def text(column):
        value, incomplete = row.get(column), row.get(column.replace(" ms", " complete")) is False
        if value is None:
            return "-"
        if isinstance(value, float):
            value = f"{value:.{1 if value >= 1 else 2}f}"
        return f"{value}{'!' * incomplete}"

    benchmark.show(*map(text, columns))


def ratios(rows, peer):
    return [row[f"{peer} ms"] / row["Dyn ms"] for row in rows if row.get(f"{peer} ms") and row.get("Dyn ms")]


def summarize_folders(rows):
    """A table of what the models of a folder have together; times are geometric means, divided by Dyn's."""
    folders = {}
    for row in rows:
        folders.setdefault(row["model"].rpartition("/")[0] or row["model"], []).append(row)
    headings = ["models", "number", "dims", "known %", "data", "unknown", "guards", "onnx %", "onnx time", "ort complete",
                "ort time", "merge complete", "merge time", "wrong"]
    benchmark.show(*headings)
    benchmark.show(*["---"] * len(headings))
    for folder, found in folders.items():
        def total(column, found=found):
            return sum(row.get(column) or 0 for row in found)

        def share(column, found=found):
            return sum(row.get("dims", 0) * (row.get(column) or 0) for row in found) / max(total("dims"), 1)

        cells = {"models": folder, "number": len(found), "known %": share("known %")}
        cells |= {column: total(column) for column in ("dims", "data", "unknown", "guards", "wrong")}
        if any("onnx ms" in row for row in found):
            cells["onnx %"] = share("onnx %")
        for peer in ("onnx", "ort", "merge"):
            if spent := ratios(found, peer):
                cells[f"{peer} time"] = math.exp(statistics.fmean(map(math.log, spent)))
            cells[f"{peer} complete"] = sum(row.get(f"{peer} complete") is True for row in found)
        show(cells, headings)


def summarize(rows):
    print()
    summarize_folders(rows)
    print()
    for peer, name in [("onnx", "onnx.shape_inference"), ("ort", "symbolic_shape_infer"), ("merge", "with auto_merge")]:
        if found := ratios(rows, peer):
            mean = math.exp(statistics.fmean(map(math.log, found)))
            print(f"time of {name} over Dyn's: geometric mean of {len(found)} {mean:.1f}, from {min(found):.1f} to {max(found):.1f}")
    found = [row for row in rows if row.get("ort ms") and row.get("read ms")]
    late = sum(row["ort ms"] < 100 * row["read ms"] for row in found)
    print(f"protobuf alone takes more than a hundredth of symbolic_shape_infer's time for {late} of {len(found)} models")
    for row in rows:
        if "passes ms" in row:
            print(f"inference, refinement of types and guards of the {row['model']}: {row['passes ms']:.1f} ms")
    complete = sum(not row["unknown"] for row in rows if "unknown" in row)
    print(f"models without an unknown dim: {complete} of {len(rows)}")
    for peer, name in [("ort", "symbolic_shape_infer"), ("merge", "with auto_merge")]:
        raised = sum(not row[f"{peer} complete"] for row in rows if f"{peer} complete" in row)
        print(f"{name} raises on {raised} of {sum('onnx ms' in row for row in rows)}")


def main():
    parser = argparse.ArgumentParser(prog="utils/measure-shapes", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="*", metavar="NAME", help="names or ends of names")
    parser.add_argument("--nodes", nargs="*", type=int, default=[10000, 100000], help="of made decoders")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rows", type=pathlib.Path, metavar="FILE",
                        help="rows, one a line, as JSON: what is there is not measured again, and new ones are added")
    recipes.add_models_argument(parser)
    arguments = parser.parse_args()

    def is_wanted(name):
        return arguments.models is None or any(name.endswith(wanted) for wanted in arguments.models)

    names = list(filter(is_wanted, shapes.all_models(arguments.models_dir)))
    kept = []
    if arguments.rows and arguments.rows.exists():
        kept = [json.loads(line) for line in arguments.rows.read_text().splitlines()]
    known = {row["model"] for row in kept}
    import onnxruntime.tools.symbolic_shape_infer  # noqa: F401  What it imports takes seconds, which are not measured.

    benchmark.show(*COLUMNS)
    benchmark.show(*["---"] * len(COLUMNS))
    for row in kept:
        show(row)

    def take(row):
        show(row)
        kept.append(row)
        if arguments.rows:
            with arguments.rows.open("a") as file:
                file.write(json.dumps(row) + "\n")

    for name in names:
        if name in known:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = place(arguments.models_dir / f"{name}.onnx", pathlib.Path(folder))
            take(measure(path, name, arguments.repeats))
    for nodes in arguments.nodes:
        name = f"decoder of {nodes} nodes"
        if name in known:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "decoder.onnx"
            onnx.save(make_decoder(nodes), path)
            row = measure(path, name, arguments.repeats, with_peers=nodes <= 10000)
            row["passes ms"] = time_passes(path, arguments.repeats)
            take(row)
    summarize(kept)
    for name in filter(is_wanted, recipes.NEVER_RUN):
        print(f"not measured: {name}, because {recipes.NEVER_RUN[name]}")


if __name__ == "__main__":
    main()
