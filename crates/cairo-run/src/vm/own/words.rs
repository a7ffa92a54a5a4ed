//! The values of our machine's memory, in the order of their addresses.

use rayon::prelude::*;

use super::place::relocatable;
use crate::Words;
use crate::machine::{Cell, Memory, Stop};
use crate::pages::Pages;
use crate::vm::layout::Layout;

/// Cells that one task takes.
const CHUNK: usize = 1 << 13;

/// The values, the first of which has address 1. Those of the stack stay where they are: there is room for the program
/// before them, and the other segments come behind.
pub(super) fn of(memory: &mut Memory, layout: &Layout) -> Result<Pages<Words>, Stop> {
    const NO_MEMORY: Stop = Stop::Fails("there is no memory for the values of the run");
    let (stack, cells) = memory.take_stack();
    let mut values: Pages<Words> = cells.whole().cast();
    values.try_grow(layout.end() as usize - 1).ok_or(NO_MEMORY)?;
    let value = |cell: Cell| cell.to_value(|pointer| layout.address(relocatable(pointer)));
    const NOWHERE: Stop = Stop::Fails("a pointer points to no address");
    layout.fill(&mut values, |index, values| {
        let Some(segment) = memory.segments.get(index).filter(|_| index != stack) else {
            return values.par_chunks_mut(CHUNK).try_for_each(|values| {
                values.iter_mut().try_for_each(|words| {
                    *words = value(bytemuck::cast(*words)).ok_or(NOWHERE)?;
                    Ok(())
                })
            });
        };
        let chunks = values.par_chunks_mut(CHUNK).zip(segment.cells().par_chunks(CHUNK));
        chunks.try_for_each(|(values, cells)| {
            values.iter_mut().zip(cells).try_for_each(|(words, cell)| {
                *words = value(*cell).ok_or(NOWHERE)?;
                Ok(())
            })
        })
    })?;
    Ok(values)
}
