"""Two rows of a solver, looked at again by plain arithmetic: what they satisfy."""


def rows(component, values, model):
    """The cells of both rows; those that no constraint that was asked about reads are zero."""
    made = []
    for row in "a", "b":
        cell = lambda cell: values.get(cell, model.get((row,) + cell, model.get(("p",) + cell, 0)))
        made.append({cell_: cell(cell_) for cell_ in component.cells})
    return made


def evaluate(component, cells):
    """The values of the nodes over the base field."""
    prime, values = component.prime, []
    for node, base in zip(component.nodes, component.base):
        kind, operands = node[0], node[1:]
        if not base:
            values.append(None)
        elif kind == "const":
            values.append(node[1])
        elif kind == "load":
            values.append(cells[operands])
        elif kind == "add":
            values.append((values[operands[0]] + values[operands[1]]) % prime)
        elif kind == "sub":
            values.append((values[operands[0]] - values[operands[1]]) % prime)
        elif kind == "mul":
            values.append(values[operands[0]] * values[operands[1]] % prime)
        else:
            values.append(-values[operands[0]] % prime)
    return values


def broken(component, both):
    """What is wrong with two rows: constraints by number, promises and inputs by words; empty if nothing is."""
    found, values = [], [evaluate(component, cells) for cells in both]
    for number, node in component.constraints:
        if any(of[node] for of in values):
            found.append(number)
    for lookup in component.lookups:
        if lookup.kind is None or component.yields(lookup):
            continue
        made = [of for of in values if of[lookup.multiplicity]]
        tuples = [[of[value] for value in lookup.values] for of in made]
        name = f"lookup {lookup.number} of {lookup.kind.name}"
        for tuple_ in tuples:
            if any(bits is not None and value >> bits for value, bits in zip(tuple_, lookup.kind.bits)):
                found.append(f"{name}: range")
            if lookup.kind.xor and tuple_[0] ^ tuple_[1] != tuple_[2]:
                found.append(f"{name}: exclusive or")
        keys = (lookup.kind.link or {}).get("keys")
        if keys is not None and len(tuples) == 2 and tuples[0][:keys] == tuples[1][:keys]:
            sum_ = lookup.kind.sum
            rest = [[value for place, value in enumerate(tuple_) if place >= keys and place not in sum_]
                    + [sum(factor * tuple_[place] for place, factor in sum_.items()) % component.prime]
                    for tuple_ in tuples]
            if rest[0] != rest[1]:
                found.append(f"{name}: two values of a key")
    for first, last in component.ends():
        of = [([one[value] for value in first.values], [one[value] for value in last.values]) for one in values]
        if of[0][0] == of[1][0] and of[0][1] != of[1][1]:
            found.append(f"lookup {last.number} of {last.kind.name}: two ends of a chain")
    if any(values[0][node] != values[1][node] for node in component.inputs):
        found.append("inputs")
    return found
