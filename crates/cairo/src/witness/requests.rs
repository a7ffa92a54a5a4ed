//! Requests that the host counts before programs run: each key has one row, with a multiplicity.

use cairo_run::{Run, Segment, State};
use rayon::prelude::*;

use super::error::WitnessError;
use crate::components::bounds::addresses;
use crate::components::{Component, Rows};

/// Fewest states that are worth a task of their own.
const LEAST_PART: usize = 1 << 14;

/// Distinct keys in ascending order, and how often each is requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    width: usize,
    keys: Vec<u32>,
    counts: Vec<u32>,
}

impl Requests {
    /// Number of distinct keys.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether nothing is requested.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Words of a key.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Word `word` of every key.
    pub fn words(&self, word: usize) -> impl Iterator<Item = u32> {
        self.keys.iter().skip(word).step_by(self.width).copied()
    }

    /// The multiplicities.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The instructions by address. An opcode's rows beyond its states are about its first one: its calling rows among
    /// them request it, too.
    pub(super) fn instructions(
        input: &Run,
        components: &[Component],
        calling_rows: fn(usize) -> usize,
    ) -> Result<Self, WitnessError> {
        let last = addresses(input);
        let opcodes = components.iter().filter_map(|Component { name, rows, .. }| match rows {
            Rows::States(of) => Some((*name, of(&input.state_transitions.casm_states_by_opcode))),
            _ => None,
        });
        let highest = |states: &[State]| states.iter().map(|state| state.pc).max();
        let parts = |length| opcodes.clone().flat_map(move |(_, states)| states.chunks(length)).collect::<Vec<_>>();
        let pc = parts(LEAST_PART).into_par_iter().filter_map(highest).max().unwrap_or(0);
        if pc as usize > last {
            let is_there = |(_, states): &(&str, &[State])| highest(states) == Some(pc);
            let (component, _) = opcodes.clone().find(is_there).expect("an opcode has the highest");
            return Err(WitnessError::Pc { component, pc, addresses: last });
        }
        // A program runs the same few instructions again and again, so threads count each for itself; parts are no
        // shorter than the final sum.
        let pcs = pc as usize + 1;
        let count = |mut counts: Vec<u32>, states: &[State]| {
            states.iter().for_each(|state| counts[state.pc as usize] += 1);
            counts
        };
        let add = |mut counts: Vec<u32>, others: Vec<u32>| {
            counts.iter_mut().zip(others).for_each(|(count, other)| *count += other);
            counts
        };
        let counted = parts(LEAST_PART.max(pcs)).into_par_iter().fold(|| vec![0; pcs], count);
        let mut counts = counted.reduce(|| vec![0; pcs], add);
        for (_, states) in opcodes {
            if let Some(first) = states.first() {
                counts[first.pc as usize] += (calling_rows(states.len()) - states.len()) as u32;
            }
        }
        let counts = counts.into_iter().enumerate();
        let (keys, counts) = counts.filter(|(_, count)| *count > 0).map(|(pc, count)| (pc as u32, count)).unzip();
        Ok(Self { width: 1, keys, counts })
    }

    /// The ids of the instances of a builtin, which lie in the memory.
    pub(super) fn ids<const CELLS: usize>(input: &Run, segment: Segment) -> Self {
        let ids = &input.memory.address_to_id[segment.begin_addr..segment.stop_ptr];
        let mut instances: Vec<[u32; CELLS]> =
            ids.par_chunks_exact(CELLS).map(|instance| std::array::from_fn(|cell| instance[cell])).collect();
        instances.par_sort_unstable();
        let groups = instances.chunk_by(|a, b| a == b);
        let (keys, counts): (Vec<_>, _) = groups.map(|group| (group[0], group.len() as u32)).unzip();
        Self { width: CELLS, keys: keys.into_flattened(), counts }
    }
}
