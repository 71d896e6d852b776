"""Ends a program by a signal at the moment when it has created its first file, its second and so on; none may be left.

    terminate-at-creations.py FOLDER PRELOADED PROGRAM ARGUMENTS...

FOLDER is made, and is where the program puts temporary files; PRELOADED is built from signal-at-creation.c. Prints how
many files the program creates.
"""

import os
import pathlib
import signal
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
folder.mkdir()
count = 0
while True:
    env = {**os.environ, "TMPDIR": str(folder), "LD_PRELOAD": sys.argv[2], "SIGNAL_AT": str(count + 1)}
    status = subprocess.run(sys.argv[3:], env=env, stdout=subprocess.DEVNULL).returncode
    if status == 0:
        break
    assert status == -signal.SIGTERM, status
    assert not list(folder.iterdir()), (count + 1, list(folder.iterdir()))
    count += 1
print(count, "files")
