"""Cells that may change alone, unnoticed: every constraint of the row still holds, and its lookups are the same."""

from facts import Facts, cases


class Alone(Facts):
    """Two rows that agree in all cells but one, and in the lookups that they make."""

    def __init__(self, component, cell):
        super().__init__(component)
        self.known = set(component.cells) - {cell}

    def given(self, forms, echelon):
        self.are_known([lookup.multiplicity for lookup in self.component.lookups], forms, echelon)

    def lookups(self, forms, echelon, bounds):
        for lookup in self.component.lookups:
            if self.is_made(lookup, forms, 2):
                self.are_known(lookup.values, forms, echelon)


def bound(component):
    """The cells that a constraint, or a lookup that is always made, fixes whatever the other cells are."""
    facts = Facts(component)
    forms = facts.affine()
    found = set()

    def fixes(node):
        form = forms[node]
        products = 0
        for variable in form:
            if variable and variable[0] == "n":
                products |= component.masks[variable[1]]
        found.update(variable[1:] for variable in form
                     if variable and variable[0] == "c" and not component.bit[variable[1:]] & products)

    for _, node in component.constraints:
        fixes(node)
    for lookup in component.lookups:
        fixes(lookup.multiplicity)
        if set(forms[lookup.multiplicity]) == {None}:
            for value in lookup.values:
                fixes(value)
    return found


def free(component):
    """The cells that may change alone, each with the cases in which it may."""
    found = {}
    for cell in sorted(set(component.main) - bound(component)):
        left, _ = cases(Alone(component, cell))
        if left:
            found[cell] = [path for _, path in left]
    return found
