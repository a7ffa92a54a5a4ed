//! The room that tasks take in the memory of their bootloader's run.

use super::packed::PackedOutput;
use super::tasks::{TaskSource, Tasks};
use crate::pie::{Address, CairoPie, Program};

/// Words of a program's header before the names of its builtins.
pub(super) const HEADER: usize = 4;

/// Words of a program of a task with its header.
fn words(program: &Program) -> usize {
    HEADER + program.builtins.len() + program.data.len()
}

/// The last cell of each segment of a task that has a value.
fn last_cells(pie: &CairoPie) -> impl Iterator<Item = Address> {
    let next = pie.memory.iter().skip(1).map(|cell| Some(cell.address.segment)).chain([None]);
    let last = pie.memory.iter().zip(next).filter(|(cell, next)| Some(cell.address.segment) != *next);
    last.map(|(cell, _)| cell.address)
}

/// The addresses that tasks take when they are loaded, and the input of their bootloader.
pub(super) fn span(tasks: &Tasks) -> u64 {
    let input = tasks.unpacking.iter().flat_map(|unpacking| {
        let config = &unpacking.config;
        let packed = unpacking.packed_outputs.iter().map(PackedOutput::words);
        packed.chain([(config.simple_bootloaders.len() + config.cairo_verifiers.len()) as u64])
    });
    tasks.all().map(|task| of_task(&task.source)).chain(input).fold(0, u64::saturating_add)
}

/// The addresses that a task takes: the words of its program with their header, and of each other segment of a run
/// those up to the last that has a value.
pub(super) fn of_task(task: &TaskSource) -> u64 {
    let cells = match task {
        TaskSource::Pie(pie) => Some(last_cells(pie).filter(|last| last.segment != 0).map(|last| last.offset + 1)),
        TaskSource::Program(_) => None,
    };
    cells.into_iter().flatten().fold(words(task.program()) as u64, u64::saturating_add)
}
