//! The promises of lookups.

use circle_air::TupleKind;

use super::relation::{GATE, RANGE_CHECK_16, XOR_4, XOR_7, XOR_8, XOR_8_B, XOR_9, XOR_12};

/// The kinds of tuples that the components exchange.
pub fn kinds() -> Vec<TupleKind> {
    let xors = [
        (XOR_4, "xor_4", 4),
        (XOR_7, "xor_7", 7),
        (XOR_8, "xor_8", 8),
        (XOR_8_B, "xor_8_b", 8),
        (XOR_9, "xor_9", 9),
        (XOR_12, "xor_12", 12),
    ];
    let of = |kind: u32, name: &str| TupleKind::new(0, Some(kind), name);
    // A wire is written once.
    let wires = [of(GATE, "wire").with_keys(1), of(RANGE_CHECK_16, "range_check_16").with_bits([16])];
    wires.into_iter().chain(xors.into_iter().map(|(kind, name, bits)| of(kind, name).with_xor(bits))).collect()
}
