"""Verifies a file: `verify.py circle FILE` or `verify.py cairo FILE`.

A file of Circle names its statement, which is printed: whoever asks knows another one by it. `--programs` is the JSON
of the components' constraints, for the statements of section 17a and for Cairo.
"""

import argparse
import json
import sys
from pathlib import Path

import airs
from cairo import SEGMENTS, verify_cairo
from channel import SUITES
from circle import verify_proof
from hashes import HashTree
from proof import Refused, read_file, require


def circle(data, programs, bits):
    file = read_file(data)
    require(file.words, "Statement", "words")
    statement = HashTree(file.words, programs) if file.words[0] in HashTree.names else airs.statement(file.words)
    own = (statement.name, list(statement.parameters), statement.log_rows)
    require((file.air, file.parameters, file.log_rows) == own, "Statement")
    verify_proof(statement, file.sums, file.proof, file.suite, bits)
    return f"{file.air} with words {file.words}"


def cairo(data, programs, bits, suite, samples_all):
    proof = verify_cairo(data, SUITES[suite], programs, bits, samples_all)
    builtins = [name for name in SEGMENTS if proof.segments[name] is not None]
    program, output = ([value for _, value in words] for words in (proof.program, proof.output))
    return f"a run of the program {program} with builtins {builtins}, output {output}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["circle", "cairo"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--programs", type=Path, help="JSON of the constraints")
    parser.add_argument("--bits", type=int, default=96, help="least bits of work and queries")
    parser.add_argument("--suite", choices=SUITES, default="blake2s", help="of a Cairo proof")
    parser.add_argument("--all-samples", action="store_true", help="all preprocessed columns of Cairo are sampled")
    given = parser.parse_args()
    programs = json.loads(given.programs.read_text()) if given.programs else []
    data = given.file.read_bytes()
    try:
        if given.kind == "circle":
            stated = circle(data, programs, given.bits)
        else:
            stated = cairo(data, programs, given.bits, given.suite, given.all_samples)
    except Refused as refused:
        sys.exit(f"refused: {refused}")
    print(f"accepted: {stated}")


if __name__ == "__main__":
    main()
