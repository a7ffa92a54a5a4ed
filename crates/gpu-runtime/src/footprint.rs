//! What things take of a device's memory: the sizes of the buffers that each operation allocates.

use gpu_hal::{Basis, CosetProtocol, Footprint, StarkBackend};

use crate::call::Runtime;
use crate::device::KernelDevice;
use crate::multipliers::MultiplierKernels;
use crate::program::GpuProgram;
use crate::{columns, constraints, deep, nodes, ntt, quotient, running, tree, twiddles};

/// Bytes of all buffers of something.
pub(crate) fn footprint<D, P, B>(runtime: &Runtime<D>, of: &Footprint<'_, B>) -> u64
where
    D: KernelDevice,
    P: CosetProtocol + MultiplierKernels,
    B: StarkBackend<P = P, Program = GpuProgram<P, D>>,
{
    let (info, degree) = (runtime.device.info(), runtime.degree);
    let words: Vec<u64> = match *of {
        Footprint::Kept { .. } => vec![ntt::ROOTS_COUNT as u64, twiddles::ENTRIES, twiddles::ENTRIES],
        Footprint::Table(table) => vec![table.elements() as u64],
        Footprint::Tree { log_leaves } => vec![tree::tree_words(info, log_leaves)],
        Footprint::Lde { table, from: Basis::Evaluations { .. } } => vec![table.elements() as u64],
        Footprint::Lde { from: Basis::Coefficients, .. } => Vec::new(),
        Footprint::UploadLde { table, from, keep } => {
            let columns = columns::batch_columns(&runtime.device, table.width, table.log_height);
            let workspace = if from == Basis::Coefficients { 0 } else { (columns as u64) << table.log_height };
            vec![workspace, if keep { 0 } else { table.elements() as u64 }]
        }
        Footprint::Running { program, tables, log_height, columns } => {
            running::running_words(program, tables, log_height, columns, runtime.units)
        }
        // Not an operation of this protocol.
        Footprint::Logup { .. } => Vec::new(),
        Footprint::TreeMap { leaf, node, tables, log_height, width } => {
            nodes::tree_map_words([leaf, node], tables, log_height, width, runtime.units)
        }
        Footprint::ConstraintEval { program, tables, log_eval, combination } => {
            constraints::evaluate_words(program, tables, combination, log_eval, runtime.units)
        }
        Footprint::EvalAt { table, log_size, points } => {
            quotient::eval_at_words(degree, table.width, log_size, points).to_vec()
        }
        Footprint::DeepQuotient { tables, terms } => deep::deep_words(degree, tables, terms),
        Footprint::Open { numbers, elements, digests } => {
            vec![numbers as u64, elements as u64 + digests as u64 * tree::DIGEST_WORDS]
        }
        Footprint::Grind { bits } => tree::grind_words(bits).to_vec(),
    };
    words.into_iter().map(|words| runtime.pool.block_bytes(words)).sum()
}

/// Bytes of [`Footprint::Kept`] that are made already.
pub(crate) fn made<D: KernelDevice>(runtime: &Runtime<D>) -> u64 {
    let bytes = |words| runtime.pool.block_bytes(words);
    let roots = if runtime.roots.is_made() { bytes(ntt::ROOTS_COUNT as u64) } else { 0 };
    let twiddles = if runtime.twiddles.is_made() { 2 * bytes(twiddles::ENTRIES) } else { 0 };
    roots + twiddles
}
