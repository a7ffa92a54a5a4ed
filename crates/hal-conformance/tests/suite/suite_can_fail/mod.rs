//! A suite that cannot fail is a defect: backends that are broken in one place, each of which the test of that place
//! must find.

mod unlisted;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use backend_reference::CpuReference;
use field::{Field, PrimeField};
use gpu_hal::decorate::{Call, Dual, Fault, Faulty, Hook, Hooked, Metered};
use gpu_hal::ir::ProgramBuilder;
use gpu_hal::op::Outcome;
use gpu_hal::{
    Columns, DeviceTree, ErrorKind, GoldilocksStark, HalError, LeafLayout, Operation, Protocol, Result, StarkBackend,
    Types,
};
use hal_conformance::{Suite, TestProtocol, tests};

type Stark = GoldilocksStark;
type Cpu = backend_cpu::Cpu<Stark>;
type Reference = CpuReference<Stark>;
const NAME: &str = "cpu";

fn cpu() -> Cpu {
    Cpu::new()
}

fn reference() -> Reference {
    Reference::new()
}

/// How an operation is broken.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Damage {
    /// The last element of the last column, byte or list is another one, in results of at least this many rows or
    /// items.
    LastFrom(usize),
    /// The same, but only in results of at most this many rows or items.
    LastUpTo(usize),
    /// The first two results of a call change places.
    Swapped,
    /// The lists of row programs alone are damaged.
    Lists,
    /// The counters of row programs alone are damaged.
    Counters,
    /// Every second call is damaged.
    EverySecond,
    /// Errors become another kind.
    ErrorKind(ErrorKind),
    /// Results are kept alive: their memory is not given back.
    Leak,
    /// It says that it is not supported.
    Unsupported,
}

/// Damages the results of one operation.
struct Broken<B: StarkBackend> {
    operation: Operation,
    damage: Damage,
    calls: AtomicU64,
    leaked: Mutex<Vec<Columns<B::Buffer>>>,
}

impl<P: TestProtocol, B: StarkBackend<P = P>> Broken<B> {
    fn applies(&self, items: usize, call: u64) -> bool {
        match self.damage {
            Damage::LastFrom(low) => items >= low,
            Damage::LastUpTo(high) => items > 0 && items <= high,
            Damage::EverySecond => items > 0 && call % 2 == 1,
            _ => false,
        }
    }

    /// The table with its last element changed.
    fn damaged(&self, inner: &B, table: Columns<&B::Buffer>) -> Result<Columns<B::Buffer>> {
        let mut elements = inner.download(table, 0..table.height())?;
        if let Some(last) = elements.last_mut() {
            *last += P::Base::ONE;
        }
        inner.upload(&elements, table.width, table.log_height)
    }

    fn damage_table(&self, inner: &B, table: &mut Columns<B::Buffer>, call: u64) -> Result<()> {
        if self.applies(table.height(), call) {
            *table = self.damaged(inner, table.as_ref())?;
        }
        Ok(())
    }

    fn break_it(&self, inner: &B, outcome: Outcome<'_, B::T>) -> Result<()> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        if self.damage == Damage::Swapped {
            swap(outcome);
            return Ok(());
        }
        match outcome {
            Outcome::Nothing | Outcome::Stashed(_) | Outcome::Fault(_) => {}
            Outcome::Table(table) if self.damage == Damage::Leak => {
                let copy = inner.copy_to(table.as_ref(), inner)?;
                self.leaked.lock().expect("no panic under the lock").push(copy);
            }
            Outcome::Table(table) | Outcome::Uploaded((_, table)) => self.damage_table(inner, table, call)?,
            Outcome::Rows(made, counters) => {
                self.damage_table(inner, &mut made.columns, call)?;
                if self.damage == Damage::Lists {
                    made.lists
                        .iter_mut()
                        .try_for_each(|list| self.damaged(inner, list.as_ref()).map(|damaged| *list = damaged))?;
                }
                if self.damage == Damage::Counters {
                    for counter in counters {
                        let shape = Columns::new(&*counter.data, counter.width, counter.log_height);
                        *counter.data = self.damaged(inner, shape)?.data;
                    }
                }
            }
            Outcome::Tables(tables) => {
                for table in tables {
                    self.damage_table(inner, table, call)?;
                }
            }
            Outcome::Accumulated(tables, _) => {
                for accumulated in tables {
                    if self.damage == Damage::Leak {
                        let copy = inner.copy_to(accumulated.columns.as_ref(), inner)?;
                        self.leaked.lock().expect("no panic under the lock").push(copy);
                    }
                    self.damage_table(inner, &mut accumulated.columns, call)?;
                }
            }
            Outcome::InPlace(table) => {
                if self.applies(table.height(), call) {
                    let shape = Columns::new(&*table.data, table.width, table.log_height);
                    *table.data = self.damaged(inner, shape)?.data;
                }
            }
            Outcome::Elements(elements) => {
                if self.applies(elements.len(), call)
                    && let Some(last) = elements.last_mut()
                {
                    *last += P::Base::ONE;
                }
            }
            Outcome::Tree(tree) => {
                if self.applies(1 << tree.log_leaves(), call) {
                    let zeros = vec![P::Base::ZERO; 1 << tree.log_leaves()];
                    let table = inner.upload(&zeros, 1, tree.log_leaves())?;
                    let hash = inner.capabilities().hashes[0];
                    *tree = inner.merkle(&[table.as_ref()], LeafLayout::new(1), hash)?;
                }
            }
            Outcome::Digest(digest) => {
                if self.applies(32, call) {
                    digest[31] ^= 1;
                }
            }
            Outcome::Opened(opened) => {
                let rows = opened.last().map_or(0, |opened| opened.rows.len() + opened.paths.len());
                if self.applies(rows, call)
                    && let Some(last) = opened.last_mut()
                {
                    if let Some(path) = last.paths.last_mut()
                        && let Some(digest) = path.last_mut()
                    {
                        digest[0] ^= 1;
                    } else if let Some(element) = last.rows.last_mut().and_then(|row| row.last_mut()) {
                        *element += P::Base::ONE;
                    }
                }
            }
            Outcome::Program(program) => {
                if self.applies(1, call) {
                    let empty = ProgramBuilder::<P>::new(Vec::new(), 0).finish().expect("an empty program");
                    *program = inner.prepare(&empty)?;
                }
            }
            Outcome::Values(values) => {
                let applies = self.applies(values.last().map_or(0, Vec::len), call);
                if let Some(value) = values.last_mut().and_then(|of| of.last_mut()).and_then(|of| of.last_mut())
                    && applies
                {
                    *value += P::Ext::ONE;
                }
            }
            Outcome::Nonce(nonce) => {
                // The next valid nonce would do for a verifier; only the first will do for the contract.
                if self.applies(1, call) {
                    *nonce = nonce.map(|nonce| nonce + 1);
                }
            }
        }
        Ok(())
    }
}

/// Lets the first two results of a list of requests change places.
fn swap<T: Types>(outcome: Outcome<'_, T>) {
    fn first_two<R>(results: &mut [R]) {
        if let [first, second, ..] = results {
            std::mem::swap(first, second);
        }
    }
    match outcome {
        Outcome::Tables(tables) => first_two(tables),
        Outcome::Accumulated(tables, _) => first_two(tables),
        Outcome::Opened(opened) => first_two(opened),
        Outcome::Values(values) => first_two(values),
        _ => {}
    }
}

impl<P: TestProtocol, B: StarkBackend<P = P>> Hook<B> for Broken<B> {
    fn around<R>(
        &self,
        inner: &B,
        call: Call,
        run: impl FnOnce() -> Result<R>,
        outcome: impl for<'t> FnOnce(&'t mut R) -> Outcome<'t, B::T>,
    ) -> Result<R> {
        if call.operation != self.operation {
            return run();
        }
        match self.damage {
            Damage::Unsupported => return Err(HalError::unsupported(call.operation, "broken on purpose")),
            Damage::ErrorKind(kind) => {
                return run().map_err(|error| HalError::new(kind, error.op, error.detail));
            }
            _ => {}
        }
        let mut result = run()?;
        self.break_it(inner, outcome(&mut result))?;
        Ok(result)
    }
}

fn suite(operation: Operation, damage: Damage) -> Suite<Stark> {
    let hook = Broken { operation, damage, calls: AtomicU64::new(0), leaked: Mutex::new(Vec::new()) };
    Suite::new(NAME, Hooked::with_hook(cpu(), hook), reference())
}

/// The message of the failure, if the test fails.
fn failure(test: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(test)).err()?;
    let text = panic.downcast_ref::<String>().cloned();
    Some(text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default())
}

fn must_fail(operation: Operation, damage: Damage, test: fn(&Suite<Stark>)) -> String {
    failure(|| test(&suite(operation, damage)))
        .unwrap_or_else(|| panic!("the suite did not see {operation} broken by {damage:?}"))
}

#[test]
fn a_sound_backend_behind_the_same_hook_passes() {
    for operation in Operation::ALL.iter().copied() {
        tests::of(operation)(&suite(operation, Damage::LastFrom(usize::MAX)));
    }
}

#[test]
fn a_wrong_result_is_found_for_every_operation() {
    for operation in Operation::ALL.iter().copied() {
        let damage = if operation == Operation::Sync { Damage::Unsupported } else { Damage::LastFrom(1) };
        let message = must_fail(operation, damage, tests::of(operation));
        if operation != Operation::Sync && operation != Operation::Prepare {
            assert!(message.contains(NAME), "{operation}: the failure does not name the backend: {message}");
        }
    }
}

/// Operations that give no table, and operations that are tried with other sizes.
const OTHERS: [Operation; 9] = [
    Operation::Download,
    Operation::Sync,
    Operation::Merkle,
    Operation::Root,
    Operation::Open,
    Operation::Prepare,
    Operation::ConstraintEval,
    Operation::EvalAt,
    Operation::Grind,
];

/// All operations that give tables, except some: a fault in one row only, and a fault from 2^13 rows on only.
fn tables_but(some: &[Operation]) -> impl Iterator<Item = Operation> {
    Operation::ALL.iter().copied().filter(|op| !OTHERS.contains(op) && !some.contains(op))
}

#[test]
fn a_wrong_result_of_large_tables_only_is_found() {
    for operation in tables_but(&[Operation::FriFold, Operation::Split]) {
        must_fail(operation, Damage::LastFrom(1 << 14), tests::of(operation));
    }
    must_fail(Operation::FriFold, Damage::LastFrom(1 << 13), tests::fri_fold);
    must_fail(Operation::Split, Damage::LastFrom(1 << 10), tests::split);
    must_fail(Operation::ConstraintEval, Damage::LastFrom(1 << 10), tests::constraint_eval);
    must_fail(Operation::Merkle, Damage::LastFrom(1 << 12), tests::merkle);
}

#[test]
fn a_wrong_result_of_single_rows_only_is_found() {
    for operation in tables_but(&[Operation::Lde, Operation::UploadLde, Operation::TreeMap]) {
        must_fail(operation, Damage::LastUpTo(1), tests::of(operation));
    }
    must_fail(Operation::TreeMap, Damage::LastUpTo(2), tests::tree_map);
    must_fail(Operation::Lde, Damage::LastUpTo(8), tests::lde);
    must_fail(Operation::UploadLde, Damage::LastUpTo(8), tests::upload_lde);
    must_fail(Operation::ConstraintEval, Damage::LastUpTo(1), tests::constraint_eval);
    must_fail(Operation::Merkle, Damage::LastUpTo(1), tests::merkle);
}

#[test]
fn results_that_change_from_call_to_call_are_found() {
    for operation in [Operation::Lde, Operation::Root, Operation::Open, Operation::ConstraintEval, Operation::EvalAt] {
        must_fail(operation, Damage::EverySecond, tests::determinism);
    }
}

#[test]
fn elements_that_are_refused_for_another_reason_are_found() {
    // The front refuses all other wrong arguments before a backend sees them.
    let metered = Suite::new(NAME, Metered::new(cpu()), reference());
    tests::invalid_arguments(&metered);
    let meter = metered.backend().inner::<Metered<Cpu>>().expect("the backend that the suite was given").snapshot();
    let refusing: Vec<_> = Operation::ALL.iter().copied().filter(|op| meter.of(*op).failures > 0).collect();
    assert!([Operation::Upload, Operation::UploadLde].iter().all(|op| refusing.contains(op)), "{refusing:?}");
    for operation in refusing {
        let message = must_fail(operation, Damage::ErrorKind(ErrorKind::Backend), tests::invalid_arguments);
        assert!(message.contains(operation.name()), "{operation}: {message}");
    }
}

#[test]
fn wrong_sums_of_fractions_are_found() {
    must_fail(Operation::Running, Damage::LastFrom(1), tests::logup);
    must_fail(Operation::Running, Damage::LastFrom(1 << 14), tests::logup);
}

#[test]
fn wrong_lists_and_counters_of_row_programs_are_found() {
    for damage in [Damage::Lists, Damage::Counters] {
        must_fail(Operation::Rows, damage, tests::rows);
    }
}

#[test]
fn results_of_other_requests_are_found() {
    for operation in [Operation::ConstraintEval, Operation::EvalAt, Operation::Open] {
        must_fail(operation, Damage::Swapped, tests::of(operation));
    }
    must_fail(Operation::Running, Damage::Swapped, tests::logup);
}

#[test]
fn a_listed_operation_that_is_not_supported_is_found() {
    for operation in Operation::ALL.iter().copied() {
        must_fail(operation, Damage::Unsupported, tests::of(operation));
    }
}

#[test]
fn memory_that_is_not_given_back_is_found() {
    for operation in [Operation::Upload, Operation::Lde, Operation::Running, Operation::FriFold] {
        let message = must_fail(operation, Damage::Leak, tests::memory);
        assert!(message.contains("in use"), "{message}");
    }
}

#[test]
fn another_backend_than_the_one_asked_for_is_found() {
    assert!(failure(|| drop(Suite::new("cuda", cpu(), reference()))).is_some());
}

#[test]
fn another_protocol_than_the_one_asked_for_is_found() {
    let judge = |protocol| failure(move || hal_conformance::is_of_protocol(NAME, || Ok(cpu()), protocol));
    assert!(judge("circle").is_some_and(|message| message.contains("another protocol")));
    assert_eq!(judge("goldilocks"), None);
}

#[test]
fn a_backend_that_is_the_reference_is_found() {
    let plain = failure(|| drop(Suite::new("cpu-reference", reference(), reference())));
    assert!(plain.is_some_and(|message| message.contains("compared with itself")), "the reference judges itself");
    let wrapped = failure(|| drop(Suite::new("cpu-reference", Faulty::new(reference()), reference())));
    assert!(wrapped.is_some_and(|message| message.contains("compared with itself")), "a wrapper hides the reference");
    assert_eq!(failure(|| drop(Suite::new(NAME, cpu(), reference()))), None);
}

/// `Dual` names the place of a difference, and takes a fault on one side for one.
#[test]
fn dual_says_where() {
    let hook = Broken::<Cpu> {
        operation: Operation::FriFold,
        damage: Damage::LastFrom(1),
        calls: AtomicU64::new(0),
        leaked: Mutex::new(Vec::new()),
    };
    let dual = Dual::new(Hooked::with_hook(cpu(), hook), reference());
    let layer: Vec<_> = (0..24).map(<Stark as Protocol>::Base::from_u64).collect();
    let layer = dual.upload(&layer, 3, 3).expect("upload");
    let domain = gpu_hal::CosetDomain::new(<Stark as Protocol>::Base::from_u64(7), 3);
    let error = dual.fri_fold(layer.as_ref(), domain, <Stark as Protocol>::Ext::ONE).expect_err("one side is broken");
    assert_eq!(error.kind, ErrorKind::Backend);
    assert_eq!(error.op, Operation::FriFold.into());
    assert!(error.detail.contains("'cpu' and 'cpu-reference'"), "{error}");
    assert!(error.detail.contains("column 2, row 3"), "{error}");
}

#[test]
fn a_fault_on_one_side_of_a_dual_is_a_difference_and_on_both_is_the_error() {
    let dual = Dual::new(Faulty::new(cpu()), Faulty::new(cpu()));
    let zeros = vec![<Stark as Protocol>::Base::ZERO; 4];
    let fault = Fault { operation: Some(Operation::Upload), after: 0, kind: ErrorKind::OutOfMemory };
    dual.left().arm(fault);
    assert_eq!(dual.upload(&zeros, 1, 2).expect_err("one fault").kind, ErrorKind::Backend);
    dual.right().arm(fault);
    assert_eq!(dual.upload(&zeros, 1, 2).expect_err("the other fault").kind, ErrorKind::Backend);
    dual.left().arm(fault);
    dual.right().arm(fault);
    assert_eq!(dual.upload(&zeros, 1, 2).expect_err("two faults").kind, ErrorKind::OutOfMemory);
    dual.left().arm(fault);
    dual.right().arm(Fault { kind: ErrorKind::DeviceLost, ..fault });
    assert_eq!(dual.upload(&zeros, 1, 2).expect_err("two kinds").kind, ErrorKind::Backend);
    dual.upload(&zeros, 1, 2).expect("no fault is left");
}
