"""The bytes of a proof and of a file: docs/protocol/circle.md, sections 5, 14 and 20."""

from dataclasses import dataclass, field
from struct import unpack_from

from channel import FELT_PRIME, SUITES
from field import P, Q

MAGIC = bytes.fromhex("89 50 53 54 4B 0D 0A 1A")


class Refused(Exception):
    def __init__(self, check, detail=""):
        super().__init__(f"{check} {detail}".strip())
        self.check = check


def require(condition, check, detail=""):
    if not condition:
        raise Refused(check, detail)


@dataclass
class Config:
    """`lifting` is None where there is none."""

    pow_bits: int
    log_blowup: int
    log_last: int
    queries: int
    fold_step: int
    lifting: int

    def check(self):
        """What needs no statement."""
        require(self.pow_bits <= 32, "Options", "bits of work")
        require(1 <= self.log_blowup <= 16 and self.log_last <= 10, "Options", "blowup or last layer")
        require(1 <= self.queries <= 65536 and 1 <= self.fold_step <= 30, "Options", "queries or folds")
        require(self.lifting is None or self.lifting <= 30, "Options", "lifting")

    def mix_into(self, channel):
        first = (self.pow_bits, self.log_blowup, self.queries, self.log_last)
        channel.mix_felts([Q(first), Q((self.fold_step, self.lifting or 0, 0, 0))])


@dataclass
class Layer:
    witness: list
    decommitment: list
    commitment: object


@dataclass
class Proof:
    config: Config = None
    commitments: list = field(default_factory=list)
    sampled: list = field(default_factory=list)  # of tree, column, point
    decommitments: list = field(default_factory=list)
    queried: list = field(default_factory=list)  # of tree, column, query
    nonce: int = 0
    layers: list = field(default_factory=list)
    last: list = field(default_factory=list)


class Reader:
    """bincode 1."""

    def __init__(self, data, suite):
        self.data, self.at, self.suite = data, 0, suite

    def take(self, count):
        part = self.data[self.at : self.at + count]
        require(len(part) == count, "Decode", "truncated")
        self.at += count
        return part

    def u8(self):
        return self.take(1)[0]

    def u32(self):
        return int.from_bytes(self.take(4), "little")

    def u64(self):
        return int.from_bytes(self.take(8), "little")

    def count(self, least):
        """The number of items of at least so many bytes that follow."""
        count = self.u64()
        require(count * least <= len(self.data) - self.at, "Decode", "length")
        return count

    def list(self, item, least):
        return [item() for _ in range(self.count(least))]

    def option(self, item):
        tag = self.u8()
        require(tag <= 1, "Decode", "option")
        return item() if tag else None

    def bases(self, count):
        """Elements of M31, one after the other."""
        values = unpack_from(f"<{count}I", self.take(4 * count))
        require(all(value < P for value in values), "Decode", "not reduced")
        return values

    def base(self):
        return self.bases(1)[0]

    def base_list(self):
        return self.bases(self.count(4))

    def element(self):
        return Q(self.bases(4))

    def elements(self):
        values = self.bases(4 * self.count(16))
        return [Q(values[k : k + 4]) for k in range(0, len(values), 4)]

    def hash(self):
        if self.suite.name == "poseidon252":
            text = self.take(self.count(1))
            require(text.isdigit() and (text == b"0" or text[0] != 48), "Decode", "digits of a felt")
            require(len(text) <= 76 and int(text) < FELT_PRIME, "Decode", "felt")
            return int(text)
        digest = self.take(32)
        require(self.suite.digest_is(digest), "Decode", "digest")
        return digest

    def hashes(self):
        return self.list(self.hash, 9 if self.suite.name == "poseidon252" else 32)

    def layer(self):
        return Layer(self.elements(), self.hashes(), self.hash())

    def config(self):
        pow_bits, log_blowup, log_last, queries = self.u32(), self.u32(), self.u32(), self.u64()
        return Config(pow_bits, log_blowup, log_last, queries, self.u32(), self.option(self.u32))

    def proof(self):
        proof = Proof(self.config(), self.hashes())
        proof.sampled = self.list(lambda: self.list(self.elements, 8), 8)
        proof.decommitments = self.list(self.hashes, 8)
        proof.queried = self.list(lambda: self.list(self.base_list, 8), 8)
        proof.nonce = self.u64()
        proof.layers = [self.layer()]
        proof.layers += self.list(self.layer, 25 if self.suite.name == "poseidon252" else 48)
        proof.last = self.elements()
        require(1 << self.u32() == len(proof.last), "Decode", "log size of the last layer")
        return proof

    def end(self):
        require(self.at == len(self.data), "Decode", "trailing bytes")


def read_proof(data, suite):
    reader = Reader(data, suite)
    proof = reader.proof()
    reader.end()
    return proof


class FileReader(Reader):
    def integer(self):
        first = self.u8()
        if first < 251:
            return first
        require(first <= 253, "File", "integer")
        size = 2 << (first - 251)
        value = int.from_bytes(self.take(size), "little")
        require(value >= (251 if size == 2 else 1 << 4 * size), "File", "integer that is not shortest")
        return value

    def string(self):
        return self.take(self.integer())

    def text(self):
        name = self.string()
        letters = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
        require(1 <= len(name) <= 64 and all(byte in letters for byte in name), "File", "name")
        return name.decode("ascii")

    def bounded(self, item, most):
        count = self.integer()
        require(count <= most, "File", "list")
        return [item() for _ in range(count)]


@dataclass
class File:
    air: str
    parameters: list  # of (name, integer)
    log_rows: int
    words: list
    sums: list
    proof: bytes
    suite: type


def read_file(data):
    """Section 20. What is wrong with it is of the check `File`, also where it is cut."""
    reader = FileReader(data, None)
    try:
        require(reader.take(8) == MAGIC and reader.integer() == 1, "File", "magic and version")
        require(reader.text() == "circle", "File", "protocol")
        air = reader.text()
        parameters = reader.bounded(lambda: (reader.text(), reader.integer()), 64)
        names = [name for name, _ in parameters]
        require(names == sorted(set(names)), "File", "order of parameters")
        log_rows, words = reader.integer(), reader.bounded(reader.integer, 65536)
        require(log_rows <= 30 and all(word < 2**32 for word in words), "File", "rows or words")
        sums, proof = reader.bounded(reader.element, 65536), reader.string()
        suite = "blake2s"
        if reader.at < len(data):
            suite = reader.text()
            require(suite in SUITES and suite != "blake2s", "File", "suite")
        reader.end()
    except Refused as refused:
        raise Refused("File", str(refused)) from None
    return File(air, parameters, log_rows, words, sums, proof, SUITES[suite])
