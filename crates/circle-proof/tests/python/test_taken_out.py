"""Each check of the verifier in Python taken out in turn lets a forged proof through: part of `python3 -m unittest`."""

import sys
import unittest

import airs
import circle
import prove
from channel import SUITES
from circle import Component, verify, verify_proof
from field import P, Q, ZERO, combine, point, repeated_double_x
from proof import Config, Refused, read_proof
from prove import Prover, trace

BLAKE2S = SUITES["blake2s"]


def outcome(check, without=None):
    """What the verifier says of it, with one check taken out."""

    def require(condition, name, detail=""):
        if without not in (name, f"{name} {detail}".strip()):
            kept(condition, name, detail)

    kept = circle.require
    modules = [module for module in sys.modules.values() if getattr(module, "require", None) is kept]
    try:
        for module in modules:
            module.require = require
        check()
    except Refused as refused:
        return str(refused)
    finally:
        for module in modules:
            module.require = kept


class Fair(Prover):
    """Changes the first sample of the composition, so that the identity holds for any trace."""

    truncates = True

    def samples(self, sampled):
        names = self.layout.ids
        fixed = {name: values[0] for name, values in zip(names, sampled[0]) if values}
        interaction = sampled[2] if len(sampled) > 3 else []
        mask, sums = circle.Mask(fixed, sampled[1], interaction, self.weight, self.drawn, []), iter(self.sums)
        for component in self.statement.components:
            mask.begin(component, next(sums) if component.has_sum else None)
        vanishing = repeated_double_x(self.z[0], self.layout.m - 1)
        halves = [values[0] for values in sampled[-1]]
        wanted = mask.total / vanishing - vanishing * combine(halves[4:])
        sampled[-1][0] = [wanted - combine([ZERO] + halves[1:4])]
        return sampled


class ZeroFrom(Fair):
    """The layers of FRI are zeros from one on; what is opened where a root is not compared is made so that it folds to
    that: a tree's rows, or the values beside those that are known."""

    of = "tree 1"

    def layer(self, number, values):
        first = int(self.of.removeprefix("layer ")) if self.of.startswith("layer") else 0
        return [ZERO] * len(values) if number >= first else values

    def opening(self):
        kind, number = self.of.split()
        if kind == "tree":
            for p, row in zip(self.positions, self.opened):
                solve(row[int(number)], lambda: self.quotients.at(p, row))
            return
        known = {p: self.quotients.at(p, row) for p, row in zip(self.positions, self.opened)}
        for layer, (log, step) in enumerate(self.layout.folds[: int(number) + 1]):
            values, folded = self.values[layer], {}
            for p, value in known.items():
                values[p] = value
            for group in {p >> step for p in known}:
                first, alpha = group << step, self.alphas[layer]
                at = lambda: circle.fold(values[first : first + (1 << step)], log, first, alpha, layer == 0)
                if layer == int(number):
                    free = next(p for p in range(first, first + (1 << step)) if p not in known)
                    values[free] = ZERO
                    constant = at()
                    values[free] = Q((1, 0, 0, 0))
                    values[free] = ZERO - constant / (at() - constant)
                folded[group] = at()
            known = folded


def solve(cells, function):
    """Changes four cells, of which a function is a linear one and a constant, so that it is zero."""
    cells[:4] = [0] * 4
    constant, slopes = function(), []
    for k in range(4):
        cells[k] = 1
        slopes.append(function() - constant)
        cells[k] = 0
    system = [[slope.c[c] for slope in slopes] + [-constant.c[c] % P] for c in range(4)]
    for k in range(4):
        pivot = next(row for row in system[k:] if row[k])
        system.remove(pivot)
        inverse = pow(pivot[k], -1, P)
        pivot = [x * inverse % P for x in pivot]
        system = [[(x - row[k] * y) % P for x, y in zip(row, pivot)] for row in system]
        system.insert(k, pivot)
    cells[:4] = [row[4] for row in system]


def false_plonk(statement):
    """A trace in which a product is wrong."""
    ((*others, t),) = trace(statement, 0)
    return [[*others, [t[0] + 1] + t[1:]]]


class TakenOut(unittest.TestCase):
    def check(self, prover, check, data=None, statement=None):
        """Refused by the check, accepted without it."""
        data, statement = data or prover.proof(), statement or prover.statement
        verdict = lambda without=None: outcome(
            lambda: verify_proof(statement, prover.sums, data, prover.suite, 0), without
        )
        self.assertEqual(verdict(), check)
        self.assertIsNone(verdict(check))

    def test_roots_of_trees(self):
        statement = airs.statement([3, 4, 1, 2])
        for tree in range(4):
            prover = ZeroFrom(statement, false_plonk(statement), Config(3, 1, 0, 5, 1, None), BLAKE2S)
            prover.of = f"tree {tree}"
            with self.subTest(prover.of):
                self.check(prover, f"Opening tree {tree}")

    def test_roots_of_layers(self):
        statement = airs.statement([3, 4, 1, 2])
        for step, layers in ((1, 4), (2, 2)):
            for number in range(layers):
                # One query, so that there is a free value in each group.
                config = Config(0, 1, 0, 1, step, None)
                prover = ZeroFrom(statement, false_plonk(statement), config, BLAKE2S)
                prover.of = f"layer {number}"
                with self.subTest(f"{prover.of} by {step}"):
                    self.check(prover, f"Opening layer {number}")

    def test_the_last_layer(self):
        statement = airs.statement([3, 4, 1, 2])
        prover = Fair(statement, false_plonk(statement), Config(0, 1, 0, 1, 1, None), BLAKE2S)
        self.check(prover, "LastLayer")

    def test_the_identity(self):
        class Liar(Prover):
            truncates = True

        # Half of the composition is cut off.
        statement = airs.statement([3, 4, 1, 2])
        self.check(Liar(statement, false_plonk(statement), Config(3, 1, 0, 5, 1, None), BLAKE2S), "Identity")

    def test_work(self):
        for suite in SUITES.values():

            class Idle(Prover):
                def nonce(self):
                    return 0

            statement = airs.statement([1, 3, 1, 1, 21])
            prover = Idle(statement, trace(statement, 0), Config(16, 1, 0, 3, 1, None), suite)
            self.check(prover, "ProofOfWork queries")

    def test_sums(self):
        config = Config(3, 1, 0, 5, 1, None)
        statement = airs.statement([4, 4, 4])
        # A row has a square that is in no row of the table.
        lookups, table = trace(statement, 1)
        lookups[3] = [lookups[3][0] + 1] + lookups[3][1:]
        self.check(Prover(statement, [lookups, table], config, BLAKE2S), "Sums total")
        statement, true = airs.statement([3, 4, 1, 3]), airs.statement([3, 4, 1, 2])
        self.check(Prover(statement, trace(true, 0), config, BLAKE2S), "Sums public values")

    def test_preprocessed_columns(self):
        statement, other = airs.statement([3, 4, 1, 2]), airs.statement([3, 4, 1, 2])
        column = other.column
        # All gates are sums.
        other.column = lambda name: [1] * 16 if name == "op" else column(name)
        ((m, a, b, c, t),) = trace(statement, 0)
        wires = [1, 2]
        while len(wires) < 18:
            wires.append((wires[-2] + wires[-1]) % P)
        a, b, c = (wires[k : k + 16] for k in range(3))
        prover = Prover(other, [[m, a, b, c, [x * y % P for x, y in zip(a, b)]]], Config(3, 1, 0, 5, 1, None), BLAKE2S)
        self.check(prover, "Preprocessed op", statement=statement)

    def test_the_root_of_nothing(self):
        class Liar(Prover):
            def commit(self, coefficients):
                super().commit(coefficients)
                if len(self.trees) == 1:
                    self.trees[0].root = bytes(32)
                    self.commitments = [bytes(32)]

        statement = airs.statement([2, 4, 5])
        prover = Liar(statement, trace(statement, 1), Config(3, 1, 0, 5, 1, None), BLAKE2S)
        self.check(prover, "Root of nothing")

    def low_tree(self, queries, is_sorted):
        """A proof whose preprocessed tree is lower than the others, with a column that nothing reads."""

        class WithUnread(airs.RangeSquares):
            def preprocessed(self, lifting):
                return super().preprocessed(lifting) + [("unread", self.table)]

        statement = WithUnread(6, 3)
        for seed in range(100):
            prover = Prover(statement, trace(statement, seed), Config(0, 1, 0, queries, 1, None), BLAKE2S)
            data, at = prover.proof(), prover.open_at[0]
            if (at == sorted(at)) == is_sorted and (not is_sorted or len(set(at)) < len(at)):
                return prover, data
        self.fail("no such proof")

    def test_values_that_are_opened_twice(self):
        prover, _ = self.low_tree(4, True)
        at = prover.open_at[0]
        again = next(k for k in range(1, len(at)) if at[k] == at[k - 1])
        prover.opened[again][0][2] += 1
        self.check(prover, "Repeated tree 0", prover.encoded())

    def test_queries_out_of_order(self):
        prover, data = self.low_tree(9, False)
        self.check(prover, "Unsorted tree 0", data)

    def test_three_offsets(self):
        """A column of 4 rows of which nothing makes the extension a lift: 8 rows satisfy what no 4 do."""

        class Turning(airs.Statement):
            """f(r + 2) = a f(r + 1) - f(r), whose solutions have f(r + 4) = -f(r); f is 1 or -1 in the first row."""

            def __init__(self, log):
                def constraints(mask):
                    x, y, w = mask.main((0, 1, 2))
                    mask.add(w - y * (2 * point(2**28)[0]) + x)
                    mask.add(mask.fixed("is_first") * (x * x - 1))

                super().__init__("turning", log, [99], [Component(log, constraints)])

            def preprocessed(self, lifting):
                return [("is_first", self.log_rows)]

            def column(self, name):
                # With 8 rows the lift of that with 4.
                return [1, 0, 0, 0] * (1 << self.log_rows - 2)

        rows = [1, 0]
        while len(rows) < 8:
            rows.append((2 * point(2**28)[0] * rows[-1] - rows[-2]) % P)
        self.assertEqual(rows[4:], [-x % P for x in rows[:4]])
        prover = Prover(Turning(3), [[rows]], Config(3, 1, 0, 5, 1, 4), BLAKE2S)
        self.check(prover, "Options three offsets in a lifted column", statement=Turning(2))

    def test_few_queries(self):
        statement = airs.statement([1, 3, 1, 1, 21])
        prover = Prover(statement, trace(statement, 0), Config(3, 1, 0, 5, 1, None), BLAKE2S)
        proof = read_proof(prover.proof(), BLAKE2S)
        verdict = lambda without=None: outcome(lambda: verify(statement, [], proof, BLAKE2S, 9), without)
        self.assertEqual(verdict(), "Policy bits")
        self.assertIsNone(verdict("Policy bits"))


class OneForm(unittest.TestCase):
    """Lengths and encodings are checks of their own, by which a proof has one form: without one of them alone an honest
    proof has another."""

    def setUp(self):
        statement = airs.statement([3, 4, 1, 2])
        self.prover = Prover(statement, trace(statement, 0), Config(3, 1, 0, 5, 1, None), BLAKE2S)
        self.data = self.prover.proof()

    def check(self, change, check):
        proof = read_proof(self.data, BLAKE2S)
        change(proof)
        verdict = lambda without=None: outcome(
            lambda: verify(self.prover.statement, self.prover.sums, proof, BLAKE2S, 0), without
        )
        self.assertEqual(verdict(), check)
        self.assertIsNone(verdict(check))

    def test_witnesses(self):
        for tree in range(4):
            self.check(lambda proof: proof.decommitments[tree].append(bytes(32)), f"Shape witness of tree {tree}")
        for number in range(4):
            more = lambda proof: proof.layers[number].decommitment.append(bytes(32))
            self.check(more, f"Shape witness of layer {number}")
            more = lambda proof: proof.layers[number].witness.append(ZERO)
            self.check(more, f"Shape values of layer {number}")

    def test_bytes(self):
        verdict = lambda data, without=None: outcome(
            lambda: verify_proof(self.prover.statement, self.prover.sums, data, BLAKE2S, 0), without
        )
        self.assertEqual(verdict(self.data + b"\0"), "Decode trailing bytes")
        self.assertIsNone(verdict(self.data + b"\0", "Decode trailing bytes"))


if __name__ == "__main__":
    unittest.main()
