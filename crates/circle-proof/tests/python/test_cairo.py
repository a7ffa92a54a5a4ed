"""Tests of what the verifier in Python checks of a Cairo proof beside the constraints, which are data that the Rust
tests export: `python3 -m unittest` in this folder."""

import copy
import json
import pathlib
import unittest

import cairo
from cairo import Cairo
from channel import SUITES
from field import P, ZERO
from proof import Refused
from test_taken_out import outcome

VECTORS = pathlib.Path(__file__).resolve().parents[4] / "vectors"
PROOFS = {
    "cairo/proofs/fib_10.small.low": "blake2s",
    "cairo/proofs/tiny.small.low": "blake2s",
    "cairo/proofs/ec_op_3.wo.low": "blake2s",
    "cairo1/proofs/hashes.small.low": "blake2s",
    "cairo/proofs/fib_10.blake2s_m31": "blake2s_m31",
    "cairo/proofs/tiny.blake2s_m31": "blake2s_m31",
    "cairo/proofs/tiny.poseidon252": "poseidon252",
    "cairo/proofs/range_check96_30.poseidon252": "poseidon252",
}


def stored(name):
    return cairo.read((VECTORS / f"{name}.bincode").read_bytes(), SUITES[PROOFS[name]])


class Envelope(Cairo):
    """The statement without its components."""

    def __init__(self, proof):
        self.cairo, self.components = proof, []
        self.check_claim()
        self.check_public()


class Stated(unittest.TestCase):
    def test_preprocessed_columns(self):
        for variant, name in zip(cairo.VARIANTS, ("canonical", "wo", "small")):
            facts = json.loads((VECTORS / f"cairo/vectors/preprocessed_{name}.json").read_text())
            if not isinstance(facts, list):
                (facts,) = (each for each in facts.values() if isinstance(each, list))
            self.assertEqual(cairo.preprocessed(variant), [tuple(column[:2]) for column in facts])

    def begun(self, proof, suite):
        Envelope(proof).begin(suite(), proof.proof.config, proof.proof, proof.sums)

    def test_transcripts_of_proofs(self):
        """Up to the interaction tree: the work before the lookups and the sum of all lookups depend on all of it."""
        for name, suite in PROOFS.items():
            with self.subTest(name):
                proof, suite = stored(name), SUITES[suite]
                self.assertEqual(proof.proof.commitments[0], self.root(proof, suite))
                self.begun(proof, suite)
                proof.salt += 1
                with self.assertRaises(Refused) as context:
                    self.begun(proof, suite)
                self.assertEqual(str(context.exception), "ProofOfWork interaction")

    def root(self, proof, suite):
        root = cairo.ROOTS[suite.name, proof.variant]
        return bytes.fromhex(root) if isinstance(root, str) else root

    def test_the_interaction_is_bound(self):
        for change, check in (
            (lambda proof: setattr(proof, "nonce", proof.nonce + 1), "ProofOfWork interaction"),
            (lambda proof: proof.sums.append(proof.sums.pop() + 1), "Sums of the lookups"),
        ):
            proof, suite = stored("cairo/proofs/fib_10.small.low"), SUITES["blake2s"]
            change(proof)
            begun = lambda: self.begun(proof, suite)
            self.assertEqual(outcome(begun), check)
            if check.startswith("Sums"):
                self.assertIsNone(outcome(begun, check))
            else:
                # Other elements are drawn, of which the sums are none.
                self.assertEqual(outcome(begun, check), "Sums of the lookups")

    def test_each_check_of_the_claim_and_of_public_data(self):
        def component(proof, name):
            return next(one for one in proof.components if one.name == name)

        def log(name, value):
            return lambda proof: setattr(component(proof, name), "log", value)

        def without(name):
            return lambda proof: proof.components.remove(component(proof, name))

        def more(name, count):
            return lambda proof: proof.components.extend(count * [copy.copy(component(proof, name))])

        def number(name, place, value):
            return lambda proof: getattr(proof, name).__setitem__(place, value)

        def register(name, place, more):
            def change(proof):
                registers = list(getattr(proof, name))
                registers[place] += more
                setattr(proof, name, tuple(registers))

            return change

        def pedersen_twice(proof):
            proof.components.append(cairo.Claimed("pedersen_builtin", 4))
            proof.components.append(cairo.Claimed("pedersen_builtin_narrow_windows", 4))

        def segment(name, place, more):
            return lambda proof: proof.segments[name].__setitem__(place, proof.segments[name][place] + more)

        def moved(proof):
            # All of the segment, in the claim, too: beyond the field.
            one, (start_id, start, stop_id, stop) = component(proof, "ec_op_builtin"), proof.segments["ec_op"]
            one.start, by = P - 16, P - 16 - start
            proof.segments["ec_op"] = [start_id, start + by, stop_id, stop + by]

        def elsewhere(proof):
            for place in (1, 3):
                proof.segments["output"][place] += 1

        cases = [
            ("ec_op_3.wo", log("ret_opcode", 3), "Claim rows"),
            ("ec_op_3.wo", log("ret_opcode", 30), "Claim rows"),
            ("ec_op_3.wo", log("memory_address_to_id", 26), "Claim addresses"),
            ("ec_op_3.wo", without("memory_address_to_id"), "Claim no memory_address_to_id"),
            ("fib_10.small", more("memory_id_to_big", 16), "Claim chunks"),
            ("fib_10.small", pedersen_twice, "Claim pedersen twice"),
            ("fib_10.small", register("first", 0, 1), "Public registers"),
            ("fib_10.small", register("last", 0, 1), "Public registers"),
            ("fib_10.small", register("first", 2, 1), "Public registers"),
            ("fib_10.small", register("last", 2, 1), "Public registers"),
            ("fib_10.small", lambda proof: proof.program.pop(), "Public length of the program"),
            ("fib_10.small", lambda proof: proof.program.append((0, 0)), "Public length of the program"),
            *(("fib_10.small", number("program", k, (0, 7)), "Public program") for k in (0, 1, 2, 4, 5)),
            ("fib_10.small", lambda proof: proof.output.pop(), "Public length of the output"),
            ("fib_10.small", elsewhere, "Public place of the output"),
            ("fib_10.small", segment("bitwise", 3, 5), "Public segment of bitwise, which nothing proves"),
            ("fib_10.small", segment("keccak", 3, 5), "Public segment of keccak, which nothing proves"),
            ("ec_op_3.wo", segment("ec_op", 1, 7), "Public segment of ec_op"),
            ("ec_op_3.wo", segment("ec_op", 3, 1), "Public length of ec_op"),
            ("ec_op_3.wo", segment("ec_op", 3, 7 * 16), "Public length of ec_op"),
            ("ec_op_3.wo", moved, "Public length of ec_op"),
        ]
        for name, change, check in cases:
            with self.subTest(check):
                proof = stored(f"cairo/proofs/{name}.low")
                Envelope(proof)
                change(proof)
                self.assertEqual(outcome(lambda: Envelope(proof)), check)
                self.assertIsNone(outcome(lambda: Envelope(proof), check))

    def test_last_registers(self):
        for place, check in ((0, "Public last ap"), (P, "Public last ap")):
            proof = stored("cairo/proofs/tiny.small.low")
            proof.last = (5, place, proof.last[2])
            proof.segments["output"][1] = proof.segments["output"][3] = 0
            proof.output = [] if place == 0 else [(0, 0)]
            self.assertEqual(outcome(lambda: Envelope(proof)), check)

    def test_ids_of_chunks(self):
        proof = stored("cairo/proofs/fib_10.small.low")
        chunk = next(one for one in proof.components if one.name == "memory_id_to_big")
        chunk.log = 29
        Envelope(proof)
        proof.components.append(copy.copy(chunk))
        # 2^30 + 2 * 2^29 = 2^31
        self.assertEqual(outcome(lambda: Envelope(proof)), "Claim ids")
        self.assertIsNone(outcome(lambda: Envelope(proof), "Claim ids"))


class Sums(unittest.TestCase):
    """Sums belong to components, in the bytes."""

    def test_totals_of_chunks(self):
        data = (VECTORS / "cairo/proofs/fib_10.small.low.bincode").read_bytes()
        proof = stored("cairo/proofs/fib_10.small.low")
        place = [one.name for one in proof.components].index("memory_id_to_big")
        sum = proof.sums[place]
        self.assertNotEqual(sum, ZERO)
        coordinates = b"".join(c.to_bytes(4, "little") for c in sum.c)
        # The sum of the only chunk, and the total behind it.
        at = data.index(2 * coordinates) + 16
        other = data[:at] + bytes(16) + data[at + 16 :]
        read = lambda: cairo.read(other, SUITES["blake2s"])
        self.assertEqual(outcome(read), "Claim total of the chunks")
        self.assertIsNone(outcome(read, "Claim total of the chunks"))


if __name__ == "__main__":
    unittest.main()
