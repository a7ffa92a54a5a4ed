//! Capabilities that are not the truth: a backend that lists what the reference cannot check, or contradicts itself;
//! and operations that a backend does not list, which the front refuses although the code is there.

use std::ops::Range;

use gpu_hal::{
    Basis, Budget, Capabilities, ConstraintProgram, Constraints, DeepTerm, Digest, EvalAt, HashFn, Leaves, MemoryInfo,
    NonceSearch, OpenRequest, Opened, Operations, PlacementOperations, Protocol, Rehearsed, Table, TableRef,
    TraceOperations, Values,
};

use super::*;

type Base = <Stark as Protocol>::Base;
type Ext = <Stark as Protocol>::Ext;
type Domain = <Stark as gpu_hal::Protocol>::Domain;
type Buffer = <Cpu as StarkBackend>::Buffer;
type Tree = <Cpu as StarkBackend>::Tree;
type Program = <Cpu as StarkBackend>::Program;

/// A sound backend with other capabilities.
struct Renamed {
    inner: Cpu,
    capabilities: Capabilities,
}

impl Renamed {
    fn without(operations: &[Operation]) -> Self {
        let inner = cpu();
        let mut capabilities = StarkBackend::capabilities(&inner).clone();
        capabilities.operations.retain(|op| !operations.contains(op));
        Self { inner, capabilities }
    }
}

impl TraceOperations<Cpu> for Renamed {}

impl PlacementOperations<Cpu> for Renamed {}

/// It has the types of the backend inside, so that arguments pass as they are.
impl Operations for Renamed {
    type T = Cpu;
    type Shapes = Rehearsed<Self>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }
    fn memory(&self) -> Result<MemoryInfo> {
        Operations::memory(&self.inner)
    }
    fn budget(&self) -> &Budget {
        Operations::budget(&self.inner)
    }
    fn upload(&self, data: &[Base], width: usize, log_height: u32) -> Result<Table<Cpu>> {
        Operations::upload(&self.inner, data, width, log_height)
    }
    fn download(&self, table: TableRef<'_, Cpu>, rows: Range<usize>) -> Result<Vec<Base>> {
        Operations::download(&self.inner, table, rows)
    }
    fn sync(&self) -> Result<()> {
        Operations::sync(&self.inner)
    }
    fn ntt(&self, table: Columns<&mut Buffer>, from: Basis<Domain>, to: Basis<Domain>) -> Result<()> {
        Operations::ntt(&self.inner, table, from, to)
    }
    fn lde(&self, table: TableRef<'_, Cpu>, from: Basis<Domain>, to: Domain) -> Result<Table<Cpu>> {
        Operations::lde(&self.inner, table, from, to)
    }
    fn split(&self, coefficients: TableRef<'_, Cpu>, parts: usize, log_part: u32) -> Result<Table<Cpu>> {
        Operations::split(&self.inner, coefficients, parts, log_part)
    }
    fn select(&self, tables: &[TableRef<'_, Cpu>], picks: &[(usize, usize)]) -> Result<Table<Cpu>> {
        Operations::select(&self.inner, tables, picks)
    }
    fn merkle(&self, tables: &[TableRef<'_, Cpu>], leaves: Leaves, hash: HashFn) -> Result<Tree> {
        Operations::merkle(&self.inner, tables, leaves, hash)
    }
    fn root(&self, tree: &Tree) -> Result<Digest> {
        Operations::root(&self.inner, tree)
    }
    fn open(&self, requests: &[OpenRequest<'_, Cpu>]) -> Result<Vec<Opened<Base>>> {
        Operations::open(&self.inner, requests)
    }
    fn prepare(&self, program: &ConstraintProgram<Stark>) -> Result<Program> {
        Operations::prepare(&self.inner, program)
    }
    fn constraint_eval(&self, requests: &[Constraints<'_, Cpu>]) -> Result<Vec<Table<Cpu>>> {
        Operations::constraint_eval(&self.inner, requests)
    }
    fn eval_at(&self, requests: &[EvalAt<'_, Cpu>]) -> Result<Vec<Values<Cpu>>> {
        Operations::eval_at(&self.inner, requests)
    }
    fn deep_quotient(
        &self,
        tables: &[TableRef<'_, Cpu>],
        log_cut: u32,
        domain: Domain,
        terms: &[DeepTerm<Stark>],
    ) -> Result<Table<Cpu>> {
        Operations::deep_quotient(&self.inner, tables, log_cut, domain, terms)
    }
    fn fri_fold(&self, layer: TableRef<'_, Cpu>, domain: Domain, folded: Domain, alpha: Ext) -> Result<Table<Cpu>> {
        Operations::fri_fold(&self.inner, layer, domain, folded, alpha)
    }
    fn grind(&self, challenge: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>> {
        Operations::grind(&self.inner, challenge, windows)
    }
}

/// An unlisted operation is refused, and the test of the operation sees that, even if the backend could do it.
#[test]
fn an_operation_that_is_not_listed_is_refused() {
    // Every backend has these, and roots are of no use without trees.
    let needed = [Operation::Upload, Operation::Download, Operation::Sync, Operation::Root];
    for operation in Operation::ALL.iter().copied().filter(|op| !needed.contains(op)) {
        let backend = Renamed::without(&[operation]);
        let message = failure(|| tests::of(operation)(&Suite::new(NAME, backend, reference())));
        assert_eq!(message, None, "{operation}");
    }
}

/// An operation that is listed and has only the default body is found.
#[test]
fn an_operation_that_is_listed_and_missing_is_found() {
    let absent = [Operation::Running, Operation::Accumulate];
    for operation in Operation::ALL.iter().copied().filter(|op| op.makes_traces() || absent.contains(op)) {
        let test = tests::of(operation);
        assert!(failure(|| test(&Suite::new(NAME, Renamed::without(&[]), reference()))).is_some(), "{operation}");
    }
}

#[test]
fn a_reference_that_cannot_check_an_operation_is_found() {
    let message =
        failure(|| tests::lde(&Suite::new("cpu-reference", reference(), Renamed::without(&[Operation::Lde]))));
    assert!(message.is_some_and(|message| message.contains("give a reference")));
}

#[test]
fn wrong_capabilities_are_found() {
    let check = |change: fn(&mut Capabilities)| {
        let mut backend = Renamed::without(&[]);
        change(&mut backend.capabilities);
        assert!(failure(|| tests::capabilities(&Suite::new(NAME, backend, reference()))).is_some());
    };
    check(|capabilities| capabilities.operations.push(Operation::Lde));
    check(|capabilities| capabilities.operations.retain(|op| *op != Operation::Sync));
    check(|capabilities| capabilities.hashes.clear());
    check(|capabilities| capabilities.device.clear());
}
