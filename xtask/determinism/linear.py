"""Linear algebra over a prime field with rows that are mostly empty: dictionaries of variables and coefficients."""

from heapq import heapify, heappop, heappush


class Echelon:
    """Rows that are zero. A pivot stands in its own row alone among the rows that came later."""

    def __init__(self, prime):
        self.prime = prime
        self.rows, self.order = {}, {}

    def reduce(self, row):
        """The row without pivots; it is zero if and only if the result is empty."""
        row = dict(row)
        todo = [(self.order[variable], variable) for variable in row if variable in self.rows]
        heapify(todo)
        while todo:
            # The row of a pivot has later pivots alone, so that each is met once.
            _, variable = heappop(todo)
            factor = row.get(variable)
            if factor is None:
                continue
            for other, value in self.rows[variable].items():
                sum_ = (row.get(other, 0) - factor * value) % self.prime
                if sum_:
                    row[other] = sum_
                    if other in self.rows and other != variable:
                        heappush(todo, (self.order[other], other))
                else:
                    row.pop(other, None)
        return row

    def add(self, row):
        """Adds a row that is zero; whether it is new."""
        row = self.reduce(row)
        if not row:
            return False
        # Products before cells, so that what is left is about cells.
        pivot = min(row, key=lambda variable: (variable[0] != "n", variable))
        inverse = pow(row[pivot], -1, self.prime)
        self.order[pivot] = len(self.order)
        self.rows[pivot] = {variable: value * inverse % self.prime for variable, value in row.items()}
        return True


def centred(value, prime):
    """The representative of least absolute value."""
    value %= prime
    return value - prime if value > prime // 2 else value


def relations(forms, prime):
    """Sparse relations between rows: dictionaries of numbers of rows and coefficients whose sum is zero."""
    found, pivots = [], {}
    for number in sorted(forms, key=lambda number: (len(forms[number]), number)):
        row, made = dict(forms[number]), {number: 1}
        while True:
            variable = next((variable for variable in row if variable in pivots), None)
            if variable is None:
                break
            factor = row[variable]
            other, of = pivots[variable]
            for source, target in ((other, row), (of, made)):
                for key, value in source.items():
                    sum_ = (target.get(key, 0) - factor * value) % prime
                    if sum_:
                        target[key] = sum_
                    else:
                        target.pop(key, None)
        if not row:
            found.append(made)
            continue
        pivot = next(iter(row))
        inverse = pow(row[pivot], -1, prime)
        scale = lambda source: {key: value * inverse % prime for key, value in source.items()}
        pivots[pivot] = (scale(row), scale(made))
    return found


def all_zero(relation, bounds, prime):
    """Whether numbers within these bounds of absolute value, of which this relation is zero, are all zero: each
    coefficient, times one, is more than all smaller ones can make up, and the sum stays below the prime."""
    for scale in relation.values():
        inverse = pow(scale, -1, prime)
        terms = sorted((abs(centred(value * inverse, prime)), bounds[number]) for number, value in relation.items())
        reach = 0
        for coefficient, bound in terms:
            if coefficient <= reach:
                break
            reach += coefficient * bound
        else:
            if reach < prime:
                return True
    return False
