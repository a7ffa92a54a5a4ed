"""What is known: columns that provers choose, which no lookup says; components whose rows may differ though they agree
in their inputs; cells that may change alone. The check compares all of it with what it finds."""

# All components that are asked about.
COMPONENTS = 98

# By file and number, main columns that the prover chooses: inputs of a row.
CHOSEN = {
    # A permutation of the other column, the count of a block's rows, which is in no constraint, and reads in any order.
    "goldilocks-fibonacci-rap": {0: [1]},
    "goldilocks-bit-flags": {0: [1]},
    "goldilocks-read-only-memory": {0: [0, 1, 2, 3]},
    "goldilocks-read-only-memory-logup": {0: [0, 1, 2, 3, 4]},
    "circle-wide-fibonacci": {0: [0, 1]},
    "circle-range-squares": {0: [0, 2]},
    # The data of leaves, and the bytes of messages.
    "circle-poseidon2": {0: list(range(16))},
    "circle-rpo-m31": {0: list(range(16))},
    "circle-blake2s": {1: list(range(64))},
}


def columns(*ranges):
    """Columns from first to last, several times."""
    return [column for first, last in ranges for column in range(first, last + 1)]


FELT = "not decided: digits, quotient and carries of a felt that is computed, which may be r or r + P below 2^252"
SLOPE = FELT + "; the slope where both points have the same x"
REDUCED = "the flags by which verify_reduced_252 compares with P may be set where the limbs below are zero"
PADDING = "in rows that belong to nothing"
ROTATION = PADDING + ("; in the others the cells behind the first rotation by 12 bits, which a test of all bytes shows"
                      " to be the only ones (airs/blake2s/rounds.rs)")
ROOT = "behind the first fifth root: it is the only one, as 5 does not divide p - 1, which the facts do not know"
HALVES = ("the inverse where the low half is zero; that the halves are the only ones takes bounds and the product at"
          " once, which the facts do not combine")
OTHERS = "columns of another instruction than the row's (forgeries/free.rs); there are more cases than are looked at"
SHARED = ("the last offset and the first flags share a limb, which may be split in any way; their sum is fixed, and"
          " whoever looks it up bounds both")
FIRST = "in the first instance whether it is the first, and then what stands before the segment"
MODULUS_ADD = f"whether c is a + b or a + b - p where p is 0, with the carries; {FIRST}"
MODULUS_MUL = f"the quotient where p is 0, with the carries; {FIRST}"

# By file, number and name: the columns that facts leave, and the reason as far as it is known. Where the solver finds
# no rows, nothing here shows that they can differ, or that they cannot.
LISTED = {
    "circle-blake2s:0:blake2s": (columns((0, 431)), ROTATION),
    "circle-blake2s:1:blake2s": (columns((96, 223)), PADDING),
    "circle-rpo-m31:0:rpo-m31": (columns((40, 519)), ROOT),
    "circle-fibonacci:0:fibonacci": ([0], "rows behind the last step"),
    "goldilocks-periodic:0:periodic": ([0], "even rows, on which the constraint is off"),
    "circuit:3:m_31_to_u_32": (columns((1, 3)), HALVES),
    "cairo:9:generic_opcode": (columns((81, 81), (112, 232), (234, 240)), OTHERS),
    "cairo:20:verify_instruction": ([3, 4, 14], SHARED),
    "cairo:26:add_mod_builtin": (columns((0, 0), (61, 66), (73, 83), (252, 266)), MODULUS_ADD),
    "cairo:28:mul_mod_builtin": (columns((0, 0), (61, 66), (73, 83), (252, 283), (364, 425)), MODULUS_MUL),
    "cairo:34:ec_op_builtin": (columns((145, 147)), REDUCED),
    "cairo:35:partial_ec_mul_generic": (columns((125, 144), (146, 622)), SLOPE),
    "cairo:36:pedersen_aggregator_window_bits_18": (columns((59, 64)), REDUCED),
    "cairo:37:partial_ec_mul_window_bits_18": (columns((128, 295)), SLOPE),
    "cairo:39:pedersen_aggregator_window_bits_9": (columns((59, 64)), REDUCED),
    "cairo:40:partial_ec_mul_window_bits_9": (columns((142, 309)), SLOPE),
    "cairo:42:poseidon_aggregator": (columns((90, 256)), FELT),
    "cairo:43:poseidon_3_partial_rounds_chain": (columns((82, 167)), FELT),
    "cairo:44:poseidon_full_round_chain": (columns((92, 124)), FELT),
    "cairo:45:cube_252": (columns((28, 139)), FELT),
}

# By component of Cairo programs, those of fewer than `FREE_CELLS` cells: columns that may change alone in some row.
FREE_CELLS = 180
FREE = {
    "add_opcode": [1, 2],
    "add_opcode_small": [1, 2],
    "add_ap_opcode": [2],
    "assert_eq_opcode": [1, 2],
    "assert_eq_opcode_imm": [1, 2],
    "assert_eq_opcode_double_deref": [1, 2],
    "blake_compress_opcode": [2],
    "jnz_opcode_non_taken": [1, 2],
    "jnz_opcode_taken": [1, 2],
    "jump_opcode_abs": [1, 2],
    "jump_opcode_double_deref": [1, 2],
    "jump_opcode_rel": [1, 2],
    "jump_opcode_rel_imm": [1, 2],
    "mul_opcode": [1, 2],
    "mul_opcode_small": [1, 2],
    "qm_31_add_mul_opcode": [1, 2],
    "ret_opcode": [1],
    "blake_g": [1, 5, 9, 11],
    "poseidon_3_partial_rounds_chain": [0],
    "poseidon_full_round_chain": [0],
    "memory_address_to_id": list(range(0, 32, 2)),
}
