//! All components of a version's AIR, whatever a claim has: for readers of the AIR.

use std::ops::RangeInclusive;

use cairo_run::{Pointer, PublicMemory, State};
use circle_air::{AirComponent, TupleKind};
use field::QM31;

use crate::components::Rows;
use crate::version::{AirVersion, Claimed, PublicData};

/// Log2 of the rows that all components may have.
pub const LOG_ROWS: RangeInclusive<u32> = 4..=25;

/// The components of a version's AIR, each with as many rows: fixed tables have their own.
#[derive(Clone)]
pub struct Shapes<V: AirVersion> {
    claim: V::Claim,
}

impl<V: AirVersion> Shapes<V> {
    /// The components with `2^log_rows` rows; segments of builtins begin at address `first_address`. `None` if they may
    /// not have as many rows ([`LOG_ROWS`]).
    pub fn new(log_rows: u32, first_address: u32) -> Option<Self> {
        let claimed = V::COMPONENTS.iter().map(|component| Claimed {
            name: component.name,
            log_size: (!matches!(component.rows, Rows::Table(..))).then_some(log_rows),
            is_numbered: component.numbered,
            builtin: match component.rows {
                Rows::Segment(builtin) => Some((builtin.name, first_address)),
                _ => None,
            },
        });
        let nowhere = Pointer { id: 0, value: 0 };
        let memory = PublicMemory {
            program: Vec::new(),
            safe_call_ids: [0; 2],
            output_pointers: [nowhere; 2],
            pointers: Vec::new(),
            output: Vec::new(),
        };
        let state = State { pc: 0, ap: 0, fp: 0 };
        // No component reads public data.
        let public = PublicData { memory, initial_state: state, final_state: state };
        let claim = LOG_ROWS.contains(&log_rows).then(|| V::claim(public, &claimed.collect::<Vec<_>>()))?;
        Some(Self { claim })
    }

    /// Their names, in the order of their columns.
    pub fn names() -> impl Iterator<Item = &'static str> {
        V::COMPONENTS.iter().map(|component| component.name)
    }

    /// The components in order, given [`AirVersion::DRAWS`] elements.
    pub fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        V::components(&self.claim, drawn, 0)
    }

    /// The kinds of their tuples.
    pub fn kinds() -> Vec<TupleKind> {
        V::tuple_kinds()
    }
}
