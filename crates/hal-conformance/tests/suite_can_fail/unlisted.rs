//! Capabilities that are not the truth: a backend that does what it does not list, and one that lists what the reference
//! cannot check.

use std::ops::Range;

use gpu_hal::{
    Basis, Capabilities, ConstraintProgram, Constraints, DeepTerm, Digest, GrindChallenge, HashFn, MemoryInfo,
    OpenRequest, Opened, Running,
};

use super::*;

type Base = <Stark as Protocol>::Base;
type Ext = <Stark as Protocol>::Ext;
type Domain = <Stark as Protocol>::Domain;
type Table<'a> = Columns<&'a <Cpu as StarkBackend>::Buffer>;
type NewTable = Columns<<Cpu as StarkBackend>::Buffer>;

/// A sound backend with other capabilities.
struct Renamed {
    inner: Cpu,
    capabilities: Capabilities,
}

impl Renamed {
    fn without(operations: &[Operation]) -> Self {
        let inner = cpu();
        let mut capabilities = inner.capabilities().clone();
        capabilities.operations.retain(|op| !operations.contains(op));
        Self { inner, capabilities }
    }
}

impl StarkBackend for Renamed {
    type P = Stark;
    type Buffer = <Cpu as StarkBackend>::Buffer;
    type Tree = <Cpu as StarkBackend>::Tree;
    type Program = <Cpu as StarkBackend>::Program;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }
    fn memory(&self) -> Result<MemoryInfo> {
        self.inner.memory()
    }
    fn upload(&self, data: &[Base], width: usize, log_height: u32) -> Result<NewTable> {
        self.inner.upload(data, width, log_height)
    }
    fn download(&self, columns: Table<'_>, rows: Range<usize>) -> Result<Vec<Base>> {
        self.inner.download(columns, rows)
    }
    fn sync(&self) -> Result<()> {
        self.inner.sync()
    }
    fn ntt(&self, columns: Columns<&mut Self::Buffer>, from: Basis<Domain>, to: Basis<Domain>) -> Result<()> {
        self.inner.ntt(columns, from, to)
    }
    fn lde(&self, columns: Table<'_>, from: Basis<Domain>, to: Domain) -> Result<NewTable> {
        self.inner.lde(columns, from, to)
    }
    fn split(&self, coefficients: Table<'_>, parts: usize, log_part: u32) -> Result<NewTable> {
        self.inner.split(coefficients, parts, log_part)
    }
    fn select(&self, tables: &[Table<'_>], picks: &[(usize, usize)]) -> Result<NewTable> {
        self.inner.select(tables, picks)
    }
    fn merkle(&self, columns: &[Table<'_>], layout: LeafLayout, hash: HashFn) -> Result<Self::Tree> {
        self.inner.merkle(columns, layout, hash)
    }
    fn root(&self, tree: &Self::Tree) -> Result<Digest> {
        self.inner.root(tree)
    }
    fn open(&self, _: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<Base>>> {
        Ok(Vec::new())
    }
    fn prepare(&self, program: &ConstraintProgram<Stark>) -> Result<Self::Program> {
        self.inner.prepare(program)
    }
    fn running(&self, _: &Running<'_, Self>) -> Result<NewTable> {
        self.inner.upload(&[], 0, 0)
    }
    fn constraint_eval(&self, _: &Constraints<'_, Self>) -> Result<NewTable> {
        self.inner.upload(&[], 0, 0)
    }
    fn eval_at(&self, columns: Table<'_>, from: Basis<Domain>, points: &[Ext]) -> Result<Vec<Vec<Ext>>> {
        self.inner.eval_at(columns, from, points)
    }
    fn deep_quotient(&self, columns: &[Table<'_>], domain: Domain, terms: &[DeepTerm<Stark>]) -> Result<NewTable> {
        self.inner.deep_quotient(columns, domain, terms)
    }
    fn fri_fold(&self, layer: Table<'_>, domain: Domain, alpha: Ext) -> Result<NewTable> {
        self.inner.fri_fold(layer, domain, alpha)
    }
    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        self.inner.grind(challenge)
    }
}

type Test = fn(&Suite<Renamed, Reference>);

#[test]
fn an_operation_that_is_done_but_not_listed_is_found() {
    let all: [(Operation, Test); 13] = [
        (Operation::Ntt, tests::ntt),
        (Operation::Lde, tests::lde),
        (Operation::Split, tests::split),
        (Operation::Select, tests::select),
        (Operation::Merkle, tests::merkle),
        (Operation::Open, tests::open),
        (Operation::Prepare, tests::prepare),
        (Operation::Running, tests::running),
        (Operation::ConstraintEval, tests::constraint_eval),
        (Operation::EvalAt, tests::eval_at),
        (Operation::DeepQuotient, tests::deep_quotient),
        (Operation::FriFold, tests::fri_fold),
        (Operation::Grind, tests::grind),
    ];
    for (operation, test) in all {
        let message = failure(|| test(&Suite::new(NAME, Renamed::without(&[operation]), reference())));
        let message = message.unwrap_or_else(|| panic!("{operation} is done, not listed, and not found"));
        assert!(message.contains("does not list"), "{operation}: {message}");
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
