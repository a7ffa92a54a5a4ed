"""The answer for a component: can two rows that agree in its inputs differ, where its lookups are answered?"""

from collections import namedtuple

from facts import Facts, cases
from model import broken, rows
from solver import Question

# `left`: whether facts leave anything. `columns`: the main columns that differ in rows that were found, by case.
# `models`: the rows. `open`: cases without an answer.
Answer = namedtuple("Answer", "left columns models open")

# Cases that are asked about, and cells of a case: the solver's memory grows with them, and not with its time alone.
MOST_QUESTIONS, MOST_CELLS = 4, 8


def answer(component, given, seconds, without=None):
    """Facts first; what they leave is the solver's, case by case, the smallest first."""
    left, _ = cases(Facts(component, given, without))
    columns, models, open_ = {}, {}, {}
    small = sorted((case for case in left if len(case[0].left()) <= MOST_CELLS), key=lambda case: len(case[0].left()))
    for facts, path in small[:MOST_QUESTIONS]:
        case = name(component, path)
        try:
            found, model = Question(facts, seconds).ask()
        except MemoryError:
            found, model = "unknown", "memory"
        if found == "sat":
            both = rows(component, facts.values, model)
            wrong = [one for one in broken(component, both) if one != without]
            if wrong:
                found, model = "unknown", f"its model breaks {wrong[0]}"
            else:
                models[case] = both
                columns[case] = sorted({cell[1] for cell in component.main if both[0][cell] != both[1][cell]})
        if found == "unknown":
            open_[case] = (sorted({cell[1] for cell in facts.left()}), model)
    return Answer(bool(left), columns, models, open_)


def name(component, path):
    """A case for a reader."""
    return ", ".join(step if isinstance(step, str) else
                     f"{expression(component, step[0])} {'=' if step[1] else '!='} 0" for step in path)


def expression(component, node, depth=2):
    """A node for a reader."""
    kind = component.nodes[node]
    if kind[0] == "const":
        return str(kind[1])
    if kind[0] == "load":
        label = component.label(kind[1:])
        return label if component.tables[kind[1]]["role"] == "main" else f"{component.tables[kind[1]]['role']} {label}"
    if depth == 0:
        return f"node {node}"
    operands = [expression(component, operand, depth - 1) for operand in kind[1:]]
    sign = {"add": " + ", "sub": " - ", "mul": " * "}
    return f"-{operands[0]}" if kind[0] == "neg" else "(" + sign[kind[0]].join(operands) + ")"
