"""What runs a model: onnxruntime in a process of its own, and Dyn."""

import multiprocessing
import pathlib
import subprocess

import numpy as np


class Refused(Exception):
    """A runner said no, with a message."""


class Died(Exception):
    """A runner's process ended without a word."""


class Server:
    """A function in a process of its own, because what it calls may end that process: what `open_model` gives there for
    `arguments`."""

    def __init__(self, open_model, arguments):
        self._open, self._arguments, self._process = open_model, arguments, None

    def run(self, inputs):
        if self._process is None:
            self._start()
        try:
            self._pipe.send(inputs)
            kind, value = self._pipe.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            code = self.close()
            raise Died(f"onnxruntime ended with exit status {code}") from None
        if kind == "error":
            raise Refused(value)
        return value

    def close(self):
        if self._process is None:
            return None
        self._pipe.close()
        self._process.join(10)
        code, self._process = self._process.exitcode, None
        return code

    def _start(self):
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._open, self._arguments), daemon=True)
        self._process.start()
        theirs.close()


def _serve(pipe, open_model, arguments):
    """Answers what comes through the pipe with ("outputs", value) or ("error", text), until it is closed."""
    try:
        run, failure = open_model(*arguments), None
    except Exception as error:  # The parent hears of it when it asks for a run.
        run, failure = None, str(error)
    while True:
        try:
            inputs = pipe.recv()
        except EOFError:
            return
        try:
            if run is None:
                raise RuntimeError(failure)
            pipe.send(("outputs", run(inputs)))
        except Exception as error:
            pipe.send(("error", str(error)))


class OnnxRuntime(Server):
    """Runs onnxruntime in a process of its own, because some legal sizes end that process."""

    def __init__(self, path, threads=2):
        super().__init__(_open_onnxruntime_run, (str(path), threads))


class OnnxRuntimeOfModels(Server):
    """Runs onnxruntime on one model after the other: what it is asked for is a model's bytes and the inputs."""

    def __init__(self, threads=1):
        super().__init__(_open_onnxruntime_runs, (threads,))


def open_onnxruntime(model, threads):
    """A session of a path, or of a model's bytes."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    model = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def open_openvino(path, threads):
    """A function of inputs that runs the model at `path` in OpenVINO; None where that is not installed."""
    try:
        import openvino
    except ImportError:
        return None
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(str(path)), "CPU",
                                  {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"})
    return compiled.create_infer_request().infer


def _open_onnxruntime_run(path, threads):
    session = open_onnxruntime(path, threads)
    return lambda inputs: session.run(None, inputs)


def _open_onnxruntime_runs(threads):
    opened = {}

    def run(request):
        model, inputs = request
        if model not in opened:
            opened.clear()
            opened[model] = open_onnxruntime(model, threads)
        return opened[model].run(None, inputs)

    return run


class DynPackage:
    """Compiles with the Python package and runs in this process."""

    def __init__(self, path, threads=2):
        import dyn

        self._dyn, self.threads = dyn, threads
        try:
            self.executable = dyn.compile(str(path), threads=threads)
        except dyn.Error as error:
            raise Refused(str(error)) from None

    def run(self, inputs):
        try:
            return [np.asarray(value) for value in self.executable.run(inputs)]
        except self._dyn.Error as error:
            raise Refused(str(error)) from None

    def memory(self, inputs):
        """Bytes of working memory of a run that was right, and of what is needed at the same time.

        None where that is unknown: what shapes alone do not say, as data decide, is refused.
        """
        shapes = {name: value.shape for name, value in inputs.items()}
        try:
            return self.executable.arena_bytes(shapes), self.executable.live_bytes(shapes)
        except self._dyn.ShapeError:
            return None, None

    def close(self):
        self.executable = None


class DynRun:
    """Compiles with the program dyn-run, and runs one process for each run."""

    def __init__(self, program, path, folder, threads=2):
        self.program, self.folder, self.threads = program, pathlib.Path(folder), threads
        self.artefact = self.folder / f"{pathlib.Path(path).stem}.so"
        self.outputs = output_names(path)
        self._call("--compile", path, "-o", self.artefact)

    def run(self, inputs):
        return self._run([self.artefact, f"--threads={self.threads}"], inputs)

    def close(self):
        self.artefact.unlink(missing_ok=True)

    def _run(self, arguments, inputs):
        inputs_dir, outputs_dir = self.folder / "inputs", self.folder / "outputs"
        for folder in (inputs_dir, outputs_dir):
            folder.mkdir(exist_ok=True)
            for file in folder.iterdir():
                file.unlink()
        for index, (name, value) in enumerate(inputs.items()):
            np.save(inputs_dir / f"{index}.npy", value)
            arguments.append(f"--input={name}={inputs_dir / f'{index}.npy'}")
        self._call(*arguments, f"--output-dir={outputs_dir}")
        return [np.load(outputs_dir / f"{name}.npy") for name in self.outputs]

    def _call(self, *arguments):
        process = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, timeout=600)
        if process.returncode == 1:
            raise Refused(process.stderr.strip())
        if process.returncode:
            raise Died(f"dyn-run ended with exit status {process.returncode}: {process.stderr.strip()[-2000:]}")


class Interpreter(DynRun):
    """Runs dyn-run's interpreter, which is right by construction and slow."""

    def __init__(self, program, path, folder):
        self.program, self.folder, self.path = program, pathlib.Path(folder), path
        self.outputs = output_names(path)

    def run(self, inputs):
        return self._run([self.path, "--reference"], inputs)

    def close(self):
        pass


def output_names(path):
    import onnx

    return [output.name for output in onnx.load(path, load_external_data=False).graph.output]


def largest_difference(got, expected):
    """Of two arrays, relative to the largest magnitude expected; infinite where dtype, dims or the places of NaN differ."""
    got, expected = np.asarray(got), np.asarray(expected)
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return np.inf
    if not expected.size:
        return 0.0
    if expected.dtype == bool:
        return float((got != expected).any())
    got, expected = got.astype(np.float64), expected.astype(np.float64)
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    if same.all():
        return 0.0
    if not np.isfinite(got[~same]).all() or not np.isfinite(expected[~same]).all():
        return np.inf
    scale = np.abs(expected[np.isfinite(expected)]).max()
    return float(np.abs(got - expected)[~same].max() / scale) if scale else np.inf
