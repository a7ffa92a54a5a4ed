"""Statements of docs/protocol/circle.md, section 17: their components, preprocessed columns and envelope."""

from circle import Component
from field import ZERO, evaluate_column, P
from proof import require


class Statement:
    """The envelope of section 17. Rows of columns are in the order of the trace."""

    samples_all, tall_preprocessed = False, False
    parameters = ()  # of a file, (name, integer) in ascending order

    def __init__(self, name, log_rows, words, components):
        self.name, self.log_rows, self.words, self.components = name, log_rows, words, components
        self.has_interaction = any(component.has_sum for component in components)

    def preprocessed(self, lifting):
        """Names and logs."""
        return []

    def column(self, name):
        """Its rows."""
        raise NotImplementedError

    def check_sums(self, z, alpha, claimed):
        """The claimed sums, as many as components have."""

    def begin(self, channel, config, proof, claimed):
        """The transcript up to the last trace, and the elements that it draws."""
        config.mix_into(channel)
        channel.mix_u32s(self.words)
        channel.mix_root(proof.commitments[0])
        channel.mix_root(proof.commitments[1])
        require(len(claimed) == sum(component.has_sum for component in self.components), "Sums", "count")
        if not self.has_interaction:
            return []
        z, alpha = channel.draw_felts(2)
        try:
            self.check_sums(z, alpha, claimed)
        except ZeroDivisionError:
            require(False, "Sums", "a denominator is zero")
        channel.mix_felts(claimed)
        channel.mix_root(proof.commitments[2])
        return z, alpha

    def check_preprocessed(self, layout, z, proof):
        """The samples of tree 0 are of the statement's columns: nothing else says what they are."""
        degree = layout.m
        for (name, log), values in zip(self.preprocessed(layout.config.lifting), proof.sampled[0]):
            at = z
            for _ in range(degree - log):
                at = doubled(at)
            for value in values:
                require(evaluate_column(self.column(name), at) == value, "Preprocessed", name)


def doubled(p):
    x, y = p
    return 2 * x * x - 1, 2 * x * y


class Fibonacci(Statement):
    def __init__(self, log, a, b, c):
        require(2 <= log <= 29, "Statement", "rows")

        def constraints(mask):
            x, y, w = mask.main((0, 1, 2))
            mask.add(mask.fixed("is_step") * (w - y - x))
            mask.add(mask.fixed("is_first") * (x - a))
            mask.add(mask.fixed("is_first") * (y - b))
            mask.add(mask.fixed("is_last") * (x - c))

        super().__init__("fibonacci", log, [1, log, a, b, c], [Component(log, constraints)])
        self.parameters = (("a", a), ("b", b))

    def preprocessed(self, lifting):
        return [(name, self.log_rows) for name in ("is_first", "is_step", "is_last")]

    def column(self, name):
        n = 1 << self.log_rows
        if name == "is_step":
            return [1] * (n - 2) + [0, 0]
        return [1] + [0] * (n - 1) if name == "is_first" else [0] * (n - 1) + [1]


class WideFibonacci(Statement):
    def __init__(self, log, w):
        require(2 <= log <= 29 and 3 <= w <= 4096, "Statement", "rows or columns")

        def constraints(mask):
            columns = [mask.main()[0] for _ in range(w)]
            for a, b, c in zip(columns, columns[1:], columns[2:]):
                mask.add(c - a * a - b * b)

        super().__init__("wide-fibonacci", log, [2, log, w], [Component(log, constraints)])
        self.parameters = (("w", w),)

    def preprocessed(self, lifting):
        return [] if lifting is None else [("zero", 4)]

    def column(self, name):
        return [0] * 16


class Plonk(Statement):
    def __init__(self, log, v0, v1):
        require(2 <= log <= 29, "Statement", "rows")

        def constraints(mask):
            op, *wires = map(mask.fixed, ("op", "a_wire", "b_wire", "c_wire"))
            m, a, b, c, t = (mask.main()[0] for _ in range(5))
            mask.add(t - a * b)
            mask.add(c - op * (a + b) - (1 - op) * t)
            for multiplicity, entry in zip((1, 1, -m), zip(wires, (a, b, c))):
                mask.relation(multiplicity, entry)
            mask.finish()

        self.public = v0, v1
        super().__init__("plonk", log, [3, log, v0, v1], [Component(log, constraints)])
        self.parameters = (("v0", v0), ("v1", v1))

    def preprocessed(self, lifting):
        return [(name, self.log_rows) for name in ("op", "a_wire", "b_wire", "c_wire")]

    def column(self, name):
        rows = range(1 << self.log_rows)
        if name == "op":
            return [1 - r % 2 for r in rows]
        first = ("a_wire", "b_wire", "c_wire").index(name)
        return [r + first for r in rows]

    def check_sums(self, z, alpha, claimed):
        v0, v1 = self.public
        require(claimed[0] == 1 / (alpha * v0 - z) + 2 / (alpha * v1 + 1 - z), "Sums", "public values")


class RangeSquares(Statement):
    def __init__(self, user, table):
        require(2 <= user <= 29 and 2 <= table <= 29, "Statement", "rows")

        def lookups(mask):
            x, following = mask.main((0, 1))
            sx, y, sy, e, d = (mask.main()[0] for _ in range(5))
            mask.add(d - following + x)
            mask.add(e * (e - 1))
            mask.relation(1, (x, sx))
            mask.relation(1, (y, sy))
            mask.relation(e, (x, sx))
            mask.finish(2)

        def squares(mask):
            (m,) = mask.main()
            mask.relation(-m, (mask.fixed("v"), mask.fixed("sq")))
            mask.finish()

        self.table = table
        components = [Component(user, lookups), Component(table, squares)]
        super().__init__("range-squares", user, [4, user, table], components)
        self.parameters = (("table", table),)

    def preprocessed(self, lifting):
        return [("v", self.table), ("sq", self.table)]

    def column(self, name):
        return [r if name == "v" else r * r % P for r in range(1 << self.table)]

    def check_sums(self, z, alpha, claimed):
        require(claimed[0] + claimed[1] == 0, "Sums", "total")


def statement(words):
    """The statement of these words."""
    kinds = {1: (Fibonacci, 5), 2: (WideFibonacci, 3), 3: (Plonk, 4), 4: (RangeSquares, 3)}
    require(words and words[0] in kinds and len(words) == kinds[words[0]][1], "Statement", "words")
    return kinds[words[0]][0](*words[1:])
