//! Columns that accumulate the outputs of programs.

use field::{ExtensionField, Field};
use gpu_hal::{Accumulated, Result, RunningColumn, RunningForm, RunningKind, RunningRequest, Shape};

use crate::buffer::{NewTable, new_table};
use crate::call::{Call, whole};
use crate::constraints::rows_words;
use crate::device::KernelDevice;
use crate::elements;
use crate::logup;
use crate::program::GpuProgram;
use crate::protocol::GpuProtocol;
use crate::scan::{SCAN_CHUNK, ratio_sinks, ratios, scan};
use crate::types::GpuTypes;

/// Words of the buffers that [`running`] takes beside its result, at most.
pub(crate) fn running_words<P: GpuProtocol, D: KernelDevice>(
    device: &D,
    program: &GpuProgram<P, D>,
    tables: &[Shape],
    log_height: u32,
    form: RunningForm<'_>,
    totals: usize,
) -> Vec<u64> {
    let columns = form.width();
    let elements = columns as u64 * P::DEGREE as u64;
    let sinks = match form {
        RunningForm::Columns(columns) => ratio_sinks(program, &pairs(columns)),
        RunningForm::Logup(fractions) => ratio_sinks(program, fractions),
    };
    let mut words = rows_words(device, program, (0, &sinks), tables, log_height);
    words.push(elements::words::<P>((2 * elements) << log_height));
    if form.has_total() {
        words.push(elements::words::<P>(logup::logup_elements::<P>(log_height)));
    } else {
        words.push(columns.div_ceil(2) as u64);
        // Totals of blocks, and the totals before each, level by level.
        let mut count = 1u64 << log_height;
        while count > SCAN_CHUNK {
            count = count.div_ceil(SCAN_CHUNK);
            words.extend([elements::words::<P>(elements * count); 2]);
        }
    }
    if totals > 0 {
        words.push(elements::words::<P>(totals as u64 * P::DEGREE as u64));
    }
    words
}

/// All requests are enqueued before their totals are waited for.
pub(crate) fn running<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    requests: &[RunningRequest<'_, GpuTypes<D, P>>],
) -> Result<Vec<Accumulated<GpuTypes<D, P>>>> {
    let count = requests.iter().filter(|args| args.form.has_total()).count() as u64;
    let totals = if count > 0 { Some(call.alloc_elements(count * P::DEGREE as u64)?) } else { None };
    let (mut tables, mut number) = (Vec::with_capacity(requests.len()), 0);
    for args in requests {
        tables.push(match (args.form, &totals) {
            (RunningForm::Logup(fractions), Some(totals)) => {
                number += 1;
                (logup::logup(call, args, fractions, (totals, number - 1))?, true)
            }
            (RunningForm::Logup(_), None) => continue,
            (RunningForm::Columns(running), _) => (columns(call, args, running)?, false),
        });
    }
    // Transfers are whole words.
    let mut words = vec![0u64; elements::words::<P>(count * P::DEGREE as u64) as usize];
    if let Some(totals) = &totals {
        call.download(totals, 0, &mut words)?;
    }
    let elements: &[P::Base] = bytemuck::cast_slice(&words);
    let mut totals = elements.chunks_exact(P::DEGREE).filter_map(P::Ext::from_coordinates);
    let made = tables.into_iter().map(|(columns, has_total)| {
        let total = if has_total { totals.next() } else { None };
        Accumulated { columns, total: total.unwrap_or(P::Ext::ZERO) }
    });
    Ok(made.collect())
}

/// Columns that accumulate each for itself.
fn columns<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &RunningRequest<'_, GpuTypes<D, P>>,
    running: &[RunningColumn],
) -> Result<NewTable<D>> {
    let result = new_table(call, running.len() * P::DEGREE, args.log_height)?;
    let values = ratios(call, args, &pairs(running))?;
    let flags: Vec<u32> = running.iter().map(flags).collect();
    scan(call, (whole(&values), 2 * P::DEGREE as u32), &flags, 1 << args.log_height, &result.data.block)?;
    Ok(result)
}

/// The outputs whose ratios are accumulated.
fn pairs(running: &[RunningColumn]) -> Vec<(usize, usize)> {
    running.iter().map(|column| (column.numerator, column.denominator)).collect()
}

/// As in the kernel.
fn flags(column: &RunningColumn) -> u32 {
    u32::from(column.kind == RunningKind::Product) | u32::from(column.inclusive) << 1
}
