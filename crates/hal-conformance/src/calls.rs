//! A session: every operation of a backend once, one after the other, as a proof would call them.

use field::{ExtensionField, PrimeField};
use gpu_hal::ir::{Group, Kind, ProgramBuilder};
use gpu_hal::{
    Basis, BindRequest, BindSumRequest, Columns, Constraints, DeepTerm, DeviceBuffer, EvalOrder, EvalRequest,
    LeafLayout, LinearRecurrence, MapArgs, Multilinear, NonceSearch, OpenRequest, Operation, Protocol, RandomRows,
    Result, RunningColumn, RunningForm, RunningKind, RunningRequest, StarkBackend, SumRequest, TreeMapArgs,
};

use crate::{Random, TestProtocol, random_combination, random_program, random_rows, tree_programs};

/// The results of a session: everything that came to the host, and the tables and trees on the device.
#[derive(Debug)]
pub struct Session<B: StarkBackend> {
    /// All results as words, in order.
    pub words: Vec<u64>,
    /// Live tables.
    pub tables: Vec<Columns<B::Buffer>>,
    /// Live trees.
    pub trees: Vec<B::Tree>,
}

impl<B: StarkBackend> Session<B> {
    /// Bytes that the live tables hold at least.
    pub fn bytes(&self) -> u64 {
        let elements: usize = self.tables.iter().map(|table| table.data.len()).sum();
        (elements * size_of::<<B::P as Protocol>::Base>()) as u64
    }

    fn add(&mut self, backend: &B, table: Columns<B::Buffer>) -> Result<usize> {
        let elements = backend.download(table.as_ref(), 0..table.height())?;
        self.words.extend(elements.iter().map(|x| x.as_u64()));
        self.tables.push(table);
        Ok(self.tables.len() - 1)
    }
}

/// Calls all operations that the backend lists, on data drawn from `seed` and traces of `2^log_trace` rows; `log_trace`
/// is at least 2. Equal arguments give equal [`Session::words`].
pub fn session<P: TestProtocol, B: StarkBackend<P = P>>(backend: &B, seed: u64, log_trace: u32) -> Result<Session<B>> {
    let has = |op| backend.has(op);
    let random = &mut Random::new(seed);
    let log_size = log_trace + 2;
    let trace_domain = P::trace_domain(random, log_trace);
    let domain = P::target(random, &trace_domain, log_size);
    let rows = Basis::Evaluations { domain: trace_domain, order: EvalOrder::Row };

    let mut session = Session { words: Vec::new(), tables: Vec::new(), trees: Vec::new() };
    let program = random_program::<P>(random, 3, 30);
    let mut traces = Vec::new();
    for group in 0..program.groups().len() {
        let width = program.base_width(group);
        let table = backend.upload(&random.elements(width << log_trace), width, log_trace)?;
        traces.push(session.add(backend, table)?);
    }
    let params: Vec<P::Ext> = (0..program.params()).map(|_| random.ext()).collect();
    let prepared = if has(Operation::Prepare) { Some(backend.prepare(&program)?) } else { None };

    if let (Some(program), true) = (&prepared, has(Operation::Running)) {
        let columns: Vec<_> = traces.iter().map(|at| session.tables[*at].as_ref()).collect();
        let running = [
            RunningColumn { kind: RunningKind::Product, inclusive: false, numerator: 0, denominator: 1 },
            RunningColumn { kind: RunningKind::Sum, inclusive: true, numerator: 1, denominator: 0 },
        ];
        let args = |form| RunningRequest { program, columns: &columns, log_height: log_trace, params: &params, form };
        let made =
            backend.running(&[args(RunningForm::Columns(&running)), args(RunningForm::Logup(&[(0, 1), (1, 0)]))])?;
        for accumulated in made {
            session.words.extend(accumulated.total.coordinates().iter().map(|x| x.as_u64()));
            session.add(backend, accumulated.columns)?;
        }
    }

    if has(Operation::Recurrence) {
        let (coefficients, initial) = (random.elements(2), random.elements(2));
        let restarts = vec![(3, random.elements(2))];
        let table = backend.recurrence(&LinearRecurrence { coefficients, initial, restarts, log_height: log_trace })?;
        session.add(backend, table)?;
    }
    if has(Operation::Map) {
        let mut builder = ProgramBuilder::<P>::new(vec![Group { width: 1, kind: Kind::Base }], 0);
        let (here, next) = (builder.load(0, 0, 0), builder.load(0, 0, 1));
        let product = builder.mul(here, next);
        builder.output(product);
        let program = backend.prepare(&builder.finish().expect("loads of the declared column"))?;
        let column = backend.upload(&random.elements(1 << log_trace), 1, log_trace)?;
        let args = MapArgs { program: &program, columns: &[column.as_ref()], log_height: log_trace, outputs: &[0] };
        let table = backend.map(&args)?;
        session.add(backend, table)?;
    }
    if has(Operation::TreeMap) {
        let [leaf, node] = tree_programs::<P>(random, &[2], 3, 2);
        let (leaf, node) = (backend.prepare(&leaf)?, backend.prepare(&node)?);
        let source = backend.upload(&random.elements(2 << log_trace), 2, log_trace)?;
        let columns = [source.as_ref()];
        let args = TreeMapArgs { leaf: &leaf, node: &node, columns: &columns, log_height: log_trace, width: 3 };
        let table = backend.tree_map(&args)?;
        session.add(backend, table)?;
    }

    if has(Operation::CopyTo) {
        let table = backend.copy_to(session.tables[traces[0]].as_ref(), backend)?;
        session.add(backend, table)?;
    }

    let mut extended = Vec::new();
    if has(Operation::Lde) {
        for at in &traces {
            let table = backend.lde(session.tables[*at].as_ref(), rows, domain)?;
            extended.push(session.add(backend, table)?);
        }
    }
    if has(Operation::UploadLde) {
        let elements = random.elements(3 << log_trace);
        let columns: Vec<_> = elements.chunks_exact(1 << log_trace).collect();
        for keep in [true, false] {
            let (table, other) = backend.upload_lde(&columns, log_trace, rows, domain, keep)?;
            for table in table.into_iter().chain([other]) {
                session.add(backend, table)?;
            }
        }
    }
    if has(Operation::Ntt) {
        let first = &mut session.tables[traces[0]];
        backend.ntt(first.as_mut(), rows, Basis::Coefficients)?;
        let elements = backend.download(first.as_ref(), 0..first.height())?;
        session.words.extend(elements.iter().map(|x| x.as_u64()));
    }
    if has(Operation::Select) && !extended.is_empty() {
        let tables: Vec<_> = extended.iter().map(|at| session.tables[*at].as_ref()).collect();
        let table = backend.select(&tables, &[(0, 0), (tables.len() - 1, 0), (0, 0)])?;
        session.add(backend, table)?;
    }

    if has(Operation::Merkle) && !extended.is_empty() {
        for hash in backend.capabilities().hashes.clone() {
            let columns: Vec<_> = extended.iter().map(|at| session.tables[*at].as_ref()).collect();
            let tree = backend.merkle(&columns, LeafLayout::new(2), hash)?;
            if has(Operation::Root) {
                session.words.extend(backend.root(&tree)?.map(u64::from));
            }
            if has(Operation::Open) {
                let picks: Vec<usize> = (0..5).map(|_| random.below(1 << (log_size - 1))).collect();
                let opened =
                    backend.open(&[OpenRequest { columns: &columns, tree: &tree, rows: &picks, leaves: &picks }])?;
                for opened in opened {
                    session.words.extend(opened.rows.iter().flatten().map(|x| x.as_u64()));
                    session.words.extend(opened.paths.iter().flatten().flatten().map(|x| u64::from(*x)));
                }
            }
            session.trees.push(tree);
        }
    }

    if let (Some(prepared), true, false) = (&prepared, has(Operation::ConstraintEval), extended.is_empty()) {
        let columns: Vec<_> = extended.iter().map(|at| session.tables[*at].as_ref()).collect();
        let combination = random_combination(random, &program, &domain, log_trace);
        let tables = backend.constraint_eval(&[Constraints {
            program: prepared,
            columns: &columns,
            domain,
            log_trace,
            log_eval: log_size,
            params: &params,
            combination: &combination,
        }])?;
        for table in tables {
            session.add(backend, table)?;
        }
    }

    let coefficients = backend.upload(&random.elements(P::DEGREE << log_size), P::DEGREE, log_size)?;
    let coefficients = session.add(backend, coefficients)?;
    if has(Operation::Split) {
        let table = backend.split(session.tables[coefficients].as_ref(), 2, log_size - 1)?;
        session.add(backend, table)?;
    }
    if has(Operation::EvalAt) {
        let points = [P::point(random), P::point(random)];
        let columns = session.tables[coefficients].as_ref();
        let values = backend.eval_at(&[EvalRequest { columns, from: Basis::Coefficients, points: &points }])?;
        for value in values.iter().flatten().flatten() {
            session.words.extend(value.coordinates().iter().map(|x| x.as_u64()));
        }
    }
    if has(Operation::DeepQuotient) && !extended.is_empty() {
        let columns: Vec<_> = extended.iter().map(|at| session.tables[*at].as_ref()).collect();
        let weights = vec![(0, 0, random.ext()), (columns.len() - 1, 0, random.ext())];
        let terms = [DeepTerm { point: P::point(random), weights, constant: random.ext(), slope: P::slope(random) }];
        let table = backend.deep_quotient(&columns, domain, &terms)?;
        session.add(backend, table)?;
    }
    if has(Operation::FriFold) {
        let table = backend.fri_fold(session.tables[coefficients].as_ref(), domain, random.ext())?;
        session.add(backend, table)?;
    }
    if has(Operation::Accumulate) {
        let summand = backend.upload(&random.elements(P::DEGREE << (log_size - 1)), P::DEGREE, log_size - 1)?;
        let table = &mut session.tables[coefficients];
        backend.accumulate(table.as_mut(), summand.as_ref())?;
        let elements = backend.download(table.as_ref(), 0..table.height())?;
        session.words.extend(elements.iter().map(|x| x.as_u64()));
    }
    if has(Operation::Random) {
        let table = &mut session.tables[coefficients];
        let from = table.height() / 2;
        backend.random(table.as_mut(), &RandomRows { key: [9; 32], stream: 2, first: 3, from })?;
        let elements = backend.download(table.as_ref(), 0..table.height())?;
        session.words.extend(elements.iter().map(|x| x.as_u64()));
    }
    if has(Operation::Bind) {
        let values = Multilinear::layer(session.tables[coefficients].as_ref(), log_size - 1);
        for table in backend.bind(&[BindRequest { values, challenge: random.ext() }])? {
            session.add(backend, table)?;
        }
    }
    if has(Operation::Sum) {
        let mut builder = ProgramBuilder::<P>::new(vec![Group { width: 1, kind: Kind::Ext }], 1);
        let (low, high, factor) = (builder.load(0, 0, 0), builder.load(0, 0, 1), builder.param(0));
        let product = builder.mul(low, high);
        let output = builder.mul(product, factor);
        [output, product].into_iter().for_each(|output| {
            builder.output(output);
        });
        let program = backend.prepare(&builder.finish().expect("loads of the declared column"))?;
        let table = session.tables[coefficients].as_ref();
        let weights = [log_size - 2, 0].map(|variables| Multilinear { table, first: 1, variables });
        let (values, params) = ([Multilinear::layer(table, log_size - 1)], [random.ext()]);
        let request = SumRequest { program: &program, values: &values, params: &params, outputs: &[0, 1], weights };
        for sum in backend.sum(&[request])?.iter().flatten() {
            session.words.extend(sum.coordinates().iter().map(|x| x.as_u64()));
        }
        if has(Operation::BindSum) {
            let (weights, [values]) =
                ([log_size - 3, 0].map(|variables| Multilinear { variables, ..weights[0] }), values);
            let (challenge, program, outputs) = (random.ext(), &program, &[0, 1]);
            let request = BindSumRequest { challenge, program, values, params: &params, outputs, weights };
            let made = backend.bind_sum(&[request])?;
            for made in made {
                session.words.extend(made.sums.iter().flat_map(|sum| sum.coordinates()).map(|x| x.as_u64()));
                session.add(backend, made.values)?;
            }
        }
    }
    if has(Operation::Grind) {
        let mut prefix = [0; 32];
        prefix[..8].copy_from_slice(&random.word().to_le_bytes());
        for hash in backend.capabilities().hashes.iter().copied().filter(|hash| hash.has_work()) {
            session.words.extend(backend.grind(&NonceSearch { hash, prefix, bits: 5 })?);
        }
    }
    if has(Operation::Rows) {
        // The last that draws, so that backends without it draw the same before.
        let (made, counters) = random_rows(random, log_trace, 20).run(backend)?;
        for table in made.lists.into_iter().chain([made.columns]).chain(counters) {
            session.add(backend, table)?;
        }
    }
    if has(Operation::Sync) {
        backend.sync()?;
    }
    Ok(session)
}
