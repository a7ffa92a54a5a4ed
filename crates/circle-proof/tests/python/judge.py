"""Verdicts for another program: statements and files in, a line each, and for each a line with the verdict out.

A line has words: `circle`, the statement's words with commas, the file of its components' constraints or -, and the
file of the proof in hexadecimal; or `cairo`, the suite, `read` or `all` for the preprocessed columns that are sampled,
the root of the preprocessed columns or -, the file of the constraints, and the proof in hexadecimal. A check may stand
before them, as `without=CHECK`: it is taken out.
A verdict is `accepted`, or the name of the check that failed.
"""

import json
import sys
from functools import lru_cache
from pathlib import Path

import airs
import proof
from cairo import verify_cairo
from channel import SUITES
from circle import verify_proof
from hashes import HashTree
from proof import Refused


@lru_cache(maxsize=64)
def programs(path):
    return [] if path == "-" else json.loads(Path(path).read_text())


@lru_cache(maxsize=64)
def stated(words, path):
    words = [int(word) for word in words.split(",")]
    return HashTree(words, programs(path)) if words[0] >= 5 else airs.statement(words)


def circle(words, path, data):
    statement, file = stated(words, path), proof.read_file(bytes.fromhex(data))
    own = (statement.name, list(statement.parameters), statement.log_rows, statement.words)
    proof.require((file.air, file.parameters, file.log_rows, file.words) == own, "Statement")
    verify_proof(statement, file.sums, file.proof, file.suite, 0)


def cairo(suite, samples, root, path, data):
    suite = SUITES[suite]
    if root != "-":
        root = int.from_bytes(bytes.fromhex(root), "little") if suite.name == "poseidon252" else bytes.fromhex(root)
    root = None if root == "-" else root
    verify_cairo(bytes.fromhex(data), suite, programs(path), 0, samples == "all", root)


def verdict(line):
    words = line.split()
    kept, taken_out = proof.require, None
    if words[0].startswith("without="):
        taken_out = words.pop(0).removeprefix("without=").replace("_", " ")

    def require(condition, check, detail=""):
        if taken_out not in (check, f"{check} {detail}"):
            kept(condition, check, detail)

    modules = [module for module in sys.modules.values() if getattr(module, "require", None) is kept]
    try:
        for module in modules if taken_out else []:
            module.require = require
        {"circle": circle, "cairo": cairo}[words[0]](*words[1:])
    except Refused as refused:
        return refused.check if taken_out is None else str(refused)
    finally:
        for module in modules:
            module.require = kept
    return "accepted"


if __name__ == "__main__":
    for line in sys.stdin:
        print(verdict(line), flush=True)
