"""Runs, interprets and explains a program that is refused: TOOL MODEL. Prints the line that all of them give."""

import subprocess
import sys

tool, model = sys.argv[1:]
answers = set()
for options in [["--random=1"], ["--random=1", "--reference"], ["--print-shapes"], ["--compile", "-o", "out.so"]]:
    process = subprocess.run([tool, model, *options], capture_output=True, text=True)
    assert process.returncode == 1 and process.stderr.count("\n") == 1 and not process.stdout, (options, process)
    answers.add(process.stderr)
assert len(answers) == 1, answers
print(*answers)
