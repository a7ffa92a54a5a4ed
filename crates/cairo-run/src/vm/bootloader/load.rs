//! The cells of a task in the memory of the bootloader's run.

use cairo_vm::types::exec_scope::ExecutionScopes;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::vm_core::VirtualMachine;

use super::span::{last_cells, words};
use super::{NAME, Shared, TaskHint, TaskSource};
use crate::BuiltinName;
use crate::pie::{AdditionalData, Address, CairoPie, Value};
use crate::vm::hint_error::custom;

/// The cells that a hint will write which loads.
#[derive(Debug, Default)]
pub(in crate::vm) struct WriteExtent {
    /// The last cells of segments that exist.
    pub(in crate::vm) ends: Vec<Relocatable>,
    /// Cells of segments that the hint makes.
    pub(in crate::vm) more: usize,
}

/// The cells that a hint will write which loads the current task; none where it will fail.
pub(in crate::vm) fn write_extent(hint: TaskHint, vm: &VirtualMachine, scopes: &ExecutionScopes) -> WriteExtent {
    let Ok(state) = scopes.get_ref::<Shared>(NAME) else { return WriteExtent::default() };
    let Ok(state) = state.try_borrow() else { return WriteExtent::default() };
    let Some(task) = state.current(&state.tasks) else { return WriteExtent::default() };
    match (hint, &task.source) {
        (TaskHint::LoadProgram, source) => WriteExtent { ends: Vec::new(), more: words(source.program()) },
        (TaskHint::Begin, TaskSource::Pie(pie)) => {
            let stack = (vm.get_ap() - pie.metadata.program.builtins.len()).ok();
            let builtins = (0..pie.metadata.builtin_segments.len())
                .map(|index| vm.get_maybe(&(stack? + index).ok()?).and_then(|pointer| pointer.get_relocatable()));
            // The segments to which it returns have no cells.
            let bases = [state.program, stack].into_iter().chain(builtins).chain([None, None]);
            extent_at(&bases.collect::<Vec<_>>(), pie)
        }
        (TaskHint::Begin, TaskSource::Program(_)) | (TaskHint::End, _) => WriteExtent::default(),
    }
}

/// The cells of a task whose first segments begin at `bases`, if they exist. The others will be made.
fn extent_at(bases: &[Option<Relocatable>], pie: &CairoPie) -> WriteExtent {
    // Each segment that is made counts as an address.
    let mut extent = WriteExtent { ends: Vec::new(), more: pie.metadata.extra_segments.len() };
    for Address { segment, offset } in last_cells(pie) {
        let (segment, offset) = (segment as usize, offset as usize);
        match bases.get(segment) {
            Some(Some(base)) => extent.ends.push(Relocatable { offset: base.offset.saturating_add(offset), ..*base }),
            Some(None) => {}
            None => extent.more = extent.more.saturating_add(offset).saturating_add(1),
        }
    }
    extent
}

/// Where a task is loaded.
pub(super) struct Places {
    pub(super) program: Relocatable,
    /// The stack, which has the pointers of the task's builtins already.
    pub(super) stack: Relocatable,
    pub(super) ret_fp: Relocatable,
    pub(super) ret_pc: Relocatable,
}

/// Loads a task.
pub(super) fn load(vm: &mut VirtualMachine, pie: &CairoPie, places: &Places) -> Result<(), HintError> {
    let mut bases: Vec<MaybeRelocatable> = vec![places.program.into(), places.stack.into()];
    for index in 0..pie.metadata.builtin_segments.len() {
        let (at, segment) = (Address { segment: 1, offset: index as u64 }, index as u64 + 2);
        let start = Value::Pointer(Address { segment, offset: 0 });
        if !pie.cells(1).iter().any(|cell| cell.address == at && cell.value == start) {
            return Err(custom(format!("the stack of the task has no pointer to segment {segment} in cell {at}")));
        }
        let pointer = (places.stack + index)?;
        let pointer = vm.get_maybe(&pointer).ok_or_else(|| custom(format!("{pointer} has no value")))?;
        bases.push(pointer);
    }
    bases.extend([places.ret_fp, places.ret_pc].map(MaybeRelocatable::from));
    bases.extend(pie.metadata.extra_segments.iter().map(|_| MaybeRelocatable::from(vm.add_memory_segment())));
    let moved = |at: &Address| -> Result<MaybeRelocatable, HintError> {
        let base = usize::try_from(at.segment).ok().and_then(|segment| bases.get(segment));
        match base.ok_or_else(|| custom(format!("there is no segment {}", at.segment)))? {
            MaybeRelocatable::RelocatableValue(base) => Ok((*base + at.offset as usize)?.into()),
            // A builtin that the run does not have has 0 for its pointer.
            absent => Ok(absent.clone()),
        }
    };
    let place = |at: &Address| -> Result<Relocatable, HintError> {
        moved(at)?.get_relocatable().ok_or_else(|| custom(format!("the run has no builtin for the task's cell {at}")))
    };
    // A signature must be known before its cells are.
    for (name, data) in &pie.additional_data {
        if let (BuiltinName::Ecdsa, AdditionalData::Signatures(signatures)) = (name, data) {
            for (at, [r, s]) in signatures {
                vm.get_signature_builtin()?.add_signature(place(at)?, &(*r, *s))?;
            }
        }
    }
    for cell in &pie.memory {
        let value = match &cell.value {
            Value::Felt(felt) => MaybeRelocatable::Int(*felt),
            Value::Pointer(target) => moved(target)?,
        };
        vm.insert_value(place(&cell.address)?, value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::span::of_task;
    use super::*;
    use crate::pie::read;

    #[test]
    fn cells_behind_a_base_need_room() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/pies/fib.zip");
        let pie = read(&std::fs::read(path).unwrap(), 1 << 20).unwrap();
        let lasts: Vec<Address> = last_cells(&pie).collect();
        assert!(lasts.iter().any(|last| last.segment == 1) && lasts.is_sorted());
        let far = Relocatable::from((7, 1 << 40));
        let WriteExtent { ends, more } = extent_at(&[None, Some(far)], &pie);
        let (stack, others): (Vec<Address>, Vec<Address>) =
            lasts.into_iter().filter(|last| last.segment > 0).partition(|last| last.segment == 1);
        assert_eq!(ends, [Relocatable { offset: far.offset + stack[0].offset as usize, ..far }]);
        let more = more - pie.metadata.extra_segments.len();
        assert_eq!(more as u64, others.iter().map(|last| last.offset + 1).sum::<u64>());
        let words = words(&pie.metadata.program);
        assert!(words > pie.metadata.program.data.len());
        assert_eq!(of_task(&TaskSource::Pie(pie.into())), stack[0].offset + 1 + (words + more) as u64);
    }
}
