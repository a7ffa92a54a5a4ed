"""The verifier of docs/protocol/circle.md, sections 4 to 13: one statement, one proof, one verdict."""

from dataclasses import dataclass
from operator import mul

from field import ONE, P, Q, ZERO, add, combine, domain_point, doubled, evaluate_column, generator, inverse_cm31
from field import double_x, line_x, point, repeated_double_x, reverse
from proof import Refused, read_proof, require


@dataclass
class Tree:
    """Of columns with these log sizes, blowup included, each sampled at these offsets."""

    logs: list
    offsets: list
    height: int


class Layout:
    """What a statement and a configuration make of a proof: trees, L and the FRI layers."""

    def __init__(self, statement, config):
        config.check()
        self.config, self.components = config, statement.components
        blowup = config.log_blowup
        largest = max(component.log for component in self.components)
        natural = largest + blowup
        self.log = natural if config.lifting is None else config.lifting
        require(natural <= self.log <= 30, "Options", "lifting below the columns")
        self.m = self.log - blowup
        preprocessed = statement.preprocessed(config.lifting)
        self.ids = [name for name, _ in preprocessed]
        read = {name for component in self.components for name in component.preprocessed}
        require(read <= set(self.ids), "Options", "columns that are not there")
        is_sampled = lambda name: statement.samples_all or name in read
        sides = [([log for _, log in preprocessed], [[0] if is_sampled(name) else [] for name in self.ids])]
        for tree in (1, 2)[: 2 if statement.has_interaction else 1]:
            columns = [(c.log, offsets) for c in self.components for offsets in c.columns[tree]]
            sides.append(([log for log, _ in columns], [offsets for _, offsets in columns]))
        sides.append(([largest] * 8, [[0]] * 8))
        self.trees = []
        for logs, offsets in sides:
            logs = [log + blowup for log in logs]
            require(logs or config.lifting is None, "Options", "lifting of a tree without columns")
            height = config.lifting if config.lifting is not None else max(logs, default=0)
            require(max(logs, default=0) <= height, "Options", "lifting below a column")
            self.trees.append(Tree(logs, offsets, height))
            # Trap 9: nothing makes a column with more than two samples a lift.
            for log, each in zip(logs, offsets):
                require(len(each) <= 2 or log == self.log, "Options", "three offsets in a lifted column")
        require(all(tree.height == self.log for tree in self.trees[1:]), "Options", "height of a tree")
        require(statement.tall_preprocessed or self.trees[0].height <= self.log, "Options", "preprocessed tree")
        sampled = [log for log, each in zip(self.trees[0].logs, self.trees[0].offsets) if each]
        require(max(sampled, default=0) <= self.log, "Options", "sampled column above the common domain")
        last = config.log_last + blowup
        require(self.log - config.fold_step >= last, "Options", "folds")
        # Of each layer the log of its values and how often it folds.
        self.folds, line = [(self.log, config.fold_step)], self.log - config.fold_step
        while line > last:
            self.folds.append((line, min(config.fold_step, line - last)))
            line -= self.folds[-1][1]
        self.last = line

    def check_shape(self, proof):
        """Lengths that do not depend on the queries."""
        trees = len(self.trees)
        lists = (proof.commitments, proof.sampled, proof.decommitments, proof.queried)
        require(all(len(each) == trees for each in lists), "Shape", "trees")
        for tree, sampled, queried in zip(self.trees, proof.sampled, proof.queried):
            require(len(sampled) == len(queried) == len(tree.logs), "Shape", "columns")
            require([len(each) for each in sampled] == [len(each) for each in tree.offsets], "Shape", "samples")
        require(len(proof.layers) == len(self.folds), "Shape", "layers")
        require(len(proof.last) == 1 << self.config.log_last, "Shape", "last layer")


class Component:
    """`constraints(mask)` takes its columns and adds its constraints, in order."""

    def __init__(self, log, constraints):
        self.log, self.constraints = log, constraints
        shape = Shape()
        shape.begin(self, ZERO)
        self.preprocessed, self.columns, self.has_sum = shape.ids, shape.columns, shape.has_sum


class Mask:
    """The values that constraints read at one point, and the sum of the constraints: section 16."""

    def __init__(self, preprocessed, main, interaction, weight, drawn, claims):
        """`drawn` are the elements of the relations, `claims` what a statement claims beside the sums."""
        self.values, self.next, self.weight = preprocessed, {1: iter(main), 2: iter(interaction)}, weight
        self.drawn, self.claims, self.total = drawn, claims, ZERO

    def begin(self, component, claimed):
        """Takes the constraints of a component with this claimed sum."""
        self.fractions, self.claimed, self.log = [], claimed, component.log
        component.constraints(self)

    def fixed(self, name):
        return self.values[name]

    def main(self, offsets=(0,)):
        return self.take(1, offsets)

    def take(self, tree, offsets):
        return next(self.next[tree])

    def add(self, constraint):
        self.total = self.total * self.weight + constraint

    def relation(self, multiplicity, values):
        """A use of the relation: multiplicity / (sum alpha^i v_i - z)."""
        (z, alpha), power = self.drawn, ONE
        denominator = ZERO - z
        for value in values:
            denominator, power = denominator + power * value, power * alpha
        self.fractions.append((multiplicity, denominator))

    def secure(self, offsets):
        columns = [self.take(2, offsets) for _ in range(4)]
        return [combine(values) for values in zip(*columns)]

    def finish(self, batch=1):
        """The fractions, `batch` of them in one column."""
        before, batches = ZERO, range(0, len(self.fractions), batch)
        for first in batches:
            members = self.fractions[first : first + batch]
            n, d = members[0]
            for other_n, other_d in members[1:]:
                n, d = n * other_d + other_n * d, d * other_d
            if first != batches[-1]:
                (now,) = self.secure((0,))
                self.add((now - before) * d - n)
                before = now
            else:
                row_before, now = self.secure((-1, 0))
                shift = self.claimed * pow(2**self.log, -1, P)
                self.add((now - row_before - before + shift) * d - n)


class Shape(Mask):
    """Notes the columns that constraints read, in place of values."""

    def __init__(self):
        super().__init__({}, [], [], ONE, (ZERO, ZERO), [])
        self.ids, self.columns, self.has_sum = [], {1: [], 2: []}, False

    def fixed(self, name):
        self.ids.append(name)
        return ZERO

    def take(self, tree, offsets):
        self.columns[tree].append(list(offsets))
        return [ZERO] * len(offsets)

    def finish(self, batch=1):
        self.has_sum = True
        super().finish(batch)


def verify_proof(statement, claimed, data, suite, least_bits):
    """The proof shows the statement, or `Refused` is raised. `claimed` are the claimed sums, `least_bits` the least
    pow_bits + log_blowup * queries that is taken."""
    proof = read_proof(data, suite)
    verify(statement, claimed, proof, suite, least_bits)
    return proof


def verify(statement, claimed, proof, suite, least_bits):
    layout, config = Layout(statement, proof.config), proof.config
    require(config.pow_bits + config.log_blowup * config.queries >= least_bits, "Policy", "bits")
    layout.check_shape(proof)
    if layout.trees[0].height == 0:
        require(proof.commitments[0] == suite().empty, "Root", "of nothing")
    channel = suite()
    drawn = statement.begin(channel, config, proof, claimed)
    composition = channel.draw_felt()
    channel.mix_root(proof.commitments[-1])
    t = channel.draw_felt()
    try:
        over = (ONE + t * t).inverse()
        z = ((ONE - t * t) * over, (t + t) * over)
        values = [value for tree in proof.sampled for column in tree for value in column]
        channel.mix_felts(values)
        quotients = Quotients(layout, z, channel.draw_felt(), proof.sampled)
        identity = check_identity(layout, z, composition, drawn, claimed, proof.sampled)
        alphas = []
        for layer in proof.layers:
            channel.mix_root(layer.commitment)
            alphas.append(channel.draw_felt())
        channel.mix_felts(proof.last)
        require(channel.works(config.pow_bits, proof.nonce), "ProofOfWork", "queries")
        channel.mix_u64(proof.nonce)
        positions = draw_positions(channel, layout.log, config.queries)
        rows = check_trees(layout, proof, positions, channel)
        check_fri(layout, proof, alphas, positions, [quotients.at(p, row) for p, row in zip(positions, rows)], channel)
    except ZeroDivisionError:
        raise Refused("Degenerate") from None
    require(identity, "Identity")
    statement.check_preprocessed(layout, z, proof)


def check_identity(layout, z, weight, drawn, claimed, sampled):
    """Section 9: whether the composition is what the constraints make of the samples."""
    fixed = {name: values[0] for name, values in zip(layout.ids, sampled[0]) if values}
    interaction = sampled[2] if len(sampled) > 3 else []
    sums = sum(component.has_sum for component in layout.components)
    mask = Mask(fixed, sampled[1], interaction, weight, drawn, claimed[sums:])
    sums = iter(claimed)
    for component in layout.components:
        mask.begin(component, next(sums) if component.has_sum else None)
    vanishing = repeated_double_x(z[0], layout.m - 1)
    require(vanishing != ZERO, "Degenerate", "V(z) is zero")
    halves = [values[0] for values in sampled[-1]]
    return (combine(halves[:4]) + vanishing * combine(halves[4:])) * vanishing == mask.total


class Quotients:
    """Section 10: the sum of the quotients of all samples, at a point of the common domain."""

    def __init__(self, layout, z, beta, sampled):
        self.layout, groups, power = layout, {}, ONE
        step, points = generator(layout.m), {0: z}
        for index, tree in enumerate(layout.trees):
            for column, (log, offsets) in enumerate(zip(tree.logs, tree.offsets)):
                samples = []
                for offset, value in zip(offsets, sampled[index][column]):
                    if offset not in points:
                        points[offset] = add(z, lift_point(point(offset * step)))
                    samples.append(((offset, None), points[offset], value))
                if len(samples) == 2:
                    (offset, _), at, value = samples[1]
                    period = point(generator(layout.log) << log)
                    samples.insert(0, ((offset, log), add(at, lift_point(period)), value))
                for key, at, value in samples:
                    group = groups.setdefault(key, Group(at))
                    group.take((index, column), value, power)
                    power = power * beta
        self.groups = list(groups.values())

    def at(self, position, row):
        """`row` has the values of the columns of each tree."""
        q = domain_point(self.layout.log, position)
        return sum((group.at(q, row) for group in self.groups), ZERO)


def lift_point(p):
    return Q((p[0], 0, 0, 0)), Q((p[1], 0, 0, 0))


class Group:
    """The samples at one point: power by power of beta the column, and the sums of a and b."""

    def __init__(self, at):
        self.at_x, self.at_y = at
        self.c = self.at_y.conjugate() - self.at_y
        require(self.c != ZERO, "Degenerate", "a sample point")
        self.columns, self.powers, self.a, self.b = [], [], ZERO, ZERO

    def take(self, column, value, power):
        a = value.conjugate() - value
        self.columns.append(column)
        self.powers.append(power.c)
        self.a, self.b = self.a + power * a, self.b + power * (value * self.c - a * self.at_y)

    def at(self, q, row):
        values = [row[tree][column] for tree, column in self.columns]
        total = Q(tuple(sum(map(mul, powers, values)) % P for powers in zip(*self.powers)))
        numerator = total * self.c - self.b - self.a * q[1]
        (x0, x1, x2, x3), (y0, y1, y2, y3) = self.at_x.c, self.at_y.c
        x0, y0 = x0 - q[0], y0 - q[1]
        real, imaginary = x0 * y2 - x1 * y3 - y0 * x2 + y1 * x3, x0 * y3 + x1 * y2 - y0 * x3 - y1 * x2
        real, imaginary = inverse_cm31(real, imaginary)
        return numerator * Q((real, imaginary, 0, 0))


def draw_positions(channel, log, queries):
    """Section 12."""
    drawn = []
    while len(drawn) < queries:
        drawn += [word & (1 << log) - 1 for word in channel.draw_u32s()]
    return sorted(set(drawn[:queries]))


def check_trees(layout, proof, positions, channel):
    """Section 13: the values of all columns at each position, by tree, after they were opened."""
    rows = [[] for _ in positions]
    for index, (tree, root, witness, queried) in enumerate(
        zip(layout.trees, proof.commitments, proof.decommitments, proof.queried)
    ):
        at = mapped(positions, tree.height, layout.log) if index == 0 else positions
        require(at == sorted(at), "Unsorted", "tree 0")
        # All are there before one is hashed.
        require(all(len(column) == len(at) for column in queried), "Shape", f"values of tree {index}")
        values = list(zip(*queried)) if queried else [()] * len(positions)
        for row, value in zip(rows, values):
            row.append(value)
        order = sorted(range(len(tree.logs)), key=lambda column: tree.logs[column])
        leaves = {}
        for p, value in zip(at, values):
            require(leaves.setdefault(p, value) == value, "Repeated", f"tree {index}")
        leaves = {p: channel.leaf([value[k] for k in order]) for p, value in leaves.items()}
        check_opening(channel, leaves, tree.height, witness, root, f"tree {index}")
    return rows


def mapped(positions, height, log):
    """The positions in the preprocessed tree."""
    if height == 0:
        return []
    if height <= log:
        return [(p >> (log - height + 1) << 1) + (p & 1) for p in positions]
    return [(p >> 1 << (height - log + 1)) + (p & 1) for p in positions]


def check_opening(channel, nodes, height, witness, root, name):
    """The leaves, by position, are of the tree of that root: section 6."""
    if not nodes:
        require(not witness, "Shape", f"witness of {name}")
        return
    siblings = iter(witness)
    for _ in range(height):
        parents = {}
        for p in sorted(nodes):
            if p >> 1 in parents:
                continue
            other = nodes.get(p ^ 1)
            if other is None:
                other = next(siblings, None)
                require(other is not None, "Shape", f"witness of {name}")
            parents[p >> 1] = channel.parent(other, nodes[p]) if p & 1 else channel.parent(nodes[p], other)
        nodes = parents
    require(next(siblings, None) is None, "Shape", f"witness of {name}")
    require(nodes[0] == root, "Opening", name)


def check_fri(layout, proof, alphas, positions, values, channel):
    """Section 11 at the queries: `values` are of the quotient at the positions."""
    known = dict(zip(positions, values))
    for number, (layer, alpha, (log, step)) in enumerate(zip(proof.layers, alphas, layout.folds)):
        name, witness, folded = f"layer {number}", iter(layer.witness), {}
        size, all_values = 1 << step, {}
        for group in sorted({p >> step for p in known}):
            members = []
            for p in range(group << step, (group + 1) << step):
                value = known.get(p)
                if value is None:
                    value = next(witness, None)
                    require(value is not None, "Shape", f"values of {name}")
                members.append(value)
                all_values[p] = value
            folded[group] = fold(members, log, group * size, alpha, number == 0)
        require(next(witness, None) is None, "Shape", f"values of {name}")
        packs = 2 if step > 1 and log >= 2 else 0
        leaves = {}
        for p in sorted(all_values):
            leaves.setdefault(p >> packs, []).extend(all_values[p].c)
        leaves = {p: channel.leaf(coordinates) for p, coordinates in leaves.items()}
        check_opening(channel, leaves, log - packs, layer.decommitment, layer.commitment, name)
        known = folded
    # The last layer is stored bit-reversed: the lowest bit of an index is the highest of the basis.
    for p, value in known.items():
        x, coefficients = line_x(layout.last, p), proof.last
        xs = [x]
        for _ in range(layout.config.log_last - 1):
            xs.append(double_x(xs[-1]))
        for x in reversed(xs[: layout.config.log_last]):
            coefficients = [a + b * x for a, b in zip(coefficients[::2], coefficients[1::2])]
        require(coefficients[0] == value, "LastLayer")


def fold(values, log, first, alpha, is_circle):
    """Values at positions `first` and behind it, folded to one."""
    while len(values) > 1:
        along = lambda p: domain_point(log, p)[1] if is_circle else line_x(log, p)
        values = [
            a + b + (a - b) * pow(along(first + 2 * k), -1, P) * alpha
            for k, (a, b) in enumerate(zip(values[::2], values[1::2]))
        ]
        log, first, alpha, is_circle = log - 1, first // 2, alpha * alpha, False
    return values[0]
