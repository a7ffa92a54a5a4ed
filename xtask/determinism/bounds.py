"""Intervals of linear forms."""

from linear import centred


class Contradiction(Exception):
    """No row is like that."""


class Bounds:
    """Intervals of linear forms."""

    def __init__(self, prime):
        self.prime, self.intervals = prime, {}

    def add(self, form, low, length):
        """A form is one of the numbers from `low` on, `length` behind it at most."""
        form = dict(form)
        low = centred(low - form.pop(None, 0), self.prime)
        key, negative = frozenset(form.items()), frozenset((one, self.prime - value) for one, value in form.items())
        if negative in self.intervals:
            key, low = negative, -(low + length)
        if key not in self.intervals:
            self.intervals[key] = (low, length)
            return
        other, least = self.intervals[key]
        low = other + centred(low - other, self.prime)
        first, last = max(low, other), min(low + length, other + least)
        if last < first:
            raise Contradiction
        self.intervals[key] = (first, last - first)

    def all(self):
        """Forms without their constants, each with the largest difference of two values."""
        return [(dict(key), length) for key, (_, length) in self.intervals.items()]
