//! Builtins: what their cells must be, given the others.
//!
//! A cell that an instruction reads is computed at once. All others are computed when the run has ended, on all cores.

use rayon::prelude::*;

use super::cell::{Cell, Pointer};
use super::compute::{Results, compute_proven, results};
use super::memory::{FIRST_BUILTIN, Memory, Segment};
use super::simulated::Simulated;
use super::stop::Stop;
use crate::BuiltinName;

/// The builtins that every run has a segment for, in the order of their segments.
pub(crate) const BUILTINS: [BuiltinName; 9] = [
    BuiltinName::Output,
    BuiltinName::Pedersen,
    BuiltinName::RangeCheck,
    BuiltinName::Bitwise,
    BuiltinName::EcOp,
    BuiltinName::Poseidon,
    BuiltinName::RangeCheck96,
    BuiltinName::AddMod,
    BuiltinName::MulMod,
];

/// The results that were computed while the program ran.
#[derive(Debug, Default)]
pub(super) struct Builtins {
    /// By builtin, as [`BUILTINS`] counts them, and instance.
    computed: [Vec<Option<Results>>; BUILTINS.len()],
    /// Results of builtins that the run does not have.
    pub(super) simulated: Simulated,
}

/// The segment of a builtin; `None` if there is none.
pub(crate) fn segment_of(name: BuiltinName) -> Option<usize> {
    BUILTINS.iter().position(|builtin| *builtin == name).map(|index| FIRST_BUILTIN + index)
}

impl Builtins {
    /// Whether a cell may be a result of a builtin.
    #[inline(always)]
    pub(super) fn is_result(&self, at: Pointer) -> bool {
        let index = (at.segment as usize).wrapping_sub(FIRST_BUILTIN);
        match BUILTINS.get(index) {
            Some(name) => results(*name).is_some_and(|(inputs, _)| at.offset as usize % name.cells() >= inputs),
            None => self.simulated.is_result(at),
        }
    }

    /// The value of a cell that has none yet, if its builtin says it.
    pub(super) fn deduce(&mut self, memory: &Memory, at: Pointer) -> Result<Option<Cell>, Stop> {
        let index = usize::try_from(at.segment).ok().and_then(|segment| segment.checked_sub(FIRST_BUILTIN));
        let Some((index, name)) = index.and_then(|index| Some((index, *BUILTINS.get(index)?))) else {
            return self.simulated.deduce(memory, at);
        };
        let Some((inputs, _)) = results(name) else { return Ok(None) };
        let (instance, cell) = (at.offset as usize / name.cells(), at.offset as usize % name.cells());
        let Some(result) = cell.checked_sub(inputs) else { return Ok(None) };
        let computed = &mut self.computed[index];
        if let Some(Some(results)) = computed.get(instance) {
            return Ok(Some(results[result]));
        }
        let first = instance * name.cells();
        let cells = memory.segments[FIRST_BUILTIN + index].cells().get(first..first + inputs);
        let results = cells.map(|cells| compute_proven(name, cells)).transpose()?.flatten();
        let Some(results) = results else { return Ok(None) };
        if computed.len() <= instance {
            computed.resize(instance + 1, None);
        }
        computed[instance] = Some(results);
        Ok(Some(results[result]))
    }

    /// Completes the instances of all builtins, and checks what the program has written of them.
    pub(super) fn complete(&self, memory: &mut Memory) -> Result<(), Stop> {
        for (index, name) in BUILTINS.into_iter().enumerate().skip(1) {
            let segment = &mut memory.segments[FIRST_BUILTIN + index];
            let length = segment.cells.len().next_multiple_of(name.cells());
            segment.cells.try_grow(length).ok_or(Stop::Fails("there is no memory for a builtin"))?;
            match name {
                BuiltinName::RangeCheck => in_range(segment, 128)?,
                BuiltinName::RangeCheck96 => in_range(segment, 96)?,
                _ => segment.cells.par_chunks_mut(name.cells()).enumerate().try_for_each(|(instance, cells)| {
                    let computed = self.computed[index].get(instance).copied().flatten();
                    complete_instance(name, cells, computed)
                })?,
            }
        }
        self.simulated.check_signatures(memory)
    }
}

/// Whether all cells are numbers of so many bits, or were never written.
fn in_range(segment: &Segment, bits: u32) -> Result<(), Stop> {
    let is_in = |cell: &Cell| match cell.to_limbs() {
        Some([_, high, 0, 0]) => bits == 128 || high >> (bits - 64) == 0,
        _ => !cell.is_known(),
    };
    if segment.cells.iter().all(is_in) { Ok(()) } else { Err(Stop::Fails("a range check is not in its range")) }
}

fn complete_instance(name: BuiltinName, cells: &mut [Cell], computed: Option<Results>) -> Result<(), Stop> {
    let Some((inputs, number)) = results(name) else { return Ok(()) };
    let (inputs, outputs) = cells.split_at_mut(inputs);
    let Some(results) = computed.map_or_else(|| compute_proven(name, inputs), |results| Ok(Some(results)))? else {
        // The check of a run of cairo-vm looks at the addresses.
        let is_checked = name == BuiltinName::Bitwise && inputs.iter().all(|cell| cell.is_known());
        return if is_checked { Err(Stop::Lacks("an input of bitwise is a pointer")) } else { Ok(()) };
    };
    for (cell, result) in outputs.iter_mut().zip(results).take(number) {
        if !cell.is_known() {
            *cell = result;
        } else if *cell != result {
            return Err(Stop::Fails("a builtin has another result"));
        }
    }
    Ok(())
}
