"""A verifier of the compact format of Goldilocks proofs, written from docs/protocol/goldilocks-compact.md alone.

    compact.py verify FILE --air NAME --digest HEX [--public N ...] [--steps N] [--log-rows N]
                           [--security KIND-BITS] [--max-bytes N]

The exit code is 0 for a proof that is accepted and 1 for one that is refused, with the name of the check.
"""

import argparse
import sys
from dataclasses import dataclass

import goldilocks
from goldilocks import E, P, lift, root
from keccak import keccak256
from rounds import bits_of_security
from statement import Reader, Refused, Statement, be8, read_file, require

CHALLENGES, BETA, POINTS, GAMMA, ZETA, QUERIES = range(0x20, 0x26)
MAIN, AUX, COMPOSITION, VALUES, LAYER, LAST = range(0x10, 0x16)


@dataclass
class Policy:
    """The bits of a figure (claimed, conjectured, provable) that are asked for, the longest proof, and the most factors
    of end exemptions, which bound the time that C(z) takes."""

    figure: str = "provable"
    bits: int = 100
    longest: int = 1 << 24
    factors: int = 1 << 20


class Transcript:
    """Section 4."""

    def __init__(self, statement, options):
        air, public, chosen = statement.air, statement.air.public, options.bytes()
        shape = [air.n, air.main, air.aux, air.frame, air.challenges, air.parts]
        text = [be8(30), b"polystark compact transcript 1", be8(10), b"goldilocks", be8(3), statement.digest]
        text += [*map(be8, shape), be8(len(chosen)), chosen, be8(len(public)), *map(be8, public)]
        self.state, self.counter = keccak256(b"".join(text)), 0

    def absorb(self, label, data=b""):
        self.state, self.counter = keccak256(self.state + bytes([label]) + be8(len(data)) + data), 0

    def word(self):
        block, place = divmod(self.counter, 4)
        self.counter += 1
        return int.from_bytes(keccak256(self.state + b"\x00" + be8(block))[8 * place : 8 * place + 8], "big")

    def draw(self, label, bits, nonce):
        """The start of a group of challenges: `nonce` reads or searches the nonce, where there is work."""
        self.absorb(label, nonce() if bits else b"")

    def works(self, bits, nonce):
        prefix = keccak256(self.state + b"\xff" + be8(bits))
        return int.from_bytes(keccak256(prefix + nonce)[:8], "big") < 1 << (64 - bits)

    def element(self):
        coordinates = []
        while len(coordinates) < 3:
            word = self.word()
            if word < P:
                coordinates.append(word)
        return E(*coordinates)

    def index(self, log):
        return self.word() >> (64 - log)

    def point(self, parts):
        while True:
            z = self.element()
            if not (z**parts).in_base():
                return z


def reversed_bits(index, log):
    return int(format(index, f"0{log}b")[::-1], 2)


def point(options, layer, position):
    """x_k(i): u_k = L_0 - L_k."""
    log = options.logs[layer]
    shift = pow(options.offset, 1 << (options.logs[0] - log), P)
    return shift * pow(root(log), reversed_bits(position, log), P) % P


def fold(values, x, zeta):
    """The fold of the values of one leaf, in storage order, of which the first stands at x."""
    while len(values) > 1:
        log = len(values).bit_length() - 1
        folded = []
        for i in range(0, len(values), 2):
            y = x * pow(root(log), reversed_bits(i, log), P) % P
            plus, minus = values[i] + values[i + 1], values[i] - values[i + 1]
            folded.append(plus + zeta * minus * pow(y, -1, P))
        values, x, zeta = folded, x * x % P, zeta * zeta
    return values[0]


def siblings(leaves, depth):
    """Level by level, the nodes whose digests an opening sends."""
    levels, known = [], set(leaves)
    for _ in range(depth):
        levels.append([i ^ 1 for i in sorted(known) if i ^ 1 not in known])
        known = {i >> 1 for i in known}
    return levels


def opened_root(leaves, levels, digests):
    """The root over the leaves' digests, with the digests that were sent, in order."""
    digests, nodes = iter(digests), dict(leaves)
    for level in levels:
        nodes.update((i, next(digests)) for i in level)
        nodes = {i >> 1: keccak256(nodes[i] + nodes[i + 1]) for i in nodes if i % 2 == 0}
    return nodes[0]


@dataclass
class Terms:
    """The challenges and values of the DEEP quotient, and its value at a point."""

    air: goldilocks.Air
    points: list
    gamma: E
    frame: list
    anchors: list
    parts: list
    masked: bool = False

    def at(self, x, row, parts):
        air, z = self.air, self.points[0]
        g = root(air.n.bit_length() - 1)
        poles = [(z * pow(g, d, P), values) for d, values in enumerate(self.frame)]
        inverses = [1 / (x - pole) for pole, _ in poles]
        # The mask word stands behind the parts.
        total, weight = (lift(parts[air.parts]), self.gamma) if self.masked else (E(), E(1))
        for j in range(air.width):
            for (_, values), inverse in zip(poles, inverses):
                total, weight = total + weight * (row[j] - values[j]) * inverse, weight * self.gamma
        inverse = 1 / (x - z**air.parts)
        for value, claimed in zip(parts, self.parts):
            total, weight = total + weight * (value - claimed) * inverse, weight * self.gamma
        for value, claimed in zip(row, self.anchors):
            total, weight = total + weight * (value - claimed) / (x - self.points[1]), weight * self.gamma
        return total


def verify(data, statement, policy=Policy()):
    """Returns None if the file holds a proof of the statement that the policy takes; else raises Refused."""
    name, parameters, log_n, public, options, proof = read_file(data)
    air = statement.air
    claim = (name, parameters, 1 << log_n, public)
    require(claim == (air.name, air.parameters, air.n, air.public), "Statement")
    verify_proof(proof, statement, options, policy)


def verify_proof(proof, statement, options, policy):
    """Section 9."""
    air = statement.air
    options.check(air)
    bits = bits_of_security(air, options, policy.figure)
    require(bits >= policy.bits, "Policy", f"{bits} bits of {policy.figure}")
    require(len(proof) <= policy.longest and sum(t.end for t in air.transitions) <= policy.factors, "Policy", "cost")
    head = options.head(air)
    require(head <= len(proof) <= head + options.longest(air), "Length")
    head, reader = read_head(Reader(proof), air, options)
    terms, zetas, indices = replay(head, statement, options)

    r, s0 = len(options.folds) - 1, options.folds[0]
    sets = [sorted(set(indices))]
    for s in options.folds[1:]:
        sets.append(sorted({i >> s for i in sets[-1]}))
    openings = [siblings(leaves, log) for leaves, log in zip(sets, options.logs[1:])]
    # All that the sets ask for, no more and no less, is read before anything of it is hashed.
    expected = openings_length(air, options, sets, openings)
    require(len(proof) >= reader.at + expected, "Truncated")
    require(len(proof) == reader.at + expected, "TrailingBytes")
    trees, sent = [], []
    of_parts = air.parts + options.hiding
    for read, width in ((reader.base, air.main), (reader.element, air.aux), (reader.element, of_parts)):
        if width:
            kinds = [read] * width + [reader.base] * options.salts
            leaves = {i: [[kind() for kind in kinds] for _ in range(1 << s0)] for i in sets[0]}
            trees.append((leaves, width, read_digests(reader, openings[0])))
    for i in range(1, r + 1):
        s, known = options.folds[i], set(sets[i - 1])
        positions = [p for leaf in sets[i] for p in range(leaf << s, (leaf + 1) << s) if p not in known]
        sent.append(({p: reader.element() for p in positions}, read_digests(reader, openings[i])))

    for (leaves, _, digests), committed, which in zip(trees, head.roots, head.names):
        hashed = {i: keccak256(b"".join(encode(x) for row in rows for x in row)) for i, rows in leaves.items()}
        require(opened_root(hashed, openings[0], digests) == committed, "Root", which)
    values = {}
    for i in sets[0]:
        row = [sum((leaves[i][e][:width] for leaves, width, _ in trees[:-1]), []) for e in range(1 << s0)]
        places = [point(options, 0, (i << s0) + e) for e in range(1 << s0)]
        quotients = [terms.at(x, row[e], trees[-1][0][i][e]) for e, x in enumerate(places)]
        values[i] = fold(quotients, places[0], zetas[0])
    for i in range(1, r + 1):
        s, (others, digests) = options.folds[i], sent[i - 1]
        values.update(others)
        leaves = {leaf: [values[p] for p in range(leaf << s, (leaf + 1) << s)] for leaf in sets[i]}
        hashed = {leaf: keccak256(b"".join(map(encode, row))) for leaf, row in leaves.items()}
        require(opened_root(hashed, openings[i], digests) == head.layers[i - 1], "Root", f"layer {i}")
        values = {leaf: fold(row, point(options, i, leaf << s), zetas[i]) for leaf, row in leaves.items()}
    for position in sets[r]:
        x, expected = point(options, r + 1, position), E()
        for c in reversed(head.coefficients):
            expected = expected * x + c
        require(values[position] == expected, "LastLayer", position)


def encode(value):
    return be8(value) if isinstance(value, int) else value.bytes()


def openings_length(air, options, sets, openings):
    """The bytes of part 13 of section 7."""
    digests = [sum(map(len, levels)) for levels in openings]
    rows = len(sets[0]) << options.folds[0]
    total = rows * options.row(air) + 32 * (3 if air.aux else 2) * digests[0]
    for i, s in enumerate(options.folds[1:], 1):
        total += 24 * ((len(sets[i]) << s) - len(sets[i - 1])) + 32 * digests[i]
    return total


def read_digests(reader, levels):
    return [reader.take(32) for level in levels for _ in level]


@dataclass
class Head:
    """Parts 1 to 12 of a proof. A nonce that is not there is None."""

    names: list
    roots: list
    values: list
    layers: list
    coefficients: list
    nonces: list


def read_head(reader, air, options):
    work, r, w = options.work, len(options.folds) - 1, air.width

    def nonce(k):
        nonces.append(reader.take(8) if work[k] else None)

    nonces, names, roots = [], ["main"], [reader.take(32)]
    nonce(0)
    if air.aux:
        names.append("auxiliary")
        roots.append(reader.take(32))
    nonce(1)
    names.append("composition")
    roots.append(reader.take(32))
    nonce(2)
    values = [reader.element() for _ in range(w * (air.frame + options.points - 1) + air.parts - 1)]
    nonce(3)
    nonce(4)
    layers = []
    for i in range(1, r + 1):
        layers.append(reader.take(32))
        nonce(4 + i)
    coefficients = [reader.element() for _ in range(1 << options.last)]
    nonce(r + 5)
    return Head(names, roots, values, layers, coefficients, nonces), reader


def replay(head, statement, options):
    """The rounds of section 6: the terms of the DEEP quotient, the challenges of the folds and the indices."""
    air, transcript = statement.air, Transcript(statement, options)

    def draw(label, k):
        bits, nonce = options.work[k], head.nonces[k]
        require(not bits or transcript.works(bits, nonce), "ProofOfWork", f"draw {k}")
        transcript.draw(label, bits, lambda: nonce)

    transcript.absorb(MAIN, head.roots[0])
    if air.challenges:
        draw(CHALLENGES, 0)
    challenges = [transcript.element() for _ in range(air.challenges)]
    if air.aux:
        transcript.absorb(AUX, head.roots[1])
    draw(BETA, 1)
    beta = transcript.element()
    transcript.absorb(COMPOSITION, head.roots[-1])
    draw(POINTS, 2)
    points = [transcript.point(air.parts) for _ in range(options.points)]
    transcript.absorb(VALUES, b"".join(map(encode, head.values)))
    draw(GAMMA, 3)
    gamma = transcript.element()
    zetas = [None]
    if options.folds[0]:
        draw(ZETA, 4)
        zetas = [transcript.element()]
    for i, layer in enumerate(head.layers):
        transcript.absorb(LAYER, layer)
        draw(ZETA, 5 + i)
        zetas.append(transcript.element())
    transcript.absorb(LAST, b"".join(map(encode, head.coefficients)))
    draw(QUERIES, len(options.work) - 1)
    indices = [transcript.index(options.logs[1]) for _ in range(options.queries)]

    w, R = air.width, air.frame
    frame = [head.values[d * w : (d + 1) * w] for d in range(R)]
    anchors = head.values[R * w : (R + options.points - 1) * w]
    parts = head.values[(R + options.points - 1) * w :]
    try:
        first = air.composition(points[0], frame, challenges, beta)
    except ZeroDivisionError:
        raise Refused("Air") from None
    for k, part in enumerate(parts, 1):
        first = first - points[0] ** k * part
    terms = Terms(air, points, gamma, frame, anchors, [first, *parts], bool(options.hiding))
    return terms, zetas, indices


def main(arguments=None):
    parser = argparse.ArgumentParser(description="A second verifier of compact Goldilocks proofs.")
    command = parser.add_subparsers(required=True).add_parser("verify")
    command.add_argument("file")
    command.add_argument("--air", required=True, choices=goldilocks.AIRS)
    command.add_argument("--digest", required=True, type=bytes.fromhex, help="the digest of the AIR")
    command.add_argument("--public", nargs="*", type=int, default=[])
    command.add_argument("--steps", type=int, help="the parameter of fibonacci-rap; if absent, the file's")
    command.add_argument("--log-rows", type=int, help="if absent, the file's")
    command.add_argument("--security", default="provable-100", help="a figure and its bits")
    command.add_argument("--max-bytes", type=int, default=Policy.longest)
    args = parser.parse_args(arguments)
    figure, _, bits = args.security.partition("-")
    if figure not in ("claimed", "conjectured", "provable") or not bits.isdigit():
        parser.error(f"no figure and bits: {args.security}")
    with open(args.file, "rb") as file:
        data = file.read()
    try:
        _, parameters, log_n, *_ = read_file(data)
        parameters = dict(parameters)
        if args.steps is not None:
            parameters["steps"] = args.steps
        rows = 1 << (log_n if args.log_rows is None else args.log_rows)
        try:
            air = goldilocks.air(args.air, rows, args.public, **parameters)
        except ValueError:
            raise Refused("Statement") from None
        verify(data, Statement(air, args.digest), Policy(figure, int(bits), args.max_bytes))
    except Refused as refused:
        print(f"refused: {refused}")
        return 1
    print("accepted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
