"""A prover of Circle proofs, slow and for tests: docs/protocol/circle.md, 2, 3 and 6 to 14."""

from struct import pack

from circle import Layout, Mask, Quotients, draw_positions, fold, mapped
from field import ONE, P, Q, ZERO, add, combine, domain_point, double_x, generator, inverse_twiddles, lift, line_x
from field import point, repeated_double_x, reverse, row_to_storage, twiddles


def interpolated(values):
    """The coefficients of values in storage order."""
    values = list(values)
    log = len(values).bit_length() - 1
    for i, inverses in enumerate(inverse_twiddles(log)):
        for h, t in enumerate(inverses):
            for at in range(h << (i + 1), (h << (i + 1)) + (1 << i)):
                a, b = values[at], values[at + (1 << i)]
                values[at], values[at + (1 << i)] = (a + b) % P, (a - b) * t % P
    scale = pow(2**log, -1, P)
    return [value * scale % P for value in values]


def evaluated(coefficients, log):
    """The values on D_log, in storage order."""
    values = coefficients + [0] * ((1 << log) - len(coefficients))
    for i, layer in reversed(list(enumerate(twiddles(log)))):
        for h, t in enumerate(layer):
            for at in range(h << (i + 1), (h << (i + 1)) + (1 << i)):
                a, b = values[at], values[at + (1 << i)] * t
                values[at], values[at + (1 << i)] = (a + b) % P, (a - b) % P
    return values


def at_point(coefficients, at):
    values, (factor, x) = [lift(c) for c in coefficients], (at[1], at[0])
    for bit in range(len(values).bit_length() - 1):
        values = [a + b * factor for a, b in zip(values[::2], values[1::2])]
        factor = x if bit == 0 else double_x(factor)
    return values[0]


def doubled(p, times):
    for _ in range(times):
        p = add(p, p)
    return p


def stored(rows):
    """Rows in storage order."""
    log = len(rows).bit_length() - 1
    values = [0] * len(rows)
    for row, value in enumerate(rows):
        values[row_to_storage(log, row)] = value % P
    return values


def lift_index(i, log, of):
    """The storage index of a column of log `of` that stands at index i of 2^log."""
    return ((i >> (log - of + 1)) << 1) + (i & 1)


def neighbour(i, offset, log):
    """Section 1, on D_{log+1} of a component of that log."""
    j, half = reverse(i, log + 1), 1 << log
    if j < half:
        return reverse((j + offset) % half, log + 1)
    return reverse(half + (j - half - offset) % half, log + 1)


class Rows(Mask):
    """The columns at one row, for the fractions of the lookups."""

    def __init__(self, fixed, main, row, drawn):
        super().__init__({name: rows[row] for name, rows in fixed.items()}, [], [], ONE, drawn, [])
        self.columns, self.row, self.batches = iter(main), row, []

    def take(self, tree, offsets):
        rows = next(self.columns)
        return [rows[(self.row + offset) % len(rows)] for offset in offsets]

    def finish(self, batch=1):
        for first in range(0, len(self.fractions), batch):
            (n, d), *rest = self.fractions[first : first + batch]
            for other_n, other_d in rest:
                n, d = n * other_d + other_n * d, d * other_d
            self.batches.append(n * lift(d).inverse())


class Points(Mask):
    """The columns at a point of D_{log+1}."""

    def __init__(self, fixed, columns, i, weight, drawn, log):
        super().__init__({name: values[i] for name, values in fixed.items()}, [], [], weight, drawn, [])
        self.columns, self.i, self.log_rows = {tree: iter(values) for tree, values in columns.items()}, i, log
        self.count = 0

    def take(self, tree, offsets):
        values = next(self.columns[tree])
        return [values[neighbour(self.i, offset, self.log_rows) if offset else self.i] for offset in offsets]

    def add(self, constraint):
        super().add(constraint)
        self.count += 1


class Tree:
    """Of columns by their coefficients; or of leaves that are there."""

    def __init__(self, channel, coefficients, blowup, height, leaves=None):
        self.logs = [len(each).bit_length() - 1 + blowup for each in coefficients]
        self.values = [evaluated(list(each), log) for each, log in zip(coefficients, self.logs)]
        order = sorted(range(len(self.logs)), key=lambda k: self.logs[k])
        if leaves is None:
            rows = [self.row(i, height) for i in range(1 << height)] if coefficients else []
            leaves = [channel.leaf([row[k] for k in order]) for row in rows]
        self.levels = [leaves or [channel.empty]]
        while len(self.levels[-1]) > 1:
            level = self.levels[-1]
            self.levels.append([channel.parent(a, b) for a, b in zip(level[::2], level[1::2])])
        self.root = self.levels[-1][0]

    def row(self, i, height):
        return [values[lift_index(i, height, log)] for values, log in zip(self.values, self.logs)]

    def witness(self, positions):
        digests, nodes = [], sorted(set(positions))
        for level in self.levels[:-1]:
            known = set(nodes)
            digests += [level[p ^ 1] for p in nodes if p ^ 1 not in known]
            nodes = sorted({p >> 1 for p in nodes})
        return digests


class Prover:
    """A proof is made by `proof`. Tests of liars change what is below."""

    truncates = False

    def claims(self, sums):
        return sums

    def samples(self, sampled):
        return sampled

    def layer(self, number, values):
        """Of FRI, before it is committed to."""
        return values

    def opening(self):
        """Before the rows of the trees and the layers are opened."""

    def nonce(self):
        nonce = 0
        while not self.channel.works(self.config.pow_bits, nonce):
            nonce += 1
        return nonce

    def __init__(self, statement, trace, config, suite):
        """`trace` has the rows of the main columns by component."""
        self.statement, self.trace, self.config, self.suite = statement, trace, config, suite
        self.layout, self.channel = Layout(statement, config), suite()

    def commit(self, coefficients):
        log, lifting = self.config.log_blowup, self.config.lifting
        largest = max((len(each).bit_length() - 1 + log for each in coefficients), default=0)
        self.trees.append(Tree(self.channel, coefficients, log, largest if lifting is None else lifting))
        self.coefficients.append(coefficients)
        self.commitments = [tree.root for tree in self.trees]

    def interaction(self, drawn):
        """Claimed sums, and coefficients of tree 2."""
        sums, columns = [], []
        for component, main in zip(self.statement.components, self.trace):
            if not component.has_sum:
                continue
            by_row, fixed = [], {name: self.fixed[name] for name in component.preprocessed}
            for row in range(1 << component.log):
                mask = Rows(fixed, main, row, drawn)
                mask.begin(component, ZERO)
                total, running = ZERO, []
                for fraction in mask.batches:
                    total = total + fraction
                    running.append(total)
                by_row.append(running)
            sums.append(sum((running[-1] for running in by_row), ZERO))
            shift, prefix = sums[-1] * pow(2**component.log, -1, P), ZERO
            for running in by_row:
                prefix = prefix + running[-1] - shift
                running[-1] = prefix
            for batch in zip(*by_row):
                columns += [interpolated(stored([value.c[k] for value in batch])) for k in range(4)]
        return sums, columns

    def composition(self, weight, drawn):
        """The coefficients of the eight columns."""
        components, sums = self.statement.components, iter(self.sums)
        columns = {1: iter(self.coefficients[1]), 2: iter(self.coefficients[2] if len(self.trees) > 2 else [])}
        parts, largest = [], max(component.log for component in components)
        for component in components:
            log, claimed, parts_of = component.log, next(sums) if component.has_sum else None, []
            own = {tree: [next(columns[tree]) for _ in component.columns[tree]] for tree in (1, 2)}
            values = {tree: [evaluated(list(c), log + 1) for c in each] for tree, each in own.items()}
            extended = lambda name: evaluated(interpolated(stored(self.fixed[name])), log + 1)
            fixed = {name: extended(name) for name in component.preprocessed}
            for i in range(2 << log):
                mask = Points(fixed, values, i, weight, drawn, log)
                mask.begin(component, claimed)
                parts_of.append(mask.total * pow(repeated_double_x(domain_point(log + 1, i)[0], log - 1), -1, P))
            parts.append((log, mask.count, parts_of))
        total, later = [ZERO] * (2 << largest), ONE
        for log, count, values in reversed(parts):
            for i in range(len(total)):
                total[i] = total[i] + later * values[lift_index(i, largest + 1, log + 1)]
            for _ in range(count):
                later = later * weight
        halves = [interpolated([value.c[k] for value in total]) for k in range(4)]
        size = 1 << largest
        return [half[:size] for half in halves] + [half[size:] for half in halves]

    def sample(self, z):
        layout, step, sampled = self.layout, generator(self.layout.m), []
        for tree, coefficients in zip(layout.trees, self.coefficients):
            values = []
            for log, offsets, each in zip(tree.logs, tree.offsets, coefficients):
                moved = (add(z, tuple(map(lift, point(offset * step)))) for offset in offsets)
                values.append([at_point(each, doubled(p, layout.log - log)) for p in moved])
            sampled.append(values)
        return sampled

    def proof(self):
        statement, layout, channel, config = self.statement, self.layout, self.channel, self.config
        names = [name for name, _ in statement.preprocessed(config.lifting)]
        self.fixed = {name: statement.column(name) for name in names}
        self.trees, self.coefficients = [], []
        self.commit([interpolated(stored(self.fixed[name])) for name in names])
        self.commit([interpolated(stored(rows)) for main in self.trace for rows in main])
        self.sums, drawn = [], []
        if statement.has_interaction:
            # The transcript up to the elements.
            ahead = self.suite()
            config.mix_into(ahead)
            ahead.mix_u32s(statement.words)
            ahead.mix_root(self.commitments[0])
            ahead.mix_root(self.commitments[1])
            self.elements = ahead.draw_felts(2)
            self.sums, columns = self.interaction(self.elements)
            self.sums = self.claims(self.sums)
            self.commit(columns)
        statement.check_sums = lambda *_: None
        drawn = statement.begin(channel, config, self, self.sums)
        del statement.check_sums
        self.weight, self.drawn = channel.draw_felt(), drawn
        self.commit(self.composition(self.weight, drawn))
        channel.mix_root(self.commitments[-1])
        t = channel.draw_felt()
        over = (ONE + t * t).inverse()
        self.z = (ONE - t * t) * over, (t + t) * over
        self.sampled = self.samples(self.sample(self.z))
        channel.mix_felts([value for tree in self.sampled for column in tree for value in column])
        self.quotients = Quotients(layout, self.z, channel.draw_felt(), self.sampled)
        values = [self.quotients.at(i, self.rows(i)) for i in range(1 << layout.log)]
        self.values, self.layers, self.alphas = [], [], []
        for number, (log, step) in enumerate(layout.folds):
            values = self.layer(number, values)
            packs = 2 if step > 1 and log >= 2 else 0
            groups = [values[k : k + (1 << packs)] for k in range(0, len(values), 1 << packs)]
            leaves = [channel.leaf([c for value in group for c in value.c]) for group in groups]
            self.layers.append(Tree(channel, [], 0, 0, leaves))
            self.values.append(list(values))
            channel.mix_root(self.layers[-1].root)
            self.alphas.append(channel.draw_felt())
            size, is_circle = 1 << step, number == 0
            starts = range(0, len(values), size)
            values = [fold(values[k : k + size], log, k, self.alphas[-1], is_circle) for k in starts]
        coefficients = line_interpolated(values, layout.last)
        size = 1 << config.log_last
        assert self.truncates or all(c == ZERO for c in coefficients[size:])
        self.last = [coefficients[reverse(k, config.log_last)] for k in range(size)]
        channel.mix_felts(self.last)
        self.work = self.nonce()
        channel.mix_u64(self.work)
        self.positions = draw_positions(channel, layout.log, config.queries)
        self.open_at = [mapped(self.positions, layout.trees[0].height, layout.log)]
        self.open_at += [self.positions] * (len(self.trees) - 1)
        self.opened = [self.rows(p) for p in self.positions]
        self.opening()
        return self.encoded()

    def rows(self, i):
        """The values of all columns at a position of the common domain, by tree."""
        return [tree.row(i, self.layout.log) for tree in self.trees]

    def encoded(self):
        config, u32, u64 = self.config, lambda x: pack("<I", x), lambda x: pack("<Q", x)
        listed = lambda items, one: u64(len(items)) + b"".join(map(one, items))
        element = lambda value: pack("<4I", *value.c)
        digest = lambda node: node if isinstance(node, bytes) else listed(str(node).encode(), lambda c: bytes([c]))
        out = u32(config.pow_bits) + u32(config.log_blowup) + u32(config.log_last) + u64(config.queries)
        out += u32(config.fold_step) + (b"\0" if config.lifting is None else b"\1" + u32(config.lifting))
        out += listed(self.commitments, digest)
        out += listed(self.sampled, lambda tree: listed(tree, lambda column: listed(column, element)))
        openings = list(zip(self.trees, self.open_at))
        out += listed(openings, lambda pair: listed(pair[0].witness(pair[1]), digest))
        of_tree = lambda k: list(zip(*(row[k] for row in self.opened)))
        columns = [of_tree(k) if tree.logs else [] for k, tree in enumerate(self.trees)]
        out += listed(columns, lambda tree: listed(tree, lambda column: listed(column, u32)))
        out += u64(self.work)
        known, layers = self.positions, []
        for number, (log, step) in enumerate(self.layout.folds):
            groups = sorted({p >> step for p in known})
            every = [p for group in groups for p in range(group << step, (group + 1) << step)]
            packs = 2 if step > 1 and log >= 2 else 0
            witness = [self.values[number][p] for p in every if p not in known]
            nodes = self.layers[number].witness([p >> packs for p in every])
            layers.append(listed(witness, element) + listed(nodes, digest) + digest(self.layers[number].root))
            known = groups
        out += layers[0] + listed(layers[1:], lambda layer: layer)
        return out + listed(self.last, element) + u32(config.log_last)


def line_interpolated(values, log):
    """The coefficients of values on the line domain."""
    if log == 0:
        return values
    half, even, odd = pow(2, -1, P), [], []
    for k, (a, b) in enumerate(zip(values[::2], values[1::2])):
        even.append((a + b) * half)
        odd.append((a - b) * (half * pow(line_x(log, 2 * k), -1, P) % P))
    halves = line_interpolated(even, log - 1), line_interpolated(odd, log - 1)
    return [c for pair in zip(*halves) for c in pair]


def trace(statement, seed):
    """The main columns of the four statements of section 17, by component; `seed` is their parameter s."""
    n = 1 << statement.log_rows
    if statement.name == "fibonacci":
        column = list(statement.words[2:4])
        while len(column) < n:
            column.append((column[-2] + column[-1]) % P)
        return [[column]]
    if statement.name == "wide-fibonacci":
        columns = [[1] * n, [(r + seed) % P for r in range(n)]]
        while len(columns) < statement.words[2]:
            columns.append([(a * a + b * b) % P for a, b in zip(columns[-2], columns[-1])])
        return [columns]
    if statement.name == "plonk":
        wires = list(statement.words[2:4])
        for r in range(n):
            a, b = wires[r], wires[r + 1]
            wires.append((a * b if r % 2 else a + b) % P)
        m = [int(r + 2 < n) + int(r + 1 < n) for r in range(n)]
        a, b, c = (wires[k : k + n] for k in range(3))
        return [[m, a, b, c, [x * y % P for x, y in zip(a, b)]]]
    size = 1 << statement.words[2]
    x = [(seed + 3 * r + 5 * r * r) % size for r in range(n)]
    y, e = [(seed + 7 * r) % size for r in range(n)], [int(r % 3 == 0) for r in range(n)]
    squares, d = [[v * v % P for v in column] for column in (x, y)], [(x[(r + 1) % n] - x[r]) % P for r in range(n)]
    m = [x.count(v) + y.count(v) + sum(e[r] for r in range(n) if x[r] == v) for v in range(size)]
    return [[x, squares[0], y, squares[1], e, d], [m]]
