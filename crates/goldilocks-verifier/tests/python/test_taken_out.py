"""Each check of the verifier in Python taken out in turn lets a forged proof through: part of `python3 -m unittest`."""

import sys
import unittest
from dataclasses import replace

import compact
import goldilocks
import prove
from compact import Policy, fold, point, verify_proof
from goldilocks import E, P
from statement import Options, Refused, Statement, be8

ANY = Policy("claimed", 0)


class Forger(prove.Prover):
    """Proves a false statement against a verifier that does not compare one root: p_0, or f_i, is committed to as zero
    from there on, and the rows that are opened in the tree of that root are made so that they fold to it."""

    truncates, of = True, "main"

    def function(self, i, f):
        start = int(self.of.removeprefix("layer ")) if self.of.startswith("layer") else 0
        return [E()] * len(f) if i == start else f

    def opening(self, trees, layers, leaves, terms, zetas):
        options, s = self.options, self.options.folds[0]
        names = ["main", *["auxiliary"][: len(trees) - 2], "composition"]

        def folded(leaf):
            places = [(leaf << s) + e for e in range(1 << s)]
            xs = [point(options, 0, place) for place in places]
            rows = [sum((tree.rows[place] for tree in trees[:-1]), []) for place in places]
            quotients = [terms.at(x, row, trees[-1].rows[place]) for x, row, place in zip(xs, rows, places)]
            return fold(quotients, xs[0], zetas[0])

        if self.of in names:
            tree = trees[names.index(self.of)]
            for leaf in leaves:
                first = leaf << s
                cells = [(first + e, j) for e in range(1 << s) for j in range(len(tree.rows[first]))]
                solve(tree.rows, cells, lambda: folded(leaf), self.of == "main")
            return
        values = {leaf: folded(leaf) for leaf in leaves}
        for i, tree in enumerate(layers, 1):
            known, values = values, {}
            for p, value in known.items():
                tree.rows[p] = [value]
            for leaf in sorted({p >> tree.s for p in known}):
                places = range(leaf << tree.s, (leaf + 1) << tree.s)
                at = lambda: fold([tree.rows[p][0] for p in places], point(options, i, leaf << tree.s), zetas[i])
                if self.of == f"layer {i}":
                    solve(tree.rows, [(p, 0) for p in places if p not in known], at, False)
                values[leaf] = at()
            if self.of == f"layer {i}":
                return


def solve(rows, cells, function, in_base):
    """Changes cells, of which a function is a linear one and a constant, so that it is zero."""
    cells = cells[: 3 if in_base else 1]
    rows_of = {p: list(rows[p]) for p, _ in cells}
    for p, row in rows_of.items():
        rows[p] = row
    zero, one = (0, 1) if in_base else (E(), E(1))
    for p, j in cells:
        rows[p][j] = zero
    constant, slopes = function(), []
    for p, j in cells:
        rows[p][j] = one
        slopes.append(function() - constant)
        rows[p][j] = zero
    if not in_base:
        ((p, j),) = cells
        rows[p][j] = E() - constant / slopes[0]
        return
    # Three coordinates, three numbers of the base field.
    system = [[slope.c[k] for slope in slopes] + [-constant.c[k] % P] for k in range(3)]
    for k in range(3):
        pivot = next(row for row in system[k:] if row[k])
        system.remove(pivot)
        inverse = pow(pivot[k], -1, P)
        pivot = [x * inverse % P for x in pivot]
        system = [[(x - row[k] * y) % P for x, y in zip(row, pivot)] for row in system]
        system.insert(k, pivot)
    for (p, j), row in zip(cells, system):
        rows[p][j] = row[3]


class TakenOut(unittest.TestCase):
    """Each check of section 9 is there for something: without it alone a forged proof is accepted, and with it refused
    by it. Lengths and encodings are checks of their own, by which a proof has one form."""

    def outcome(self, proof, statement, options, without=None):
        def require(condition, check, detail=""):
            if without not in (check, f"{check} {detail}"):
                kept(condition, check, detail)

        kept = compact.require
        modules = [module for module in sys.modules.values() if getattr(module, "require", None) is kept]
        try:
            for module in modules:
                module.require = require
            verify_proof(proof, statement, options, ANY)
        except Refused as refused:
            return str(refused)
        finally:
            for module in modules:
                module.require = kept

    def check(self, proof, statement, options, check):
        self.assertEqual(self.outcome(proof, statement, options), check)
        self.assertIsNone(self.outcome(proof, statement, options, check))

    def false(self, name, public, **parameters):
        return Statement(goldilocks.air(name, 16, public, **parameters), bytes(32))

    def test_roots(self):
        options = Options(4, 2, 3, 1, [2, 1], 1, [0] * 7)
        rap = self.false("fibonacci-rap", [], steps=9)

        class Another(Forger):
            """The trace of other steps."""

            def trace(self):
                return prove.trace(goldilocks.air("fibonacci-rap", 16, [], steps=10))

        for of in ("main", "auxiliary", "composition", "layer 1"):
            Another.of = of
            with self.subTest(of):
                self.check(Another(rap, options).proof(), rap, options, f"Root {of}")

    def test_the_last_layer(self):
        class Liar(prove.Prover):
            truncates = True

        # One query, so that the check is one.
        options = Options(4, 1, 3, 1, [2, 1], 1, [0] * 7)
        statement = self.false("simple-fibonacci", [1, 2])
        proof = Liar(statement, options).proof()
        outcome = self.outcome(proof, statement, options)
        self.assertTrue(outcome.startswith("LastLayer"))
        self.assertIsNone(self.outcome(proof, statement, options, "LastLayer"))

    def test_the_constraints(self):
        # A verifier that takes H_0 as it is sent would take any composition: here the one of the trace that is there.
        class Liar(prove.Prover):
            truncates = True

        options = Options(4, 12, 3, 1, [2, 1], 1, [0] * 7)
        true, false = self.false("simple-fibonacci", [1, 1]), self.false("simple-fibonacci", [1, 2])
        made = Liar(false, options)
        made.air = true.air
        proof = made.proof()
        self.assertEqual(self.outcome(proof, false, options), "Root layer 1")
        composition = type(false.air).composition
        # By another name, as other tests of the process have results remembered by their arguments.
        blind = Statement(replace(false.air, name="blind"), false.digest)
        blind.air.composition = lambda *arguments: composition(true.air, *arguments)
        self.assertIsNone(self.outcome(proof, blind, options))

    def test_work(self):
        class Idle(prove.Prover):
            """No nonce is searched: each is zero."""

            def draw(self, label, bits):
                self.out += be8(0) if bits else b""
                self.transcript.draw(label, bits, lambda: be8(0))

        for k in (1, 2, 3, 4, 5, 6):
            work = [16 * (i == k) for i in range(7)]
            options = Options(4, 3, 3, 1, [2, 1], 1, work)
            statement = self.false("simple-fibonacci", [1, 1])
            self.check(Idle(statement, options).proof(), statement, options, f"ProofOfWork draw {k}")

    def test_one_form(self):
        options = Options(4, 3, 3, 1, [2, 1], 1, [0] * 7)
        statement = self.false("bit-flags", [])
        options = replace(options, blowup=8)

        class Zeros(prove.Prover):
            """Zeros satisfy it."""

            def trace(self):
                return [[0] * 16 for _ in range(self.air.main)], lambda ch: []

        proof = Zeros(statement, options).proof()
        self.assertIsNone(self.outcome(proof, statement, options))
        self.check(proof + b"\0", statement, options, "TrailingBytes")
        # An element of the first row that is opened: zero has a second name.
        head = options.head(statement.air)
        self.assertEqual(proof[head : head + 8], bytes(8))
        other = proof[:head] + be8(P) + proof[head + 8 :]
        self.assertEqual(self.outcome(other, statement, options), "NotCanonical")


if __name__ == "__main__":
    unittest.main()
