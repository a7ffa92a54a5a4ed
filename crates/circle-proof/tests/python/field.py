"""The fields, the points and the orders of docs/protocol/circle.md, sections 1 to 3."""

from functools import lru_cache

P = 2**31 - 1
G = (2, 1268011823)


class Q:
    """An element (a + bi) + (c + di)u of QM31: `c` has its coordinates a, b, c, d."""

    __slots__ = ("c",)

    def __init__(self, coordinates):
        self.c = coordinates

    def __add__(self, other):
        a0, a1, a2, a3 = self.c
        if isinstance(other, int):
            return Q(((a0 + other) % P, a1, a2, a3))
        b0, b1, b2, b3 = other.c
        return Q(((a0 + b0) % P, (a1 + b1) % P, (a2 + b2) % P, (a3 + b3) % P))

    def __sub__(self, other):
        a0, a1, a2, a3 = self.c
        if isinstance(other, int):
            return Q(((a0 - other) % P, a1, a2, a3))
        b0, b1, b2, b3 = other.c
        return Q(((a0 - b0) % P, (a1 - b1) % P, (a2 - b2) % P, (a3 - b3) % P))

    def __rsub__(self, other):
        return lift(other) - self

    def __neg__(self):
        a0, a1, a2, a3 = self.c
        return Q((-a0 % P, -a1 % P, -a2 % P, -a3 % P))

    def __mul__(self, other):
        a0, a1, a2, a3 = self.c
        if isinstance(other, int):
            return Q((a0 * other % P, a1 * other % P, a2 * other % P, a3 * other % P))
        b0, b1, b2, b3 = other.c
        # The products of the parts at u, before they are multiplied by u^2 = 2 + i.
        r, s = a2 * b2 - a3 * b3, a2 * b3 + a3 * b2
        return Q((
            (a0 * b0 - a1 * b1 + 2 * r - s) % P,
            (a0 * b1 + a1 * b0 + r + 2 * s) % P,
            (a0 * b2 - a1 * b3 + a2 * b0 - a3 * b1) % P,
            (a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0) % P,
        ))  # fmt: skip

    __radd__, __rmul__ = __add__, __mul__

    def inverse(self):
        """Raises ZeroDivisionError for zero."""
        a0, a1, a2, a3 = self.c
        r, s = a2 * a2 - a3 * a3, 2 * a2 * a3
        real, imaginary = inverse_cm31(a0 * a0 - a1 * a1 - 2 * r + s, 2 * a0 * a1 - r - 2 * s)
        return self.conjugate() * Q((real, imaginary, 0, 0))

    def __truediv__(self, other):
        return self * lift(other).inverse()

    def __rtruediv__(self, other):
        return lift(other) / self

    def __eq__(self, other):
        return self.c == lift(other).c

    __hash__ = None

    def __repr__(self):
        return f"Q{self.c}"

    def conjugate(self):
        a0, a1, a2, a3 = self.c
        return Q((a0, a1, -a2 % P, -a3 % P))


ZERO, ONE, I, U = Q((0, 0, 0, 0)), Q((1, 0, 0, 0)), Q((0, 1, 0, 0)), Q((0, 0, 1, 0))
BASIS = (ONE, I, U, I * U)


def lift(value):
    return value if isinstance(value, Q) else Q((value % P, 0, 0, 0))


def inverse_cm31(a, b):
    """The inverse of a + bi. Raises ZeroDivisionError for zero."""
    norm = (a * a + b * b) % P
    if norm == 0:
        raise ZeroDivisionError
    norm = pow(norm, -1, P)
    return a * norm % P, -b * norm % P


def combine(values):
    """The element whose coordinates these are, each an element itself."""
    return sum((value * basis for value, basis in zip(values, BASIS)), ZERO)


def add(p, q):
    """The sum of points."""
    (x1, y1), (x2, y2) = p, q
    x, y = x1 * x2 - y1 * y2, x1 * y2 + y1 * x2
    return (x % P, y % P) if isinstance(x, int) else (x, y)


def double_x(x):
    double = 2 * x * x - 1
    return double % P if isinstance(double, int) else double


def doubled(p, times):
    for _ in range(times):
        p = add(p, p)
    return p


def repeated_double_x(x, times):
    for _ in range(times):
        x = double_x(x)
    return x


@lru_cache(maxsize=1 << 16)
def point(index):
    """index * G."""
    index, result, power = index % 2**31, (1, 0), G
    while index:
        if index & 1:
            result = add(result, power)
        power, index = add(power, power), index >> 1
    return result


def generator(log):
    """The index of g_log."""
    return 2 ** (31 - log)


def reverse(index, bits):
    return int(format(index, f"0{bits}b")[::-1], 2) if bits else 0


def domain_point(log, storage):
    """The point of D_log at a storage index."""
    j, half = reverse(storage, log), 2 ** (log - 1)
    index = generator(log + 1) + (j % half) * 2 * generator(log)
    return point(index if j < half else -index)


def line_x(log, storage):
    """The x of the line domain of that log at a storage index."""
    return point(generator(log + 2) + reverse(storage, log) * generator(log))[0]


def row_to_storage(log, row):
    """The storage index of a row."""
    return reverse(row // 2 if row % 2 == 0 else (2 ** (log + 1) - row) // 2, log)


@lru_cache(maxsize=32)
def twiddles(log):
    """Of each layer of the FFT of section 2, by blocks."""
    half, step, points = 2 ** (log - 1), point(2 * generator(log)), [point(generator(log + 1))]
    while len(points) < half:
        points.append(add(points[-1], step))
    stored = [points[reverse(h, log - 1)] for h in range(half)]  # of the even storage indices
    layers = [[y for _, y in stored], [x for x, _ in stored[::2]]]
    while len(layers) < log:
        layers.append([double_x(x) for x in layers[-1][::2]])
    return layers[:log]


@lru_cache(maxsize=32)
def inverse_twiddles(log):
    return [[pow(t, -1, P) for t in layer] for layer in twiddles(log)]


def evaluate_column(rows, at):
    """The polynomial of a column, given by its rows, at a point of QM31."""
    log, (x, y) = len(rows).bit_length() - 1, at
    values = [0] * len(rows)
    for row, value in enumerate(rows):
        values[row_to_storage(log, row)] = value
    coordinate = y
    for layer, inverses in enumerate(inverse_twiddles(log)):
        pairs = zip(values[::2], values[1::2], inverses)
        if layer == 0:
            values = [coordinate * ((a - b) * t % P) + (a + b) for a, b, t in pairs]
        else:
            values = [(a - b) * t * coordinate + (a + b) for a, b, t in pairs]
        coordinate = x if layer == 0 else double_x(coordinate)
    return values[0] * pow(2**log, -1, P)
