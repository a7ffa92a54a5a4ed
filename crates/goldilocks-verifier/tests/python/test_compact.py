"""Tests of the verifier in Python: `python3 -m unittest` in this folder."""

import functools
import hashlib
import json
import pathlib
import tempfile
import unittest
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO

import compact
import goldilocks
import keccak
import prove
import rounds
from compact import Policy, verify, verify_proof
from goldilocks import E, P
from statement import Options, Refused, Statement

VECTORS = pathlib.Path(__file__).resolve().parents[4] / "vectors" / "compact"
TEXT = VECTORS.parents[1] / "docs" / "protocol" / "goldilocks-compact.md"
ANY = Policy("claimed", 0)


def remembered(function):
    """The function with its results kept by the text of the arguments."""
    results = {}

    @functools.wraps(function)
    def look_up(*arguments):
        key = repr(arguments)
        if key not in results:
            results[key] = function(*arguments)
        return results[key]

    return look_up


# Mutations of a proof share most of what they hash and compute.
compact.keccak256 = functools.lru_cache(maxsize=None)(keccak.keccak256)
compact.replay = remembered(compact.replay)
compact.Terms.at = remembered(compact.Terms.at)


class Vector:
    def __init__(self, line):
        self.name, air, n, parameters, public, digest, options, self.s_0, self.s_q, length, self.sha256, seed = line
        parameters = {k: int(v) for k, v in (p.split("=") for p in parameters.split(",") if p != "-")}
        made = goldilocks.air(air, int(n), [int(x) for x in public.split(",") if x != "-"], **parameters)
        self.statement = Statement(made, bytes.fromhex(digest))
        self.options_bytes = bytes.fromhex(options)
        self.seed = None if seed == "-" else bytes.fromhex(seed)
        self.options = parse(self.options_bytes)
        self.proof = bytes.fromhex((VECTORS / f"{self.name}.hex").read_text())
        self.file = prove.file(self.statement, self.options, self.proof)
        assert len(self.proof) == int(length)


def parse(data):
    """The options of their bytes, section 2."""
    r = data[17]
    folds, work = list(data[18 : 19 + r]), list(data[20 + r :])
    offset = int.from_bytes(data[5:13], "big")
    queries = int.from_bytes(data[1:5], "big")
    return Options(1 << data[0], queries, offset, data[16], folds, data[19 + r], work, data[15])


VECTOR_LIST = [Vector(line.split("\t")) for line in (VECTORS / "vectors.tsv").read_text().splitlines()[1:]]


class Vectors(unittest.TestCase):
    def test_vectors_are_accepted_and_made_again(self):
        for vector in VECTOR_LIST:
            with self.subTest(vector.name):
                self.assertEqual(vector.options.bytes(), vector.options_bytes)
                self.assertEqual(hashlib.sha256(vector.proof).hexdigest(), vector.sha256)
                verify(vector.file, vector.statement, ANY)
                prover = prove.Prover(vector.statement, vector.options, vector.seed)
                self.assertEqual(prover.transcript.state.hex(), vector.s_0)
                self.assertEqual(prover.proof(), vector.proof)
                self.assertEqual(prover.state.hex(), vector.s_q)

    def test_every_other_byte_and_length_is_refused(self):
        for vector in VECTOR_LIST:
            data, checks = vector.file, set()
            for i in range(len(data)):
                changed = bytearray(data)
                changed[i] ^= 1 << (i * 5 % 8)
                checks.add(self.refused(bytes(changed), vector))
                if i >= len(data) - len(vector.proof):
                    self.refused_proof(vector.proof[: i - len(data)], vector)
                self.refused(data[:i], vector)
            for more in (b"\0", b"\xff", bytes(8), bytes(32), vector.proof[-32:], vector.proof):
                self.refused(data + more, vector)
                self.refused_proof(vector.proof + more, vector)
            for check in ("File", "Statement", "Options", "ProofOfWork", "Root", "Truncated", "TrailingBytes"):
                self.assertIn(check, checks, vector.name)

    def refused(self, data, vector):
        with self.assertRaises(Refused) as context:
            verify(data, vector.statement, ANY)
        return context.exception.check

    def refused_proof(self, proof, vector):
        with self.assertRaises(Refused) as context:
            verify_proof(proof, vector.statement, vector.options, ANY)
        return context.exception.check

    def test_an_element_that_is_not_reduced_is_refused(self):
        for vector in VECTOR_LIST:
            head = vector.options.head(vector.statement.air)
            last = head - 8 * (vector.options.work[-1] > 0)
            for at in (last - 8, head):  # in the last layer, and in the first row that is opened
                for value in (P, 2**64 - 1):
                    proof = vector.proof[:at] + value.to_bytes(8, "big") + vector.proof[at + 8 :]
                    self.assertEqual(self.refused_proof(proof, vector), "NotCanonical")

    def test_other_statements_are_refused(self):
        vector = VECTOR_LIST[2]
        other = goldilocks.air("quadratic", 64, [4])
        with self.assertRaisesRegex(Refused, "Statement"):
            verify(vector.file, Statement(other, vector.statement.digest), ANY)
        for statement in (Statement(other, vector.statement.digest), Statement(vector.statement.air, bytes(32))):
            with self.assertRaises(Refused):
                verify_proof(vector.proof, statement, vector.options, ANY)

    def test_options_out_of_their_ranges_are_refused(self):
        vector = VECTOR_LIST[0]
        changes = [("blowup", (1, 3, 256)), ("queries", (0, 65537)), ("points", (0, 3)), ("hiding", (1, 2))]
        changes += [("offset", (0, 1, P, P + 3, goldilocks.root(8))), ("folds", ([3], [5, 0], [4, 1, 0], [0, 5], []))]
        changes += [("last", (0, 2, 11)), ("work", ([0] * 6, [0] * 8, [65] + [0] * 6))]
        for name, values in changes:
            for value in values:
                options = replace(vector.options, **{name: value})
                with self.subTest(name=name, value=value), self.assertRaisesRegex(Refused, "Options"):
                    verify_proof(vector.proof, vector.statement, options, ANY)
        for vector, k in ((VECTOR_LIST[2], 0), (VECTOR_LIST[1], 4)):
            options = replace(vector.options, work=[int(i == k) for i in range(len(vector.options.work))])
            with self.assertRaisesRegex(Refused, "Options"):
                verify_proof(vector.proof, vector.statement, options, ANY)

    def test_a_policy_refuses_what_is_worth_less(self):
        vector = VECTOR_LIST[0]
        for policy in (Policy("claimed", 16), Policy("provable", 10), Policy("claimed", 0, 3927)):
            with self.assertRaisesRegex(Refused, "Policy"):
                verify(vector.file, vector.statement, policy)
        verify(vector.file, vector.statement, Policy("claimed", 15, 3928))

    def test_the_command(self):
        vector = VECTOR_LIST[2]
        with tempfile.NamedTemporaryFile() as file:
            file.write(vector.file)
            file.flush()
            digest = vector.statement.digest.hex()
            command = ["verify", file.name, "--air", "quadratic", "--digest", digest, "--public"]
            for more, code, says in (
                (["3", "--security", "claimed-0"], 0, "accepted"),
                (["3"], 1, "refused: Policy"),
                (["4", "--security", "claimed-0"], 1, "refused: Statement"),
            ):
                with redirect_stdout(StringIO()) as said:
                    self.assertEqual(compact.main(command + more), code)
                self.assertTrue(said.getvalue().startswith(says))


    def test_rows_that_are_not_free_are_too_few(self):
        # One query more, one point more, a larger leaf; and the same rows of an AIR that leaves one fewer.
        vector = VECTOR_LIST[4]
        for change in ({"queries": 6}, {"points": 2}, {"folds": [1, 2]}):
            with self.assertRaisesRegex(Refused, "Options free rows"):
                verify_proof(vector.proof, vector.statement, replace(vector.options, **change), ANY)
        fewer = goldilocks.air("quadratic", 64, [3], free=36)
        with self.assertRaisesRegex(Refused, "Options free rows"):
            verify_proof(vector.proof, Statement(fewer, vector.statement.digest), vector.options, ANY)


class Lies(unittest.TestCase):
    """Proofs by provers that do not follow section 6, for small and weak options with 12 queries."""

    options = Options(4, 12, 3, 1, [1, 2], 1, [0, 0, 0, 0, 0, 0, 0])

    def statement(self, name="simple-fibonacci", public=(1, 1)):
        return Statement(goldilocks.air(name, 16, list(public)), bytes(32))

    def outcome(self, prover, statement=None):
        try:
            verify_proof(prover.proof(), statement or prover.statement, prover.options, ANY)
        except Refused as refused:
            return refused.check

    def test_the_truth(self):
        for points in (1, 2):
            options = replace(self.options, points=points)
            self.assertIsNone(self.outcome(prove.Prover(self.statement(), options)))
        options = replace(self.options, folds=[0], last=4, work=[0] * 6)
        self.assertIsNone(self.outcome(prove.Prover(self.statement(), options)))

    def test_a_nonce_that_is_not_the_smallest(self):
        class Impatient(prove.Prover):
            first_nonce = 1000

        options = replace(self.options, work=[0, 1, 2, 3, 4, 5, 6])
        self.assertIsNone(self.outcome(Impatient(self.statement(), options)))

    def test_a_false_statement(self):
        # The trace begins with 1, 1: its composition is no polynomial, and the liar sends the nearest one.
        class Liar(prove.Prover):
            truncates = True

        for points in (1, 2):
            liar = Liar(self.statement(public=(1, 2)), replace(self.options, points=points))
            self.assertEqual(self.outcome(liar), "LastLayer")

    def test_values_out_of_domain_that_no_polynomial_has(self):
        # Parts sent as zero: H_0(z^P) absorbs the difference, and p_0 has a pole.
        class Liar(prove.Prover):
            truncates = True

            def claims(self, frame, anchors, parts):
                return frame, anchors, parts[:1] + [E()] * (len(parts) - 1)

        self.assertEqual(self.outcome(Liar(self.statement("quadratic", [3]), self.options)), "LastLayer")

        class Other(prove.Prover):
            truncates = True

            def claims(self, frame, anchors, parts):
                return frame, [x + 1 for x in anchors], parts

        self.assertEqual(self.outcome(Other(self.statement(), replace(self.options, points=2))), "LastLayer")


class Airs(unittest.TestCase):
    """The eight AIRs, by the values and traces of the golden vectors of the other format."""

    def vectors(self):
        for path in sorted((VECTORS.parent / "goldilocks").glob("*.json")):
            if ".inner" in path.name or "parts2" in path.name or "base" in path.name:
                continue
            vector = json.loads(path.read_text())
            columns = [[int(x) for x in column] for column in vector["main_trace_columns"]]
            first, last, name = [c[0] for c in columns], columns[0][-1], vector["air"]
            public = {
                "simple-fibonacci": [1, 1],
                "fibonacci-2-columns": first,
                "quadratic": first,
                "periodic": first + [last],
                "read-only-memory": first,
                "read-only-memory-logup": first,
            }
            parameters = {"steps": vector["params"]["steps"]} if name == "fibonacci-rap" else {}
            air = goldilocks.air(name, len(columns[0]), public.get(name, []), **parameters)
            yield air, columns, vector

    def test_the_composition_at_the_out_of_domain_points_of_the_vectors(self):
        def element(c):
            return E(*map(int, c))

        names = set()
        for air, _, vector in self.vectors():
            frame = [[element(c) for c in row] for row in vector["trace_ood_rows"]]
            parts, z = [element(c) for c in vector["composition_ood"]], element(vector["z"])
            challenges = [element(c) for c in vector["rap_challenges"]]
            with self.subTest(vector["name"]):
                found = air.composition(z, frame, challenges, element(vector["beta"]))
                self.assertEqual(found, sum((z**k * part for k, part in enumerate(parts)), E()))
                self.assertEqual((len(frame), len(frame[0]), len(parts)), (air.frame, air.width, air.parts))
                names.add(air.name)
        self.assertEqual(names, set(goldilocks.AIRS))

    def test_proofs_of_airs_without_auxiliary_columns(self):
        for air, columns, vector in self.vectors():
            if air.aux:
                continue

            class Given(prove.Prover):
                def trace(self):
                    return columns, lambda ch: []

            log = air.n.bit_length() - 1
            for points, folds in ((1, [2, log - 3]), (2, [0, 1, log - 2])):
                options = Options(4, 12, 7, points, folds, 1, [0] * (len(folds) + 5))
                statement = Statement(air, bytes(32))
                with self.subTest(air.name, points=points):
                    verify_proof(Given(statement, options).proof(), statement, options, ANY)


class Figures(unittest.TestCase):
    def test_the_published_certificate(self):
        h, e, _ = rounds.certificate(65536, 32768, 45690, 50, 32, 9, 44)
        self.assertEqual((h, e), (36670, 2083741775464763888))

    def test_the_table_of_sizes(self):
        # Section 12: q is the least for the bits of a provable profile, and the lengths are as printed.
        airs = {"fibonacci-rap": goldilocks.air("fibonacci-rap", 1 << 20, [], steps=(1 << 20) - 1)}
        cubes = [goldilocks.Transition(None, 3)] * 64
        airs["wide"] = goldilocks.Air("wide", 1 << 20, 64, 0, 2, 0, 2, cubes, lambda ch: [(0, 0, 1)] * 64)
        lines = 0
        for line in TEXT.read_text().splitlines():
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            if len(cells) != 11 or not cells[0].startswith(("provable-", "first-order-")):
                continue
            profile, blowup, name, queries, bits, other, points, lists, length = cells[:9]
            folds, last = lists.split("; ")
            folds = [int(s) for s in folds.split(", ")]
            work = [0] * (len(folds) + 4) + [int(bits)]
            for draw in other.split(", ") if other != "none" else []:
                which, value = draw.split(" ")
                work[{"z": 2, "γ": 3}[which] if which in "zγ" else 4 + int(which[2:])] = int(value)
            options = Options(int(blowup), int(queries), 3, int(points), folds, int(last), work)
            options.check(airs[name])
            with self.subTest(line):
                self.assertAlmostEqual(rounds.expected_length(airs[name], options) / 1024, float(length), delta=0.051)
                kind, _, asked = profile.rpartition("-")
                if kind == "provable":
                    fewer = replace(options, queries=options.queries - 1)
                    self.assertGreaterEqual(rounds.bits_of_security(airs[name], options, kind), int(asked))
                    self.assertLess(rounds.bits_of_security(airs[name], fewer, kind), int(asked))
            lines += 1
        self.assertEqual(lines, 24)


if __name__ == "__main__":
    unittest.main()
