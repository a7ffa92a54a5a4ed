//! The toy as a [`StarkBackend`]: every method checks its arguments, takes the queue, and runs a kernel.

use std::ops::Range;

use field::{Field, Fp3, Goldilocks, TwoAdicField, bit_reverse};
use gpu_hal::{
    Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, CosetDomain, DeepTerm, Digest, EvalOrder,
    GoldilocksStark, GrindChallenge, HashFn, Kind, LeafLayout, MemoryInfo, OpenRequest, Opened, Operation, Result,
    Running, RunningKind, Schedule, StarkBackend, check,
};

use crate::kernels;
use crate::memory::{Buffer, Heap, Memory, Tree};

/// What a Goldilocks proof of an uploaded trace does without.
const OPTIONAL: [Operation; 5] =
    [Operation::Logup, Operation::Recurrence, Operation::Map, Operation::TreeMap, Operation::Accumulate];

type Stark = GoldilocksStark;
type Domain = CosetDomain<Goldilocks>;
type Table<'a> = Columns<&'a Buffer>;

/// A device with memory of its own, one queue, and no speed.
#[derive(Debug)]
pub(crate) struct Toy {
    memory: Memory,
    budget: Budget,
    capabilities: Capabilities,
}

impl Toy {
    /// A device of so many bytes.
    pub(crate) fn new(capacity: u64) -> Self {
        let capabilities = Capabilities {
            backend: "toy".into(),
            device: "a heap behind a lock".into(),
            // Those with a default in the trait are left out.
            operations: Operation::ALL.into_iter().filter(|op| !OPTIONAL.contains(op)).collect(),
            // It has no Poseidon2, says so, and refuses it.
            hashes: vec![HashFn::Keccak256],
            max_log_height: Goldilocks::TWO_ADICITY,
        };
        Self { memory: Memory::new(capacity), budget: Budget::default(), capabilities }
    }
}

/// The elements of several tables.
fn slices<'h>(heap: &'h Heap, op: Operation, tables: &[Table<'_>]) -> Result<Vec<&'h [Goldilocks]>> {
    tables.iter().map(|table| heap.elements(op, table)).collect()
}

/// An input of a program: column `column` of a group, at `row` of its table.
fn input(program: &ConstraintProgram<Stark>, group: usize, column: usize, table: &[Goldilocks], row: usize) -> Fp3 {
    let height = table.len() / program.base_width(group);
    match program.groups()[group].kind {
        Kind::Base => table[column * height + row].into(),
        Kind::Ext => kernels::extension(table, height, column, row),
    }
}

impl StarkBackend for Toy {
    type P = Stark;
    type Buffer = Buffer;
    type Tree = Tree;
    type Program = Schedule<Stark>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Ok(self.memory.lock().info())
    }

    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn upload(&self, data: &[Goldilocks], width: usize, log_height: u32) -> Result<Columns<Buffer>> {
        check::upload(data, width, log_height)?;
        self.memory.table(Operation::Upload, width, log_height, |_, out| {
            out.copy_from_slice(data);
            Ok(())
        })
    }

    fn download(&self, columns: Table<'_>, rows: Range<usize>) -> Result<Vec<Goldilocks>> {
        check::download(&columns, &rows)?;
        let heap = self.memory.lock();
        let elements = heap.elements(Operation::Download, &columns)?;
        Ok(elements.chunks_exact(columns.height()).flat_map(|column| &column[rows.clone()]).copied().collect())
    }

    fn sync(&self) -> Result<()> {
        // Every operation has ended when its method returns.
        Ok(())
    }

    fn ntt(&self, columns: Columns<&mut Buffer>, from: Basis<Domain>, to: Basis<Domain>) -> Result<()> {
        check::ntt::<Stark, _>(&Columns::new(&*columns.data, columns.width, columns.log_height), &from, &to)?;
        let mut heap = self.memory.lock();
        for column in heap.elements_mut(Operation::Ntt, columns.data)?.chunks_exact_mut(1 << columns.log_height) {
            // The check lets just these two through.
            if let Basis::Evaluations { domain, order } = from {
                column.copy_from_slice(&kernels::coefficients(column, domain, order));
            }
            if let Basis::Evaluations { domain, order } = to {
                column.copy_from_slice(&kernels::values(column, domain, order));
            }
        }
        Ok(())
    }

    fn lde(&self, columns: Table<'_>, from: Basis<Domain>, to: Domain) -> Result<Columns<Buffer>> {
        check::lde::<Stark, _>(&columns, &from, &to)?;
        self.memory.table(Operation::Lde, columns.width, to.log_size, |heap, out| {
            let columns = heap.elements(Operation::Lde, &columns)?.chunks_exact(columns.height());
            for (column, out) in columns.zip(out.chunks_exact_mut(1 << to.log_size)) {
                let coefficients = match from {
                    Basis::Coefficients => column.to_vec(),
                    Basis::Evaluations { domain, order } => kernels::coefficients(column, domain, order),
                };
                out.copy_from_slice(&kernels::values(&coefficients, to, EvalOrder::Storage));
            }
            Ok(())
        })
    }

    fn split(&self, coefficients: Table<'_>, parts: usize, log_part: u32) -> Result<Columns<Buffer>> {
        check::split::<Stark, _>(&coefficients, parts, log_part)?;
        let width = coefficients.width;
        self.memory.table(Operation::Split, width * parts, log_part, |heap, out| {
            let elements = heap.elements(Operation::Split, &coefficients)?;
            // Part by part, all columns of a part together.
            for (number, out) in out.chunks_exact_mut(1 << log_part).enumerate() {
                let (part, column) = (number / width, number % width);
                let column = &elements[column << coefficients.log_height..];
                out.iter_mut().enumerate().for_each(|(i, out)| *out = column[i * parts + part]);
            }
            Ok(())
        })
    }

    fn select(&self, tables: &[Table<'_>], picks: &[(usize, usize)]) -> Result<Columns<Buffer>> {
        check::select(tables, picks)?;
        let log_height = tables[0].log_height;
        self.memory.table(Operation::Select, picks.len(), log_height, |heap, out| {
            let elements = slices(heap, Operation::Select, tables)?;
            for (out, (table, column)) in out.chunks_exact_mut(1 << log_height).zip(picks) {
                out.copy_from_slice(&elements[*table][column << log_height..][..1 << log_height]);
            }
            Ok(())
        })
    }

    fn merkle(&self, columns: &[Table<'_>], layout: LeafLayout, hash: HashFn) -> Result<Tree> {
        check::merkle::<Stark, _>(columns, layout, hash, &self.capabilities.hashes)?;
        let (height, rows) = (columns[0].height(), layout.rows_per_leaf);
        let leaves = height / rows;
        self.memory.tree(Operation::Merkle, leaves.ilog2(), |heap, nodes| {
            let tables = slices(heap, Operation::Merkle, columns)?;
            for index in 0..leaves {
                let row = |row: usize| tables.iter().flat_map(move |t| t.iter().skip(row).step_by(height)).copied();
                nodes[leaves - 1 + index] = kernels::leaf((index * rows..(index + 1) * rows).flat_map(row));
            }
            for node in (0..leaves - 1).rev() {
                nodes[node] = kernels::parent(&nodes[2 * node + 1], &nodes[2 * node + 2]);
            }
            Ok(())
        })
    }

    fn root(&self, tree: &Tree) -> Result<Digest> {
        Ok(self.memory.lock().nodes(Operation::Root, tree)?[0])
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<Goldilocks>>> {
        check::open(requests)?;
        let heap = self.memory.lock();
        let open = |request: &OpenRequest<'_, Self>| {
            let tables = slices(&heap, Operation::Open, request.columns)?;
            let nodes = heap.nodes(Operation::Open, request.tree)?;
            let row = |row: &usize| {
                let column = |(table, shape): (&&[Goldilocks], &Table<'_>)| -> Vec<Goldilocks> {
                    table.iter().skip(*row).step_by(shape.height()).copied().collect()
                };
                tables.iter().zip(request.columns).flat_map(column).collect()
            };
            Ok(Opened {
                rows: request.rows.iter().map(row).collect(),
                paths: request.leaves.iter().map(|leaf| kernels::path(nodes, *leaf)).collect(),
            })
        };
        requests.iter().map(open).collect()
    }

    fn prepare(&self, program: &ConstraintProgram<Stark>) -> Result<Schedule<Stark>> {
        Ok(Schedule::new(program))
    }

    fn running(&self, args: &Running<'_, Self>) -> Result<Columns<Buffer>> {
        check::running(args.program.program(), args)?;
        let (program, uniforms) = (args.program.program(), args.program.uniforms(args.params));
        let height = 1usize << args.log_height;
        self.memory.table(Operation::Running, 3 * args.running.len(), args.log_height, |heap, out| {
            let tables = slices(heap, Operation::Running, args.columns)?;
            let start = |kind| if kind == RunningKind::Product { Fp3::ONE } else { Fp3::ZERO };
            let mut totals: Vec<Fp3> = args.running.iter().map(|column| start(column.kind)).collect();
            for row in 0..height {
                let outputs = kernels::interpret(args.program, &uniforms, |group, column, offset| {
                    // Offsets wrap around the trace; a lower table is periodic.
                    let at = (row as i64 + i64::from(offset)).rem_euclid(height as i64) as usize;
                    input(program, group, column, tables[group], at % args.columns[group].height())
                });
                for (k, (column, total)) in args.running.iter().zip(&mut totals).enumerate() {
                    let ratio = outputs[column.numerator] * outputs[column.denominator].inverse_or_zero();
                    let before = *total;
                    match column.kind {
                        RunningKind::Product => *total *= ratio,
                        RunningKind::Sum => *total += ratio,
                    }
                    kernels::set_extension(out, height, k, row, if column.inclusive { *total } else { before });
                }
            }
            Ok(())
        })
    }

    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<Columns<Buffer>> {
        check::constraint_eval(args.program.program(), args)?;
        let (program, uniforms) = (args.program.program(), args.program.uniforms(args.params));
        let (log_size, log_step) = (args.domain.log_size, args.domain.log_size - args.log_trace);
        let points = kernels::storage_points(args.domain.prefix(args.log_eval));
        self.memory.table(Operation::ConstraintEval, 3, args.log_eval, |heap, out| {
            let tables = slices(heap, Operation::ConstraintEval, args.columns)?;
            // A lower table stands for its lift: storage index i reads index i >> (log N - log height).
            let lowered = |group: usize, storage: usize| storage >> (log_size - args.columns[group].log_height);
            for (storage, x) in points.iter().enumerate() {
                let outputs = kernels::interpret(args.program, &uniforms, |group, column, offset| {
                    // One row further is 2^log_step points further, in natural order.
                    let natural = bit_reverse(storage, log_size) as i64 + (i64::from(offset) << log_step);
                    let there = bit_reverse(natural.rem_euclid(1 << log_size) as usize, log_size);
                    input(program, group, column, tables[group], lowered(group, there))
                });
                let value: Fp3 = (args.combination.groups.iter())
                    .map(|group| {
                        let sum: Fp3 = group.terms.iter().map(|(output, weight)| *weight * outputs[*output]).sum();
                        let column = group.multiplier.column.map_or(Goldilocks::ONE, |(t, column)| {
                            tables[t][column * args.columns[t].height() + lowered(t, storage)]
                        });
                        sum * (kernels::factors(&group.multiplier, *x) * column)
                    })
                    .sum();
                kernels::set_extension(out, points.len(), 0, storage, value);
            }
            Ok(())
        })
    }

    fn eval_at(&self, columns: Table<'_>, from: Basis<Domain>, points: &[Fp3]) -> Result<Vec<Vec<Fp3>>> {
        check::eval_at::<Stark, _>(&columns, &from)?;
        let heap = self.memory.lock();
        let polynomial = |column: &[Goldilocks]| match from {
            Basis::Coefficients => column.to_vec(),
            // Of a table taller than the domain the first rows count.
            Basis::Evaluations { domain, order } => {
                kernels::coefficients(&column[..1 << domain.log_size], domain, order)
            }
        };
        let elements = heap.elements(Operation::EvalAt, &columns)?;
        let polynomials: Vec<_> = elements.chunks_exact(columns.height()).map(polynomial).collect();
        Ok(points.iter().map(|x| polynomials.iter().map(|p| kernels::horner(p, *x)).collect()).collect())
    }

    fn deep_quotient(
        &self,
        columns: &[Table<'_>],
        domain: Domain,
        terms: &[DeepTerm<Stark>],
    ) -> Result<Columns<Buffer>> {
        check::deep_quotient(columns, &domain, terms)?;
        let points = kernels::storage_points(domain);
        self.memory.table(Operation::DeepQuotient, 3, domain.log_size, |heap, out| {
            let tables = slices(heap, Operation::DeepQuotient, columns)?;
            for (row, x) in points.iter().enumerate() {
                let quotient = |term: &DeepTerm<Stark>| {
                    let weighted =
                        term.weights.iter().map(|(t, c, weight)| *weight * tables[*t][c * points.len() + row]);
                    (weighted.sum::<Fp3>() - term.constant) * (Fp3::from(*x) - term.point).inverse_or_zero()
                };
                kernels::set_extension(out, points.len(), 0, row, terms.iter().map(quotient).sum());
            }
            Ok(())
        })
    }

    fn fri_fold(&self, layer: Table<'_>, domain: Domain, alpha: Fp3) -> Result<Columns<Buffer>> {
        let folded = check::fri_fold::<Stark, _>(&layer, &domain)?;
        let points = kernels::storage_points(domain);
        self.memory.table(Operation::FriFold, 3, folded.log_size, |heap, out| {
            let elements = heap.elements(Operation::FriFold, &layer)?;
            for row in 0..1 << folded.log_size {
                // x and -x are neighbours in storage order.
                let [plus, minus] = [2 * row, 2 * row + 1].map(|at| kernels::extension(elements, points.len(), 0, at));
                let value = (plus + minus) + alpha * ((plus - minus) * points[2 * row].inverse_or_zero());
                kernels::set_extension(out, 1 << folded.log_size, 0, row, value);
            }
            Ok(())
        })
    }

    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        check::grind(challenge)?;
        Ok(kernels::grind(&challenge.digest, challenge.bits))
    }
}
