"""Ends a program by a signal while it has temporary files, again and again; none may be left.

    terminate.py FOLDER SIGNAL PROGRAM ARGUMENTS...

FOLDER is made, and is where the program puts such files; SIGNAL is a name such as TERM.
"""

import os
import pathlib
import subprocess
import sys
import time

import ended

folder = pathlib.Path(sys.argv[1])
folder.mkdir()
number = ended.get_number(sys.argv[2])
seen = 0
for delay in range(20):
    environment = {**os.environ, "TMPDIR": str(folder)}
    process = subprocess.Popen(sys.argv[3:], env=environment, preexec_fn=ended.reset_signals)
    while process.poll() is None and not list(folder.iterdir()):
        time.sleep(0.0005)
    time.sleep(delay * 0.002)
    process.send_signal(number)
    seen += process.wait() == -number
    assert not list(folder.iterdir()), list(folder.iterdir())
assert seen, "the program was always faster"
