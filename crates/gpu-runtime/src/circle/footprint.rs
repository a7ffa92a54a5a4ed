//! What things take of a device's memory: the sizes of the buffers that each operation allocates.

use gpu_hal::{Basis, CircleStark, Footprint, Protocol, StarkBackend};

use super::factors::{canonic_log_entries, table_words};
use super::{columns, eval_at, quotient, tree};
use crate::call::Runtime;
use crate::device::KernelDevice;
use crate::program::GpuProgram;
use crate::slots::packed_words;
use crate::tree::{DIGEST_WORDS, grind_words, tree_words};
use crate::{constraints, nodes, running};

/// Words of so many elements.
fn words(elements: u64) -> u64 {
    elements.div_ceil(2)
}

/// Bytes of all buffers of something.
pub(super) fn footprint<D, B>(runtime: &Runtime<D>, of: &Footprint<'_, B>) -> u64
where
    D: KernelDevice,
    B: StarkBackend<P = CircleStark, Program = GpuProgram<CircleStark, D>>,
{
    let info = runtime.device.info();
    let degree = CircleStark::DEGREE as u64;
    let list: Vec<u64> = match *of {
        Footprint::Kept { log_domain } => {
            let log_entries = runtime.factors.log_entries().unwrap_or(0).max(canonic_log_entries(log_domain));
            vec![table_words(log_entries); 2]
        }
        Footprint::Table(table) => vec![words(table.elements() as u64)],
        Footprint::Tree { log_leaves } => vec![tree_words(info, log_leaves), tree::list_words(runtime.units.slots)],
        Footprint::Lde { table, from: Basis::Evaluations { .. } } => vec![words(table.elements() as u64)],
        Footprint::Lde { from: Basis::Coefficients, .. } => Vec::new(),
        Footprint::UploadLde { table, from, keep } => {
            let width = columns::batch_columns(&runtime.device, table.width, table.log_height);
            let workspace = if from == Basis::Coefficients { 0 } else { (width as u64) << table.log_height };
            vec![words(workspace), if keep { 0 } else { words(table.elements() as u64) }]
        }
        Footprint::Running { program, tables, log_height, columns } => {
            running::running_words(program, tables, log_height, columns, runtime.units)
        }
        Footprint::Logup { program, tables, log_height, columns } => {
            let mut list = running::running_words(program, tables, log_height, columns, runtime.units);
            list.push(words(degree << log_height));
            list
        }
        Footprint::TreeMap { leaf, node, tables, log_height, width } => {
            nodes::tree_map_words([leaf, node], tables, log_height, width, runtime.units)
        }
        Footprint::ConstraintEval { program, tables, log_eval, combination } => {
            constraints::evaluate_words(program, tables, combination, log_eval, runtime.units)
        }
        Footprint::EvalAt { table, log_size, points } => {
            eval_at::eval_at_elements(table.width, log_size, points).map(words).to_vec()
        }
        Footprint::DeepQuotient { tables, terms } => {
            let terms = terms.min(quotient::DEEP_TERMS) as u64;
            let columns: u64 = tables.iter().map(|table| table.width as u64).sum();
            let mut list = vec![words(4 * terms * degree), columns + 3, words(columns * terms * degree)];
            list.extend(packed_words(tables, runtime.units.slots, runtime.units));
            list
        }
        Footprint::Open { numbers, elements, digests } => {
            vec![numbers as u64, words(elements as u64) + numbers as u64 + digests as u64 * DIGEST_WORDS]
        }
        Footprint::Grind { bits } => grind_words(bits).to_vec(),
    };
    list.into_iter().map(|words| runtime.pool.block_bytes(words)).sum()
}

/// Bytes of [`Footprint::Kept`] that are made already.
pub(super) fn made<D: KernelDevice>(runtime: &Runtime<D>) -> u64 {
    runtime.factors.log_entries().map_or(0, |log_entries| 2 * runtime.pool.block_bytes(table_words(log_entries)))
}
