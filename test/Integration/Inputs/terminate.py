"""Ends a program by a signal while it has temporary files, again and again; none may be left.

    terminate.py FOLDER PROGRAM ARGUMENTS...        FOLDER is made, and is where the program puts such files
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

folder = pathlib.Path(sys.argv[1])
folder.mkdir()
seen = 0
for delay in range(20):
    process = subprocess.Popen(sys.argv[2:], env={**os.environ, "TMPDIR": str(folder)})
    while process.poll() is None and not list(folder.iterdir()):
        time.sleep(0.0005)
    time.sleep(delay * 0.002)
    process.terminate()
    seen += process.wait() == -signal.SIGTERM
    assert not list(folder.iterdir()), list(folder.iterdir())
assert seen, "the program was always faster"
