//! A kernel that is generated for a program is compared with the interpreter before its first use, as
//! [`crate::checked`] does: on the first rows of the run, which have all that rows of the program have. The run itself
//! takes no memory yet.

use std::sync::atomic::Ordering;

use gpu_hal::{ErrorKind, HalError, Result, RowRun};

use super::compiled::Compiled;
use super::kept::Program;
use super::run::{Execution, Interpreter, NONE, Run, first_fault, no_faults, pairs};
use crate::call::Call;
use crate::device::KernelDevice;
use crate::elements::{per_word, words};
use crate::pool::Block;
use crate::protocol::GpuProtocol;
use crate::types::GpuTypes;

/// Log2 of the rows, at most.
pub(super) const LOG_ROWS: u32 = 8;

/// Compares, the first time.
///
/// # Errors
/// [`ErrorKind::Backend`] if they differ, and the errors of the device.
pub(super) fn check<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &RowRun<'_, GpuTypes<D, P>>,
    counted: &[usize],
    (program, own): (&Program<Compiled<D>>, &Compiled<D>),
) -> Result<()> {
    if own.is_checked.load(Ordering::Relaxed) {
        return Ok(());
    }
    let rows = 1 << args.log_height.min(LOG_ROWS);
    let found = outputs(call, args, counted, program, Execution::Own(&own.kernel))?;
    let interpreter = Interpreter::new(call, &program.encoded, rows)?;
    let expected = outputs(call, args, counted, program, Execution::Interpreted(&interpreter))?;
    if found != expected {
        let detail = format!(
            "the kernel that was generated for a row program of {} words differs from the interpreter in the first {rows} rows: the \
             compiler of {} translates it wrongly; please report it",
            program.encoded.code.len(),
            call.runtime.device.info().name
        );
        return Err(HalError::new(ErrorKind::Backend, call.op, detail));
    }
    own.is_checked.store(true, Ordering::Relaxed);
    Ok(())
}

/// All that the first rows write: the first one with a fault, or else columns, lists and tallies.
fn outputs<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &RowRun<'_, GpuTypes<D, P>>,
    counted: &[usize],
    program: &Program<Compiled<D>>,
    execution: Execution<'_, D>,
) -> Result<Vec<Vec<u64>>> {
    let log_height = args.log_height.min(LOG_ROWS);
    let (run, faults) = (Run::new(call, args, counted, program, log_height)?, no_faults(call)?);
    run.launch(call, args, execution, (0, 1 << log_height), &faults)?;
    let row = first_fault(call, &faults)?[0];
    if row != NONE {
        return Ok(vec![vec![u64::from(row)]]);
    }
    let download = |block: &Block<D::Memory>, words: u64| {
        let mut out = vec![0; words as usize];
        call.download(block, 0, &mut out)?;
        Ok(out)
    };
    let mut out = vec![download(&run.tallies, pairs(counted.iter().sum()))?];
    let tables = run.lists.finish(call)?;
    for table in tables.iter().chain([&run.columns]) {
        let elements = table.elements() as u64;
        let mut table = download(&table.data.block, words::<P>(elements))?;
        // Half of the last word of an odd number of small elements is no element.
        if let Some(last) = table.last_mut().filter(|_| !elements.is_multiple_of(per_word::<P>())) {
            *last &= u64::from(u32::MAX);
        }
        out.push(table);
    }
    Ok(out)
}
