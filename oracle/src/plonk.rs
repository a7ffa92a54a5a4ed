//! The lookup columns of plonk as a user of stwo makes them: packed, by all threads, straight from stwo's columns.

use rayon::prelude::*;
use stwo::core::fields::qm31::SecureField;
use stwo::prover::backend::simd::m31::{LOG_N_LANES, PackedBaseField};
use stwo::prover::backend::simd::qm31::PackedSecureField;
use stwo_constraint_framework::LogupTraceGenerator;

use crate::reference::Evaluation;

/// Tree 2 of plonk (section 17) with its sum: batches `1 / (a_wire, a)`, `1 / (b_wire, b)` and `-uses / (c_wire, c)`.
///
/// `wires` are the preprocessed columns `a_wire`, `b_wire`, `c_wire`; `main` the main columns that start with `uses`,
/// `a`, `b`, `c`.
pub fn interaction(
    wires: [&Evaluation; 3],
    main: &[Evaluation],
    drawn: &[SecureField],
) -> (Vec<Evaluation>, SecureField) {
    let log_size = main[0].domain.log_size();
    let [z, alpha] = [drawn[0], drawn[1]].map(PackedSecureField::broadcast);
    let one = PackedSecureField::broadcast(SecureField::from(1));
    let mut generator = LogupTraceGenerator::new(log_size);
    for (batch, wire) in wires.into_iter().enumerate() {
        let (wire, value, uses) = (&wire.values.data, &main[batch + 1].values.data, &main[0].values.data);
        let fraction = |vector: usize| -> (PackedSecureField, PackedSecureField) {
            let numerator = if batch < 2 { one } else { lift(-uses[vector]) };
            (numerator, alpha * value[vector] + wire[vector] - z)
        };
        generator.col_from_par_iter((0..1usize << (log_size - LOG_N_LANES)).into_par_iter().map(fraction));
    }
    generator.finalize_last()
}

fn lift(value: PackedBaseField) -> PackedSecureField {
    value.into()
}
