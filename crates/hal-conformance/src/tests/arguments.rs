//! Arguments that every backend must refuse, and that it works as before afterwards.

use field::{ExtensionField, Field};
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{
    Basis, Columns, Combination, CombinationGroup, Constraints, DeepTerm, Domain, ErrorKind, EvalOrder, EvalRequest,
    Factor, LeafLayout, LinearRecurrence, MakeElements, MapArgs, Multiplier, NonceSearch, OpenRequest, Operation,
    Result, RunningColumn, RunningForm, RunningKind, RunningRequest, StarkBackend, TreeMapArgs,
};

use super::small;
use crate::{Random, Suite, TestProtocol, session, tree_programs};

/// Every wrong call is [`ErrorKind::InvalidArgument`], on the backend as on the reference; it leaves no memory behind,
/// and the next right call gives the right result.
pub fn invalid_arguments<P: TestProtocol>(suite: &Suite<P>) {
    session(&suite.dual, 11, 3).unwrap_or_else(|error| panic!("a session before any wrong call: {error}"));
    let calls = Calls { backend: suite.backend(), name: suite.name() };
    calls.transfers();
    calls.transforms();
    calls.trees();
    calls.programs();
    calls.trees_of_programs();
    calls.row_programs();
    calls.quotients();
    session(&suite.dual, 12, 3).unwrap_or_else(|error| panic!("a session after wrong calls: {error}"));
}

pub(super) struct Calls<'a, B> {
    pub(super) backend: &'a B,
    name: &'a str,
}

/// The same buffer in another shape.
pub(super) fn reshape<Buf>(table: &Columns<Buf>, width: usize, log_height: u32) -> Columns<&Buf> {
    Columns::new(&table.data, width, log_height)
}

impl<P: TestProtocol, B: StarkBackend<P = P>> Calls<'_, B> {
    pub(super) fn has(&self, op: Operation) -> bool {
        self.backend.has(op)
    }

    fn in_use(&self) -> u64 {
        self.backend.sync().expect("sync");
        self.backend.memory().expect("memory()").in_use
    }

    pub(super) fn small(&self, width: usize, log_height: u32) -> Columns<B::Buffer> {
        small(self.backend, width, log_height).expect("upload of a small table")
    }

    /// `call` must be refused, without a trace.
    pub(super) fn refused<T>(&self, op: Operation, what: &str, call: impl FnOnce() -> Result<T>) {
        let before = self.in_use();
        let error = match call() {
            Ok(_) => panic!("{op} of '{}' accepts {what}", self.name),
            Err(error) => error,
        };
        assert_eq!(error.kind, ErrorKind::InvalidArgument, "{op} of '{}' with {what}: {error}", self.name);
        assert_eq!(error.op, op.into(), "{op} of '{}' with {what}: the error names another operation", self.name);
        assert_eq!(self.in_use(), before, "{op} of '{}' with {what} keeps memory", self.name);
        // It still works.
        let data = Random::new(before ^ 5).elements::<P::Base>(4);
        let table = self.backend.upload(&data, 1, 2).unwrap_or_else(|error| panic!("upload after {what}: {error}"));
        let back = self.backend.download(table.as_ref(), 0..4);
        assert_eq!(back.unwrap_or_else(|error| panic!("download after {what}: {error}")), data, "after {what}");
    }

    fn transfers(&self) {
        let (b, zeros) = (self.backend, vec![P::Base::ZERO; 8]);
        let upload = |what: &str, data: &[P::Base], width, log_height| {
            self.refused(Operation::Upload, what, || b.upload(data, width, log_height));
        };
        upload("too few elements", &zeros[..7], 2, 2);
        upload("too many elements", &zeros, 1, 2);
        upload("a height that overflows", &zeros, 1, 64);
        upload("a shape whose product overflows", &zeros, usize::MAX, 3);
        let mut bad = zeros.clone();
        bytemuck::bytes_of_mut(&mut bad[7]).fill(0xff);
        upload("an element that is not canonical", &bad, 2, 2);
        let made = |what: &str, make: &MakeElements<'_, P::Base>, width, log_height| {
            self.refused(Operation::Upload, what, || b.upload_made(make, width, log_height));
        };
        let never = |_: usize, _: &mut [P::Base]| panic!("an argument that is refused makes nothing");
        made("elements made of a height that overflows", &never, 1, 64);
        made("elements made of a shape whose product overflows", &never, usize::MAX, 3);
        made("elements made of a shape that no host holds", &never, 1 << 20, 43);
        let bad = |first: usize, to: &mut [P::Base]| to.copy_from_slice(&bad[first..][..to.len()]);
        made("an element made that is not canonical", &bad, 2, 2);

        let table = self.small(2, 2);
        let download = |what: &str, table, rows| {
            self.refused(Operation::Download, what, || b.download(table, rows));
        };
        download("rows past the end", table.as_ref(), 3..5);
        #[allow(clippy::reversed_empty_ranges, reason = "a range that runs backwards is the case")]
        download("rows that run backwards", table.as_ref(), 3..2);
        download("more columns than the buffer has", reshape(&table, 3, 2), 0..1);
        download("other rows than the buffer has", reshape(&table, 2, 1), 0..1);
        download("a height that overflows", reshape(&table, 2, 64), 0..1);
    }

    fn transforms(&self) {
        let (b, random) = (self.backend, &mut Random::new(3));
        let table = self.small(2, 3);
        let evaluations = |domain| Basis::<P::Domain>::Evaluations { domain, order: EvalOrder::Storage };
        let (right, small, large) =
            (P::trace_domain(random, 3), P::trace_domain(random, 2), P::trace_domain(random, 4));
        if self.has(Operation::Ntt) {
            let ntt = |what: &str, width, from, to| {
                let mut table = self.small(2, 3);
                let table = Columns::new(&mut table.data, width, 3);
                self.refused(Operation::Ntt, what, || b.ntt(table, from, to));
            };
            ntt("coefficients on both sides", 2, Basis::Coefficients, Basis::Coefficients);
            ntt("evaluations on both sides", 2, evaluations(right), evaluations(right));
            let rows = |domain| Basis::<P::Domain>::Evaluations { domain, order: EvalOrder::Row };
            ntt("rows to storage order", 2, rows(right), evaluations(right));
            let other = (0..).map(|seed| P::domain(&mut Random::new(seed), 3)).find(|other| *other != right);
            ntt("rows of another domain", 2, evaluations(right), rows(other.expect("there is another domain")));
            ntt("a smaller domain", 2, Basis::Coefficients, evaluations(small));
            ntt("a larger domain", 2, evaluations(large), Basis::Coefficients);
            ntt("no domain", 2, Basis::Coefficients, evaluations(P::no_domain()));
            ntt("a wrong shape", 3, Basis::Coefficients, evaluations(right));
        }
        if self.has(Operation::Lde) {
            let lde = |what: &str, table, from, to| {
                self.refused(Operation::Lde, what, || b.lde(table, from, to));
            };
            lde("a target smaller than the table", table.as_ref(), Basis::Coefficients, small);
            lde("a source of another size", table.as_ref(), evaluations(small), large);
            lde("no target", table.as_ref(), Basis::Coefficients, P::no_domain());
            lde("no source", table.as_ref(), evaluations(P::no_domain()), large);
            lde("a wrong shape", reshape(&table, 1, 3), Basis::Coefficients, large);
        }
        if self.has(Operation::UploadLde) {
            let mut data = [P::Base::ZERO; 16];
            let upload_lde = |what: &str, columns: [&[P::Base]; 2], from, to| {
                for keep in [false, true] {
                    self.refused(Operation::UploadLde, what, || b.upload_lde(&columns, 3, from, to, keep));
                }
            };
            let (first, second) = data.split_at(8);
            upload_lde("a column that is too short", [first, &second[..7]], Basis::Coefficients, large);
            upload_lde("a column that is too long", [&data[..9], second], Basis::Coefficients, large);
            upload_lde("a target smaller than the table", [first, second], Basis::Coefficients, small);
            upload_lde("a source of another size", [first, second], evaluations(small), large);
            upload_lde("no target", [first, second], Basis::Coefficients, P::no_domain());
            bytemuck::bytes_of_mut(&mut data[11]).fill(0xff);
            let (first, second) = data.split_at(8);
            upload_lde("an element that is not canonical", [first, second], evaluations(right), large);
        }
        if self.has(Operation::Split) {
            let (table, none) = (self.small(P::DEGREE, 3), self.small(0, 3));
            let split = |what: &str, table, parts, log_part| {
                self.refused(Operation::Split, what, || b.split(table, parts, log_part));
            };
            split("no part", table.as_ref(), 0, 1);
            split("more coefficients than there are", table.as_ref(), 3, 2);
            split("a part that overflows", table.as_ref(), 1, 64);
            split("parts that overflow", table.as_ref(), usize::MAX, 2);
            split("no column", none.as_ref(), 1, 1);
        }
        if self.has(Operation::Select) {
            let lower = self.small(2, 2);
            let select = |what: &str, tables: &[_], picks: &[_]| {
                self.refused(Operation::Select, what, || b.select(tables, picks));
            };
            select("no pick", &[table.as_ref()], &[]);
            select("a column that does not exist", &[table.as_ref()], &[(0, 0), (0, 2)]);
            select("a table that does not exist", &[table.as_ref()], &[(1, 0)]);
            select("tables of two heights", &[table.as_ref(), lower.as_ref()], &[(0, 0)]);
            select("a wrong shape", &[reshape(&table, 3, 3)], &[(0, 0)]);
        }
    }

    fn trees(&self) {
        let b = self.backend;
        if self.has(Operation::Merkle) {
            let (table, lower, two) = (self.small(2, 3), self.small(1, 2), self.small(1, 1));
            let hash = b.capabilities().hashes[0];
            let merkle = |what: &str, tables: &[_], rows_per_leaf| {
                self.refused(Operation::Merkle, what, || b.merkle(tables, LeafLayout::new(rows_per_leaf), hash));
            };
            merkle("no table", &[], 1);
            merkle("leaves of no row", &[table.as_ref()], 0);
            merkle("leaves of three rows", &[table.as_ref()], 3);
            merkle("leaves of eight rows", &[table.as_ref()], 8);
            // A row of a leaf of several is of tables of one height, lifted or not.
            merkle("tables of two heights", &[table.as_ref(), lower.as_ref()], if P::Domain::LIFTS { 2 } else { 1 });
            let low = LeafLayout { rows_per_leaf: 1, log_height: Some(2) };
            self.refused(Operation::Merkle, "a tree lower than its table", || b.merkle(&[table.as_ref()], low, hash));
            merkle("fewer rows than a leaf takes", &[two.as_ref()], 4);
            merkle("a wrong shape", &[reshape(&table, 1, 3)], 1);
            if self.has(Operation::Open) {
                let columns = [table.as_ref()];
                let tree = b.merkle(&columns, LeafLayout::new(2), hash).expect("a tree of four leaves");
                let open = |what: &str, columns: &[_], rows: &[_], leaves: &[_]| {
                    let request = OpenRequest { columns, tree: &tree, rows, leaves };
                    self.refused(Operation::Open, what, || b.open(&[request]));
                };
                open("a leaf that does not exist", &columns, &[0], &[0, 4]);
                open("a row that does not exist", &columns, &[7, 8], &[0]);
                open("a row without tables", &[], &[0], &[0]);
                open("a wrong shape", &[reshape(&table, 3, 3)], &[0], &[0]);
            }
        }
        if self.has(Operation::Grind) {
            let hashes = &b.capabilities().hashes;
            let hash = *hashes.iter().find(|hash| hash.has_work()).expect("a hash function with a proof of work");
            let challenge = NonceSearch { hash, prefix: [1; 32], bits: 65 };
            self.refused(Operation::Grind, "more bits than a nonce has", || b.grind(&challenge));
            let (challenge, windows) = (NonceSearch { bits: 1, ..challenge }, 0..hash.nonces().windows() + 1);
            self.refused(Operation::Grind, "more windows than there are", || b.grind_within(&challenge, windows));
            if let Some(hash) = hashes.iter().copied().find(|hash| !hash.has_work()) {
                let challenge = NonceSearch { hash, ..challenge };
                self.refused(Operation::Grind, "a hash without proof of work", || b.grind(&challenge));
            }
        }
    }

    fn programs(&self) {
        if !self.has(Operation::Prepare) {
            return;
        }
        let (b, random) = (self.backend, &mut Random::new(4));
        let groups = vec![Group { width: 2, kind: Kind::Base }, Group { width: 1, kind: Kind::Ext }];
        let mut builder = ProgramBuilder::<P>::new(groups, 1);
        let (x, y, c) = (builder.load(0, 1, 0), builder.load(1, 0, 1), builder.param(0));
        let product = builder.mul(x, y);
        let sum = builder.add(product, c);
        for node in [sum, x] {
            builder.output(node);
        }
        let program = builder.finish().expect("loads and parameters are within the layout");
        let prepared = b.prepare(&program).expect("a small program");
        let (main, extension) = (self.small(2, 3), self.small(P::DEGREE, 3));
        let (wide, tall, low) = (self.small(3, 3), self.small(2, 4), self.small(2, 0));
        let both = [main.as_ref(), extension.as_ref()];
        let params = [P::Ext::ONE];

        if self.has(Operation::Running) {
            let column = |numerator, denominator| RunningColumn {
                kind: RunningKind::Sum,
                inclusive: true,
                numerator,
                denominator,
            };
            let refused = |what: &str, columns: &[_], log_height, params: &[_], form: RunningForm<'_>| {
                let args = RunningRequest { program: &prepared, columns, log_height, params, form };
                self.refused(Operation::Running, what, || b.running(&[args]));
            };
            let running = |what: &str, columns: &[_], log_height, params: &[_], running: &[_]| {
                refused(what, columns, log_height, params, RunningForm::Columns(running));
            };
            running("a table missing", &both[..1], 3, &params, &[column(0, 1)]);
            running("a table too wide", &[wide.as_ref(), both[1]], 3, &params, &[column(0, 1)]);
            running("a table too tall", &[tall.as_ref(), both[1]], 3, &params, &[column(0, 1)]);
            running("a wrong shape", &[reshape(&main, 2, 2), both[1]], 3, &params, &[column(0, 1)]);
            running("a parameter missing", &both, 3, &[], &[column(0, 1)]);
            running("an unknown numerator", &both, 3, &params, &[column(2, 1)]);
            running("an unknown denominator", &both, 3, &params, &[column(0, 2)]);
            running("nothing to build", &both, 3, &params, &[]);
            running("a height that overflows", &both, 64, &params, &[column(0, 1)]);
            running("a height that overflows in bytes", &both, 62, &params, &[column(0, 1)]);
            let logup = |what: &str, columns: &[_], log_height, params: &[_], fractions: &[_]| {
                refused(what, columns, log_height, params, RunningForm::Logup(fractions));
            };
            logup("a table missing", &both[..1], 3, &params, &[(0, 1)]);
            logup("a table of another height", &both, 4, &params, &[(0, 1)]);
            logup("a parameter missing", &both, 3, &[], &[(0, 1)]);
            logup("an unknown output", &both, 3, &params, &[(0, 2)]);
            logup("no fraction", &both, 3, &params, &[]);
        }
        if self.has(Operation::Map) {
            let map = |what: &str, columns: &[_], log_height, outputs: &[_]| {
                let args = MapArgs { program: &prepared, columns, log_height, outputs };
                self.refused(Operation::Map, what, || b.map(&args));
            };
            map("a table missing", &both[..1], 3, &[1]);
            map("an unknown output", &both, 3, &[2]);
            map("an extension output", &both, 3, &[0]);
            map("a height that overflows", &both, 64, &[1]);
            map("nothing to build", &both, 3, &[]);
        }
        if self.has(Operation::Recurrence) {
            let ones = |count: usize| vec![P::Base::ONE; count];
            let recurrence =
                |what: &str, coefficients: usize, initial: usize, restarts: &[(usize, usize)], log_height| {
                    let restarts = restarts.iter().map(|(row, values)| (*row, ones(*values))).collect();
                    let (coefficients, initial) = (ones(coefficients), ones(initial));
                    let recurrence = LinearRecurrence { coefficients, initial, restarts, log_height };
                    self.refused(Operation::Recurrence, what, || b.recurrence(&recurrence));
                };
            recurrence("no order", 0, 0, &[], 3);
            recurrence("an order of five", 5, 5, &[], 3);
            recurrence("a row too few", 2, 1, &[], 3);
            recurrence("a row too few at a later start", 2, 2, &[(4, 1)], 3);
            recurrence("a second start at row 0", 1, 1, &[(0, 1)], 3);
            recurrence("starts that do not ascend", 1, 1, &[(4, 1), (4, 1)], 3);
            recurrence("a start behind the end", 1, 1, &[(8, 1)], 3);
            recurrence("a height that overflows", 1, 1, &[], 64);
        }
        if self.has(Operation::Accumulate) {
            let mut into = self.small(2, 3);
            self.refused(Operation::Accumulate, "another width", || b.accumulate(into.as_mut(), wide.as_ref()));
            self.refused(Operation::Accumulate, "a higher summand", || b.accumulate(into.as_mut(), tall.as_ref()));
        }
        if self.has(Operation::ConstraintEval) {
            let group = |multiplier, output| Combination::<P> {
                groups: vec![CombinationGroup { multiplier, terms: vec![(output, P::Ext::ONE)] }],
            };
            let plain = || Multiplier { factors: Vec::new(), column: None };
            let right = group(plain(), 0);
            let domain = P::trace_domain(random, 3);
            let evaluate = |what: &str, columns: &[_], domain, logs: (u32, u32), params: &[_], combination: &_| {
                let (log_trace, log_eval) = logs;
                let program = &prepared;
                let args = Constraints { program, columns, domain, log_trace, log_eval, params, combination };
                self.refused(Operation::ConstraintEval, what, || b.constraint_eval(&[args]));
            };
            evaluate("a table missing", &both[..1], domain, (2, 3), &params, &right);
            evaluate("a table too wide", &[wide.as_ref(), both[1]], domain, (2, 3), &params, &right);
            evaluate("a table too tall", &[tall.as_ref(), both[1]], domain, (2, 3), &params, &right);
            evaluate("a table lower than the blowup", &[low.as_ref(), both[1]], domain, (2, 3), &params, &right);
            evaluate("a wrong shape", &[reshape(&main, 1, 3), both[1]], domain, (2, 3), &params, &right);
            evaluate("a parameter too many", &both, domain, (2, 3), &[P::Ext::ONE; 2], &right);
            evaluate("no domain", &both, P::no_domain(), (2, 3), &params, &right);
            evaluate("a smaller domain", &both, P::trace_domain(random, 2), (2, 2), &params, &right);
            evaluate("a trace larger than what is evaluated", &both, domain, (3, 2), &params, &right);
            evaluate("more points than the domain has", &both, domain, (2, 4), &params, &right);
            evaluate("an unknown output", &both, domain, (2, 3), &params, &group(plain(), 2));
            let factor = Factor { log_power: 3, constant: P::Base::ONE, inverse: false };
            let power = Multiplier { factors: vec![factor], column: None };
            evaluate("a power above the trace length", &both, domain, (2, 3), &params, &group(power, 0));
            for column in [(0, 2), (1, P::DEGREE), (2, 0)] {
                let multiplier = Multiplier { factors: Vec::new(), column: Some(column) };
                evaluate("an unknown multiplier column", &both, domain, (2, 3), &params, &group(multiplier, 0));
            }
        }
    }

    fn trees_of_programs(&self) {
        if ![Operation::Prepare, Operation::TreeMap].into_iter().all(|op| self.has(op)) {
            return;
        }
        let b = self.backend;
        let prepare = |program: &_| b.prepare(program).expect("a small program");
        // Two columns, two values.
        let [leaf, node] = tree_programs::<P>(&mut Random::new(7), &[2], 2, 2).map(|program| prepare(&program));
        let [_, narrow] = tree_programs::<P>(&mut Random::new(7), &[2], 3, 1).map(|program| prepare(&program));
        let [_, short] = tree_programs::<P>(&mut Random::new(7), &[2], 2, 1).map(|program| prepare(&program));
        let [_, others] = tree_programs::<P>(&mut Random::new(7), &[1], 2, 2).map(|program| prepare(&program));
        let base = |width| Group { width, kind: Kind::Base };
        let of_four = |offset, is_extension: bool| {
            let mut builder = ProgramBuilder::<P>::new(vec![base(2), base(4)], 0);
            let (first, one) = (builder.load(1, 0, offset), builder.constant_ext(P::Ext::basis(P::DEGREE - 1)));
            let last = if is_extension { builder.mul(first, one) } else { first };
            for node in [first, first, first, last] {
                builder.output(node);
            }
            prepare(&builder.finish().expect("loads are within the layout"))
        };
        let (main, tall, single) = (self.small(2, 3), self.small(2, 4), self.small(2, 0));
        let table = main.as_ref();
        let tree_map = |what: &str, programs: [&B::Program; 2], columns: &[_], log_height, width| {
            let [leaf, node] = programs;
            let args = TreeMapArgs { leaf, node, columns, log_height, width };
            self.refused(Operation::TreeMap, what, || b.tree_map(&args));
        };
        let right = [&leaf, &node];
        tree_map("a table missing", right, &[], 3, 2);
        tree_map("a table too tall", right, &[tall.as_ref()], 3, 2);
        tree_map("a wrong shape", right, &[reshape(&main, 1, 3)], 3, 2);
        tree_map("a single row", right, &[single.as_ref()], 0, 2);
        tree_map("a height that overflows", right, &[table], 64, 2);
        tree_map("a height that overflows in bytes", right, &[table], 62, 2);
        tree_map("no column to build", right, &[table], 3, 0);
        tree_map("nothing that goes up", right, &[table], 3, 4);
        tree_map("another number of values", right, &[table], 3, 1);
        tree_map("a node of other values", [&leaf, &narrow], &[table], 3, 2);
        tree_map("a node of fewer outputs", [&leaf, &short], &[table], 3, 2);
        tree_map("a node of other tables", [&leaf, &others], &[table], 3, 2);
        tree_map("a leaf for a node", [&leaf, &leaf], &[table], 3, 2);
        tree_map("a node that reads what goes up to another", [&leaf, &of_four(1, false)], &[table], 3, 2);
        if P::DEGREE > 1 {
            tree_map("an extension output", [&leaf, &of_four(0, true)], &[table], 3, 2);
        }
    }

    fn quotients(&self) {
        let (b, random) = (self.backend, &mut Random::new(5));
        let table = self.small(2, 3);
        let (right, small, large) =
            (P::trace_domain(random, 3), P::trace_domain(random, 2), P::trace_domain(random, 4));
        if self.has(Operation::EvalAt) {
            let points = [P::point(random)];
            let eval_at = |what: &str, table, domain, order| {
                let request =
                    EvalRequest { columns: table, from: Basis::Evaluations { domain, order }, points: &points };
                self.refused(Operation::EvalAt, what, || b.eval_at(&[request]));
            };
            eval_at("a domain larger than the table", table.as_ref(), large, EvalOrder::Storage);
            eval_at("a smaller domain in row order", table.as_ref(), small, EvalOrder::Row);
            eval_at("no domain", table.as_ref(), P::no_domain(), EvalOrder::Storage);
            eval_at("a wrong shape", reshape(&table, 1, 3), right, EvalOrder::Storage);
        }
        if self.has(Operation::DeepQuotient) {
            let term = |weights| DeepTerm::<P> {
                point: P::point(&mut Random::new(6)),
                weights,
                constant: P::Ext::ONE,
                slope: P::Ext::ZERO,
            };
            let deep = |what: &str, table, domain, term| {
                self.refused(Operation::DeepQuotient, what, || b.deep_quotient(&[table], domain, &[term]));
            };
            deep("a smaller domain", table.as_ref(), small, term(vec![(0, 0, P::Ext::ONE)]));
            if !P::Domain::LIFTS {
                deep("a larger domain", table.as_ref(), large, term(vec![(0, 0, P::Ext::ONE)]));
            }
            deep("no domain", table.as_ref(), P::no_domain(), term(vec![]));
            deep("a column that does not exist", table.as_ref(), right, term(vec![(0, 2, P::Ext::ONE)]));
            deep("a table that does not exist", table.as_ref(), right, term(vec![(1, 0, P::Ext::ONE)]));
            deep("a wrong shape", reshape(&table, 2, 2), small, term(vec![]));
        }
        if self.has(Operation::FriFold) {
            let (layer, none) = (self.small(P::DEGREE, 3), self.small(0, 3));
            let (twice, single) = (self.small(2 * P::DEGREE, 3), self.small(P::DEGREE, 0));
            let fold = |what: &str, layer, domain| {
                self.refused(Operation::FriFold, what, || b.fri_fold(layer, domain, P::Ext::ONE));
            };
            fold("a smaller domain", layer.as_ref(), small);
            fold("no domain", layer.as_ref(), P::no_domain());
            fold("more than one extension column", twice.as_ref(), right);
            fold("no column", none.as_ref(), right);
            fold("a wrong shape", reshape(&layer, P::DEGREE, 2), small);
            if P::MIN_LOG == 0 {
                fold("a single point", single.as_ref(), P::trace_domain(random, 0));
            }
        }
    }
}
