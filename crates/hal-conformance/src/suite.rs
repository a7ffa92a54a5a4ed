//! A backend and its reference, side by side.

use std::any::TypeId;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use gpu_hal::decorate::{Dual, DualTypes};
use gpu_hal::erased::Device;
use gpu_hal::{ErrorKind, Operation, Protocol, Result, StarkBackend};

use crate::{Case, Failure, Random, Single, TestProtocol, cases};

/// Two backends of a protocol, whichever they are.
pub(crate) type Both<P> = Dual<Device<P>, Device<P>>;

/// The types of tables on [`Both`].
pub(crate) type BothTypes<P> = DualTypes<Device<P>, Device<P>>;

/// Finds one of the [`crate::tests`], by its name.
pub(crate) type Find<P> = fn(&str) -> Option<fn(&Suite<P>)>;

/// The backend under test and the reference as one backend that compares after every operation. Both are values
/// ([`gpu_hal::erased`]), so that the tests are compiled once.
#[derive(Debug)]
pub struct Suite<P: Protocol> {
    name: String,
    pub(crate) dual: Both<P>,
    single: Option<Single>,
}

impl<P: TestProtocol> Suite<P> {
    /// Tests `backend`, which must call itself `name`, against `reference`.
    ///
    /// # Panics
    /// If the backend has another name, or the buffers or the trees of the reference: then it is the reference, or runs
    /// its code, and a comparison with itself shows nothing.
    pub fn new<B: StarkBackend<P = P>, R: StarkBackend<P = P>>(name: &str, backend: B, reference: R) -> Self {
        let is_reference = TypeId::of::<B::Buffer>() == TypeId::of::<R::Buffer>()
            || TypeId::of::<B::Tree>() == TypeId::of::<R::Tree>();
        Self::of_values(name, Device::new(Arc::new(backend)), Device::new(Arc::new(reference)), is_reference)
    }

    fn of_values(name: &str, backend: Device<P>, reference: Device<P>, is_reference: bool) -> Self {
        let capabilities = backend.capabilities();
        assert_eq!(capabilities.backend, name, "the suite was given another backend than the one it was asked to test");
        assert!(
            !is_reference,
            "'{name}' has the buffers or the trees of its reference '{}' and would be compared with itself: give another reference",
            reference.capabilities().backend
        );
        eprintln!(
            "hal-conformance: backend '{name}' on {}, {}, against '{}'",
            capabilities.device,
            P::NAME,
            reference.capabilities().backend
        );
        Self { name: name.to_owned(), dual: Dual::new(backend, reference), single: None }
    }

    /// The name of the backend under test.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The backend under test.
    pub fn backend(&self) -> &Device<P> {
        self.dual.left()
    }

    /// From now on a test runs this case and no other, and nothing that is the same in every run.
    pub fn run_single(&mut self, single: Single) {
        self.single = Some(single);
    }

    /// The case that a test runs alone, if there is one.
    pub(crate) fn single(&self) -> Option<Single> {
        self.single
    }

    /// The random source of a case's constraint programs, with their number of columns.
    pub(crate) fn programs(&self, case: &Case) -> (Random, usize) {
        match self.single.and_then(|single| single.programs) {
            // A device that compiles each program would do nothing else.
            Some(programs) => {
                let mut random = Random::new(case.seed % programs.max(1));
                let width = 1 + random.below(6);
                (random, width)
            }
            None => (Random::new(!case.seed), case.width),
        }
    }

    /// Whether the backend has the operation.
    ///
    /// # Panics
    /// If it has and the reference has not: then nothing can check it.
    pub fn has(&self, op: Operation) -> bool {
        let listed = self.backend().has(op);
        assert!(
            !listed || self.dual.has(op),
            "'{}' has {op}, its reference has not: give a reference that can check it",
            self.name
        );
        listed
    }

    /// An operation that is not in the capabilities returns [`ErrorKind::Unsupported`].
    ///
    /// # Panics
    /// If it returns anything else.
    pub fn refuses<T>(&self, op: Operation, result: Result<T>) {
        match result {
            Err(error) if error.kind == ErrorKind::Unsupported => {}
            Err(error) => panic!("'{}' does not list {op} and must return unsupported, not '{error}'", self.name),
            Ok(_) => panic!("'{}' does not list {op} but does it: list it, so that it is tested", self.name),
        }
    }

    pub(crate) fn check(
        &self,
        logs: RangeInclusive<u32>,
        widths: RangeInclusive<usize>,
        what: impl fmt::Display,
        test: impl Fn(Case) -> std::result::Result<(), Failure>,
    ) {
        let Some(single) = self.single else {
            return cases::check(&format!("{what} of '{}'", self.name), logs, widths, &test);
        };
        let case = single.case(logs, widths);
        test(case).unwrap_or_else(|failure| panic!("{what} of '{}': {failure}\n{case:?}", self.name));
    }
}
