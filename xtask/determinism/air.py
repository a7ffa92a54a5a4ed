"""An AIR of `polystark export --format json`: docs/export.md."""

import json
from collections import namedtuple

Lookup = namedtuple("Lookup", "number name kind multiplicity values")
Kind = namedtuple("Kind", "name relation link sum bits xor")


class Component:
    """The part of a component over the base field. A cell is (table, column, offset)."""

    def __init__(self, document, component):
        self.document = document
        self.name = component["name"] or document["name"]
        self.prime = document["prime"]
        self.tables = component["tables"]
        self.nodes = [tuple(node) for node in component["nodes"]]
        self.base = []
        for node in self.nodes:
            operands = node[1:] if node[0] in ("add", "sub", "mul", "neg") else ()
            leaf = node[0] not in ("ext", "param") and not (
                node[0] == "load" and self.tables[node[1]]["role"] in ("interaction", "auxiliary"))
            self.base.append(leaf and all(self.base[operand] for operand in operands))
        self.constraints = [(number, constraint["node"]) for number, constraint in enumerate(component["constraints"])
                            if "node" in constraint and self.base[constraint["node"]]]
        kinds = document["kinds"]
        self.lookups = [Lookup(number, lookup["name"], self.kind(kinds, lookup), lookup["multiplicity"],
                               lookup["values"][self.behind(kinds, lookup):])
                        for number, lookup in enumerate(component["lookups"])]
        self.inputs = [node for node in component["inputs"] if self.base[node]]
        loads = {node[1:] for node, base in zip(self.nodes, self.base) if node[0] == "load" and base}
        main = [(number, table) for number, table in enumerate(self.tables) if table["role"] == "main"]
        self.main = sorted((number, column, offset) for number, table in main
                           for column, of in enumerate(table["columns"]) for offset in of["offsets"] or [0])
        self.cells = sorted(loads | set(self.main))
        self.bit = {cell: 1 << number for number, cell in enumerate(self.cells)}
        # By node, the cells that it is made of, as bits.
        self.masks = []
        for node, base in zip(self.nodes, self.base):
            mask = self.bit[node[1:]] if node[0] == "load" and base else 0
            for operand in node[1:] if node[0] in ("add", "sub", "mul", "neg") else ():
                mask |= self.masks[operand]
            self.masks.append(mask)

    @staticmethod
    def kind(kinds, lookup):
        if lookup["kind"] is None:
            return None
        kind = kinds[lookup["kind"]]
        return Kind(kind["name"], kind["relation"], kind["link"], dict(kind["sum"]), kind["bits"], kind["xor"])

    @staticmethod
    def behind(kinds, lookup):
        return int(lookup["kind"] is not None and kinds[lookup["kind"]]["kind"] is not None)

    def yields(self, lookup):
        """Whether the multiplicity of a lookup is written as a negative."""
        node = self.nodes[lookup.multiplicity]
        return node[0] == "neg" or (node[0] == "const" and node[1] > self.prime // 2)

    def is_end(self, lookup):
        """Whether the row is an end of the chain that a lookup is of."""
        step = lookup.kind.link.get("step")
        return step is not None and step < len(lookup.values) and self.nodes[lookup.values[step]][0] == "const"

    def label(self, cell):
        """A cell for a reader."""
        table, column, offset = cell
        name = self.tables[table]["columns"][column]["name"]
        name = f"column {column}" if name is None else f"`{name}`"
        return name + (f" ({offset:+d} rows)" if offset else "")

    def ends(self):
        """The pairs of lookups, first tuple and last, of the chains that the row is an end of."""
        pairs, firsts, lasts = [], {}, {}
        for lookup in self.lookups:
            if lookup.kind and lookup.kind.link and "step" in lookup.kind.link and self.is_end(lookup):
                side = firsts if self.yields(lookup) else lasts
                side.setdefault(lookup.kind.name, []).append(lookup)
        for name, lookups in firsts.items():
            pairs += zip(lookups, lasts.get(name, []))
        return pairs


def read(path):
    """The components of a document."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if (document["format"], document["version"]) != ("polystark-air", 1):
        raise SystemExit(f"{path}: no document of version 1")
    return [Component(document, component) for component in document["components"]]
