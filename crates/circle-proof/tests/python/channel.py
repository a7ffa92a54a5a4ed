"""Suites of hash functions: channel and trees of docs/protocol/circle.md, sections 4 and 6."""

from hashlib import blake2s, sha256
from struct import pack, unpack

from field import P, Q

FELT_PRIME = 2**251 + 17 * 2**192 + 1


class Blake2s:
    name, digest_is = "blake2s", staticmethod(lambda digest: True)
    empty = property(lambda self: self.hash(b""))

    def __init__(self):
        self.digest, self.counter = bytes(32), 0

    @staticmethod
    def hash(data):
        return blake2s(data).digest()

    def mix(self, data):
        self.digest, self.counter = self.hash(self.digest + data), 0

    def mix_felts(self, values):
        coordinates = [c for value in values for c in value.c]
        self.mix(pack(f"<{len(coordinates)}I", *coordinates))

    def mix_u32s(self, words):
        self.mix(pack(f"<{len(words)}I", *words))

    def mix_u64(self, x):
        self.mix_u32s([x & 0xFFFFFFFF, x >> 32])

    mix_root = mix

    def draw_u32s(self):
        words = unpack("<8I", self.hash(self.digest + pack("<IB", self.counter, 0)))
        self.counter += 1
        return words

    def draw_base(self):
        while True:
            words = self.draw_u32s()
            if all(word < 2 * P for word in words):
                return [word % P for word in words]

    def draw_felt(self):
        return Q(tuple(self.draw_base()[:4]))

    def draw_felts(self, k):
        stream = []
        while len(stream) < 4 * k:
            stream += self.draw_base()
        return [Q(tuple(stream[4 * i : 4 * i + 4])) for i in range(k)]

    def works(self, bits, nonce):
        prefix = self.hash(pack("<I", 0x12345678) + bytes(12) + self.digest + pack("<I", bits))
        return trailing(self.hash(prefix + pack("<Q", nonce))[:16]) >= bits

    def leaf(self, values):
        return self.hash(pack(f"<{len(values)}I", *values))

    def parent(self, left, right):
        return self.hash(left + right)


def trailing(low):
    """The zero bits at the end of 16 bytes, the lowest first."""
    number = int.from_bytes(low, "little")
    return (number & -number).bit_length() - 1 if number else 128


class Blake2sM31(Blake2s):
    name = "blake2s_m31"

    @staticmethod
    def hash(data):
        return pack("<8I", *(word % P for word in unpack("<8I", blake2s(data).digest())))

    @staticmethod
    def digest_is(digest):
        return all(word < P for word in unpack("<8I", digest))


def key(number):
    """Starknet's round constants."""
    return int.from_bytes(sha256(b"Hades%d" % number).digest(), "big") % FELT_PRIME


KEYS = [[key(3 * r + i) for i in range(3)] for r in range(91)]


def hades(a, b, c):
    """Starknet's permutation: 4 full rounds, 83 of one cube, 4 full ones."""
    for r, keys in enumerate(KEYS):
        a, b, c = a + keys[0], b + keys[1], pow(c + keys[2], 3, FELT_PRIME)
        if not 4 <= r < 87:
            a, b = pow(a, 3, FELT_PRIME), pow(b, 3, FELT_PRIME)
        total = a + b + c
        a, b, c = (total + 2 * a) % FELT_PRIME, (total - 2 * b) % FELT_PRIME, (total - 3 * c) % FELT_PRIME
    return a, b, c


def packed(words, bits):
    number = 0
    for word in words:
        number = (number << bits) + word
    return number


def sponge(felts):
    a, b, c = 0, 0, 0
    for k in range(0, len(felts) - 1, 2):
        a, b, c = hades(a + felts[k], b + felts[k + 1], c)
    if len(felts) % 2:
        return hades(a + felts[-1], b + 1, c)[0]
    return hades(a + 1, b, c)[0]


class Poseidon252(Blake2s):
    """Digests are felts."""

    name, empty = "poseidon252", 0
    digest_is = staticmethod(lambda digest: True)

    def __init__(self):
        self.digest, self.counter = 0, 0

    def mix(self, felts):
        self.digest, self.counter = sponge([self.digest] + felts), 0

    def mix_felts(self, values):
        pairs = (values[k : k + 2] for k in range(0, len(values), 2))
        self.mix([packed([1] + [c for value in pair for c in value.c], 31) for pair in pairs])

    def mix_u32s(self, words):
        self.mix(sized(words, 7, 32))

    def mix_u64(self, x):
        self.digest, self.counter = self.parent(self.digest, x), 0

    mix_root = mix_u64

    def draw(self):
        drawn = hades(self.digest, self.counter, 3)[0]
        self.counter += 1
        return drawn

    def draw_u32s(self):
        drawn = self.draw()
        return [drawn >> 32 * k & 0xFFFFFFFF for k in range(7)]

    def draw_base(self):
        drawn = self.draw()
        return [(drawn >> 31 * k & P) % P for k in range(8)]

    def works(self, bits, nonce):
        h = self.parent(sponge([0x12345678, self.digest, bits]), nonce)
        return trailing((h % 2**128).to_bytes(16, "little")) >= bits

    def leaf(self, values):
        return sponge(sized(values, 8, 31))

    def parent(self, left, right):
        return hades(left, right, 2)[0]


def sized(words, count, bits):
    """Felts of so many words each; one of fewer says how many."""
    felts = []
    for k in range(0, len(words), count):
        part = list(words[k : k + count])
        fill = [0] * (count - len(part)) if bits == 32 else []
        felts.append(packed(part + fill, bits) + (len(part) << 248 if len(part) < count else 0))
    return felts


SUITES = {suite.name: suite for suite in (Blake2s, Blake2sM31, Poseidon252)}
