"""The options, the statement and the file of a compact proof: docs/protocol/goldilocks-compact.md, 2, 7, 8."""

from dataclasses import dataclass, field

from goldilocks import Air, E, P

SUITE, SUITE_NUMBER = "keccak256-compact", 3
MAGIC = bytes.fromhex("89 50 53 54 4B 0D 0A 1A")


class Refused(Exception):
    def __init__(self, check, detail=""):
        super().__init__(f"{check} {detail}".strip())
        self.check = check


def require(condition, check, detail=""):
    if not condition:
        raise Refused(check, detail)


@dataclass
class Statement:
    """The AIR, of which a file must be, and the digest that stands for it in the transcript."""

    air: Air
    digest: bytes


@dataclass
class Options:
    blowup: int
    queries: int
    offset: int
    points: int
    folds: list
    last: int
    work: list
    hiding: int = 0
    logs: list = field(default_factory=list)  # L_0 (of the first trees' rows) to L_{r+1}

    def check(self, air):
        """Section 2, for an AIR."""
        n, b, r = air.n, self.blowup, len(self.folds) - 1
        require(b in (2, 4, 8, 16, 32, 64, 128) and 1 <= self.queries <= 65536, "Options")
        require(n >= 4 and n & (n - 1) == 0 and n * b <= 2**32 and 1 <= air.parts <= b, "Options")
        require(air.main >= 1 and air.frame >= 1, "Options")
        require(0 < self.offset < P and pow(self.offset, n * b, P) != 1, "Options")
        require(self.points in (1, 2) and 0 <= r <= 31 and self.hiding in (0, 1), "Options")
        require(0 <= self.folds[0] <= 4 and all(1 <= s <= 4 for s in self.folds[1:]), "Options")
        require(0 <= self.last <= 10 and 2 ** (sum(self.folds) + self.last) == n, "Options")
        require(len(self.work) == r + 6 and all(0 <= bits <= 64 for bits in self.work), "Options")
        require(air.challenges > 0 or self.work[0] == 0, "Options")
        require(self.folds[0] > 0 or self.work[4] == 0, "Options")
        require(not self.hiding or air.free >= self.masked(air), "Options", "free rows")
        self.logs = [(n * b).bit_length() - 1]
        for s in self.folds:
            self.logs.append(self.logs[-1] - s)

    def bytes(self):
        head = bytes([self.blowup.bit_length() - 1]) + self.queries.to_bytes(4, "big") + be8(self.offset)
        shape = [self.hiding, self.points, len(self.folds) - 1, *self.folds, self.last, *self.work]
        return head + SUITE_NUMBER.to_bytes(2, "big") + bytes(shape)

    def masked(self, air):
        """The rows of a column that a proof shows, at most: section 14."""
        read = air.parts * air.frame
        return self.queries * 2 ** self.folds[0] * (1 + read) + 3 * read + 3 * (self.points - 1)

    @property
    def salts(self):
        """Elements at the end of a row of the first trees."""
        return (1 if self.folds[0] else 2) if self.hiding else 0

    def row(self, air):
        """The bytes of a row of all first trees."""
        trees = 3 if air.aux else 2
        return 8 * (air.main + trees * self.salts) + 24 * (air.aux + air.parts + self.hiding)

    def longest(self, air):
        """The bytes behind the head, of section 9, step 3."""
        trees = 3 if air.aux else 2
        total = self.queries * (2 ** self.folds[0] * self.row(air) + 32 * trees * self.logs[1])
        for s, log in zip(self.folds[1:], self.logs[2:]):
            total += self.queries * (24 * (2**s - 1) + 32 * log)
        return total

    def head(self, air):
        """The length of parts 1 to 12 of section 7."""
        r, roots = len(self.folds) - 1, (3 if air.aux else 2)
        elements = air.width * (air.frame + self.points - 1) + air.parts - 1 + 2**self.last
        return 32 * (roots + r) + 24 * elements + 8 * sum(bits > 0 for bits in self.work)


def be8(value):
    return value.to_bytes(8, "big")


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        part = self.data[self.at : self.at + count]
        require(len(part) == count, "Truncated")
        self.at += count
        return part

    def base(self):
        value = int.from_bytes(self.take(8), "big")
        require(value < P, "NotCanonical")
        return value

    def element(self):
        return E(self.base(), self.base(), self.base())

    def end(self):
        require(self.at == len(self.data), "TrailingBytes")


def read_file(data):
    """Section 8: the parts that a statement is compared with, the options and the bytes of the proof."""
    reader = Reader(data)

    def integer():
        first = reader.take(1)[0]
        if first < 251:
            return first
        require(first <= 253, "File", "integer")
        size = 2 << (first - 251)
        value = int.from_bytes(reader.take(size), "little")
        require(value >= (251 if size == 2 else 1 << (4 * size)), "File", "integer that is not shortest")
        return value

    def string():
        return reader.take(integer())

    def integers(most):
        count = integer()
        require(count <= most, "File", "list")
        return [integer() for _ in range(count)]

    require(reader.take(8) == MAGIC and integer() == 1, "File", "magic and version")
    require(string() == b"goldilocks" and integer() == 3, "File", "protocol")
    name, count = string().decode("ascii", "replace"), integer()
    require(count <= 2, "File", "parameters")
    parameters = [(string().decode("ascii", "replace"), integer()) for _ in range(count)]
    log_n, suite = integer(), string().decode("ascii", "replace")
    require(suite == SUITE, "File", f"suite {suite}")
    require(2 <= log_n <= 31, "Options", "rows")
    blowup, queries, offset, points = integer(), integer(), integer(), integer()
    folds, last, work, hiding = integers(32), integer(), integers(37), integer()
    require(reader.take(1) == b"\0", "File", "seed")
    public, count = [], integer()
    require(count <= 16, "File", "public inputs")
    for _ in range(count):
        require(integer() == 8, "File", "public input")
        public.append(reader.base())
    proof = string()
    reader.end()
    require(folds, "Options", "folds")
    options = Options(blowup, queries, offset, points, folds, last, work, hiding)
    return name, parameters, log_n, public, options, proof
