"""Verdicts for another program: statements and files in, a line each, and for each a line with the verdict out.

A line has the AIR, its rows, its parameters and public inputs (with commas, or -), its digest, and the file, both
hexadecimal.
A verdict is `accepted` or the name of the check that failed, `File` where the file around the proof is none.
"""

import sys

import goldilocks
from compact import Policy, verify
from statement import Refused, Statement, read_file

ANY = Policy("claimed", 0)


def verdict(line):
    name, rows, parameters, public, digest, data = line.split()
    parameters = {k: int(v) for k, v in (p.split("=") for p in parameters.split(",") if p != "-")}
    public = [int(x) for x in public.split(",") if x != "-"]
    air = goldilocks.air(name, int(rows), public, **parameters)
    data = bytes.fromhex(data)
    try:
        read_file(data)
    except Refused as refused:
        # What is cut or too long there is no part of the proof.
        return refused.check if refused.check == "Options" else "File"
    try:
        verify(data, Statement(air, bytes.fromhex(digest)), ANY)
    except Refused as refused:
        return refused.check
    return "accepted"


if __name__ == "__main__":
    for line in sys.stdin:
        print(verdict(line), flush=True)
