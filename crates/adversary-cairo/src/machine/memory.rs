//! Segments, and where they come to lie.

use starknet_types_core::felt::Felt;

use super::value::{Address, Value};

/// Cells of a segment at most: programs are not that long, and memory is kept.
const MAX_CELLS: u32 = 1 << 26;

/// The cells of each segment; `None` was never written.
#[derive(Default)]
pub(super) struct Memory(pub(super) Vec<Vec<Option<Value>>>);

impl Memory {
    pub(super) fn get(&self, at: Address) -> Option<Value> {
        *self.0.get(at.segment)?.get(at.offset as usize)?
    }

    /// Writes a cell, once: a cell that has another value is an error.
    pub(super) fn set(&mut self, at: Address, value: Value) -> Option<()> {
        let segment = self.0.get_mut(at.segment).filter(|_| at.offset < MAX_CELLS)?;
        let offset = at.offset as usize;
        if segment.len() <= offset {
            segment.resize(offset + 1, None);
        }
        match segment[offset] {
            Some(before) => (before == value).then_some(()),
            None => {
                segment[offset] = Some(value);
                Some(())
            }
        }
    }

    /// The values of all cells by their addresses, of which the first is 1, and where each segment begins. Segments
    /// follow one another. One whose instances have `cells(segment)` cells grows to a power of two of them, 16 at
    /// least, by copies of its last. A cell that nobody wrote is zero.
    pub(super) fn relocate(&self, cells: impl Fn(usize) -> Option<usize>) -> Option<(Vec<Felt>, Vec<u32>)> {
        let sizes = self.0.iter().enumerate().map(|(number, segment)| match cells(number) {
            Some(cells) if !segment.is_empty() => (segment.len() / cells).next_power_of_two().max(16) * cells,
            _ => segment.len(),
        });
        let sizes: Vec<usize> = sizes.collect();
        let mut bases = vec![1u32];
        for size in &sizes {
            bases.push(bases.last()?.checked_add(u32::try_from(*size).ok()?)?);
        }
        let mut values = Vec::new();
        for (number, (segment, size)) in self.0.iter().zip(&sizes).enumerate() {
            let start = values.len();
            for cell in segment {
                values.push(match cell {
                    None => Felt::ZERO,
                    Some(Value::Felt(felt)) => *felt,
                    Some(Value::Address(to)) => Felt::from(bases.get(to.segment)?.checked_add(to.offset)?),
                });
            }
            let last = segment.len() - cells(number).unwrap_or(0).min(segment.len());
            let missing = size - segment.len();
            let copies: Vec<Felt> = values[start + last..].iter().copied().cycle().take(missing).collect();
            values.extend(copies);
        }
        Some((values, bases))
    }
}
