//! The operations of a proof with their least work, in the order in which the prover calls them. A test compares the calls with
//! those that a meter counts.

use std::collections::BTreeSet;

use polystark::HashFn;
use polystark::circle_air::{ColumnProgram, Recorded, RecordedStatement, Source, TREES, TableProgram};
use polystark::circle_proof::CircleOptions;
use polystark::circle_proof::positions::is_packed;
use polystark::hal::{CircleStark, Operation};

use super::combination;
use crate::cli::bench::cost::Cost;
use crate::cli::bench::work::{self, BLAKE2S_BLOCK, Work};

const DEGREE: u64 = CircleStark::COLUMNS;
/// Coordinates of the composition's halves.
const HALVES: u64 = 2 * DEGREE;

/// What is proven, and how.
pub(super) struct Statement<'a> {
    pub(super) recorded: &'a RecordedStatement,
    pub(super) options: &'a CircleOptions,
    /// How the device makes the trace, if it does.
    pub(super) trace: Option<&'a [TableProgram<'a>]>,
    /// As in [`crate::cli::bench::floor::Machine`].
    pub(super) levels: u32,
}

/// A committed table: columns, log2 of its rows before the extension, row offsets of its samples by column.
struct Committed {
    width: u64,
    log_size: u32,
    offsets: Vec<Vec<isize>>,
}

impl Committed {
    fn new(log_size: u32, offsets: Vec<Vec<isize>>) -> Self {
        Self { width: offsets.len() as u64, log_size, offsets }
    }
}

impl Statement<'_> {
    /// Every call of a proof on a common domain of `2^log_domain` points that finds `nonce`.
    pub(super) fn calls(&self, log_domain: u32, nonce: u64) -> Vec<(Operation, Work)> {
        let mut calls = Calls { calls: Vec::new(), statement: self };
        let trees = self.trees();
        calls.main();
        calls.tree(&trees[1]);
        if trees.len() > TREES {
            calls.lookups();
            calls.tree(&trees[2]);
        }
        calls.composition(&trees[trees.len() - 1]);
        let sampled = |table: &&Committed| table.offsets.iter().any(|offsets| !offsets.is_empty());
        for table in trees.iter().flatten().filter(sampled) {
            let points: BTreeSet<isize> = table.offsets.iter().flatten().copied().collect();
            let work = work::eval_at::<CircleStark>(table.width, table.log_size, points.len() as u64, true);
            calls.push(Operation::EvalAt, work);
        }
        calls.quotient(&trees, log_domain);
        calls.fri(log_domain);
        calls.push(Operation::Grind, CircleStark::search(nonce));
        calls.push(Operation::Open, Work::default());
        calls.calls
    }

    /// The tables of all trees, lowest first in each: preprocessed, main, interaction if there is one, composition.
    fn trees(&self) -> Vec<Vec<Committed>> {
        let recorded = self.recorded;
        let is_read = |column| recorded.preprocessed_indices.iter().flatten().any(|read| *read == column);
        let heights: BTreeSet<u32> = recorded.preprocessed.iter().map(|column| column.log_size).collect();
        let fixed = heights.into_iter().map(|log_size| {
            let columns = recorded.preprocessed.iter().enumerate().filter(|(_, column)| column.log_size == log_size);
            Committed::new(log_size, columns.map(|(at, _)| if is_read(at) { vec![0] } else { vec![] }).collect())
        });
        let mut trees = vec![fixed.collect::<Vec<_>>()];
        let has_lookups = recorded.components.iter().any(|component| component.logup.is_some());
        for tree in 1..if has_lookups { TREES } else { TREES - 1 } {
            let components = recorded.components.iter().filter(|component| component.width(tree) > 0);
            let mut tables: Vec<Committed> =
                components.map(|c| Committed::new(c.log_size, c.offsets[tree].clone())).collect();
            tables.sort_by_key(|table| table.log_size);
            trees.push(tables);
        }
        trees.push(vec![Committed::new(recorded.max_log_size(), vec![vec![0]; HALVES as usize])]);
        trees
    }
}

struct Calls<'a> {
    calls: Vec<(Operation, Work)>,
    statement: &'a Statement<'a>,
}

impl Calls<'_> {
    fn push(&mut self, operation: Operation, work: Work) {
        self.calls.push((operation, work));
    }

    fn extension(&self, width: u64, log_size: u32, from_values: bool) -> Work {
        let log_extended = log_size + self.statement.options.log_blowup;
        work::lde::<CircleStark>(width, log_size, log_extended, from_values, self.statement.levels)
    }

    /// A tree over tables, lowest first.
    fn tree(&mut self, tables: &[Committed]) {
        let Some(highest) = tables.last() else { return };
        let blowup = self.statement.options.log_blowup;
        let log_leaves = self.statement.options.lifting.unwrap_or(highest.log_size + blowup);
        let heights: Vec<(u64, u32)> = tables.iter().map(|table| (table.width, table.log_size + blowup)).collect();
        self.push(Operation::Merkle, lifted_tree(&heights, log_leaves));
        self.push(Operation::Root, Work::default());
    }

    fn main(&mut self) {
        for (index, component) in self.statement.recorded.components.iter().enumerate() {
            let (width, log_size) = (component.width(1) as u64, component.log_size);
            if width == 0 {
                continue;
            }
            match self.statement.trace {
                None => {
                    let work = work::transfer::<CircleStark>(width, log_size) + self.extension(width, log_size, true);
                    self.push(Operation::UploadLde, work);
                }
                Some(tables) => {
                    self.generated(&tables[index], width, log_size);
                    let work = self.extension(width, log_size, true);
                    self.push(Operation::Lde, work);
                }
            }
        }
    }

    /// A table that the device makes.
    fn generated(&mut self, table: &TableProgram<'_>, width: u64, log_size: u32) {
        for source in &table.sources {
            let work = match source {
                Source::Recurrence(made) => {
                    let work = work::recurrence::<CircleStark>(made.coefficients.len() as u64, made.log_height);
                    (Operation::Recurrence, work)
                }
                Source::Host { log_height, .. } => (Operation::Upload, work::transfer::<CircleStark>(1, *log_height)),
            };
            self.calls.push(work);
        }
        match &table.columns {
            ColumnProgram::Map(program) => {
                // Each source is a group of one column; a lower one is read from a cache again.
                let read = table.sources.iter().map(|source| work::rows(source.log_height())).sum();
                let elements = width as f64 * work::rows(log_size);
                let moved = work::copy::<CircleStark>(read, elements);
                let work = Work { bytes: moved.bytes, ..work::map(program, width, log_size) };
                self.push(Operation::Map, work);
            }
            ColumnProgram::Tree { leaf, node, .. } => {
                self.push(Operation::TreeMap, work::tree_map([leaf, node], log_size))
            }
            ColumnProgram::Sources if table.sources.len() > 1 => {
                let elements = width as f64 * work::rows(log_size);
                self.push(Operation::Select, work::copy::<CircleStark>(elements, elements));
            }
            ColumnProgram::Sources => {}
        }
    }

    fn lookups(&mut self) {
        let with_lookups: Vec<&Recorded> =
            self.statement.recorded.components.iter().filter(|component| component.logup.is_some()).collect();
        for component in &with_lookups {
            let Some(logup) = &component.logup else { continue };
            if component.width(1) == 0 {
                self.push(Operation::Upload, Work::default());
            }
            let work = work::running(&logup.program, logup.batches as u64, component.log_size);
            self.push(Operation::Logup, work);
        }
        for component in with_lookups {
            let work = self.extension(component.width(2) as u64, component.log_size, true);
            self.push(Operation::Lde, work);
        }
    }

    fn composition(&mut self, halves: &[Committed]) {
        let components = &self.statement.recorded.components;
        let lacking = components.iter().filter(|component| (1..TREES).any(|tree| component.width(tree) == 0));
        lacking.for_each(|_| self.push(Operation::Upload, Work::default()));
        let mut sums: BTreeSet<u32> = BTreeSet::new();
        let add = |from: u32, to: u32| {
            let [from, to] = [from, to].map(|log| DEGREE as f64 * work::rows(log));
            (Operation::Accumulate, work::copy::<CircleStark>(from + to, to))
        };
        for component in components {
            let log_eval = component.log_size + 1;
            let combination = combination(component.log_size, component.constraint_count());
            let work = work::constraint_eval(&component.constraints, &combination, log_eval);
            self.push(Operation::ConstraintEval, work);
            if !sums.insert(log_eval) {
                self.calls.push(add(log_eval, log_eval));
            }
        }
        let Some(top) = sums.pop_last() else { return };
        sums.into_iter().for_each(|lower| self.calls.push(add(lower, top)));
        self.push(Operation::Ntt, work::ntt::<CircleStark>(DEGREE, top, self.statement.levels));
        let elements = DEGREE as f64 * work::rows(top);
        self.push(Operation::Split, work::copy::<CircleStark>(elements, elements));
        let work = self.extension(HALVES, top - 1, false);
        self.push(Operation::Lde, work);
        self.tree(halves);
    }

    fn quotient(&mut self, trees: &[Vec<Committed>], log_domain: u32) {
        let log_degree = log_domain - self.statement.options.log_blowup;
        let (mut elements, mut weights) = (0.0, 0);
        // Points of the samples, and for columns with two another for each height.
        let mut points: BTreeSet<(isize, Option<u32>)> = BTreeSet::new();
        for table in trees.iter().flatten() {
            // Of a column that is not sampled nothing is read; of one that is, the first values, as many as fix it.
            let sampled = table.offsets.iter().filter(|offsets| !offsets.is_empty());
            elements += sampled.count() as f64 * work::rows(table.log_size);
            for offsets in &table.offsets {
                weights += offsets.len() as u64;
                points.extend(offsets.iter().map(|offset| (*offset, None)));
                if let [_, second] = offsets.as_slice() {
                    weights += 1;
                    points.insert((*second, Some(table.log_size)));
                }
            }
        }
        let moved = work::copy::<CircleStark>(elements, DEGREE as f64 * work::rows(log_degree));
        let work = work::deep::<CircleStark>(0, log_degree, weights, points.len() as u64);
        self.push(Operation::DeepQuotient, Work { bytes: moved.bytes, ..work });
        let work = self.extension(DEGREE, log_degree, true);
        self.push(Operation::Lde, work);
    }

    fn fri(&mut self, log_domain: u32) {
        let mut log_height = log_domain;
        for step in self.statement.options.fold_steps(log_domain) {
            // Four values to a leaf.
            let packing = if is_packed(log_height, step) { 2 } else { 0 };
            let work = work::merkle::<CircleStark>(HashFn::Blake2s, DEGREE << packing, log_height - packing);
            self.push(Operation::Merkle, work);
            self.push(Operation::Root, Work::default());
            for _ in 0..step {
                self.push(Operation::FriFold, work::fold::<CircleStark>(log_height));
                log_height -= 1;
            }
        }
        self.push(Operation::Ntt, work::ntt::<CircleStark>(DEGREE, log_height, self.statement.levels));
        self.push(Operation::Download, work::transfer::<CircleStark>(DEGREE, log_height));
    }
}

/// A tree of `2^log_leaves` leaves over tables of (columns, log2 of the rows), lowest first. A leaf is hashed in blocks of 16 elements;
/// blocks that hold values of low columns alone are the same for many leaves and need be compressed once for each value.
fn lifted_tree(tables: &[(u64, u32)], log_leaves: u32) -> Work {
    let elements: f64 = tables.iter().map(|(width, log)| *width as f64 * work::rows(*log)).sum();
    let width: u64 = tables.iter().map(|(width, _)| width).sum();
    let (mut compressions, mut end, mut blocks) = (0.0, 0, 0);
    for (width, log) in tables {
        end += width;
        // The blocks that end in this table.
        let ended = end / BLAKE2S_BLOCK;
        compressions += (ended - blocks) as f64 * work::rows(*log);
        blocks = ended;
    }
    // The rest, and of nothing there is a block too.
    if !width.is_multiple_of(BLAKE2S_BLOCK) || width == 0 {
        compressions += work::rows(tables.last().map_or(log_leaves, |(_, log)| *log));
    }
    let nodes = work::rows(log_leaves) - 1.0;
    let bytes = work::copy::<CircleStark>(elements, 0.0).bytes + work::digests(log_leaves);
    Work { bytes, blake2s: compressions + nodes, ..Work::default() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use polystark::backend_reference::CpuReference;
    use polystark::circle::Request;
    use polystark::circle_air;
    use polystark::hal::Metered;
    use polystark::prover::Silent;
    use polystark::prover::circle::Prover;

    use super::*;

    fn check(request: &Request, generated: bool) {
        let air = request.build().unwrap();
        let backend = Arc::new(Metered::new(CpuReference::<CircleStark>::new()));
        let prover = Prover::new(backend.clone(), air.clone(), &request.options).unwrap();
        if generated && !prover.generates() {
            return;
        }
        backend.reset();
        let proof = match generated {
            true => prover.prove_generated(&Silent),
            false => prover.prove(&air.trace(), &Silent),
        };
        let meter = backend.snapshot();
        let trace = air.trace_program().filter(|_| generated);
        let (recorded, options) = (prover.recorded(), &request.options);
        let statement = Statement { recorded, options, trace: trace.as_deref(), levels: 8 };
        let calls = statement.calls(prover.plan().log_domain, proof.unwrap().proof.proof_of_work);
        let mut counted: BTreeMap<Operation, u64> = BTreeMap::new();
        calls.iter().for_each(|(operation, _)| *counted.entry(*operation).or_default() += 1);
        let metered: BTreeMap<Operation, u64> =
            meter.operations.iter().map(|(operation, count)| (*operation, count.calls)).collect();
        assert_eq!(counted, metered, "{request:?}, generated: {generated}");
        // The link carries what the works say.
        let uploads = [Operation::Upload, Operation::UploadLde];
        let of = |operation: &Operation| uploads.contains(operation);
        let transferred: f64 =
            calls.iter().filter(|(operation, _)| of(operation)).map(|(_, work)| work.link_bytes).sum();
        let uploaded: u64 = uploads.iter().map(|operation| meter.of(*operation).uploaded).sum();
        assert_eq!(transferred, uploaded as f64, "{request:?}, generated: {generated}");
        let downloaded: f64 = calls
            .iter()
            .filter(|(operation, _)| *operation == Operation::Download)
            .map(|(_, work)| work.link_bytes)
            .sum();
        assert_eq!(downloaded, meter.of(Operation::Download).downloaded as f64);
    }

    #[test]
    fn the_calls_are_those_of_the_prover() {
        for info in circle_air::airs::all() {
            let mut request = Request::new(info.name, 1 << info.least_log_rows.max(5));
            request.options.pow_bits = 3;
            request.options.queries = 3;
            if info.params.iter().any(|param| param.name == "table") {
                request.parameters.insert("table".to_owned(), 5);
            }
            for (fold_step, log_last) in [(2, 0), (1, 1)] {
                (request.options.fold_step, request.options.log_last) = (fold_step, log_last);
                check(&request, false);
                check(&request, true);
            }
        }
    }

    #[test]
    fn low_columns_are_hashed_once() {
        // A full block of low values, then a block that holds both.
        let work = lifted_tree(&[(17, 4), (3, 10)], 10);
        assert_eq!(work.blake2s, 16.0 + 1024.0 + 1023.0);
        let one = lifted_tree(&[(32, 10)], 10);
        assert_eq!(one, work::merkle::<CircleStark>(HashFn::Blake2s, 32, 10));
    }
}
