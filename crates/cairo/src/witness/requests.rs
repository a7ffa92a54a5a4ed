//! What the host counts before programs run: keys that are requested several times have one row each, with a multiplicity.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;
use stwo_cairo_adapter::ProverInput;
use stwo_cairo_adapter::builtins::MemorySegmentAddresses;

use super::components::{COMPONENTS, Component, Rows};
use super::error::WitnessError;
use super::sizes::{MIN_ROWS, addresses};

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

    /// The instructions by address. An opcode's rows beyond its states are about its first one, and they request it, too.
    pub(super) fn instructions(input: &ProverInput) -> Result<Self, WitnessError> {
        let last = addresses(input);
        let counts: Vec<AtomicU32> = (0..=last).map(|_| AtomicU32::new(0)).collect();
        for Component { name, rows, .. } in COMPONENTS {
            let Rows::States(of) = rows else { continue };
            let states = of(&input.state_transitions.casm_states_by_opcode);
            let count = |pc: u32, times: usize| match counts.get(pc as usize) {
                Some(count) => {
                    count.fetch_add(times as u32, Ordering::Relaxed);
                    Ok(())
                }
                None => Err(WitnessError::Pc { component: name, pc, addresses: last }),
            };
            states.par_iter().try_for_each(|state| count(state.pc.0, 1))?;
            if let Some(first) = states.first() {
                count(first.pc.0, states.len().next_power_of_two().max(MIN_ROWS) - states.len())?;
            }
        }
        let counts = counts.into_iter().map(AtomicU32::into_inner).enumerate();
        let (keys, counts) = counts.filter(|(_, count)| *count > 0).map(|(pc, count)| (pc as u32, count)).unzip();
        Ok(Self { width: 1, keys, counts })
    }

    /// The ids of the instances of a builtin, which lie in the memory.
    pub(super) fn ids<const CELLS: usize>(input: &ProverInput, segment: MemorySegmentAddresses) -> Self {
        let ids = &input.memory.address_to_id[segment.begin_addr..segment.stop_ptr];
        let mut instances: Vec<[u32; CELLS]> =
            ids.par_chunks_exact(CELLS).map(|instance| std::array::from_fn(|cell| instance[cell].0)).collect();
        instances.par_sort_unstable();
        let groups = instances.chunk_by(|a, b| a == b);
        let (keys, counts): (Vec<_>, _) = groups.map(|group| (group[0], group.len() as u32)).unzip();
        Self { width: CELLS, keys: keys.into_flattened(), counts }
    }
}
