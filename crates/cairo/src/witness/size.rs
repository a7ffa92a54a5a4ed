//! How many rows a component has.

use super::requests::Requests;
use crate::components::bounds::BIG_CHUNK;
use crate::components::{Component, Rows};
use crate::version::Claimed;

/// The rows of a component.
#[derive(Clone, Debug)]
pub struct Size {
    /// The component.
    pub component: &'static Component,
    /// Its place among the components of its version.
    pub number: usize,
    /// Its entries, of which the rows are; entries of memory_address_to_id are addresses, entries of memory values
    /// belong to all chunks.
    pub entries: usize,
    /// A row beyond the entries is about entry `row mod period`, where a component has such rows.
    pub period: usize,
    /// Log2 of its rows.
    pub log_size: u32,
    /// Where its part of the memory begins: the address of a builtin's segment, the first value of a chunk; else 0.
    pub start: usize,
    /// Keys that the host has counted, if these are the rows.
    pub requests: Option<Requests>,
}

impl Size {
    /// Its rows.
    pub fn rows(&self) -> usize {
        1 << self.log_size
    }

    /// Its part of a claim.
    pub(crate) fn claimed(&self) -> Claimed {
        let Component { name, rows, numbered, .. } = *self.component;
        // An address is below 2^29.
        let builtin = match rows {
            Rows::Segment(builtin) => Some((builtin.name, self.start as u32)),
            _ => None,
        };
        let log_size = (!matches!(rows, Rows::Table(..))).then_some(self.log_size);
        Claimed { name, log_size, is_numbered: numbered, builtin }
    }

    /// The component's name; that of a chunk of big values ends with its number: `memory_id_to_big[0]`.
    pub fn name(&self) -> String {
        match self.component.rows {
            Rows::Big => format!("{}[{}]", self.component.name, self.start / BIG_CHUNK),
            _ => self.component.name.to_owned(),
        }
    }
}
