"""Makes a named pipe, runs a command that writes to it, and saves what comes out: PIPE FILE COMMAND..."""

import os
import subprocess
import sys

pipe, file, *command = sys.argv[1:]
os.mkfifo(pipe)
process = subprocess.Popen(command)
with open(pipe, "rb") as source, open(file, "wb") as target:
    target.write(source.read())
sys.exit(process.wait())
