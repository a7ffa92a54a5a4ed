//! Row programs with a row a thread: by a kernel that is generated for the program, or by an interpreter, whose values
//! are in scratch memory. The interpreter runs programs that are too long to compile, and the row of which a fault is
//! to be described.

mod check;
pub(crate) mod compiled;
mod encode;
mod faults;
pub(crate) mod kept;
mod lists;
mod run;

use std::sync::Arc;

use gpu_hal::{Columns, DeferredFault, ErrorKind, HalError, Result, RowProgram, RowRun, RowsOutput, Shape};
use ir::text::Kernel;
use ir::text::rows::Places;

use self::compiled::Compiled;
use self::kept::Program;
use self::lists::packed_words;
use self::run::{Execution, FAULT_WORDS, Interpreter, NONE, Run, first_fault, no_faults, pairs, scratch_words};
use crate::buffer::GpuBuffer;
use crate::call::{Call, Runtime};
use crate::device::KernelDevice;
use crate::pool::Block;
use crate::protocol::GpuProtocol;
use crate::slots;
use crate::types::GpuTypes;

/// Words of the buffers that [`run`] takes beside its results.
pub(crate) fn rows_words<D: KernelDevice, P: GpuProtocol>(
    runtime: &Runtime<D, P>,
    program: &RowProgram<P::Base>,
    (source, tables): (&[Shape], &[Shape]),
    counted: usize,
    log_height: u32,
) -> Vec<u64> {
    let places = Places::new(program, source.len());
    let heights: Vec<u32> = tables.iter().map(|table| table.log_height).collect();
    let most = runtime.device.info().generated_row_words;
    let known = runtime.row_programs.get(program, (&heights, log_height), source.len(), most);
    let read: Vec<Shape> = source.iter().chain(tables).copied().collect();
    let interpreted = if known.own.is_some() { log_height.min(check::LOG_ROWS) } else { log_height };
    let mut words = vec![
        pairs(known.encoded.code.len()),
        pairs(known.encoded.constants.len()),
        places.words as u64,
        scratch_words(runtime.device.info(), known.encoded.file, 1 << interpreted),
        pairs(counted),
        FAULT_WORDS as u64,
    ];
    words.extend(slots::packed_words::<P>(&read, P::UNITS.slots));
    words.extend(packed_words::<P>(program, log_height));
    words
}

/// [`gpu_hal::StarkBackend::rows`]; the shapes are checked. It waits, as it says whether a row has a fault.
pub(crate) fn run<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &RowRun<'_, GpuTypes<D, P>>,
    counters: &mut [Columns<&mut GpuBuffer<D::Memory>>],
) -> Result<RowsOutput<GpuTypes<D, P>>> {
    let counted: Vec<usize> = counters.iter().map(Columns::elements).collect();
    let (program, faults) = (program(call, args), no_faults(call)?);
    let run = launched(call, args, &counted, &program, &faults)?;
    let row = first_fault(call, &faults)?[0];
    if row != NONE {
        return Err(explain(&run, call, args, &counted, (row, &faults))?);
    }
    run.finish(call, counters)
}

/// [`gpu_hal::StarkBackend::rows_ahead`]: the verdict keeps where all its runs write their faults.
pub(crate) fn run_ahead<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &RowRun<'_, GpuTypes<D, P>>,
    counters: &mut [Columns<&mut GpuBuffer<D::Memory>>],
    verdict: &mut DeferredFault,
) -> Result<RowsOutput<GpuTypes<D, P>>> {
    let counted: Vec<usize> = counters.iter().map(Columns::elements).collect();
    if verdict.get::<Block<D::Memory>>().is_none() {
        verdict.keep(no_faults(call)?);
    }
    let lost = || HalError::new(ErrorKind::Backend, call.op, "the verdict does not keep what it was given");
    let faults = verdict.get::<Block<D::Memory>>().ok_or_else(lost)?;
    launched(call, args, &counted, &program(call, args), faults)?.finish(call, counters)
}

/// [`gpu_hal::StarkBackend::had_fault`].
pub(crate) fn had_fault<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    verdict: &DeferredFault,
) -> Result<bool> {
    match verdict.get::<Block<D::Memory>>() {
        Some(faults) => Ok(first_fault(call, faults)?[0] != NONE),
        None => Ok(false),
    }
}

/// A program as the device runs it.
fn program<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &RowRun<'_, GpuTypes<D, P>>,
) -> Arc<Program<Compiled<D>>> {
    let heights: Vec<u32> = args.tables.iter().map(|table| table.log_height).collect();
    let most = call.runtime.device.info().generated_row_words;
    call.runtime.row_programs.get(args.program, (&heights, args.log_height), args.source.len(), most)
}

/// Runs all rows, without waiting: by the program's own kernel, which is compared with the interpreter first, or by the
/// interpreter.
fn launched<'a, D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &RowRun<'a, GpuTypes<D, P>>,
    counted: &[usize],
    program: &'a Program<Compiled<D>>,
    faults: &Block<D::Memory>,
) -> Result<Run<'a, D>> {
    let runtime = call.runtime;
    let compile = |own: &Kernel| Compiled::new(&runtime.device, P::UNITS.row_program, own);
    let own = program.own.as_ref().map(|own| runtime.row_programs.compiled(own, compile)).transpose()?;
    if let Some(own) = own {
        check::check(call, args, counted, (program, own))?;
    }
    let (run, rows) = (Run::new(call, args, counted, program, args.log_height)?, 1u64 << args.log_height);
    match own {
        Some(own) => run.launch(call, args, Execution::Own(&own.kernel), (0, rows), faults)?,
        None => {
            let interpreter = Interpreter::new(call, &program.encoded, rows)?;
            run.launch(call, args, Execution::Interpreted(&interpreter), (0, rows), faults)?;
        }
    }
    Ok(run)
}

/// The error of the first row that has a fault: it is run again, alone.
fn explain<D: KernelDevice, P: GpuProtocol>(
    run: &Run<'_, D>,
    call: Call<'_, D, P>,
    args: &RowRun<'_, GpuTypes<D, P>>,
    counted: &[usize],
    (row, faults): (u32, &Block<D::Memory>),
) -> Result<HalError> {
    let interpreter = Interpreter::new(call, &run.program.encoded, 1)?;
    run.launch(call, args, Execution::Explained(&interpreter), (u64::from(row), 1), faults)?;
    let [_, order, a, b, c, _] = first_fault(call, faults)?;
    let fault = faults::fault(args, counted, order, [a, b, c]);
    Ok(fault.map_or_else(
        || HalError::new(ErrorKind::Backend, call.op, format!("row {row} was refused, but has no fault")),
        |fault| HalError::of_row(row as usize, fault),
    ))
}
