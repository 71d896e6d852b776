"""Compares the verdicts of `dyn-prove --batch` with the column of a table that says what is expected.

usage: check-verdicts.py TABLE.tsv < VERDICTS
What must be proved has to be answered by yes; what does not hold may be answered by no or unknown.
"""

import csv
import sys

PROVED = {"equal", "yes"}
NOT_PROVED = {"not-equal", "no"}


def main():
    verdicts = dict(line.rstrip("\n").split("\t") for line in sys.stdin)
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    wrong = 0
    for row in rows:
        expected = row.get("expect") or row["implied"]
        verdict = verdicts.get(row["id"], "nothing")
        if expected not in PROVED | NOT_PROVED:
            sys.exit(f"{row['id']}: unknown expectation '{expected}'")
        if (expected in PROVED) != (verdict == "yes") or verdict == "nothing":
            print(f"{row['id']}: expected {expected}, found {verdict}")
            wrong += 1
    print(f"{len(rows) - wrong} of {len(rows)} as expected")
    return 1 if wrong or not rows else 0


sys.exit(main())
