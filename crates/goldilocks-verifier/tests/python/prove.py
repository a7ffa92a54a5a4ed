"""A prover of compact proofs, slow and for tests: docs/protocol/goldilocks-compact.md, 6."""

from compact import AUX, BETA, CHALLENGES, COMPOSITION, GAMMA, LAST, LAYER, MAIN, POINTS, QUERIES, VALUES, ZETA
from compact import Terms, Transcript, encode, fold, point, siblings
from goldilocks import E, P, root
from keccak import keccak256, permute
from statement import MAGIC, SUITE, be8


def trace(air):
    """The main columns, and a function from the challenges to the auxiliary ones (section 15)."""
    if air.name == "quadratic":
        column = [3]
        while len(column) < air.n:
            column.append(column[-1] ** 2 % P)
        return [column], lambda ch: []
    numbers = [1, 1]
    while len(numbers) < air.n:
        numbers.append((numbers[-1] + numbers[-2]) % P)
    if air.name == "simple-fibonacci":
        return [numbers], lambda ch: []
    steps = dict(air.parameters)["steps"]
    first = numbers[:steps] + [0] * (air.n - steps)
    second = list(first)
    second[0], second[steps - 1] = first[steps - 1], first[0]

    def product(ch):
        column = [E(1)]
        for a, b in zip(first[:-1], second[:-1]):
            column.append(column[-1] * (a + ch[0]) / (b + ch[0]))
        return [column]

    return [first, second], product


def value(coefficients, x):
    total = E()
    for c in reversed(coefficients):
        total = total * x + c
    return total


def interpolated(values, shift=1):
    """The coefficients of the polynomial with values[i] at shift * root^i."""
    n = len(values)
    w, inverse = pow(root(n.bit_length() - 1), -1, P), pow(n, -1, P)
    powers = [pow(w, k, P) for k in range(n)]
    coefficients = []
    for k in range(n):
        total = E()
        for i, v in enumerate(values):
            total = total + v * powers[i * k % n]
        coefficients.append(total * (inverse * pow(shift, -k, P) % P))
    return coefficients


class Tree:
    """Over a table of rows, 2^s of them a leaf."""

    def __init__(self, rows, s):
        self.rows, self.s = rows, s
        level = [keccak256(b"".join(map(encode, sum(rows[i : i + (1 << s)], [])))) for i in range(0, len(rows), 1 << s)]
        self.levels = [level]
        while len(level) > 1:
            level = [keccak256(level[i] + level[i + 1]) for i in range(0, len(level), 2)]
            self.levels.append(level)
        self.root = level[0]

    def digests(self, leaves):
        wanted = siblings(leaves, len(self.levels) - 1)
        return b"".join(level[i] for level, known in zip(self.levels, wanted) for i in known)

    def opened(self, leaves):
        rows = (self.rows[(i << self.s) + e] for i in leaves for e in range(1 << self.s))
        return b"".join(encode(x) for row in rows for x in row) + self.digests(leaves)


class Prover:
    """A proof is made by `proof`. Tests of liars change what is below: what is of too high a degree is cut off, and
    values out of the domain are other ones."""

    truncates, first_nonce = False, 0

    def claims(self, frame, anchors, parts):
        return frame, anchors, parts

    def function(self, i, f):
        """f_i, or p_0 for i = 0, before it is folded or committed."""
        return f

    def opening(self, trees, layers, leaves, terms, zetas):
        """Before the rows of the trees are opened at the leaves."""

    def trace(self):
        return trace(self.air)

    def __init__(self, statement, options, seed=None):
        options.check(statement.air)
        if options.hiding:
            # The first state is the hash of the statement.
            self.key = keccak256(b"polystark masks 1" + seed + Transcript(statement, options).state)
        self.statement, self.air, self.options = statement, statement.air, options
        self.out, self.transcript = b"", Transcript(statement, options)
        self.domain = [point(options, 0, i) for i in range(1 << options.logs[0])]

    def send(self, label, data):
        self.out += data
        self.transcript.absorb(label, data)

    def draw(self, label, bits):
        def smallest():
            nonce = self.first_nonce
            while not self.transcript.works(bits, be8(nonce)):
                nonce += 1
            self.out += be8(nonce)
            return be8(nonce)

        self.transcript.draw(label, bits, smallest)

    def random(self, stream, column, e):
        """Section 14.4."""
        data = self.key + be8(stream) + be8(column) + be8(e // 8) + b"\x01" + bytes(78) + b"\x80"
        state = [int.from_bytes(data[8 * i : 8 * i + 8], "little") if i < 17 else 0 for i in range(25)]
        block = b"".join(lane.to_bytes(8, "little") for lane in permute(state)[:16])
        return int.from_bytes(block[16 * (e % 8) :][:16], "big") % P

    def masked(self, stream, columns):
        """Columns of integers or of elements with other values in the free rows."""
        if not self.options.hiding:
            return columns
        n, air = self.air.n, self.air

        def value(j, i):
            if stream == 0:
                return self.random(0, j, i)
            return E(*(self.random(1, 3 * j + c, i) for c in range(3)))

        from_row = n - air.free
        return [column[:from_row] + [value(j, i) for i in range(from_row, n)] for j, column in enumerate(columns)]

    def tree(self, rows, stream):
        """A first tree, with salts."""
        salts = range(self.options.salts)
        return Tree([row + [self.random(stream, s, i) for s in salts] for i, row in enumerate(rows)], self.options.folds[0])

    def extended(self, columns):
        return [[value(c, x) for c in columns] for x in self.domain]

    def parts(self, columns, challenges, beta):
        air, g = self.air, root(self.air.n.bit_length() - 1)
        size = len(self.domain)
        values = [E()] * size
        for x, position in zip(self.domain, range(size)):
            frame = [[value(c, x * pow(g, d, P) % P) for c in columns] for d in range(air.frame)]
            i = natural_place(position, size)
            values[i] = air.composition(E(x), frame, challenges, beta)
        coefficients = interpolated(values, self.options.offset)
        assert self.truncates or all(c == 0 for c in coefficients[air.parts * air.n :])
        return [coefficients[k : air.parts * air.n : air.parts] for k in range(air.parts)]

    def proof(self):
        air, options, work, transcript = self.air, self.options, self.options.work, self.transcript
        g = root(air.n.bit_length() - 1)
        main, auxiliary = self.trace()
        columns = [interpolated(column) for column in self.masked(0, main)]
        table = [[x.c[0] for x in row] for row in self.extended(columns)]
        widths, trees = [air.main], [self.tree(table, 3)]
        self.send(MAIN, trees[0].root)
        if air.challenges:
            self.draw(CHALLENGES, work[0])
        challenges = [transcript.element() for _ in range(air.challenges)]
        if air.aux:
            more = [interpolated(column) for column in self.masked(1, auxiliary(challenges))]
            columns += more
            widths.append(air.aux)
            trees.append(self.tree(self.extended(more), 4))
            self.send(AUX, trees[1].root)
        self.draw(BETA, work[1])
        beta = transcript.element()
        parts = self.parts(columns, challenges, beta)
        words = [[E(*(self.random(2, c, e) for c in range(3))) for e in range(air.n)] for _ in range(options.hiding)]
        trees.append(self.tree(self.extended(parts + words), 5))
        self.send(COMPOSITION, trees[-1].root)

        self.draw(POINTS, work[2])
        points = [transcript.point(air.parts) for _ in range(options.points)]
        frame = [[value(c, points[0] * pow(g, d, P)) for c in columns] for d in range(air.frame)]
        anchors = [value(c, points[1]) for c in columns] if options.points == 2 else []
        claimed = [value(c, points[0] ** air.parts) for c in parts]
        frame, anchors, claimed = self.claims(frame, anchors, claimed)
        first = air.composition(points[0], frame, challenges, beta)
        for k, part in enumerate(claimed[1:], 1):
            first = first - points[0] ** k * part
        assert self.truncates or first == claimed[0]
        claimed[0] = first
        self.send(VALUES, b"".join(map(encode, sum(frame, []) + anchors + claimed[1:])))
        self.draw(GAMMA, work[3])
        terms = Terms(air, points, transcript.element(), frame, anchors, claimed, bool(options.hiding))
        places = range(len(self.domain))
        rows = [sum((tree.rows[i][:width] for tree, width in zip(trees, widths)), []) for i in places]
        f = [terms.at(x, rows[i], trees[-1].rows[i]) for i, x in enumerate(self.domain)]

        layers, zetas = [], []
        for i, s in enumerate(options.folds):
            f, zeta = self.function(i, f), None
            if i > 0:
                layers.append(Tree([[x] for x in f], s))
                self.send(LAYER, layers[-1].root)
            if s > 0:
                self.draw(ZETA, work[4 + i])
                zeta = transcript.element()
                places = range(0, len(f), 1 << s)
                f = [fold(f[k : k + (1 << s)], point(options, i, k), zeta) for k in places]
            zetas.append(zeta)
        size, natural = len(f), [E()] * len(f)
        for position, x in enumerate(f):
            natural[natural_place(position, size)] = x
        last = interpolated(natural, pow(options.offset, 1 << sum(options.folds), P))
        assert self.truncates or all(c == 0 for c in last[1 << options.last :])
        self.send(LAST, b"".join(map(encode, last[: 1 << options.last])))

        self.draw(QUERIES, work[-1])
        self.state = transcript.state
        leaves = sorted({transcript.index(options.logs[1]) for _ in range(options.queries)})
        self.sets = [leaves]
        self.opening(trees, layers, leaves, terms, zetas)
        self.out += b"".join(tree.opened(leaves) for tree in trees)
        for tree in layers:
            known, leaves = set(leaves), sorted({p >> tree.s for p in leaves})
            self.sets.append(leaves)
            places = [p for leaf in leaves for p in range(leaf << tree.s, (leaf + 1) << tree.s) if p not in known]
            self.out += b"".join(encode(tree.rows[p][0]) for p in places) + tree.digests(leaves)
        return self.out


def natural_place(position, size):
    """The natural place of a position in storage order."""
    log = size.bit_length() - 1
    return int(format(position, f"0{log}b")[::-1], 2)


def file(statement, options, proof):
    """Section 8."""
    air = statement.air

    def integer(v):
        if v < 251:
            return bytes([v])
        for tag, size in ((251, 2), (252, 4), (253, 8)):
            if v < 1 << 8 * size:
                return bytes([tag]) + v.to_bytes(size, "little")

    def string(b):
        return integer(len(b)) + b

    def integers(values):
        return integer(len(values)) + b"".join(map(integer, values))

    parameters = b"".join(string(name.encode()) + integer(v) for name, v in air.parameters)
    return b"".join([
        MAGIC, integer(1), string(b"goldilocks"), integer(3),
        string(air.name.encode()), integer(len(air.parameters)), parameters, integer(air.n.bit_length() - 1),
        string(SUITE.encode()), *map(integer, (options.blowup, options.queries, options.offset, options.points)),
        integers(options.folds), integer(options.last), integers(options.work), integer(options.hiding), b"\0",
        integer(len(air.public)), *(string(be8(x)) for x in air.public), string(proof),
    ])  # fmt: skip
