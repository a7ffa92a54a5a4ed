"""Asks of every component whether two rows that agree in its inputs can differ: `cargo xtask determinism`.

The facts of `facts.py` decide. What they leave must be what `listed.py` lists, with the reason; the solver then looks
for two such rows. Then constraints are left out one at a time: some of each component, all with `--all`."""

import argparse
import pathlib
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from air import read
from answer import answer
from facts import Facts, cases
from free import free
from listed import CHOSEN, COMPONENTS, FREE, FREE_CELLS, LISTED

# Constraints of a component that are left out one at a time, without `--all`; and the seconds of a component from which
# on none is.
SAMPLES, SLOW = 3, 20
MEMORY = 3 << 30


def left_columns(component, given, without=None):
    """The columns that the facts leave, and how many cases there were."""
    left, seen = cases(Facts(component, given, without))
    return sorted({cell[1] for facts, _ in left for cell in facts.left()}), seen


def bounded():
    """A worker's memory: the solver knows no bound of its own."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def ask(task):
    """The answer for one component, as text and as a complaint."""
    path, number, arguments = task
    component = read(path)[number]
    key = f"{path.stem}:{number}:{component.name}"
    given = tuple(CHOSEN.get(path.stem, {}).get(number, ()))
    begun = time.monotonic()
    columns, seen = left_columns(component, given)
    taken = time.monotonic() - begun
    lines, wrong = [], []
    expected, why = LISTED.get(key, ([], None))
    if columns != sorted(expected):
        wrong.append(f"{key}: columns {columns} may differ, {sorted(expected)} are listed")
    verdict = "deterministic"
    if columns:
        found = answer(component, given, arguments.seconds) if taken < SLOW else None
        models = sorted({column for of in found.columns.values() for column in of}) if found else []
        verdict = f"{len(columns)} columns left, {len(models)} of them in rows that were found: {why}"
    else:
        turned, others, models = deleted(component, given, arguments, taken)
        verdict += f"; of {turned + len(others)} constraints left out, {turned} turn that, {models} with rows"
        if others:
            verdict += f", not {others}"
    if path.stem == "cairo" and len(component.main) < FREE_CELLS:
        alone = sorted(cell[1] for cell in free(component))
        if alone != FREE.get(component.name, []):
            wrong.append(f"{key}: columns {alone} may change alone, {FREE.get(component.name, [])} are listed")
    lines.append(f"{key}: {len(component.main)} cells, {seen} cases, {taken:.1f} s: {verdict}")
    return lines, wrong


def deleted(component, given, arguments, taken):
    """Leaves out constraints: how many turn the answer, which do not, and for how many rows were found."""
    numbers = [number for number, _ in component.constraints]
    if not arguments.all:
        numbers = numbers[:: max(1, -(-len(numbers) // SAMPLES))] if taken < SLOW else []
    turned, others, models = 0, [], 0
    for number in numbers:
        found = answer(component, given, arguments.seconds, number)
        turned += found.left
        models += bool(found.models)
        if not found.left:
            others.append(number)
    return turned, others, models


def must_turn(folder):
    """One constraint of Plonk left out must be found, with two rows."""
    [plonk] = read(folder / "circle-plonk.json")
    found = answer(plonk, (), 60, without=0)
    return [] if found.models else ["circle-plonk without constraint 0 has no rows that differ"]


def unknown(tasks):
    """Entries of the lists that no component has, and a number of components that is not theirs."""
    named = [(path, number, read(path)[number].name) for path, number, _ in tasks]
    keys = {f"{path.stem}:{number}:{name}" for path, number, name in named}
    stale = sorted(set(LISTED) - keys) + sorted(set(FREE) - {name for path, _, name in named if path.stem == "cairo"})
    wrong = [f"{key} is listed, and no component" for key in stale]
    return wrong if len(named) == COMPONENTS else [f"{len(named)} components, {COMPONENTS} are listed", *wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seconds", type=int, default=1)
    arguments = parser.parse_args()
    files = sorted(arguments.folder.glob("*.json"))
    tasks = [(path, number, arguments) for path in files for number in range(len(read(path)))]
    wrong, components, sure = must_turn(arguments.folder), 0, 0
    # A worker that dies is an error here; a pool of `multiprocessing` would wait for its answer.
    with ProcessPoolExecutor(2, initializer=bounded) as pool:
        for lines, complaints in pool.map(ask, tasks):
            print(*lines, sep="\n", flush=True)
            components, wrong = components + 1, wrong + complaints
            sure += ": deterministic" in lines[0]
    wrong += unknown(tasks)
    print(f"{sure} of {components} components are deterministic; {len(LISTED)} are listed with what they leave open")
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
