"""Ends a program by a signal at the moment when it has created its first file, its second and so on; none may be left.

    terminate-at-creations.py FOLDER PRELOADED SIGNAL PROGRAM ARGUMENTS...

FOLDER is made, and is where the program puts temporary files; PRELOADED is built from signal-at-creation.c; SIGNAL is a
name such as TERM. Prints how many files the program creates.
"""

import os
import pathlib
import subprocess
import sys

import ended

folder = pathlib.Path(sys.argv[1])
folder.mkdir()
number = ended.get_number(sys.argv[3])
count = 0
while True:
    env = {**os.environ, "TMPDIR": str(folder), "LD_PRELOAD": sys.argv[2], "SIGNAL": str(int(number)),
           "SIGNAL_AT": str(count + 1)}
    process = subprocess.run(sys.argv[4:], env=env, stdout=subprocess.DEVNULL, preexec_fn=ended.reset_signals)
    status = process.returncode
    if status == 0:
        break
    assert status == -number, status
    assert not list(folder.iterdir()), (count + 1, list(folder.iterdir()))
    count += 1
print(count, "files")
