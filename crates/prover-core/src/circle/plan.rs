//! How much device memory a proof takes, known before any work.

use std::collections::BTreeSet;
use std::fmt;

use circle_air::{Recorded, RecordedStatement, TREES};
use circle_proof::CircleOptions;
use circle_proof::positions::is_packed;
use field::{Field, M31, QM31};
use gpu_hal::{Basis, CircleDomain, CircleStark, EvalOrder, Footprint, Protocol, Shape, StarkBackend};

use super::preprocessed::Layout;
use super::prover::Programs;
use super::samples::offsets;
use super::tree::in_rows;
use super::witness::Generator;
use super::{ProveError, composition};
use crate::ledger::{Ledger, shape};

const DEGREE: usize = CircleStark::DEGREE;

/// What proofs of a statement take on the device: at least what they take, and little more. Buffers, trees, and what an operation takes
/// while it runs count as [`StarkBackend::footprint`] has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Highest sum of live buffers while a proof is made, in bytes, what is kept between proofs included.
    pub peak_bytes: u64,
    /// Where the peak is.
    pub peak_at: &'static str,
    /// Highest sum while the preprocessed columns are committed to.
    pub preparation_bytes: u64,
    /// What is kept of the preprocessed columns between proofs.
    pub kept_bytes: u64,
    /// Bytes that the trace takes on its way to the device, if the device does not make it.
    pub upload_bytes: u64,
    /// Log2 of the points of the common domain.
    pub log_domain: u32,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let (peak, kept) = (mib(self.peak_bytes), mib(self.kept_bytes));
        write!(f, "domain 2^{}, {peak} MiB on the device ({}), {kept} MiB of them kept", self.log_domain, self.peak_at)
    }
}

impl Plan {
    /// Whether there is memory for the preprocessed columns and a proof.
    pub(crate) fn check_before_anything<B: StarkBackend>(&self, backend: &B) -> Result<(), ProveError> {
        let (needed, at) = match self.preparation_bytes > self.peak_bytes {
            true => (self.preparation_bytes, "preprocessed columns"),
            false => (self.peak_bytes, self.peak_at),
        };
        check(needed, at, backend.memory()?.available)
    }

    /// The same once the preprocessed columns are there.
    pub(crate) fn check_before_a_proof<B: StarkBackend>(&self, backend: &B) -> Result<(), ProveError> {
        let available = backend.memory()?.available.map(|bytes| bytes.saturating_add(self.kept_bytes));
        check(self.peak_bytes, self.peak_at, available)
    }
}

fn check(needed: u64, at: &'static str, available: Option<u64>) -> Result<(), ProveError> {
    match available {
        Some(available) if needed > available => Err(ProveError::Memory { needed, at, available }),
        _ => Ok(()),
    }
}

/// What a plan is made of.
pub(crate) struct Input<'a, B: StarkBackend> {
    pub(crate) backend: &'a B,
    pub(crate) recorded: &'a RecordedStatement,
    pub(crate) layout: &'a Layout,
    pub(crate) programs: &'a [Programs<B>],
    /// How the device makes the trace, if it does.
    pub(crate) trace: Option<&'a Generator<'a, B>>,
    /// Whether it makes the preprocessed columns.
    pub(crate) makes_preprocessed: bool,
    pub(crate) options: &'a CircleOptions,
    /// Log2 of the points of the common domain, `L`.
    pub(crate) log_domain: u32,
}

/// The plan of a statement.
pub(crate) fn plan<B: StarkBackend<P = CircleStark>>(input: &Input<'_, B>) -> Plan {
    let mut ledger = Ledger::new(input.backend);
    let own = ledger.take("tables of the backend", Footprint::Kept { log_domain: input.largest_domain() });
    input.preprocessed(&mut ledger);
    let (preparation_bytes, kept_bytes) = (ledger.peak(), ledger.live() - own);
    ledger.forget_peak("preprocessed columns");
    let rows = input.main(&mut ledger);
    input.interaction(&mut ledger, rows);
    input.composition(&mut ledger);
    input.out_of_domain(&mut ledger);
    input.quotient_and_fri(&mut ledger);
    let components = input.recorded.components.iter();
    let upload = |component: &Recorded| ((component.width(1) as u64) << component.log_size) * size_of::<M31>() as u64;
    Plan {
        peak_bytes: ledger.peak(),
        peak_at: ledger.peak_at(),
        preparation_bytes,
        kept_bytes,
        upload_bytes: components.map(upload).sum(),
        log_domain: input.log_domain,
    }
}

impl<B: StarkBackend<P = CircleStark>> Input<'_, B> {
    fn extended(&self, log_size: u32) -> u32 {
        log_size + self.options.log_blowup
    }

    /// Log2 of the points of the largest domain that a table or a layer is on.
    fn largest_domain(&self) -> u32 {
        let tables = self.layout.tables.iter().map(|table| self.extended(table.log_size));
        tables.chain([self.log_domain]).max().unwrap_or(self.log_domain)
    }

    /// Height of a tree over tables that are so high at most.
    fn tree_height(&self, highest: Option<u32>) -> Option<u32> {
        highest.map(|log_size| self.options.lifting.unwrap_or(self.extended(log_size)))
    }

    /// Tree 0; what is live afterwards is kept.
    fn preprocessed(&self, ledger: &mut Ledger<'_, B>) {
        let at = "preprocessed columns";
        let mut rows = Vec::new();
        for table in &self.layout.tables {
            let (width, log_size, keep) = (table.columns.len(), table.log_size, table.has_lookups);
            let made = match self.makes_preprocessed {
                true if width > 1 => {
                    let single: u64 = (0..width).map(|_| ledger.table(at, 1, log_size)).sum();
                    let joined = ledger.table(at, width, log_size);
                    ledger.release(single);
                    joined
                }
                true => ledger.table(at, width, log_size),
                false if keep => ledger.table(at, width, log_size),
                false => 0,
            };
            ledger.table(at, width, self.extended(log_size));
            let (table_shape, from) = (shape(width, log_size), in_rows(log_size));
            ledger.pass(
                at,
                match self.makes_preprocessed {
                    true => Footprint::Lde { table: table_shape, from },
                    false => Footprint::UploadLde { table: table_shape, from, keep },
                },
            );
            if keep {
                rows.push(made);
            } else {
                ledger.release(made);
            }
        }
        if let Some(height) = self.tree_height(self.layout.tables.last().map(|table| table.log_size)) {
            ledger.tree("preprocessed tree", height);
        }
        for reading in self.layout.reads.iter().filter(|reading| !reading.is_whole) {
            if reading.has_lookups {
                ledger.table(at, reading.columns.len(), reading.log_size);
            }
            ledger.table(at, reading.columns.len(), self.extended(reading.log_size));
        }
        let with_rows = self.layout.tables.iter().filter(|table| table.has_lookups);
        rows.into_iter()
            .zip(with_rows)
            .filter(|(_, table)| !table.keeps_rows)
            .for_each(|(rows, _)| ledger.release(rows));
    }

    /// The main trace; gives what the rows of each component with lookups take.
    fn main(&self, ledger: &mut Ledger<'_, B>) -> Vec<u64> {
        let mut rows_of = Vec::new();
        for (index, component) in self.recorded.components.iter().enumerate() {
            let (width, log_size) = (component.width(1), component.log_size);
            if width == 0 {
                rows_of.push(0);
                continue;
            }
            let (at, from, keep) = ("main LDE", in_rows(log_size), component.logup.is_some());
            let upload = || Footprint::UploadLde { table: shape(width, log_size), from, keep };
            if !keep {
                let extended = ledger.table(at, width, self.extended(log_size));
                ledger.pass(at, upload());
                ledger.release(extended);
            }
            let shapes = self.trace.map(|generator| generator.sources(index, log_size)).unwrap_or_default();
            let sources: u64 = shapes.iter().map(|source| ledger.take("trace", Footprint::Table(*source))).sum();
            let rows = if keep || self.trace.is_some() { ledger.table("trace", width, log_size) } else { 0 };
            if let Some(making) = self.trace.and_then(|generator| generator.footprint(index, &shapes, log_size)) {
                ledger.pass("trace", making);
            }
            ledger.release(sources);
            ledger.table(at, width, self.extended(log_size));
            if keep {
                ledger.pass(at, upload());
            }
            if self.trace.is_some() {
                ledger.pass(at, Footprint::Lde { table: shape(width, log_size), from });
            }
            if keep {
                rows_of.push(rows);
            } else {
                rows_of.push(0);
                ledger.release(rows);
            }
        }
        if let Some(height) = self.tree_height(self.highest(1)) {
            ledger.tree("main tree", height);
        }
        rows_of
    }

    fn interaction(&self, ledger: &mut Ledger<'_, B>, rows_of: Vec<u64>) {
        let at = "lookup columns";
        let mut tables = Vec::new();
        let components = self.recorded.components.iter().zip(self.programs).zip(&self.layout.reads);
        for (((component, programs), reading), main) in components.zip(rows_of) {
            let (Some(logup), Some(program)) = (&component.logup, &programs.logup) else { continue };
            let log_height = component.log_size;
            let main = if component.width(1) == 0 { ledger.table(at, 0, log_height) } else { main };
            let width = logup.batches * DEGREE;
            tables.push((ledger.table(at, width, log_height), width, log_height));
            let shapes = [shape(reading.columns.len(), log_height), shape(component.width(1), log_height)];
            ledger.pass(at, Footprint::Logup { program, tables: &shapes, log_height, columns: logup.batches });
            ledger.release(main);
        }
        for (rows, width, log_size) in tables {
            ledger.table("interaction LDE", width, self.extended(log_size));
            let table = shape(width, log_size);
            ledger.pass("interaction LDE", Footprint::Lde { table, from: in_rows(log_size) });
            ledger.release(rows);
        }
        if let Some(height) = self.tree_height(self.highest(2)) {
            ledger.tree("interaction tree", height);
        }
    }

    fn composition(&self, ledger: &mut Ledger<'_, B>) {
        let at = "constraint evaluation";
        let components = &self.recorded.components;
        let lacking = components.iter().filter(|component| (1..TREES).any(|tree| component.width(tree) == 0));
        let empty: u64 = lacking.map(|component| ledger.table(at, 0, self.extended(component.log_size))).sum();
        let mut sums: Vec<(u32, u64)> = Vec::new();
        for ((component, programs), reading) in components.iter().zip(self.programs).zip(&self.layout.reads) {
            let (log_size, log_eval) = (component.log_size, component.log_size + 1);
            let values = ledger.table(at, DEGREE, log_eval);
            let widths = [reading.columns.len(), component.width(1), component.width(2)];
            let tables = widths.map(|width| shape(width, self.extended(log_size)));
            let terms = (0..component.constraint_count()).map(|output| (output, QM31::ONE));
            let combination = composition::combination(log_size, terms.collect());
            let program = &programs.constraints;
            ledger
                .pass(at, Footprint::ConstraintEval { program, tables: &tables, log_eval, combination: &combination });
            match sums.iter().any(|(log_height, _)| *log_height == log_eval) {
                true => ledger.release(values),
                false => sums.push((log_eval, values)),
            }
        }
        let (log_height, total) = sums.iter().copied().max().unwrap_or_default();
        sums.iter().filter(|(other, _)| *other != log_height).for_each(|(_, bytes)| ledger.release(*bytes));
        let halves = ledger.table("composition halves", 2 * DEGREE, log_height - 1);
        ledger.release(total);
        ledger.table("composition LDE", 2 * DEGREE, self.extended(log_height - 1));
        let table = shape(2 * DEGREE, log_height - 1);
        ledger.pass("composition LDE", Footprint::Lde { table, from: Basis::Coefficients });
        ledger.release(halves);
        if let Some(height) = self.tree_height(Some(log_height - 1)) {
            ledger.tree("composition tree", height);
        }
        ledger.release(empty);
    }

    fn out_of_domain(&self, ledger: &mut Ledger<'_, B>) {
        let at = "out-of-domain values";
        for (table, points) in self.committed() {
            let log_size = table.log_height - self.options.log_blowup;
            ledger.pass(at, Footprint::EvalAt { table, log_size, points: points.len() });
        }
    }

    fn quotient_and_fri(&self, ledger: &mut Ledger<'_, B>) {
        let (at, log_domain) = ("DEEP quotient", self.log_domain);
        let log_degree = log_domain - self.options.log_blowup;
        let values = ledger.table(at, DEGREE, log_degree);
        let committed = self.committed();
        let tables: Vec<Shape> = committed.iter().map(|(table, _)| *table).collect();
        ledger.pass(at, Footprint::DeepQuotient { tables: &tables, terms: self.terms() });
        let mut layer = ledger.table(at, DEGREE, log_domain);
        let domain = CircleDomain::prefix_of(log_domain, log_degree);
        let from = Basis::Evaluations { domain, order: EvalOrder::Storage };
        ledger.pass(at, Footprint::Lde { table: shape(DEGREE, log_degree), from });
        ledger.release(values);
        let mut log_height = log_domain;
        for step in self.options.fold_steps(log_domain) {
            let packing = if is_packed(log_height, step) { 2 } else { 0 };
            ledger.tree("FRI layer tree", log_height - packing);
            for fold in 1..=step {
                let folded = ledger.table("FRI layer", DEGREE, log_height - fold);
                // The layer itself stays for the openings.
                if fold > 1 {
                    ledger.release(layer);
                }
                layer = folded;
            }
            log_height -= step;
        }
        ledger.release(layer);
        ledger.pass("grinding", Footprint::Grind { bits: self.options.pow_bits });
        ledger.pass("openings", self.openings(&committed));
    }

    /// At most this much is opened: every query at another place.
    fn openings(&self, committed: &[(Shape, BTreeSet<isize>)]) -> Footprint<'static, B> {
        let queries = self.options.queries as usize;
        let width: usize = committed.iter().map(|(table, _)| table.width).sum();
        let (mut numbers, mut digests) = (0, 0);
        let heights = [self.layout.tables.last().map(|table| table.log_size), self.highest(1), self.highest(2)];
        let heights = heights.into_iter().chain([self.highest_component()]);
        for height in heights.filter_map(|highest| self.tree_height(highest)) {
            numbers += 2 * queries;
            digests += queries * height as usize;
        }
        let (mut elements, mut log_height) = (queries * width, self.log_domain);
        for step in self.options.fold_steps(self.log_domain) {
            let packing = if is_packed(log_height, step) { 2 } else { 0 };
            let groups = queries.min(1 << (log_height - step));
            let (rows, leaves) = (groups * ((1 << step) - 1), groups << (step - packing));
            numbers += rows + leaves;
            elements += DEGREE * rows;
            digests += leaves * (log_height - packing) as usize;
            log_height -= step;
        }
        Footprint::Open { numbers, elements, digests }
    }

    /// Log2 of the rows of the highest component with columns in a tree.
    fn highest(&self, tree: usize) -> Option<u32> {
        let components = self.recorded.components.iter();
        components.filter(|component| component.width(tree) > 0).map(|component| component.log_size).max()
    }

    fn highest_component(&self) -> Option<u32> {
        self.recorded.components.iter().map(|component| component.log_size).max()
    }

    /// The committed tables tree by tree, each with the row offsets at which its columns are sampled.
    fn committed(&self) -> Vec<(Shape, BTreeSet<isize>)> {
        let preprocessed = &offsets(self.recorded, 2)[0];
        let tables = self.layout.tables.iter().map(|table| {
            let sampled = table.columns.iter().flat_map(|column| &preprocessed[*column]).copied().collect();
            (shape(table.columns.len(), self.extended(table.log_size)), sampled)
        });
        let mut committed: Vec<_> = tables.collect();
        for tree in 1..TREES {
            for component in self.recorded.components.iter().filter(|component| component.width(tree) > 0) {
                let sampled = component.offsets[tree].iter().flatten().copied().collect();
                committed.push((shape(component.width(tree), self.extended(component.log_size)), sampled));
            }
        }
        let halves = self.highest_component().map(|log_size| shape(2 * DEGREE, self.extended(log_size)));
        committed.extend(halves.map(|halves| (halves, BTreeSet::from([0]))));
        committed
    }

    /// Points of the quotient: those of the samples, and for columns with two samples another for each height.
    fn terms(&self) -> usize {
        let mut points: BTreeSet<(isize, Option<u32>)> = BTreeSet::from([(0, None)]);
        for component in &self.recorded.components {
            for offsets in component.offsets[1..].iter().flatten() {
                points.extend(offsets.iter().map(|offset| (*offset, None)));
                if let [_, second] = offsets.as_slice() {
                    points.insert((*second, Some(component.log_size)));
                }
            }
        }
        points.len()
    }
}
