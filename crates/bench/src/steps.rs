//! The least work of the operations of a proof, as its rehearsal has them.

use gpu_hal::{Extension, HashFn, Operation, Shape, Step};

use crate::amount::Work;
use crate::measurable::Measurable;
use crate::work;

/// The operations of a proof with their least work. `nonce` is the proof's; `levels` are the levels of a transform
/// between two trips to memory.
pub(crate) fn works<P: Measurable>(steps: &[Step<P>], nonce: u64, levels: u32) -> Vec<(Operation, Work)> {
    steps.iter().map(|step| (step.operation(), work(step, nonce, levels))).collect()
}

/// About how long the operations of a proof take on one core of a processor, each in seconds, for a display of a
/// proof's progress: only ratios are of use. `nonce` is about that of the proof.
pub fn efforts<P: Measurable>(steps: &[Step<P>], nonce: u64) -> Vec<f64> {
    let seconds = |work: Work| {
        let moved = (work.bytes + work.link_bytes) * NS_BYTE;
        let computed =
            work.products * NS_PRODUCT * P::ELEMENT as f64 + work.keccak * NS_KECCAK + work.blake2s * NS_BLAKE2S;
        (moved + computed) * 1e-9
    };
    steps.iter().map(|step| seconds(work(step, nonce, LEVELS))).collect()
}

/// Nanoseconds of one core, with vectors of 256 bits.
const NS_BYTE: f64 = 0.1;
/// For each byte of an element.
const NS_PRODUCT: f64 = 0.03;
const NS_KECCAK: f64 = 120.0;
const NS_BLAKE2S: f64 = 35.0;
/// Levels of a transform between two trips to memory.
const LEVELS: u32 = 16;

fn work<P: Measurable>(step: &Step<P>, nonce: u64, levels: u32) -> Work {
    let elements = |table: &Shape| table.width as f64 * work::rows(table.log_height);
    let transfer = |table: &Shape| work::transfer::<P>(table.width as u64, table.log_height);
    let lde = |Extension { table, log_to, from_values }: &Extension| {
        work::lde::<P>(table.width as u64, table.log_height, *log_to, *from_values, levels)
    };
    match step {
        Step::Moves { read, written, .. } => work::copy::<P>(*read as f64, *written as f64),
        Step::Upload(table) => transfer(table),
        Step::Download { table, rows } => {
            Work { link_bytes: (P::ELEMENT * (table.width * rows) as u64) as f64, ..Work::default() }
        }
        Step::Ntt(table) => work::ntt::<P>(table.width as u64, table.log_height, levels),
        Step::Lde(extension) => lde(extension),
        Step::UploadLde(extension) => transfer(&extension.table) + lde(extension),
        Step::Merkle { tables, rows_per_leaf, log_leaves, hash } => {
            tree::<P>(tables, *rows_per_leaf, *log_leaves, *hash)
        }
        Step::Running { program, log_height, columns } => work::running(program, *columns as u64, *log_height),
        Step::Recurrence { order, log_height } => work::recurrence::<P>(*order as u64, *log_height),
        Step::Map { program, tables, log_height, outputs } => {
            // A lower table is read from a cache again.
            let read = tables.iter().map(elements).sum();
            let moved = work::copy::<P>(read, *outputs as f64 * work::rows(*log_height));
            Work { bytes: moved.bytes, ..work::map(program, *outputs as u64, *log_height) }
        }
        Step::TreeMap { leaf, node, log_height } => work::tree_map([leaf, node], *log_height),
        Step::ConstraintEval { program, log_eval, combination } => {
            work::constraint_eval(program, combination, *log_eval)
        }
        Step::EvalAt { table, log_size, points } => work::eval_at::<P>(table.width as u64, *log_size, *points as u64),
        Step::DeepQuotient { read, log_size, terms, weights } => {
            let written = P::COLUMNS as f64 * work::rows(*log_size);
            let moved = work::copy::<P>(read.iter().map(elements).sum(), written);
            Work { bytes: moved.bytes, ..work::deep::<P>(0, *log_size, *weights as u64, *terms as u64) }
        }
        Step::FriFold { log_size } => work::fold::<P>(*log_size),
        Step::Grind { hash } => work::search(*hash, nonce),
    }
}

/// A tree over tables of one height, or over tables that are lifted, lowest first.
fn tree<P: Measurable>(tables: &[Shape], rows_per_leaf: usize, log_leaves: u32, hash: HashFn) -> Work {
    let log_rows = log_leaves + rows_per_leaf.ilog2();
    if tables.iter().all(|table| table.log_height == log_rows) {
        let width: usize = tables.iter().map(|table| table.width).sum();
        return work::merkle::<P>(hash, (width * rows_per_leaf) as u64, log_leaves);
    }
    let heights: Vec<(u64, u32)> = tables.iter().map(|table| (table.width as u64, table.log_height)).collect();
    lifted_tree::<P>(hash, &heights, log_leaves)
}

/// A tree of `2^log_leaves` leaves over tables of (columns, log2 of the rows), lowest first. A leaf is hashed in
/// blocks; blocks that hold values of low columns alone are the same for many leaves and need be compressed once for
/// each value.
fn lifted_tree<P: Measurable>(hash: HashFn, tables: &[(u64, u32)], log_leaves: u32) -> Work {
    let elements: f64 = tables.iter().map(|(width, log)| *width as f64 * work::rows(*log)).sum();
    let width: u64 = tables.iter().map(|(width, _)| width).sum();
    let block = work::block(hash);
    let (mut compressions, mut end, mut blocks) = (0.0, 0, 0);
    for (width, log) in tables {
        end += width;
        // The blocks that end in this table.
        let ended = end / block;
        compressions += (ended - blocks) as f64 * work::rows(*log);
        blocks = ended;
    }
    // The rest, and of nothing there is a block too.
    if !width.is_multiple_of(block) || width == 0 {
        compressions += work::rows(tables.last().map_or(log_leaves, |(_, log)| *log));
    }
    let nodes = work::rows(log_leaves) - 1.0;
    let bytes = work::copy::<P>(elements, 0.0).bytes + work::digests(log_leaves);
    Work { bytes, ..work::hashed(hash, compressions + nodes) }
}

#[cfg(test)]
mod tests {
    use backend_reference::CpuReference;
    use golden::runs::{rehearsed, rehearsed_circle};
    use gpu_hal::{CircleStark, Meter};
    use proof::ProofOptions;

    use super::*;
    use crate::Goldilocks3;

    /// The link carries what the works say, to the device and to the host.
    fn check<P: Measurable>(steps: &[Step<P>], meter: &Meter, what: &str) {
        let works = works(steps, 0, 8);
        let link = |of: &[Operation]| -> f64 {
            works.iter().filter(|(operation, _)| of.contains(operation)).map(|(_, work)| work.link_bytes).sum()
        };
        let uploads = [Operation::Upload, Operation::UploadLde];
        let uploaded: u64 = uploads.iter().map(|operation| meter.of(*operation).uploaded).sum();
        let downloaded = meter.of(Operation::Download).downloaded;
        assert_eq!(link(&uploads), uploaded as f64, "{what}: to the device");
        assert_eq!(link(&[Operation::Download]), downloaded as f64, "{what}: to the host");
        assert_eq!(link(Operation::ALL), (uploaded + downloaded) as f64, "{what}: no other operation");
    }

    #[test]
    fn the_works_are_those_of_a_goldilocks_proof() {
        let options = ProofOptions { blowup: 8, queries: 5, grinding: 3, coset_offset: 3, hash: HashFn::Keccak256 };
        rehearsed(CpuReference::<Goldilocks3>::new, &options, |rehearsal, backend, _, what| {
            check(&rehearsal.steps, &backend.snapshot(), what);
        });
    }

    #[test]
    fn the_works_are_those_of_a_circle_proof() {
        rehearsed_circle(CpuReference::<CircleStark>::new, 5, |rehearsal, backend, _, what| {
            check(&rehearsal.steps, &backend.snapshot(), what);
        });
    }

    #[test]
    fn low_columns_are_hashed_once() {
        // A full block of low values, then a block that holds both.
        let work = lifted_tree::<CircleStark>(HashFn::Blake2s, &[(17, 4), (3, 10)], 10);
        assert_eq!(work.blake2s, 16.0 + 1024.0 + 1023.0);
        let one = lifted_tree::<CircleStark>(HashFn::Blake2s, &[(32, 10)], 10);
        assert_eq!(one, work::merkle::<CircleStark>(HashFn::Blake2s, 32, 10));
    }
}
