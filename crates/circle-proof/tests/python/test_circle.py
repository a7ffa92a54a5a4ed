"""Tests of the verifier in Python on the golden proofs: `python3 -m unittest` in this folder."""

import json
import pathlib
import unittest

import airs
import proof
from channel import SUITES
from circle import verify_proof
from field import P, Q
from proof import Config, Refused
from prove import Prover, trace

VECTORS = pathlib.Path(__file__).resolve().parents[4] / "vectors" / "circle"


class Vector:
    def __init__(self, path):
        self.name, facts = path.stem, json.loads(path.read_text())
        self.words, self.sums = facts["statement_words"], [Q(tuple(sum)) for sum in facts.get("claimed_sums") or []]
        self.statement, parameters = airs.statement(self.words), facts["params"].split(";")
        self.seed = int(dict(each.split("=") for each in parameters).get("s", 0))
        self.proof = (VECTORS / f"{self.name}.proof.bin").read_bytes()

    def verify(self, data, sums=None, statement=None):
        sums = self.sums if sums is None else sums
        return verify_proof(statement or self.statement, sums, data, SUITES["blake2s"], 0)


VECTOR_LIST = [Vector(path) for path in sorted(VECTORS.glob("*.json"))]


class Vectors(unittest.TestCase):
    def refused(self, vector, data, **other):
        with self.assertRaises(Refused) as context:
            vector.verify(data, **other)
        return context.exception.check

    def test_vectors_are_accepted(self):
        self.assertEqual(len(VECTOR_LIST), 16)
        for vector in VECTOR_LIST:
            with self.subTest(vector.name):
                config = vector.verify(vector.proof).config
                bits = config.pow_bits + config.log_blowup * config.queries
                verify_proof(vector.statement, vector.sums, vector.proof, SUITES["blake2s"], bits)
                with self.assertRaises(Refused) as context:
                    verify_proof(vector.statement, vector.sums, vector.proof, SUITES["blake2s"], bits + 1)
                self.assertEqual(context.exception.check, "Policy")

    def test_vectors_are_made_again(self):
        for vector in VECTOR_LIST:
            # Its nonce is the first after 2^32.
            if vector.name != "wide-fibonacci-w20_n5_b1_q4_f1_l0_p22":
                with self.subTest(vector.name):
                    config = proof.read_proof(vector.proof, SUITES["blake2s"]).config
                    prover = Prover(vector.statement, trace(vector.statement, vector.seed), config, SUITES["blake2s"])
                    self.assertEqual(prover.proof(), vector.proof)
                    self.assertEqual([sum.c for sum in prover.sums], [sum.c for sum in vector.sums])

    def test_other_bytes_and_lengths_are_refused(self):
        checks = set()
        for number, vector in enumerate(VECTOR_LIST):
            data = vector.proof
            # Another byte from vector to vector.
            for i in range(number % 7, len(data), 7):
                changed = bytearray(data)
                changed[i] ^= 1 << i * 5 % 8
                checks.add(self.refused(vector, bytes(changed)))
            for length in range(number % 61, len(data), 61):
                self.assertEqual(self.refused(vector, data[:length]), "Decode")
            for more in (b"\0", bytes(32), data):
                self.assertEqual(self.refused(vector, data + more), "Decode")
        self.assertLessEqual({"Decode", "Options", "Opening", "ProofOfWork", "Root", "Shape"}, checks)

    def test_other_statements_and_sums_are_refused(self):
        for vector in VECTOR_LIST:
            for k in range(1, len(vector.words)):
                words = list(vector.words)
                words[k] += 1
                self.refused(vector, vector.proof, statement=airs.statement(words))
            for other in ([], vector.sums[1:], vector.sums + [Q((0, 0, 0, 0))], [sum + 1 for sum in vector.sums]):
                if len(other) != len(vector.sums) or vector.sums:
                    self.assertEqual(self.refused(vector, vector.proof, sums=other), "Sums")

    def test_a_proof_is_of_its_suite(self):
        for words in ([1, 4, 1, 2, 1597], [2, 3, 5], [3, 4, 2, 3], [4, 4, 4]):
            statement = airs.statement(words)
            for made in SUITES.values():
                prover = Prover(statement, trace(statement, 1), Config(3, 1, 0, 4, 2, None), made)
                data = prover.proof()
                for asked in SUITES.values():
                    verdict = lambda: verify_proof(statement, prover.sums, data, asked, 0)
                    if asked is made:
                        verdict()
                    else:
                        self.assertRaises(Refused, verdict)


class Files(unittest.TestCase):
    def integer(self, value):
        return bytes([value]) if value < 251 else b"\xfb" + value.to_bytes(2, "little")

    def file(self, vector, suite=b""):
        words = b"".join(self.integer(word) for word in [len(vector.words)] + vector.words)
        sums = b"".join(c.to_bytes(4, "little") for sum in vector.sums for c in sum.c)
        name, parameters = vector.statement.name.encode(), vector.statement.parameters
        head = proof.MAGIC + b"\1\6circle" + bytes([len(name)]) + name + bytes([len(parameters)])
        for key, value in parameters:
            head += bytes([len(key)]) + key.encode() + self.integer(value)
        head += bytes([vector.words[1]]) + words + bytes([len(vector.sums)]) + sums
        return head + self.integer(len(vector.proof)) + vector.proof + suite

    def test_a_file_has_one_encoding(self):
        vector = next(vector for vector in VECTOR_LIST if vector.statement.name == "plonk")
        data = self.file(vector)
        found = proof.read_file(data)
        self.assertEqual((found.words, found.sums, found.proof), (vector.words, vector.sums, vector.proof))
        self.assertEqual((found.air, found.log_rows, found.suite), ("plonk", vector.words[1], SUITES["blake2s"]))
        self.assertIs(proof.read_file(self.file(vector, b"\x0bblake2s_m31")).suite, SUITES["blake2s_m31"])
        at = data.index(b"".join(c.to_bytes(4, "little") for c in vector.sums[0].c))
        unreduced = data[:at] + (vector.sums[0].c[0] + P).to_bytes(4, "little") + data[at + 4 :]
        bad = [data[:length] for length in range(0, len(data), 11)]
        bad += [data + b"\0", self.file(vector, b"\7blake2s"), self.file(vector, b"\3own"), unreduced]
        bad += [data.replace(b"\6circle", b"\6cyrcle"), b"\0" + data[1:], data.replace(b"\5plonk", b"\5pl nk")]
        bad += [data.replace(b"\2v0\1\2v1\1", b"\2v1\1\2v0\1"), data.replace(b"\2v0\1", b"\2v0\xfb\1\0")]
        for other in bad:
            with self.assertRaises(Refused) as context:
                proof.read_file(other)
            self.assertEqual(context.exception.check, "File")


if __name__ == "__main__":
    unittest.main()
