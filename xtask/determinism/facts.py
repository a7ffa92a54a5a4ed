"""What follows, without a solver, for two rows that agree in the inputs of a component and whose lookups are answered.

The difference of the rows is zero in every input. A constraint whose unknown part is linear is an equation about
differences; a product of factors that differ by constants, and a lookup in a range, bound the difference of a linear
form. From equations and bounds follows that more differences are zero, until nothing new does. Then a known factor,
flag or multiplicity is taken to be zero, and not to be: it is the same in both rows."""

from bounds import Bounds, Contradiction
from linear import Echelon, all_zero, centred, relations

# Most cases of a component.
MOST_CASES = 400
# Most factors of a case that are no flags.
MOST_FACTORS = 2


class Facts:
    """Facts in a case: some nodes are zero or not zero in both rows."""

    def __init__(self, component, given=(), without=None):
        self.component, self.prime = component, component.prime
        self.without = without
        self.zero, self.nonzero, self.values = frozenset(), frozenset(), {}
        self.known = set()
        self.equations, self.focus, self.mask, self.factors_taken = [], -1, (None, 0), 0
        main = set(component.main)
        self.known |= {cell for cell in component.cells if cell not in main}
        self.known |= {cell for cell in component.main if cell[1] in given}
        self.booleans = self.find_booleans()

    def copy(self):
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.known, other.values, other.equations = set(self.known), dict(self.values), list(self.equations)
        return other

    def constraints(self):
        return [(number, node) for number, node in self.component.constraints if number != self.without]

    def find_booleans(self):
        """The cells that are 0 or 1."""
        found = set()
        for _, node in self.constraints():
            roots = self.roots(self.factors(node), self.affine())
            if roots and roots[1] == {0, 1} and len(roots[0]) == 1:
                found |= set(roots[0])
        return {variable[1:] for variable in found if variable[0] == "c"}

    # Nodes

    def affine(self):
        """By node, its value as a dictionary of variables, cells and products, and None for the constant."""
        prime, nodes = self.prime, self.component.nodes
        forms, self.known_nodes = [], []
        for index, node in enumerate(nodes):
            kind = node[0]
            known = True
            if not self.component.base[index]:
                form, known = {("n", index): 1}, False
            elif kind == "const":
                form = {None: node[1]} if node[1] else {}
            elif kind == "load":
                cell = node[1:]
                value = self.values.get(cell)
                known = value is not None or cell in self.known
                form = {("c",) + cell: 1} if value is None else ({None: value} if value else {})
            else:
                operands = [forms[operand] for operand in node[1:]]
                known = all(self.known_nodes[operand] for operand in node[1:])
                form = self.combine(kind, operands, index)
                known = known or all(variable is None for variable in form)
            if index in self.zero:
                form, known = {}, True
            forms.append(form)
            self.known_nodes.append(known)
        return forms

    def combine(self, kind, operands, index):
        prime = self.prime
        if kind == "mul":
            for one, other in (operands, operands[::-1]):
                if all(variable is None for variable in one):
                    factor = one.get(None, 0)
                    return {variable: value * factor % prime for variable, value in other.items()} if factor else {}
            return {("n", index): 1}
        if kind == "neg":
            return {variable: prime - value for variable, value in operands[0].items()}
        sign = 1 if kind == "add" else -1
        form = dict(operands[0])
        for variable, value in operands[1].items():
            sum_ = (form.get(variable, 0) + sign * value) % prime
            if sum_:
                form[variable] = sum_
            else:
                form.pop(variable, None)
        return form

    def factors(self, node):
        """The nodes whose product a node is, signs apart. A multiple of something that is no product stays one."""
        kind = self.component.nodes[node]
        if kind[0] == "neg":
            return self.factors(kind[1])
        if kind[0] != "mul":
            return [node]
        for one, other in (kind[1:], kind[:0:-1]):
            if self.component.nodes[one][0] == "const":
                factors = self.factors(other)
                return [node] if factors == [other] else factors
        return self.factors(kind[1]) + self.factors(kind[2])

    def roots(self, factors, forms):
        """The linear form that factors are multiples of, constants apart, and the values for which one of them is zero;
        None if there is no such form."""
        prime, first, found = self.prime, None, set()
        for factor in factors:
            form = dict(forms[factor])
            constant = form.pop(None, 0)
            if not form:
                continue
            if first is None:
                first = form
            if form.keys() != first.keys():
                return None
            variable = next(iter(first))
            scale = form[variable] * pow(first[variable], -1, prime) % prime
            if any(first[key] * scale % prime != value for key, value in form.items()):
                return None
            found.add(-constant * pow(scale, -1, prime) % prime)
        return None if first is None else (first, found)

    def unknown(self, form):
        """The unknown part of a form."""
        return {variable: value for variable, value in form.items() if variable is not None and not (
            variable[1:] in self.known if variable[0] == "c" else self.known_nodes[variable[1]])}

    # Steps

    def step(self):
        """One round; whether anything new is known. Sets what a case may be made of."""
        forms = self.affine()
        echelon = Echelon(self.prime)
        for row in self.equations:
            echelon.add({key: value for key, value in row.items() if self.unknown({key: value})})
        bounds, self.choices, self.last_choices = Bounds(self.prime), {}, {}
        for _, node in self.constraints():
            self.constraint(node, forms, echelon, bounds)
        self.given(forms, echelon)
        self.lookups(forms, echelon, bounds)
        self.bounded(echelon, bounds)
        self.quotients(forms, echelon)
        before = len(self.known)
        for cell in self.component.main:
            if cell not in self.known and cell not in self.values and not echelon.reduce({("c",) + cell: 1}):
                self.known.add(cell)
        new = len(self.known) > before
        rows = [row for row in echelon.rows.values() if all(variable[0] == "c" for variable in row)]
        new = new or len(rows) > len(self.equations)
        self.equations = rows
        return new

    def given(self, forms, echelon):
        """What the rows agree in beside known cells."""
        self.are_known(self.component.inputs, forms, echelon)

    def constraint(self, node, forms, echelon, bounds):
        factors = [factor for factor in self.factors(node) if factor not in self.nonzero]
        if len(factors) == 1:
            node = factors[0]
        form = forms[node]
        if any(not forms[factor] for factor in factors):
            return
        if set(form) == {None}:
            raise Contradiction
        row = self.unknown(form)
        if not row:
            return
        echelon.add(row)
        roots = self.roots(factors, forms)
        if roots and self.unknown(roots[0]):
            first = min(roots[1])
            values = sorted(centred(value - first, self.prime) for value in roots[1])
            bounds.add(roots[0], first + values[0], values[-1] - values[0])
        if not self.component.masks[node] & self.focus & self.left_mask():
            return
        for factor in factors:
            if len(factors) > 1 and self.known_nodes[factor]:
                self.choose(factor, 4)
        self.flags(node, 1)

    def flags(self, node, weight):
        """Known booleans that are multiplied with something unknown below a node."""
        seen, todo = set(), [node]
        while todo:
            at = todo.pop()
            if at in seen or self.known_nodes[at]:
                continue
            seen.add(at)
            kind = self.component.nodes[at]
            operands = kind[1:] if kind[0] in ("add", "sub", "mul", "neg") else ()
            if kind[0] == "mul":
                for operand in operands:
                    if self.known_nodes[operand]:
                        self.flags_of(operand, weight)
                        if self.component.nodes[operand][0] != "const" and operand not in self.zero | self.nonzero:
                            self.last_choices[operand] = self.last_choices.get(operand, 0) + 1
            todo.extend(operands)

    def flags_of(self, node, weight):
        """The booleans that a known node is made of."""
        seen, todo = set(), [node]
        while todo:
            at = todo.pop()
            if at in seen:
                continue
            seen.add(at)
            kind = self.component.nodes[at]
            if kind[0] == "load" and kind[1:] in self.booleans and kind[1:] not in self.values:
                self.choose(at, weight)
            elif kind[0] in ("add", "sub", "mul", "neg"):
                todo.extend(kind[1:])

    def choose(self, node, weight):
        if node not in self.zero and node not in self.nonzero:
            self.choices[node] = self.choices.get(node, 0) + weight

    def lookups(self, forms, echelon, bounds):
        zero = lambda node: not echelon.reduce(self.unknown(forms[node]))
        for lookup in self.component.lookups:
            if lookup.kind is None or self.component.yields(lookup):
                continue
            if not self.is_made(lookup, forms, 2):
                continue
            for value, bits in zip(lookup.values, lookup.kind.bits):
                if bits is not None and self.unknown(forms[value]):
                    bounds.add(forms[value], 0, 2 ** bits - 1)
            known = [zero(value) for value in lookup.values]
            if lookup.kind.xor and sum(known[:3]) == 2:
                self.are_known(lookup.values[:3], forms, echelon)
            keys = (lookup.kind.link or {}).get("keys")
            if keys is not None and all(known[:keys]):
                self.follows(lookup, keys, forms, echelon)
        for first, last in self.component.ends():
            if self.is_made(first, forms, 2) and self.is_made(last, forms, 2) and all(map(zero, first.values)):
                self.are_known(last.values, forms, echelon)

    def is_made(self, lookup, forms, weight):
        """Whether a lookup is made, for sure; if that is not known, it may be a case."""
        [node] = self.factors(lookup.multiplicity)[:1]
        form = forms[lookup.multiplicity]
        if set(form) == {None}:
            return True
        if len(self.factors(lookup.multiplicity)) == 1 and node in self.nonzero:
            return True
        mask = self.left_mask() & self.focus
        if form and self.known_nodes[node] and any(self.component.masks[value] & mask for value in lookup.values):
            self.choose(node, weight)
        return False

    def follows(self, lookup, keys, forms, echelon):
        """What the keys of a function say."""
        sum_ = lookup.kind.sum
        alone = [value for place, value in enumerate(lookup.values) if place >= keys and place not in sum_]
        self.are_known(alone, forms, echelon)
        total = {}
        for place, factor in sum_.items():
            for variable, value in self.unknown(forms[lookup.values[place]]).items():
                total[variable] = (total.get(variable, 0) + factor * value) % self.prime
        echelon.add({variable: value for variable, value in total.items() if value})

    def are_known(self, nodes, forms, echelon):
        for node in nodes:
            echelon.add(self.unknown(forms[node]))

    def bounded(self, echelon, bounds):
        """Equations that follow from bounds."""
        while True:
            rows, least = {}, {}
            for number, (form, bound) in enumerate(bounds.all()):
                row = echelon.reduce(self.unknown(form))
                if row:
                    rows[number], least[number] = row, bound
            new = False
            for relation in relations(rows, self.prime):
                if self.forces(relation, least):
                    for number in relation:
                        new = echelon.add(rows[number]) or new
            if not new:
                return

    def quotients(self, forms, echelon):
        """A product that is known has known factors, if the other factors are known and not zero."""
        for index, node in enumerate(self.component.nodes):
            if node[0] == "mul" and not self.known_nodes[index] and forms[index] == {("n", index): 1}:
                for one, other in (node[1:], node[:0:-1]):
                    if self.known_nodes[one] and self.is_nonzero(one) and not echelon.reduce(forms[index]):
                        echelon.add(self.unknown(forms[other]))

    def is_nonzero(self, node):
        factors = self.factors(node)
        return node in self.nonzero or (factors != [node] and all(factor in self.nonzero for factor in factors))

    def forces(self, relation, bounds):
        if all_zero(relation, bounds, self.prime):
            return True
        if len(relation) != 2:
            return False
        (one, a), (other, b) = sorted(relation.items(), key=lambda term: bounds[term[0]])
        ratio = -a * pow(b, -1, self.prime) % self.prime
        return bounds[one] <= 1 << 12 and all(
            abs(centred(ratio * value, self.prime)) > bounds[other] for value in range(1, bounds[one] + 1))

    def settle(self):
        while self.step():
            pass
        return self

    # Cases

    def case(self, node, is_zero):
        """The facts where a known node is zero, or is not."""
        other = self.copy()
        form = self.affine()[node]
        variables = [variable for variable in form if variable is not None]
        if is_zero:
            other.zero = self.zero | {node}
        else:
            other.nonzero = self.nonzero | {node}
        if len(variables) == 1 and variables[0][0] == "c":
            cell = variables[0][1:]
            zero = -form.get(None, 0) * pow(form[variables[0]], -1, self.prime) % self.prime
            if is_zero:
                other.values[cell] = zero
            elif cell in self.booleans and zero in (0, 1):
                other.values[cell] = 1 - zero
        return other

    def left(self):
        """The main cells that may differ, of those that the case is about."""
        return [cell for cell in self.component.main if self.component.bit[cell] & self.focus & self.left_mask()]

    def left_mask(self):
        """All cells that may differ, as bits."""
        key = len(self.known), len(self.values)
        if self.mask[0] != key:
            cells = (cell for cell in self.component.main if cell not in self.known and cell not in self.values)
            self.mask = key, sum(self.component.bit[cell] for cell in cells)
        return self.mask[1]

    def blocks(self):
        """The cells that are left, as bits, by blocks that no constraint and no lookup connects."""
        left, blocks = self.left_mask() & self.focus, []
        groups = [self.component.masks[node] for _, node in self.constraints()]
        for lookup in self.component.lookups:
            mask = 0
            for value in lookup.values:
                mask |= self.component.masks[value]
            groups.append(mask)
        for cell in self.component.main:
            groups.append(self.component.bit[cell])
        for group in groups:
            group &= left
            if group:
                joined = [block for block in blocks if block & group]
                blocks = [block for block in blocks if not block & group] + [group | sum(joined)]
        return blocks


def cases(facts):
    """The cases in which something may differ, each with its facts; and how many there are in all."""
    open_, left, seen = [(facts, ())], [], 0
    while open_:
        facts, path = open_.pop()
        seen += 1
        if seen > MOST_CASES:
            left.append((facts, path + ("more cases",)))
            continue
        try:
            facts.settle()
        except Contradiction:
            continue
        if not facts.left():
            continue
        blocks = facts.blocks()
        if len(blocks) > 1:
            for block in blocks:
                other = facts.copy()
                other.focus = block
                open_.append((other, path))
            continue
        choices = facts.choices
        if not choices and facts.factors_taken < MOST_FACTORS:
            choices, facts.factors_taken = facts.last_choices, facts.factors_taken + 1
        if not choices:
            left.append((facts, path))
            continue
        node = max(choices, key=lambda node: (choices[node], -node))
        for is_zero in (True, False):
            open_.append((facts.case(node, is_zero), path + ((node, is_zero),)))
    return left, seen
