//! The component of exclusive ors: all pairs of bytes.

use field::M31;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval};

use super::relation::{TUPLE, XOR, entry};
use crate::airs::column;
use crate::airs::lookup::Lookup;

/// Two bytes and their exclusive or.
pub(super) const IDS: [&str; 3] = ["xor_left", "xor_right", "xor_result"];

/// Row `256 x + y` has `x`, `y` and their exclusive or.
pub(super) const LOG_SIZE: u32 = 16;

/// The columns of [`IDS`].
pub(super) fn values() -> [Vec<M31>; 3] {
    [|row: usize| row >> 8, |row| row & 0xFF, |row| (row >> 8) ^ (row & 0xFF)]
        .map(|value| column(LOG_SIZE, |row| M31::new(value(row) as u32)))
}

#[derive(Clone)]
pub(super) struct Table {
    pub(super) lookup: Lookup<TUPLE>,
}

impl FrameworkEval for Table {
    fn log_size(&self) -> u32 {
        LOG_SIZE
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        LOG_SIZE + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let triple = IDS.map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }));
        let uses = eval.next_trace_mask();
        entry(&mut eval, &self.lookup, -E::EF::from(uses), XOR, triple);
        eval.finalize_logup();
        eval
    }
}
