//! Names of a circuit's preprocessed columns, which are the same for all circuits, and their order.

use circle_air::PreprocessedColumn;

/// The columns of each kind of gates, in the order of their components.
pub(crate) const GATES: [&[&str]; 5] = [
    &["eq_in0_address", "eq_in1_address"],
    &[
        "qm31_ops_add_flag",
        "qm31_ops_sub_flag",
        "qm31_ops_mul_flag",
        "qm31_ops_pointwise_mul_flag",
        "qm31_ops_in0_address",
        "qm31_ops_in1_address",
        "qm31_ops_out_address",
        "qm31_ops_mults",
    ],
    &[
        "triple_xor_input_addr_0",
        "triple_xor_input_addr_1",
        "triple_xor_input_addr_2",
        "triple_xor_output_addr",
        "triple_xor_multiplicity",
    ],
    &["m31_to_u32_input_addr", "m31_to_u32_output_addr", "m31_to_u32_multiplicity"],
    &[
        "blake_g_gate_input_addr_a",
        "blake_g_gate_input_addr_b",
        "blake_g_gate_input_addr_c",
        "blake_g_gate_input_addr_d",
        "blake_g_gate_input_addr_f0",
        "blake_g_gate_input_addr_f1",
        "blake_g_gate_output_addr_a",
        "blake_g_gate_output_addr_b",
        "blake_g_gate_output_addr_c",
        "blake_g_gate_output_addr_d",
        "blake_g_gate_multiplicity",
    ],
];

/// Bits of the words of each table of xors.
const XOR_BITS: [u32; 5] = [4, 7, 8, 9, 10];

/// The preprocessed columns of a circuit, in the order of the tree: by height, and among columns of one height by
/// component. `gates` has log2 of the gates of each kind: `eq`, `qm31_ops`, `triple_xor`, `m_31_to_u_32` and
/// `blake_g_gate`.
pub fn columns(gates: [u32; 5]) -> Vec<PreprocessedColumn> {
    let of_gates = GATES.into_iter().zip(gates);
    let of_gates = of_gates.flat_map(|(ids, log_size)| ids.iter().map(move |id| PreprocessedColumn::new(id, log_size)));
    let of_xors = XOR_BITS.into_iter().flat_map(|bits| {
        [0, 1, 2].map(|column| PreprocessedColumn::new(&format!("bitwise_xor_{bits}_{column}"), 2 * bits))
    });
    let mut all: Vec<_> = of_gates.chain([PreprocessedColumn::new("seq_16", 16)]).chain(of_xors).collect();
    all.sort_by_key(|column| column.log_size);
    all
}
