//! The components of cairo-air 1.3, written once, in order: of columns, of claimed sums, of constraints.

/// Hands the table to a macro: its arguments in parentheses, then a line for each component, callers before callees.
///
/// A line begins with the claim's words about the component:
///
/// * `rows`: log2 of its rows;
/// * `numbered`: the same, and the component reads the preprocessed column that numbers the rows, which bounds them;
/// * `segment(START)`: it is numbered and serves a builtin, whose segment begins at the field START;
/// * `chunks`: log2 of the rows of each of its chunks, which are numbered;
/// * `table`: nothing, because its rows are fixed.
///
/// Then come its name, as in cairo-air, and the source of its rows, which `super::witness` reads.
macro_rules! with_components {
    ($then:ident!($($args:tt)*)) => {
        $then! {
            ($($args)*)
            rows add_opcode: states(opcodes);
            rows add_opcode_small: states(opcodes);
            rows add_ap_opcode: states(opcodes);
            rows assert_eq_opcode: states(opcodes);
            rows assert_eq_opcode_imm: states(opcodes);
            rows assert_eq_opcode_double_deref: states(opcodes);
            numbered blake_compress_opcode: states(blake);
            rows call_opcode_abs: states(opcodes);
            rows call_opcode_rel_imm: states(opcodes);
            rows generic_opcode: states(opcodes);
            rows jnz_opcode_non_taken: states(opcodes);
            rows jnz_opcode_taken: states(opcodes);
            rows jump_opcode_abs: states(opcodes);
            rows jump_opcode_double_deref: states(opcodes);
            rows jump_opcode_rel: states(opcodes);
            rows jump_opcode_rel_imm: states(opcodes);
            rows mul_opcode: states(opcodes);
            rows mul_opcode_small: states(opcodes);
            rows qm_31_add_mul_opcode: states(opcodes);
            rows ret_opcode: states(opcodes);
            rows verify_instruction: requests(opcodes, Opcodes);
            rows blake_round: list(blake, BlakeRound, blake_compress_opcode * 10);
            rows blake_g: list(blake, BlakeG, blake_round * 8);
            table blake_round_sigma: table(BlakeSigma, blake_compress_opcode);
            rows triple_xor_32: list(blake, TripleXor, blake_compress_opcode * 8);
            table verify_bitwise_xor_12: table(Xor12, blake_compress_opcode);
            segment(add_mod_builtin_segment_start) add_mod_builtin:
                builtin(mod_builtins::add_mod_builtin, AddMod, always);
            segment(bitwise_builtin_segment_start) bitwise_builtin:
                builtin(builtins::bitwise_builtin, Bitwise, always);
            segment(mul_mod_builtin_segment_start) mul_mod_builtin:
                builtin(mod_builtins::mul_mod_builtin, MulMod, always);
            segment(pedersen_builtin_segment_start) pedersen_builtin:
                builtin(builtins::pedersen_builtin, Pedersen, is_large);
            segment(pedersen_builtin_segment_start) pedersen_builtin_narrow_windows:
                builtin(builtins::pedersen_builtin, Pedersen, is_small);
            segment(poseidon_builtin_segment_start) poseidon_builtin:
                builtin(builtins::poseidon_builtin, Poseidon, always);
            segment(range_check96_builtin_segment_start) range_check96_builtin:
                builtin(builtins::range_check96_builtin, RangeCheck96, always);
            segment(range_check_builtin_segment_start) range_check_builtin:
                builtin(builtins::range_check_builtin, RangeCheck, always);
            segment(ec_op_builtin_segment_start) ec_op_builtin: builtin(ec::ec_op_builtin, EcOp, always);
            rows partial_ec_mul_generic: list(ec, PartialEcMulGeneric, ec_op_builtin * 252);
            numbered pedersen_aggregator_window_bits_18: requests(ec, Pedersen, pedersen_builtin);
            rows partial_ec_mul_window_bits_18: list(ec, PartialEcMulWindow, pedersen_aggregator_window_bits_18 * 28);
            table pedersen_points_table_window_bits_18: table(PedersenPoints18, pedersen_builtin);
            numbered pedersen_aggregator_window_bits_9: requests(ec, Pedersen, pedersen_builtin_narrow_windows);
            rows partial_ec_mul_window_bits_9: list(ec, PartialEcMulWindow, pedersen_aggregator_window_bits_9 * 56);
            table pedersen_points_table_window_bits_9: table(PedersenPoints9, pedersen_builtin_narrow_windows);
            numbered poseidon_aggregator: requests(poseidon, Poseidon, poseidon_builtin);
            rows poseidon_3_partial_rounds_chain: list(poseidon, PoseidonPartialRounds, poseidon_aggregator * 27);
            rows poseidon_full_round_chain: list(poseidon, PoseidonFullRound, poseidon_aggregator * 8);
            rows cube_252: list(poseidon, Cube,
                poseidon_aggregator * 2, poseidon_3_partial_rounds_chain * 3, poseidon_full_round_chain * 3);
            table poseidon_round_keys: table(PoseidonKeys, poseidon_builtin);
            rows range_check_252_width_27: list(poseidon, RangeCheck252,
                poseidon_aggregator * 2, poseidon_3_partial_rounds_chain * 3);
            numbered memory_address_to_id: memory(Addresses);
            chunks memory_id_to_big: memory(Big);
            numbered memory_id_to_small: memory(Small);
            table range_check_6: table(RangeCheck6);
            table range_check_8: table(RangeCheck8);
            table range_check_11: table(RangeCheck11);
            table range_check_12: table(RangeCheck12);
            table range_check_18: table(RangeCheck18);
            table range_check_20: table(RangeCheck20);
            table range_check_4_3: table(RangeCheck4x3);
            table range_check_4_4: table(RangeCheck4x4);
            table range_check_9_9: table(RangeCheck9x9);
            table range_check_7_2_5: table(RangeCheck7x2x5);
            table range_check_3_6_6_3: table(RangeCheck3x6x6x3);
            table range_check_4_4_4_4: table(RangeCheck4x4x4x4);
            table range_check_3_3_3_3_3: table(RangeCheck3x3x3x3x3);
            table verify_bitwise_xor_4: table(Xor4);
            table verify_bitwise_xor_7: table(Xor7);
            table verify_bitwise_xor_8: table(Xor8);
            table verify_bitwise_xor_9: table(Xor9);
        }
    };
}
pub(super) use with_components;

/// Whether a component with these words numbers its rows.
macro_rules! is_numbered {
    (rows) => {
        false
    };
    (table) => {
        false
    };
    ($other:ident) => {
        true
    };
}
pub(super) use is_numbered;
