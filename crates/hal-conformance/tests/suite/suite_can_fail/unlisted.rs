//! Capabilities that are not the truth: a backend that lists what the reference cannot check, or contradicts itself;
//! and operations that a backend does not list, which the front refuses although the code is there.

use gpu_hal::decorate::Rehearsed;
use gpu_hal::op::{Op, OutOf};
use gpu_hal::{Budget, Capabilities, ConstraintProgram, MemoryInfo, Operations, PlacementOperations};

use super::*;

type Program = <Cpu as StarkBackend>::Program;

/// A sound backend with other capabilities.
struct Renamed {
    inner: Cpu,
    capabilities: Capabilities,
    /// An operation that has no method, whatever the list says.
    missing: Option<Operation>,
}

impl Renamed {
    fn without(operations: &[Operation]) -> Self {
        let inner = cpu();
        let mut capabilities = StarkBackend::capabilities(&inner).clone();
        capabilities.operations.retain(|op| !operations.contains(op));
        Self { inner, capabilities, missing: None }
    }
}

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
    fn perform<O: Op>(&self, mut args: O::Args<'_, Cpu>) -> Result<OutOf<O, Cpu>> {
        if self.missing == Some(O::NAME) { O::by_others(args, self) } else { O::run(&mut args, &self.inner) }
    }
    fn prepare(&self, program: &ConstraintProgram<Stark>) -> Result<Program> {
        Operations::prepare(&self.inner, program)
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

/// An operation that is listed and has no method is found, unless others make it.
#[test]
fn an_operation_that_is_listed_and_missing_is_found() {
    for operation in Operation::ALL.iter().copied().filter(|op| ![Operation::CopyTo, Operation::Prepare].contains(op)) {
        let backend = Renamed { missing: Some(operation), ..Renamed::without(&[]) };
        let message = failure(|| tests::of(operation)(&Suite::new(NAME, backend, reference())));
        let said = message.is_some_and(|message| message.contains(&format!("write `Operations::{operation}`")));
        let is_made_by_others = [Operation::UploadLde, Operation::BindSum].contains(&operation);
        assert_eq!(said, !is_made_by_others, "{operation}");
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
