"""cvc5 over finite fields, for what facts leave open: can the cells that are left differ?"""

import cvc5


class Question:
    """Two rows that agree in the known cells of a case."""

    def __init__(self, facts, seconds):
        self.facts, self.component, self.prime = facts, facts.component, facts.prime
        self.terms = cvc5.TermManager()
        self.solver = cvc5.Solver(self.terms)
        self.solver.setLogic("QF_FF")
        self.solver.setOption("produce-models", "true")
        self.solver.setOption("tlimit-per", str(1000 * seconds))
        self.field = self.terms.mkFiniteFieldSort(str(self.prime), 10)
        self.cells, self.nodes, self.bits = {}, {}, 0
        self.left = set(facts.left())

    def number(self, value):
        return self.terms.mkFiniteFieldElem(str(value % self.prime), self.field, 10)

    def cell(self, row, cell):
        value = self.facts.values.get(cell)
        if value is not None:
            return self.number(value)
        key = (row if cell in self.left else "p",) + cell
        if key not in self.cells:
            self.cells[key] = self.terms.mkConst(self.field, "_".join(map(str, key)))
        return self.cells[key]

    def node(self, row, index):
        row = row if not self.facts.known_nodes[index] else "p"
        if (row, index) not in self.nodes:
            self.nodes[row, index] = self.made(row, index)
        return self.nodes[row, index]

    def made(self, row, index):
        kind, make = self.component.nodes[index], self.terms.mkTerm
        if kind[0] == "const" or index in self.facts.zero:
            return self.number(kind[1] if kind[0] == "const" else 0)
        if kind[0] == "load":
            return self.cell(row, kind[1:])
        operands = [self.node(row, operand) for operand in kind[1:]]
        if kind[0] in ("sub", "neg"):
            operands[-1] = make(cvc5.Kind.FINITE_FIELD_MULT, self.number(-1), operands[-1])
        if kind[0] == "neg":
            return operands[0]
        return make(cvc5.Kind.FINITE_FIELD_MULT if kind[0] == "mul" else cvc5.Kind.FINITE_FIELD_ADD, *operands)

    def equal(self, one, other):
        return self.terms.mkTerm(cvc5.Kind.EQUAL, one, other)

    def touched(self, nodes):
        """Whether nodes depend on a cell that may differ."""
        return any(not self.facts.known_nodes[node] for node in nodes)

    def range(self, term, bits):
        """A term is a sum of bits."""
        made = []
        for _ in range(bits):
            bit = self.terms.mkConst(self.field, f"bit{self.bits}")
            self.bits += 1
            self.solver.assertFormula(self.equal(self.terms.mkTerm(cvc5.Kind.FINITE_FIELD_MULT, bit, bit), bit))
            made.append(bit)
        total = self.number(0) if not made else made[0]
        if bits > 1:
            total = self.terms.mkTerm(cvc5.Kind.FINITE_FIELD_BITSUM, *made)
        self.solver.assertFormula(self.equal(term, total))
        return made

    def lookup(self, row, lookup):
        # Values that are the same in both rows need no range for an answer that there is no difference; a model is
        # looked at again.
        made = [self.range(self.node(row, value), bits) if bits is not None and (
                    lookup.kind.xor or not self.facts.known_nodes[value]) else None
                for value, bits in zip(lookup.values, lookup.kind.bits)]
        if lookup.kind.xor:
            multiply, add = cvc5.Kind.FINITE_FIELD_MULT, cvc5.Kind.FINITE_FIELD_ADD
            for one, other, xor in zip(*made):
                twice = self.terms.mkTerm(multiply, self.number(-2), one, other)
                self.solver.assertFormula(self.equal(xor, self.terms.mkTerm(add, one, other, twice)))

    def ask(self):
        """`unsat`, `sat` with the two rows' cells, or `unknown` with the reason."""
        facts, component, zero = self.facts, self.component, self.number(0)
        facts.affine()
        for node in facts.nonzero:
            self.solver.assertFormula(self.terms.mkTerm(cvc5.Kind.NOT, self.equal(self.node("p", node), zero)))
        for _, node in facts.constraints():
            for row in ("a", "b") if self.touched([node]) else ("p",):
                self.solver.assertFormula(self.equal(self.node(row, node), zero))
        forms = facts.affine()
        for lookup in component.lookups:
            if lookup.kind is None or component.yields(lookup) or not self.touched(lookup.values):
                continue
            if facts.is_made(lookup, forms, 0):
                for row in "a", "b":
                    self.lookup(row, lookup)
                keys = (lookup.kind.link or {}).get("keys")
                if keys is not None:
                    self.follows(lookup, keys)
        for first, last in component.ends():
            if facts.is_made(first, forms, 0) and facts.is_made(last, forms, 0):
                self.implies(first.values, last.values)
        for node in component.inputs:
            if self.touched([node]):
                self.solver.assertFormula(self.equal(self.node("a", node), self.node("b", node)))
        differ = [self.terms.mkTerm(cvc5.Kind.NOT, self.equal(self.cell("a", cell), self.cell("b", cell)))
                  for cell in sorted(self.left)]
        self.solver.assertFormula(differ[0] if len(differ) == 1 else self.terms.mkTerm(cvc5.Kind.OR, *differ))
        result = self.solver.checkSat()
        if result.isUnsat():
            return "unsat", None
        if not result.isSat():
            return "unknown", str(result.getUnknownExplanation()).split(".")[-1].lower()
        return "sat", {key: int(self.solver.getValue(term).getFiniteFieldValue()) % self.prime
                       for key, term in self.cells.items()}

    def follows(self, lookup, keys):
        """What the keys of a function say."""
        sum_ = lookup.kind.sum
        self.implies(lookup.values[:keys], [value for place, value in enumerate(lookup.values)
                                            if place >= keys and place not in sum_])
        if sum_ and not self.touched(lookup.values[:keys]):
            multiply, add = cvc5.Kind.FINITE_FIELD_MULT, cvc5.Kind.FINITE_FIELD_ADD
            total = lambda row: self.terms.mkTerm(add, self.number(0), *(
                self.terms.mkTerm(multiply, self.number(factor), self.node(row, lookup.values[place]))
                for place, factor in sum_.items()))
            self.solver.assertFormula(self.equal(total("a"), total("b")))

    def implies(self, keys, others):
        both = lambda nodes: [self.equal(self.node("a", node), self.node("b", node)) for node in nodes]
        both_of = lambda nodes: self.terms.mkTerm(cvc5.Kind.AND, *both(nodes)) if len(nodes) > 1 else (
            both(nodes)[0] if nodes else self.terms.mkTrue())
        self.solver.assertFormula(self.terms.mkTerm(cvc5.Kind.IMPLIES, both_of(keys), both_of(others)))
