"""What the import of large weights costs beside reading their files."""

import shutil
import statistics
import subprocess

import numpy as np

from . import measure, process_measures

LAYERS, WIDTH = 24, 2048
WEIGHTS = LAYERS * WIDTH * WIDTH * 4


def save_layers(path, external):
    """A model of matrix products, in all 384 MiB of weights, inside of the file or beside it."""
    import onnx
    from onnx import helper, numpy_helper

    generator = np.random.default_rng(0)
    weights = [numpy_helper.from_array(generator.standard_normal((WIDTH, WIDTH), np.float32), f"w{i}") for i in range(LAYERS)]
    nodes = [helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"x{i + 1}"], name=f"/{i}/MatMul") for i in range(LAYERS)]
    dims = ["rows", WIDTH]
    graph = helper.make_graph(nodes, "layers", [helper.make_tensor_value_info("x0", onnx.TensorProto.FLOAT, dims)],
                              [helper.make_tensor_value_info(f"x{LAYERS}", onnx.TensorProto.FLOAT, dims)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save(model, path, save_as_external_data=external, location=f"{path.name}.data")


def read(files):
    with open("/dev/null", "wb") as nowhere:
        subprocess.run(["cat", *files], stdout=nowhere, check=True)


def imports(arguments, folder):
    """`dyn-translate --import-onnx`, beside `cat` of the same files and beside `cp`, as it writes the weights once."""
    target = folder / "target"
    for kind in ("inside", "external"):
        path = folder / kind / "model.onnx"
        path.parent.mkdir()
        # Elsewhere: memory that a process needed counts for those that it starts.
        process_measures.in_process(save_layers, path, kind == "external")
        files = sorted(path.parent.iterdir())
        command = [str(arguments.build_dir / "bin/dyn-translate"), "--import-onnx", str(path), "-o", str(target / "out.mlir")]
        read(files)
        found = []
        for _ in range(arguments.repeats):
            row = [measure.seconds(lambda: read(files))]
            for run in (lambda: process_measures.run_measured(["/bin/cp", *map(str, files), str(target)]),
                        lambda: process_measures.run_measured(command)):
                # Not over a file that is there: some file systems write that to the disk first.
                target.mkdir()
                row += run()
                shutil.rmtree(target)
            found.append(row)
        read_s, copy_s, _, _, import_s, peak, cpu = map(statistics.median, zip(*found))
        size = sum(file.stat().st_size for file in files)
        yield {"weights": kind, "mib": size / 2**20, "read_s": read_s, "copy_s": copy_s, "import_s": import_s,
               "cpu_s": cpu, "beyond_reading_s": import_s - read_s, "over_copy_ratio": import_s / copy_s,
               "peak_over_weights": peak / WEIGHTS}
