"""Cairo's statement: docs/protocol/cairo.md. Claim, public data, transcript, and the checks beside the proof."""

from dataclasses import dataclass, field

from circle import verify
from field import ONE, P, Q, ZERO
from program import Program
from proof import Reader, Refused, require

STARK_PRIME = 2**251 + 17 * 2**192 + 1
FIRST_BIG, CHUNKS, INTERACTION_BITS = 1 << 30, 16, 24
OPCODES, ADDRESS_TO_ID, ID_TO_BIG = 428564188, 1444891767, 1662111297

# Section 2: the components, tables with the log of their rows, builtins with where their segment begins.
COMPONENTS = """add_opcode add_opcode_small add_ap_opcode assert_eq_opcode assert_eq_opcode_imm
assert_eq_opcode_double_deref blake_compress_opcode call_opcode_abs call_opcode_rel_imm generic_opcode
jnz_opcode_non_taken jnz_opcode_taken jump_opcode_abs jump_opcode_double_deref jump_opcode_rel jump_opcode_rel_imm
mul_opcode mul_opcode_small qm_31_add_mul_opcode ret_opcode verify_instruction blake_round blake_g blake_round_sigma:4
triple_xor_32 verify_bitwise_xor_12:20 add_mod_builtin=add_mod bitwise_builtin=bitwise mul_mod_builtin=mul_mod
pedersen_builtin=pedersen pedersen_builtin_narrow_windows=pedersen poseidon_builtin=poseidon
range_check96_builtin=range_check96 range_check_builtin=range_check ec_op_builtin=ec_op partial_ec_mul_generic
pedersen_aggregator_window_bits_18 partial_ec_mul_window_bits_18 pedersen_points_table_window_bits_18:23
pedersen_aggregator_window_bits_9 partial_ec_mul_window_bits_9 pedersen_points_table_window_bits_9:15
poseidon_aggregator poseidon_3_partial_rounds_chain poseidon_full_round_chain cube_252 poseidon_round_keys:6
range_check_252_width_27 memory_address_to_id memory_id_to_big memory_id_to_small range_check_6:6 range_check_8:8
range_check_11:11 range_check_12:12 range_check_18:18 range_check_20:20 range_check_4_3:7 range_check_4_4:8
range_check_9_9:18 range_check_7_2_5:14 range_check_3_6_6_3:18 range_check_4_4_4_4:16 range_check_3_3_3_3_3:15
verify_bitwise_xor_4:8 verify_bitwise_xor_7:14 verify_bitwise_xor_8:16 verify_bitwise_xor_9:18""".split()

# The builtins of the public segments, with the cells of an instance; 0 where no component proves them.
SEGMENTS = {
    "output": 0, "pedersen": 3, "range_check": 1, "ecdsa": 0, "bitwise": 5, "ec_op": 7, "keccak": 0, "poseidon": 6,
    "range_check96": 1, "add_mod": 7, "mul_mod": 7,
}  # fmt: skip

VARIANTS = ("canonical", "canonical_without_pedersen", "canonical_small")
# Section 7: those of a blowup of 2 without lifting.
ROOTS = {
    ("blake2s", "canonical"): "a98e22423bf5d235981f0b36d939ae56ef3be2751c58b032b2831e6e24ba0364",
    ("blake2s", "canonical_without_pedersen"): "4f36cc05752d9c55aa77938952c96e1b437b62edac6ff063ffea661c5a3f14a6",
    ("blake2s", "canonical_small"): "068d1166c9f9f0ec247641ca391ee8396170e69343dfcacc632f9638670d2bec",
    ("blake2s_m31", "canonical"): "5b49002997ffac06c63a9616f701687e8cc3eb55726b0c08a494312826d54c0a",
    ("blake2s_m31", "canonical_without_pedersen"): "f39f017ea305963c5c8a0e5eddf8c061cd14a4723065d732831c352c871fec58",
    ("blake2s_m31", "canonical_small"): "bfaf9a4ec4375775fdf1164133e5b40e5c7bd02d0316416ac4013d61dedbf358",
    ("poseidon252", "canonical"): 0x25AAB6AE27EAE7EF888136D767AB10A5533D93D08957A1B5E5A48FD36061E84,
    ("poseidon252", "canonical_without_pedersen"): 0x1FDACD6E29834987926672FCAC7FDA0577ADCE49999AD96FB0195E745E9CE0,
    ("poseidon252", "canonical_small"): 0x5D30B4449AB831E534ACB873EA09821C1F47668A44A577CC8C6949D7F3798C2,
}


def preprocessed(variant):
    """Section 7: names and logs, in the order of the tree."""
    small = variant == "canonical_small"
    columns = [(f"seq_{k}", k) for k in range(4, 21 if small else 26)]
    columns += [(f"bitwise_xor_{n}_{k}", 2 * n) for n in (4, 7, 8, 9, 10) for k in range(3)]
    for digits in ((4, 3), (4, 4), (9, 9), (7, 2, 5), (3, 6, 6, 3), (4, 4, 4, 4), (3, 3, 3, 3, 3)):
        name = "_".join(map(str, digits))
        columns += [(f"range_check_{name}_column_{k}", sum(digits)) for k in range(len(digits))]
    columns += [(f"poseidon_round_keys_{k}", 6) for k in range(30)] + [(f"blake_sigma_{k}", 4) for k in range(16)]
    if variant == "canonical":
        columns += [(f"pedersen_points_{k}", 23) for k in range(56)]
    if small:
        columns += [(f"pedersen_points_small_{k}", 15) for k in range(56)]
    return sorted(columns, key=lambda column: column[1])


@dataclass
class Claimed:
    """A component of a claim; of the values of big memory each chunk is one."""

    name: str
    log: int
    builtin: str = None
    start: int = 0


@dataclass
class CairoProof:
    program: list = field(default_factory=list)  # of (id, value), as is output
    segments: dict = field(default_factory=dict)  # start id, start, stop id, stop; None where there is none
    output: list = field(default_factory=list)
    safe_call: list = field(default_factory=list)
    first: list = field(default_factory=list)  # pc, ap, fp
    last: list = field(default_factory=list)
    components: list = field(default_factory=list)
    nonce: int = 0
    sums: list = field(default_factory=list)
    proof: object = None
    salt: int = 0
    variant: str = ""


def read(data, suite):
    """The bincode of a proof: section 6."""
    r, cairo = Reader(data, suite), CairoProof()

    def word():
        value = r.u32(), int.from_bytes(r.take(32), "little")
        require(value[1] < STARK_PRIME, "Public", "a felt that is not reduced")
        return value

    cairo.program = r.list(word, 36)
    for name in SEGMENTS:
        pointers = lambda: [r.base() for _ in range(4)]
        cairo.segments[name] = pointers() if name == "output" else r.option(pointers)
    cairo.output, cairo.safe_call = r.list(word, 36), [r.base(), r.base()]
    cairo.first, cairo.last = r.bases(3), r.bases(3)
    require(all(number < P for number, _ in cairo.program + cairo.output), "Public", "an id that is not reduced")
    slots = [read_claim(r, entry) for entry in COMPONENTS]
    cairo.nonce = r.u64()
    for entry, claimed in zip(COMPONENTS, slots):
        if entry == "memory_id_to_big":
            sums = r.option(lambda: (r.elements(), r.element()))
            require((sums is None) == (claimed is None), "Claim", "sums of chunks")
            if claimed is not None:
                require(len(sums[0]) == len(claimed), "Claim", "sums of chunks")
                require(sum(sums[0], ZERO) == sums[1], "Claim", "total of the chunks")
                cairo.sums += sums[0]
        else:
            sums = r.option(lambda: [r.element()])
            require((sums is None) == (claimed is None), "Claim", f"sum of {entry}")
            cairo.sums += sums or []
    require(slots[COMPONENTS.index("memory_id_to_big")] is not None, "Claim", "no memory_id_to_big")
    cairo.components = [one for slot in slots for one in slot or []]
    cairo.proof, cairo.salt = r.proof(), r.base()
    variant = r.u32()
    require(variant < len(VARIANTS), "Decode", "variant")
    cairo.variant = VARIANTS[variant]
    r.end()
    return cairo


def read_claim(r, entry):
    name, _, builtin = entry.partition("=")
    table, _, log = name.partition(":")
    if log:
        return r.option(lambda: [Claimed(table, int(log))])
    if name == "memory_id_to_big":
        return r.option(lambda: [Claimed(name, log) for log in r.list(r.u32, 4)])
    if builtin:
        return r.option(lambda: [Claimed(name, r.u32(), builtin, r.u32())])
    return r.option(lambda: [Claimed(name, r.u32())])


class Cairo:
    """The statement, as `circle.verify` asks for it."""

    has_interaction, tall_preprocessed = True, True

    def __init__(self, cairo, programs, samples_all):
        """`programs` are the exported components of the claim, in its order."""
        self.cairo, self.samples_all = cairo, samples_all
        self.check_claim()
        self.check_public()
        by_name = {}
        for data in programs:
            by_name.setdefault(data["name"], []).append(data)
        self.components = []
        for one in cairo.components:
            known = by_name.get(one.name)
            require(known, "Program", f"none of {one.name}")
            self.components.append(Program(known.pop(0) if len(known) > 1 else known[0], one.log))
        self.check_uses()

    def preprocessed(self, lifting):
        return preprocessed(self.cairo.variant)

    def check_claim(self):
        """Section 3: sizes."""
        components = self.cairo.components
        names = [one.name for one in components]
        require(all(4 <= one.log <= 29 for one in components), "Claim", "rows")
        require("memory_address_to_id" in names, "Claim", "no memory_address_to_id")
        require(all(one.log <= 25 for one in components if one.name == "memory_address_to_id"), "Claim", "addresses")
        require(not {"pedersen_builtin", "pedersen_builtin_narrow_windows"} <= set(names), "Claim", "pedersen twice")
        chunks = [one.log for one in components if one.name == "memory_id_to_big"]
        require(len(chunks) <= CHUNKS, "Claim", "chunks")
        require(FIRST_BIG + sum(1 << log for log in chunks) <= P, "Claim", "ids")

    def check_uses(self):
        """Section 3: no relation is used as often as the prime."""
        public = 2 * self.public_uses()
        uses = {}
        for component in self.components:
            for name, count in component.uses().items():
                uses[name] = uses.get(name, public) + (count << component.log)
        require(all(count < P for count in uses.values()), "Claim", "uses of a relation")

    def public_uses(self):
        cairo = self.cairo
        present = sum(pointers is not None for pointers in cairo.segments.values())
        return len(cairo.program) + len(cairo.output) + 2 + 2 * present

    def check_public(self):
        """Section 4."""
        cairo = self.cairo
        pointers = sum(each is not None for each in cairo.segments.values())
        (pc, ap, fp), (last_pc, last_ap, last_fp) = cairo.first, cairo.last
        require((pc, last_pc) == (1, 5) and ap == fp == last_fp, "Public", "registers")
        require(ap + pointers <= last_ap and last_ap + len(cairo.output) <= P, "Public", "last ap")
        require(len(cairo.program) == max(ap - 3, 0), "Public", "length of the program")
        start = [value for _, value in cairo.program[:6]]
        expected = [0x040780017FFF7FFF, pointers, 0x1104800180018000, None, 0x010780017FFF7FFF, 0]
        require(len(start) == 6 and all(b in (a, None) for a, b in zip(start, expected)), "Public", "program")
        for name, cells in SEGMENTS.items():
            _, begin, _, stop = cairo.segments[name] or [0] * 4
            if name == "output":
                require(begin + len(cairo.output) == stop, "Public", "length of the output")
                require(not cairo.output or begin == last_ap, "Public", "place of the output")
                continue
            proven = [one for one in cairo.components if one.builtin == name]
            if not proven:
                require(begin == stop, "Public", f"segment of {name}, which nothing proves")
                continue
            end = proven[0].start + (cells << proven[0].log)
            require(begin != stop and begin == proven[0].start, "Public", f"segment of {name}")
            require(begin <= stop <= end <= P and (stop - begin) % cells == 0, "Public", f"length of {name}")

    def begin(self, channel, config, proof, claimed):
        """Section 5."""
        cairo = self.cairo
        channel.mix_felts([Q((cairo.salt, 0, 0, 0))])
        config.mix_into(channel)
        channel.mix_root(proof.commitments[0])
        bits, logs = [], []
        for entry in COMPONENTS:
            name = entry.partition("=")[0].partition(":")[0]
            own = [one.log for one in cairo.components if one.name == name]
            width = CHUNKS if name == "memory_id_to_big" else 1
            bits += [1] * len(own) + [0] * (width - len(own))
            logs += own
        for numbers in ([len(bits)], bits, logs, [len(cairo.program)], self.public_words()):
            channel.mix_felts(pack4(numbers))
        for section in (cairo.output, cairo.program):
            channel.mix_root(channel.leaf([limb for _, value in section for limb in limbs(value)]))
        channel.mix_root(proof.commitments[1])
        require(channel.works(INTERACTION_BITS, cairo.nonce), "ProofOfWork", "interaction")
        channel.mix_u64(cairo.nonce)
        drawn = channel.draw_felts(2)
        try:
            total = sum(claimed, self.public_sum(*drawn))
        except ZeroDivisionError:
            raise Refused("Degenerate") from None
        require(total == ZERO, "Sums", "of the lookups")
        channel.mix_felts(claimed)
        channel.mix_root(proof.commitments[2])
        return drawn

    def public_words(self):
        cairo = self.cairo
        words = [*cairo.first, *cairo.last]
        for pointers in cairo.segments.values():
            words += pointers or [0] * 4
        return words + cairo.safe_call + [number for number, _ in cairo.output + cairo.program]

    def public_sum(self, z, alpha):
        """Section 5.2."""
        cairo, powers = self.cairo, [ONE]
        while len(powers) < 30:
            powers.append(powers[-1] * alpha)

        def use(*values):
            return (sum((power * value for power, value in zip(powers, values)), ZERO) - z).inverse()

        ap, last_ap = cairo.first[1], cairo.last[1]
        cells = [(cairo.first[0] + i, word) for i, word in enumerate(cairo.program)]
        cells += [(ap - 2, (cairo.safe_call[0], ap)), (ap - 1, (cairo.safe_call[1], 0))]
        present = [pointers for pointers in cairo.segments.values() if pointers is not None]
        for i, (start_id, start, stop_id, stop) in enumerate(present):
            cells += [(ap + i, (start_id, start)), (last_ap - len(present) + i, (stop_id, stop))]
        cells += [(last_ap + i, word) for i, word in enumerate(cairo.output)]
        total = use(OPCODES, *cairo.last) - use(OPCODES, *cairo.first)
        for address, (number, value) in cells:
            total = total + use(ADDRESS_TO_ID, address, number) + use(ID_TO_BIG, number, *limbs(value))
        return total

    def check_preprocessed(self, layout, z, proof):
        """Their root was compared."""


def pack4(numbers):
    numbers = list(numbers) + [0] * (-len(numbers) % 4)
    return [Q(tuple(numbers[k : k + 4])) for k in range(0, len(numbers), 4)]


def limbs(value):
    return [value >> 9 * i & 511 for i in range(28)]


def verify_cairo(data, suite, programs, least_bits, samples_all=False, root=None):
    """The proof of these bytes shows the run that it states, or `Refused` is raised. Without a root the constant of the
    variant is asked for."""
    cairo = read(data, suite)
    config = cairo.proof.config
    if root is None:
        require((config.log_blowup, config.lifting) == (1, None), "Root", "none is known")
        root = ROOTS[suite.name, cairo.variant]
        root = bytes.fromhex(root) if isinstance(root, str) else root
    require(cairo.proof.commitments and cairo.proof.commitments[0] == root, "Root", "of the preprocessed columns")
    verify(Cairo(cairo, programs, samples_all), cairo.sums, cairo.proof, suite, least_bits)
    return cairo
