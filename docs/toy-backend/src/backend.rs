//! The toy as a backend of both protocols: every method takes the queue and runs a kernel. Arguments arrive checked.

use std::marker::PhantomData;
use std::ops::Range;

use field::Field;
use gpu_hal::decorate::Rehearsed;
use gpu_hal::ir::Schedule;
use gpu_hal::{
    Accumulated, Basis, Budget, Capabilities, Columns, ConstraintProgram, Constraints, DeepTerm, Digest, Domain,
    EvalOrder, EvalRequest, HalError, HashFn, LOG_WINDOW, Leaves, MemoryInfo, NonceSearch, OpenRequest, Opened,
    Operation, Operations, PlacementOperations, RandomRows, Result, RunningRequest, Table, TableRef, Types, Values,
    check,
};

use crate::memory::{Buffer, Memory, Tree};
use crate::protocol::ToyProtocol;
use crate::{kernels, program};

/// A device with memory of its own, one queue, and no speed.
#[derive(Debug)]
pub struct Toy<P: ToyProtocol> {
    memory: Memory<P::Base>,
    budget: Budget,
    capabilities: Capabilities,
    protocol: PhantomData<P>,
}

impl<P: ToyProtocol> Toy<P> {
    /// A device of `capacity` bytes.
    pub fn new(capacity: u64) -> Self {
        let is_listed = |op: &Operation| !op.makes_traces() && !op.is_of_sumchecks();
        let capabilities = Capabilities {
            backend: "toy".into(),
            device: "a heap behind a lock".into(),
            // Proofs of uploaded traces do without the others.
            operations: Operation::ALL.iter().copied().filter(is_listed).collect(),
            // It lacks Poseidon2, one of Goldilocks' two: it says so, and is never asked.
            hashes: vec![P::HASH],
            max_log_height: P::MAX_LOG_HEIGHT,
            blocks: true,
            at_once: 1,
            stops: false,
        };
        Self { memory: Memory::new(capacity), budget: Budget::default(), capabilities, protocol: PhantomData }
    }
}

impl<P: ToyProtocol> Types for Toy<P> {
    type P = P;
    type Buffer = Buffer<P::Base>;
    type Tree = Tree<P::Base>;
    type Program = Schedule<P>;
}

/// Tables go to other toys through the host.
impl<P: ToyProtocol> PlacementOperations<Self> for Toy<P> {}

impl<P: ToyProtocol> Operations for Toy<P> {
    type T = Self;
    type Shapes = Rehearsed<Self>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        Ok(self.memory.lock().info())
    }

    fn budget(&self) -> &Budget {
        &self.budget
    }

    fn upload(&self, data: &[P::Base], width: usize, log_height: u32) -> Result<Table<Self>> {
        check::canonical(Operation::Upload, &[data])?;
        self.memory.table(width, log_height, |_, out| {
            out.copy_from_slice(data);
            Ok(())
        })
    }

    fn download(&self, table: TableRef<'_, Self>, rows: Range<usize>) -> Result<Vec<P::Base>> {
        let heap = self.memory.lock();
        let columns = heap.view(&table)?.data.chunks_exact(table.height());
        Ok(columns.flat_map(|column| &column[rows.clone()]).copied().collect())
    }

    fn sync(&self) -> Result<()> {
        // Every operation has ended when its method returns.
        Ok(())
    }

    fn ntt(&self, table: Columns<&mut Buffer<P::Base>>, from: Basis<P::Domain>, to: Basis<P::Domain>) -> Result<()> {
        let mut heap = self.memory.lock();
        for column in heap.elements_mut(&table)?.chunks_exact_mut(table.height()) {
            // From values to values, in another order, is both.
            if let Basis::Evaluations { domain, order } = from {
                column.copy_from_slice(&kernels::coefficients::<P>(column, &domain, order));
            }
            if let Basis::Evaluations { domain, order } = to {
                column.copy_from_slice(&kernels::values::<P>(column, &domain, order));
            }
        }
        Ok(())
    }

    fn lde(&self, table: TableRef<'_, Self>, from: Basis<P::Domain>, to: P::Domain) -> Result<Table<Self>> {
        self.memory.table(table.width, to.log_size(), |heap, out| {
            let columns = heap.view(&table)?.data.chunks_exact(table.height());
            for (column, out) in columns.zip(out.chunks_exact_mut(1 << to.log_size())) {
                out.copy_from_slice(&kernels::values::<P>(&coefficients::<P>(column, &from), &to, EvalOrder::Storage));
            }
            Ok(())
        })
    }

    fn split(&self, table: TableRef<'_, Self>, parts: usize, log_part: u32) -> Result<Table<Self>> {
        self.memory.table(table.width * parts, log_part, |heap, out| {
            let view = heap.view(&table)?;
            // Part by part, all columns of a part together.
            for (number, out) in out.chunks_exact_mut(1 << log_part).enumerate() {
                let (part, column) = (number / table.width, number % table.width);
                for (index, out) in out.iter_mut().enumerate() {
                    *out = kernels::base(&view, column, P::Domain::split_index(index, part, parts, log_part));
                }
            }
            Ok(())
        })
    }

    fn select(&self, tables: &[TableRef<'_, Self>], picks: &[(usize, usize)]) -> Result<Table<Self>> {
        let (log_height, height) = (tables[0].log_height, tables[0].height());
        self.memory.table(picks.len(), log_height, |heap, out| {
            let views = heap.views(tables)?;
            for (out, (table, column)) in out.chunks_exact_mut(height).zip(picks) {
                out.copy_from_slice(&views[*table].data[column * height..][..height]);
            }
            Ok(())
        })
    }

    fn merkle(&self, tables: &[TableRef<'_, Self>], leaves: Leaves, _: HashFn) -> Result<Tree<P::Base>> {
        self.memory.tree(leaves.log_height - leaves.rows_per_leaf.ilog2(), |heap, nodes| {
            kernels::tree::<P>(&heap.views(tables)?, leaves, nodes);
            Ok(())
        })
    }

    fn root(&self, tree: &Tree<P::Base>) -> Result<Digest> {
        Ok(self.memory.lock().nodes(tree)?[0])
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<P::Base>>> {
        let heap = self.memory.lock();
        let open = |request: &OpenRequest<'_, Self>| {
            let (views, nodes) = (heap.views(request.columns)?, heap.nodes(request.tree)?);
            let log_rows = check::open_log_rows(request);
            Ok(Opened {
                rows: request.rows.iter().map(|row| kernels::row::<P>(&views, *row, log_rows)).collect(),
                paths: request.leaves.iter().map(|leaf| kernels::path(nodes, *leaf)).collect(),
            })
        };
        requests.iter().map(open).collect()
    }

    fn prepare(&self, program: &ConstraintProgram<P>) -> Result<Schedule<P>> {
        Ok(Schedule::new(program))
    }

    fn running(&self, requests: &[RunningRequest<'_, Self>]) -> Result<Vec<Accumulated<Self>>> {
        let run = |args: &RunningRequest<'_, Self>| {
            let mut total = P::Ext::ZERO;
            let columns = self.memory.table(P::DEGREE * args.form.width(), args.log_height, |heap, out| {
                total = program::running(args, &heap.views(args.columns)?, out);
                Ok(())
            })?;
            Ok(Accumulated { columns, total })
        };
        requests.iter().map(run).collect()
    }

    fn constraint_eval(&self, requests: &[Constraints<'_, Self>]) -> Result<Vec<Table<Self>>> {
        let evaluate = |args: &Constraints<'_, Self>| {
            let Some(prefix) = args.domain.prefix(args.log_eval) else {
                return Err(HalError::invalid(Operation::ConstraintEval, "no such prefix of the domain"));
            };
            self.memory.table(P::DEGREE, args.log_eval, |heap, out| {
                program::constraints(args, &prefix, &heap.views(args.columns)?, out);
                Ok(())
            })
        };
        requests.iter().map(evaluate).collect()
    }

    fn accumulate(&self, into: Columns<&mut Buffer<P::Base>>, from: TableRef<'_, Self>) -> Result<()> {
        let mut heap = self.memory.lock();
        let (summands, log_height) = (heap.view(&from)?.data.to_vec(), into.log_height);
        for (at, sum) in heap.elements_mut(&into)?.iter_mut().enumerate() {
            let (column, row) = (at >> log_height, at % into.height());
            *sum += summands[(column << from.log_height) + P::Domain::lift_index(row, log_height, from.log_height)];
        }
        Ok(())
    }

    fn random(&self, into: Columns<&mut Buffer<P::Base>>, rows: &RandomRows) -> Result<()> {
        let (mut heap, height) = (self.memory.lock(), into.height());
        for (at, element) in heap.elements_mut(&into)?.iter_mut().enumerate() {
            let (column, row) = (at / height, at % height);
            if row >= rows.from {
                *element = kernels::random::<P>(rows, column as u64, row as u64);
            }
        }
        Ok(())
    }

    fn eval_at(&self, requests: &[EvalRequest<'_, Self>]) -> Result<Vec<Values<Self>>> {
        let heap = self.memory.lock();
        let evaluate = |request: &EvalRequest<'_, Self>| {
            let columns = heap.view(&request.columns)?.data.chunks_exact(request.columns.height());
            let polynomials: Vec<_> = columns.map(|column| coefficients::<P>(column, &request.from)).collect();
            let values = |point: &P::Point| polynomials.iter().map(|p| kernels::value::<P>(p, *point)).collect();
            Ok(request.points.iter().map(values).collect())
        };
        requests.iter().map(evaluate).collect()
    }

    fn deep_quotient(
        &self,
        tables: &[TableRef<'_, Self>],
        log_cut: u32,
        domain: P::Domain,
        terms: &[DeepTerm<P>],
    ) -> Result<Table<Self>> {
        self.memory.table(P::DEGREE, domain.log_size(), |heap, out| {
            let (views, points) = (heap.views(tables)?, domain.points());
            let mut sums = vec![P::Ext::ZERO; points.len()];
            for term in terms {
                let quotients = kernels::quotients(&views, log_cut, &domain, &points, term);
                sums.iter_mut().zip(quotients).for_each(|(sum, quotient)| *sum += quotient);
            }
            for (storage, sum) in sums.into_iter().enumerate() {
                kernels::set_extension::<P>(out, domain.log_size(), 0, storage, sum);
            }
            Ok(())
        })
    }

    fn fri_fold(
        &self,
        layer: TableRef<'_, Self>,
        domain: P::Domain,
        folded: P::Domain,
        alpha: P::Ext,
    ) -> Result<Table<Self>> {
        self.memory.table(P::DEGREE, folded.log_size(), |heap, out| {
            let layer = heap.view(&layer)?;
            for (row, at) in domain.points().into_iter().step_by(2).enumerate() {
                // Neighbours in storage order differ by the sign of one coordinate.
                let [plus, minus] = [2 * row, 2 * row + 1].map(|at| kernels::extension::<P>(&layer, 0, at));
                let value = (plus + minus) + alpha * ((plus - minus) * domain.twin(at).inverse_or_zero());
                kernels::set_extension::<P>(out, folded.log_size(), 0, row, value);
            }
            Ok(())
        })
    }

    fn grind(&self, grind: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>> {
        let tries =
            windows.flat_map(|window| (0..1 << LOG_WINDOW).map(move |number: u64| window << LOG_WINDOW | number));
        Ok(tries.map(|number| grind.hash.nonces().nonce(number)).find(|nonce| grind.is_work(*nonce)))
    }
}

/// Coefficients of a column of any meaning. If a column is higher than the domain, its first rows count.
fn coefficients<P: ToyProtocol>(column: &[P::Base], from: &Basis<P::Domain>) -> Vec<P::Base> {
    match from {
        Basis::Coefficients => column.to_vec(),
        Basis::Evaluations { domain, order } => {
            kernels::coefficients::<P>(&column[..1 << domain.log_size()], domain, *order)
        }
    }
}
