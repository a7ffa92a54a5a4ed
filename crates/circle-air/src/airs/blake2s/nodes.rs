//! The component of nodes: one row each. It has the message and the digest, and leaves the rounds between to the other
//! component.

use gpu_hal::hash::blake2s::SIGMA;
use num_traits::One;
use stwo::core::fields::m31::BaseField;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval};

use super::function::CHAIN;
use super::relation::{MESSAGE, NODE, STATE, TUPLE, XOR, entry, halves};
use crate::airs::lookup::Lookup;

/// Number of the node; whether there is one, whether it has children.
pub(super) const IDS: [&str; 3] = ["node", "is_node", "is_inner"];

/// Message (bytes), exclusive ors of its pairs, final state (bytes), exclusive or of its halves, digest.
pub(super) const COLUMNS: usize = 64 + 32 + 64 + 32 + 32;

#[derive(Clone)]
pub(super) struct Nodes {
    pub(super) log_size: u32,
    pub(super) lookup: Lookup<TUPLE>,
}

impl FrameworkEval for Nodes {
    fn log_size(&self) -> u32 {
        self.log_size
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.log_size + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let [node, is_node, is_inner] =
            IDS.map(|id| eval.get_preprocessed_column(PreProcessedColumnId { id: id.to_owned() }));
        let mut columns = |count: usize| -> Vec<E::F> { (0..count).map(|_| eval.next_trace_mask()).collect() };
        let (message, checks, state, mixed, digest) = (columns(64), columns(32), columns(64), columns(32), columns(32));
        let lookup = &self.lookup;
        let mut xor = |x: &E::F, y: &E::F, out: &E::F| {
            entry(&mut eval, lookup, E::EF::one(), XOR, [x.clone(), y.clone(), out.clone()]);
        };
        // The message must be of bytes; the exclusive ors may be anything.
        for (pair, check) in message.chunks_exact(2).zip(&checks) {
            xor(&pair[0], &pair[1], check);
        }
        let chain: Vec<E::F> = CHAIN
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .map(|byte| E::F::from(BaseField::from(u32::from(byte))))
            .collect();
        for i in 0..32 {
            xor(&state[i], &state[32 + i], &mixed[i]);
            xor(&mixed[i], &chain[i], &digest[i]);
        }
        let words: Vec<E::F> = halves::<E>(&message).collect();
        for (number, order) in SIGMA.iter().enumerate() {
            let number = E::F::from(BaseField::from(number));
            let ordered = order.iter().flat_map(|&word| words[2 * word..2 * word + 2].iter().cloned());
            let given = [node.clone(), number].into_iter().chain(ordered);
            entry(&mut eval, lookup, -E::EF::from(is_node.clone()), MESSAGE, given);
        }
        entry(&mut eval, lookup, E::EF::from(is_node.clone()), STATE, std::iter::once(node.clone()).chain(state));
        let left = node.clone() + node.clone();
        let right = left.clone() + E::F::one();
        for (child, bytes) in [(left, &message[..32]), (right, &message[32..])] {
            let taken = std::iter::once(child).chain(halves::<E>(bytes));
            entry(&mut eval, lookup, E::EF::from(is_inner.clone()), NODE, taken);
        }
        let given = std::iter::once(node).chain(halves::<E>(&digest));
        entry(&mut eval, lookup, -E::EF::from(is_node), NODE, given);
        eval.finalize_logup_in_pairs();
        eval
    }
}
