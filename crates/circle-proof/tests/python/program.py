"""Components whose constraints are data: the JSON of `polystark export`, docs/protocol/circle.md, section 16."""

from field import ONE, P, Q, ZERO, combine
from proof import require


class Program:
    """A component of the verifier, made of one of the export's."""

    def __init__(self, data, log=None):
        """`log` is that of a claim: with another one the program has the columns of the component, not its
        constraints."""
        self.data, self.name, self.log = data, data["name"], data["log_rows"] if log is None else log
        fixed, main, interaction = data["tables"]
        require([t["role"] for t in data["tables"]] == ["preprocessed", "main", "interaction"], "Program", "tables")
        row_numbers, own = f"seq_{data['log_rows']}", f"seq_{self.log}"
        names = [column["name"] for column in fixed["columns"]]
        self.preprocessed = [own if name == row_numbers else name for name in names]
        self.columns = {1: [c["offsets"] for c in main["columns"]], 2: [c["offsets"] for c in interaction["columns"]]}
        self.logup = data["logup"]
        self.has_sum = self.logup is not None

    def constraints(self, mask):
        data = self.data
        require(data["log_rows"] == self.log, "Program", f"of {self.name} with 2^{self.log} rows")
        fixed = [[mask.fixed(name)] for name in self.preprocessed]
        tables = [fixed] + [[mask.take(tree, offsets) for offsets in self.columns[tree]] for tree in (1, 2)]
        where = [[[0]] * len(fixed), self.columns[1], self.columns[2]]
        values = []
        for operation, *operands in data["nodes"]:
            if operation == "load":
                table, column, offset = operands
                values.append(tables[table][column][where[table][column].index(offset)])
            elif operation == "const":
                values.append(operands[0] % P)
            elif operation == "ext":
                values.append(Q(tuple(operands[0])))
            elif operation == "param":
                values.append(self.parameter(data["params"][operands[0]], mask))
            elif operation == "neg":
                values.append(0 - values[operands[0]])
            else:
                left, right = values[operands[0]], values[operands[1]]
                if operation == "add":
                    values.append(left + right)
                elif operation == "sub":
                    values.append(left - right)
                else:
                    require(operation == "mul", "Program", operation)
                    values.append(left * right)
        batches = self.fractions(values, mask)
        for constraint in data["constraints"]:
            if "node" in constraint:
                mask.add(values[constraint["node"]])
            else:
                mask.add(self.sum(constraint["batch"], batches, tables[2], mask))

    def parameter(self, which, mask):
        if "power" in which:
            z, alpha, power = *mask.drawn[2 * which["relation"] :][:2], ONE
            for _ in range(which["power"]):
                power = power * alpha
            return z * which["z"] + which["constant"] + power * which["factor"]
        if "shift" in which:
            return mask.claimed * pow(2**self.log, -1, P)
        return mask.drawn[which["drawn"]] if "drawn" in which else mask.claims[which["claim"]]

    def fractions(self, values, mask):
        """Numerator and denominator of each batch."""
        batches = [None] * (self.logup["batches"] if self.logup else 0)
        for lookup in self.data["lookups"]:
            z, alpha = mask.drawn[2 * lookup["relation"]], mask.drawn[2 * lookup["relation"] + 1]
            d, power = ZERO - z, ONE
            for node in lookup["values"]:
                d, power = d + power * values[node], power * alpha
            n, before = values[lookup["multiplicity"]], batches[lookup["batch"]]
            batches[lookup["batch"]] = (n, d) if before is None else (before[0] * d + n * before[1], before[1] * d)
        return batches

    def sum(self, batch, batches, interaction, mask):
        """The constraint of a batch: rules 3 and 4 of section 16."""

        def column(b, last=False):
            columns = interaction[self.logup["first"] + 4 * b :][:4]
            return combine([values[-1 if last else 0] for values in columns])

        (n, d), before = batches[batch], column(batch - 1) if batch else ZERO
        if batch < len(batches) - 1:
            return (column(batch) - before) * d - n
        shift = mask.claimed * pow(2**self.log, -1, P)
        return (column(batch, True) - column(batch) - before + shift) * d - n

    def uses(self):
        """How often a row uses each relation, by the number that its tuples begin with."""
        uses, nodes = {}, self.data["nodes"]
        for lookup in self.data["lookups"]:
            # What a table yields is counted negatively.
            if nodes[lookup["multiplicity"]][0] != "neg":
                name = nodes[lookup["values"][0]]
                require(name[0] == "const", "Program", "a relation without a number")
                uses[name[1]] = uses.get(name[1], 0) + 1
        return uses
