"""Where the time of runs goes."""

import dataclasses
import os

from dyn._files import output_file


@dataclasses.dataclass(frozen=True)
class KernelProfile:
    """All launches of one kernel in a run. `operations` and `bytes` are None where data determine how much."""

    name: str
    kind: str
    nodes: tuple[str, ...]
    launches: int
    seconds: float
    operations_formula: str
    bytes_formula: str
    operations: int | None
    bytes: int | None
    least_seconds: float

    @property
    def share(self) -> float:
        """Of the roofline: the time that the machine needs at least, over the time that was needed. Above 1 where
        caches beat memory."""
        return self.least_seconds / self.seconds if self.seconds else 0.0


class Profile:
    """The fastest of some runs, kernel by kernel; its text is a table."""

    def __init__(self, kernels, seconds, operations_per_second, bytes_per_second, table, trace):
        self.kernels = tuple(KernelProfile(name, kind, tuple(nodes), *rest) for name, kind, nodes, *rest in kernels)
        self.seconds = seconds
        self.operations_per_second = operations_per_second
        self.bytes_per_second = bytes_per_second
        self.trace = trace
        self._table = table

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        return f"<dyn.Profile of {len(self.kernels)} kernels, {self.seconds * 1e3:.3f} ms>"

    def save_trace(self, path: str | os.PathLike) -> None:
        """Writes the timeline, a row for each thread, as JSON for Perfetto or chrome://tracing. The file appears complete
        or not at all."""
        with output_file(path) as file:
            file.write(self.trace.encode())
