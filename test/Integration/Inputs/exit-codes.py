"""Runs the lines `# CODE: COMMAND` of a file; the line after each, `# -> TEXT`, is all that they print."""

import re
import subprocess
import sys

text = open(sys.argv[1]).read()
cases = re.findall(r"^# (\d): (.*)\n# -> (.*)$", text, re.MULTILINE)
assert len(cases) == len(re.findall(r"^# \d: ", text, re.MULTILINE)) > 0
for code, command, message in cases:
    process = subprocess.run(command.split(), capture_output=True, text=True)
    assert process.stderr.strip() == message, f"{command}\n{process.stderr}"
    assert process.returncode == int(code) and not process.stdout, f"{command}\n{process}"
