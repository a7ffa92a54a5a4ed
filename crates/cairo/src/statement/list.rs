//! The components of cairo-air by name, in order: of columns, of claimed sums, of constraints.

/// Hands the names of the components, which are those of cairo-air, to a macro: those before the chunks of big memory values in
/// parentheses, then those after them.
macro_rules! with_components {
    ($then:ident!($($args:tt)*)) => {
        $then! {
            ($($args)*)
            (
                add_opcode add_opcode_small add_ap_opcode assert_eq_opcode assert_eq_opcode_imm
                assert_eq_opcode_double_deref blake_compress_opcode call_opcode_abs call_opcode_rel_imm generic_opcode
                jnz_opcode_non_taken jnz_opcode_taken jump_opcode_abs jump_opcode_double_deref jump_opcode_rel
                jump_opcode_rel_imm mul_opcode mul_opcode_small qm_31_add_mul_opcode ret_opcode verify_instruction
                blake_round blake_g blake_round_sigma triple_xor_32 verify_bitwise_xor_12 add_mod_builtin bitwise_builtin
                mul_mod_builtin pedersen_builtin pedersen_builtin_narrow_windows poseidon_builtin range_check96_builtin
                range_check_builtin ec_op_builtin partial_ec_mul_generic pedersen_aggregator_window_bits_18
                partial_ec_mul_window_bits_18 pedersen_points_table_window_bits_18 pedersen_aggregator_window_bits_9
                partial_ec_mul_window_bits_9 pedersen_points_table_window_bits_9 poseidon_aggregator
                poseidon_3_partial_rounds_chain poseidon_full_round_chain cube_252 poseidon_round_keys
                range_check_252_width_27 memory_address_to_id
            )
            (
                memory_id_to_small range_check_6 range_check_8 range_check_11 range_check_12 range_check_18
                range_check_20 range_check_4_3 range_check_4_4 range_check_9_9 range_check_7_2_5 range_check_3_6_6_3
                range_check_4_4_4_4 range_check_3_3_3_3_3 verify_bitwise_xor_4 verify_bitwise_xor_7
                verify_bitwise_xor_8 verify_bitwise_xor_9
            )
        }
    };
}
pub(crate) use with_components;

/// Hands the components of builtins to a macro, each with the field of its claim that says where its segment begins.
macro_rules! with_segments {
    ($then:ident) => {
        $then! {
            add_mod_builtin add_mod_builtin_segment_start
            bitwise_builtin bitwise_builtin_segment_start
            mul_mod_builtin mul_mod_builtin_segment_start
            pedersen_builtin pedersen_builtin_segment_start
            pedersen_builtin_narrow_windows pedersen_builtin_segment_start
            poseidon_builtin poseidon_builtin_segment_start
            range_check96_builtin range_check96_builtin_segment_start
            range_check_builtin range_check_builtin_segment_start
            ec_op_builtin ec_op_builtin_segment_start
        }
    };
}
pub(crate) use with_segments;
