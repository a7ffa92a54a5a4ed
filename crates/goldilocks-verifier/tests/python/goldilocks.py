"""The field, its extension and the AIRs of docs/protocol/goldilocks.md, sections 1, 4, 7 and 15."""

from dataclasses import dataclass, field
from typing import Callable

P = 2**64 - 2**32 + 1


def root(k):
    """The root of order 2^k."""
    return pow(1753635133440165772, 1 << (32 - k), P)


class E:
    """An element of F[w]/(w^3 - 2)."""

    __slots__ = ("c",)

    def __init__(self, c0=0, c1=0, c2=0):
        self.c = (c0 % P, c1 % P, c2 % P)

    def __add__(self, other):
        a, b = self.c, lift(other).c
        return E(a[0] + b[0], a[1] + b[1], a[2] + b[2])

    def __neg__(self):
        a = self.c
        return E(-a[0], -a[1], -a[2])

    def __sub__(self, other):
        a, b = self.c, lift(other).c
        return E(a[0] - b[0], a[1] - b[1], a[2] - b[2])

    def __rsub__(self, other):
        return lift(other) - self

    def __mul__(self, other):
        if isinstance(other, int):
            a = self.c
            return E(a[0] * other, a[1] * other, a[2] * other)
        (a0, a1, a2), (b0, b1, b2) = self.c, other.c
        return E(
            a0 * b0 + 2 * (a1 * b2 + a2 * b1),
            a0 * b1 + a1 * b0 + 2 * a2 * b2,
            a0 * b2 + a1 * b1 + a2 * b0,
        )

    __radd__, __rmul__ = __add__, __mul__

    def inverse(self):
        """Raises ZeroDivisionError for zero."""
        a, b, c = self.c
        norm = (a**3 + 2 * b**3 + 4 * c**3 - 6 * a * b * c) % P
        if norm == 0:
            raise ZeroDivisionError
        norm = pow(norm, -1, P)
        return E((a * a - 2 * b * c) * norm, (2 * c * c - a * b) * norm, (b * b - a * c) * norm)

    def __truediv__(self, other):
        return self * lift(other).inverse()

    def __rtruediv__(self, other):
        return lift(other) / self

    def __pow__(self, k):
        result, square = E(1), self
        while k:
            if k & 1:
                result = result * square
            square, k = square * square, k >> 1
        return result

    def __eq__(self, other):
        return self.c == lift(other).c

    __hash__ = None

    def __repr__(self):
        return f"E{self.c}"

    def in_base(self):
        return self.c[1] == self.c[2] == 0

    def bytes(self):
        return b"".join(c.to_bytes(8, "big") for c in self.c)


def lift(value):
    return value if isinstance(value, E) else E(value)


@dataclass
class Transition:
    """An expression in X(column, offset), the periodic values s and the challenges ch, zero where it is active."""

    value: Callable
    degree: int
    end: int = 0
    period: int = 1
    offset: int = 0
    exempt: tuple = ()  # (period, offset) of further exempt rows


@dataclass
class Air:
    name: str
    n: int
    main: int
    aux: int
    frame: int
    challenges: int
    parts: int
    transitions: list
    boundaries: Callable = lambda ch: []  # of the challenges: a list of (column, row, value)
    periodic: list = field(default_factory=list)
    parameters: list = field(default_factory=list)  # the (name, integer) of a file
    public: list = field(default_factory=list)

    @property
    def width(self):
        return self.main + self.aux

    @property
    def constraints(self):
        return len(self.transitions) + len(self.boundaries([E(1)] * self.challenges))

    @property
    def degree(self):
        return max([self.parts] + [t.degree for t in self.transitions])

    @property
    def free(self):
        """The rows at the end that no constraint reads (goldilocks-compact.md, 14.1)."""
        last = [row for _, row, _ in self.boundaries([E(1, 1)] * self.challenges)]
        for t in self.transitions:
            offsets = [-1]
            t.value(
                lambda column, d: offsets.append(d) or E(1, 2), [E()] * len(self.periodic), [E(3)] * self.challenges
            )
            rows = [t.offset + k * t.period for k in range(self.n // t.period - t.end)]
            rows = [row for row in rows if not t.exempt or row % t.exempt[0] != t.exempt[1]]
            if rows and max(offsets) >= 0:
                last.append(rows[-1] + max(offsets))
        return max(0, self.n - 1 - max(last, default=-1))

    def composition(self, x, frame, challenges, beta):
        """C at x, where row d of the frame holds the columns' values at g^d x. Raises ZeroDivisionError."""
        n, g = self.n, root(self.n.bit_length() - 1)
        periodic = [interpolate(values, x ** (n // len(values))) for values in self.periodic]
        total, weight = E(), E(1)
        for t in self.transitions:
            value = lift(t.value(lambda column, d: frame[d][column], periodic, challenges))
            for k in range(1, t.end + 1):
                value = value * (x - pow(g, t.offset + n - k * t.period, P))
            if t.exempt:
                period, offset = t.exempt
                value = value * (x ** (n // period) - pow(g, offset * n // period, P))
            zerofier = x ** (n // t.period) - pow(g, t.offset * n // t.period, P)
            total, weight = total + weight * value / zerofier, weight * beta
        for column, row, value in self.boundaries(challenges):
            total, weight = total + weight * (frame[0][column] - value) / (x - pow(g, row, P)), weight * beta
        return total


def interpolate(values, y):
    """The polynomial that takes the values on the group of their number, at y outside of it."""
    k = len(values)
    w = root(k.bit_length() - 1)
    total = E()
    for i, value in enumerate(values):
        total = total + value * pow(w, i, P) / (y - pow(w, i, P))
    return total * (y**k - 1) / k


def fibonacci_rap(n, public, steps, free=0):
    def permutation(X, s, ch):
        return X(2, 1) * (X(1, 0) + ch[0]) - X(2, 0) * (X(0, 0) + ch[0])

    require(2 <= steps <= n - 1 - free)
    return Air(
        "fibonacci-rap", n, 2, 1, 3, 1, 2 if free else 1,
        [Transition(fibonacci, 1, end=n - steps + 2), Transition(permutation, 2, end=1 + free)],
        lambda ch: [(0, 0, 1), (0, 1, 1), (2, 0, 1)],
        parameters=[("free", free)] * (free > 0) + [("steps", steps)],
    )  # fmt: skip


def fibonacci(X, s, ch):
    return X(0, 2) - X(0, 1) - X(0, 0)


def simple_fibonacci(n, public, free=0):
    a0, a1 = public
    require(free <= n - 3)
    step = Transition(fibonacci, 1, end=2 + free)
    return Air("simple-fibonacci", n, 1, 0, 3, 0, 1, [step], lambda ch: [(0, 0, a0), (0, 1, a1)])


def fibonacci_2_columns(n, public, free=0):
    a0, a1 = public
    require(free <= n - 2)
    transitions = [
        Transition(lambda X, s, ch: X(0, 1) - X(0, 0) - X(1, 0), 1, end=1 + free),
        Transition(lambda X, s, ch: X(1, 1) - X(1, 0) - X(0, 1), 1, end=1 + free),
    ]
    return Air("fibonacci-2-columns", n, 2, 0, 2, 0, 1, transitions, lambda ch: [(0, 0, a0), (1, 0, a1)])


def quadratic(n, public, free=0):
    (a0,) = public
    require(free <= n - 2)
    square = Transition(lambda X, s, ch: X(0, 1) - X(0, 0) ** 2, 2, end=1 + free)
    return Air("quadratic", n, 1, 0, 2, 0, 2, [square], lambda ch: [(0, 0, a0)])


def periodic(n, public):
    a0, a1 = public
    doubling = Transition(lambda X, s, ch: s[0] * fibonacci(X, s, ch), 2, end=2)
    return Air("periodic", n, 1, 0, 3, 0, 1, [doubling], lambda ch: [(0, 0, a0), (0, n - 1, a1)], [[0, 1]])


def pair(ch, a, v):
    """mu - (a + alpha v)"""
    return ch[0] - (a + ch[1] * v)


SORTED = [
    Transition(lambda X, s, ch: (X(2, 1) - X(2, 0)) * (X(2, 1) - X(2, 0) - 1), 2, end=1),
    Transition(lambda X, s, ch: (X(3, 1) - X(3, 0)) * (X(2, 1) - X(2, 0) - 1), 2, end=1),
]


def read_only_memory(n, public):
    a, v, a_sorted, v_sorted = public

    def product(X, s, ch):
        return pair(ch, X(2, 1), X(3, 1)) * X(4, 1) - pair(ch, X(0, 1), X(1, 1)) * X(4, 0)

    def boundaries(ch):
        first = pair(ch, a, v) / pair(ch, a_sorted, v_sorted)
        return [(j, 0, x) for j, x in enumerate(public)] + [(4, 0, first), (4, n - 1, 1)]

    return Air("read-only-memory", n, 4, 1, 2, 2, 1, SORTED + [Transition(product, 2, end=1)], boundaries)


def read_only_memory_logup(n, public):
    a, v, a_sorted, v_sorted, m = public

    def fractions(X, s, ch):
        u, w = pair(ch, X(0, 1), X(1, 1)), pair(ch, X(2, 1), X(3, 1))
        return X(5, 0) * u * w + X(4, 1) * u - w - X(5, 1) * u * w

    def boundaries(ch):
        first = m / pair(ch, a_sorted, v_sorted) - 1 / pair(ch, a, v)
        return [(j, 0, x) for j, x in enumerate(public)] + [(5, 0, first), (5, n - 1, 0)]

    return Air("read-only-memory-logup", n, 5, 1, 2, 2, 2, SORTED + [Transition(fractions, 3, end=1)], boundaries)


def bit_flags(n, public):
    def bit(X, s, ch):
        b = X(0, 0) - 2 * X(0, 1)
        return b * (b - 1)

    require(n % 16 == 0 and not public)
    transitions = [Transition(bit, 2, exempt=(16, 15)), Transition(lambda X, s, ch: X(0, 15), 1, period=16)]
    return Air("bit-flags", n, 2, 0, 16, 0, 2, transitions)


AIRS = {
    "fibonacci-rap": (fibonacci_rap, 0),
    "simple-fibonacci": (simple_fibonacci, 2),
    "fibonacci-2-columns": (fibonacci_2_columns, 2),
    "quadratic": (quadratic, 1),
    "periodic": (periodic, 2),
    "read-only-memory": (read_only_memory, 4),
    "read-only-memory-logup": (read_only_memory_logup, 5),
    "bit-flags": (bit_flags, 0),
}


# Those that take the parameter `free`.
FREE = ("fibonacci-rap", "simple-fibonacci", "fibonacci-2-columns", "quadratic")


def require(condition):
    if not condition:
        raise ValueError("no such AIR")


def air(name, n, public, **parameters):
    """The AIR of the name with n rows. Raises ValueError if there is none."""
    require(name in AIRS and n >= 4 and n & (n - 1) == 0)
    build, inputs = AIRS[name]
    require(len(public) == inputs and all(0 <= x < P for x in public))
    require(set(parameters) - {"free"} == ({"steps"} if name == "fibonacci-rap" else set()))
    # Where it is zero nobody says it.
    require("free" not in parameters or (name in FREE and parameters["free"] > 0))
    made = build(n, public, **parameters)
    if "free" in parameters and not made.parameters:
        made.parameters = [("free", parameters["free"])]
    made.public = list(public)
    return made
