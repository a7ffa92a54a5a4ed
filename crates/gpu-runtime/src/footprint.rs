//! The device memory that things take: the sizes of the buffers that each operation allocates.

use gpu_hal::{Basis, EvalOrder, Footprint};

use crate::call::Runtime;
use crate::device::KernelDevice;
use crate::elements::{per_word, words};
use crate::protocol::GpuProtocol;
use crate::tree::{DIGEST_WORDS, DROPPED, grind_words, lacks_levels, tree_words};
use crate::types::GpuTypes;
use crate::{columns, constraints, eval_at, nodes, openings_stored, program_sums, recurrence, row_programs, running};

/// Bytes of all buffers of something.
pub(crate) fn footprint<D: KernelDevice, P: GpuProtocol>(
    runtime: &Runtime<D, P>,
    of: &Footprint<'_, GpuTypes<D, P>>,
) -> u64 {
    let words = words::<P>;
    let list: Vec<u64> = match *of {
        Footprint::Kept { log_domain } => P::kept_words(runtime, log_domain),
        Footprint::Table(table) => vec![words(table.elements() as u64)],
        Footprint::Tree { log_leaves } => {
            let mut list = P::leaf_words();
            list.push(tree_words(runtime.device.info(), log_leaves));
            list
        }
        Footprint::Merkle { tables, leaves, hash } => P::all_leaves_words(runtime, tables, leaves, hash),
        // Rows are put in order on the way to another buffer.
        Footprint::Ntt { table, from, to } => {
            let in_rows = |basis| matches!(basis, Basis::Evaluations { order: EvalOrder::Row, .. });
            if in_rows(from) || in_rows(to) { vec![words(table.elements() as u64)] } else { Vec::new() }
        }
        Footprint::Lde { table, from: Basis::Evaluations { .. } } => vec![words(table.elements() as u64)],
        Footprint::Lde { from: Basis::Coefficients, .. } => Vec::new(),
        Footprint::UploadLde { table, from, keep } => {
            let width = columns::batch_columns::<P>(&runtime.device, table.width, table.log_height);
            let workspace = if from == Basis::Coefficients { 0 } else { (width as u64) << table.log_height };
            vec![words(workspace), if keep { 0 } else { words(table.elements() as u64) }]
        }
        Footprint::Running { program, tables, log_height, form, totals } => {
            running::running_words(&runtime.device, program, tables, log_height, form, totals)
        }
        Footprint::Recurrence { order, starts, log_height } => {
            recurrence::recurrence_words::<P>(order, starts, log_height)
        }
        Footprint::Map { program, tables, log_height, outputs } => {
            constraints::map_words(&runtime.device, program, tables, log_height, outputs)
        }
        Footprint::TreeMap { leaf, node, tables, log_height, width } => {
            nodes::tree_map_words(&runtime.device, [leaf, node], tables, log_height, width)
        }
        Footprint::Sum { program, tables, variables, outputs, sums } => {
            program_sums::sum_words(&runtime.device, program, tables, variables, outputs, sums)
        }
        Footprint::Rows { program, source, tables, counted, log_height } => {
            row_programs::rows_words::<D, P>(runtime, program, (source, tables), counted, log_height)
        }
        Footprint::ConstraintEval { program, tables, log_eval, combination } => {
            constraints::evaluate_words(&runtime.device, program, tables, combination, log_eval)
        }
        Footprint::EvalAt { table, log_size, points, values } => {
            eval_at::eval_at_words::<P>(runtime.device.info(), (table.width, log_size), points, values)
        }
        Footprint::DeepQuotient { tables, log_cut, domain, terms } => {
            P::deep_words(runtime, tables, log_cut, &domain, terms)
        }
        Footprint::Open { numbers, elements, digests, trees } => {
            // Rows of every request fill whole words.
            let filled = if per_word::<P>() > 1 { numbers as u64 } else { 0 };
            let mut list = vec![numbers as u64, words(elements as u64) + filled + digests as u64 * DIGEST_WORDS];
            let lacking = trees.iter().filter(|(_, log_leaves)| lacks_levels(runtime.device.info(), *log_leaves));
            let of_trees = lacking.map(|(tables, _)| P::leaves_words(tables));
            list.extend(of_trees.max_by_key(|words| bytes(runtime, words.clone())).into_iter().flatten());
            list
        }
        Footprint::OpenStored { rows, leaves, tables, log_leaves } => {
            let info = runtime.device.info();
            openings_stored::words_of::<P>(
                if lacks_levels(info, log_leaves) { DROPPED } else { 0 },
                (rows, leaves),
                tables,
                log_leaves,
            )
        }
        Footprint::Grind { bits } => grind_words(bits).to_vec(),
    };
    bytes(runtime, list)
}

/// Bytes of [`Footprint::Kept`] that are made already.
pub(crate) fn made<D: KernelDevice, P: GpuProtocol>(runtime: &Runtime<D, P>) -> u64 {
    bytes(runtime, P::made_words(runtime))
}

/// Bytes of buffers of these words.
pub(crate) fn bytes<D: KernelDevice, P: GpuProtocol>(runtime: &Runtime<D, P>, words: Vec<u64>) -> u64 {
    words.into_iter().map(|words| runtime.pool.block_bytes(words)).sum()
}
