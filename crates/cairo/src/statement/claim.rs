//! The claim of a run: its public data, and how many rows each of its components has.

use cairo_air::air::PublicData;
use cairo_air::claims::CairoClaim;
use cairo_air::components::*;

use super::list::{with_components, with_segments};
use crate::witness::sizes::{Size, Sizes};

/// The claim of a run of these sizes.
pub(crate) fn claim(public_data: PublicData, sizes: &Sizes) -> CairoClaim {
    let memory_id_to_big = Some(memory_id_to_big::Claim { big_log_sizes: sizes.big_log_sizes() });
    macro_rules! all {
        (() ($($before:ident)*) ($($after:ident)*)) => {
            CairoClaim {
                public_data,
                $($before: sizes.get(stringify!($before)).map($before::Claim::of),)*
                memory_id_to_big,
                $($after: sizes.get(stringify!($after)).map($after::Claim::of),)*
            }
        };
    }
    with_components!(all!())
}

/// What the claim says of a component.
trait Of {
    fn of(size: &Size) -> Self;
}

macro_rules! of_rows {
    ($($name:ident)*) => {
        $(impl Of for $name::Claim {
            fn of(size: &Size) -> Self {
                Self { log_size: size.log_size }
            }
        })*
    };
}

of_rows! {
    add_opcode add_opcode_small add_ap_opcode assert_eq_opcode assert_eq_opcode_imm assert_eq_opcode_double_deref
    blake_compress_opcode call_opcode_abs call_opcode_rel_imm generic_opcode jnz_opcode_non_taken jnz_opcode_taken
    jump_opcode_abs jump_opcode_double_deref jump_opcode_rel jump_opcode_rel_imm mul_opcode mul_opcode_small
    qm_31_add_mul_opcode ret_opcode verify_instruction blake_round blake_g triple_xor_32 partial_ec_mul_generic
    pedersen_aggregator_window_bits_18 partial_ec_mul_window_bits_18 pedersen_aggregator_window_bits_9
    partial_ec_mul_window_bits_9 poseidon_aggregator poseidon_3_partial_rounds_chain poseidon_full_round_chain cube_252
    range_check_252_width_27 memory_address_to_id memory_id_to_small
}

macro_rules! of_segment {
    ($($name:ident $start:ident)*) => {
        $(impl Of for $name::Claim {
            fn of(size: &Size) -> Self {
                // An address is below 2^29.
                Self { log_size: size.log_size, $start: size.start as u32 }
            }
        })*
    };
}

with_segments!(of_segment);

macro_rules! of_table {
    ($($name:ident)*) => {
        $(impl Of for $name::Claim {
            fn of(_: &Size) -> Self {
                Self {}
            }
        })*
    };
}

of_table! {
    blake_round_sigma verify_bitwise_xor_12 pedersen_points_table_window_bits_18 pedersen_points_table_window_bits_9
    poseidon_round_keys range_check_6 range_check_8 range_check_11 range_check_12 range_check_18 range_check_20
    range_check_4_3 range_check_4_4 range_check_9_9 range_check_7_2_5 range_check_3_6_6_3 range_check_4_4_4_4
    range_check_3_3_3_3_3 verify_bitwise_xor_4 verify_bitwise_xor_7 verify_bitwise_xor_8 verify_bitwise_xor_9
}
