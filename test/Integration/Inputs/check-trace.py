"""Checks a trace: FILE, number of threads, names of the kernels that it must show."""

import json
import sys

path, threads, *kernels = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
rows = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
assert list(rows.values()) == ["caller"] + [f"worker {i}" for i in range(1, int(threads))], rows
pieces = [event for event in events if event["ph"] == "X"]
assert {piece["name"] for piece in pieces} == set(kernels), pieces
for row in rows:
    mine = sorted((piece["ts"], piece["dur"]) for piece in pieces if piece["tid"] == row)
    for (begin, length), (following, _) in zip(mine, mine[1:]):
        # The numbers are decimal: the last digit may be rounded.
        assert begin + length <= following + 1e-6, (row, begin, length, following)
