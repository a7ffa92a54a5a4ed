//! A suite that cannot fail is a defect: backends that are broken in one place, each of which the test of that place
//! must find.

mod broken;
mod unlisted;

use std::panic::{AssertUnwindSafe, catch_unwind};

use backend_reference::CpuReference;
use field::{Field, PrimeField};
use gpu_hal::decorate::{Dual, Fault, Faulty, Hooked, Metered};
use gpu_hal::{ErrorKind, GoldilocksStark, Operation, Protocol, Result, StarkBackend};
use hal_conformance::{Suite, tests};

use self::broken::{Broken, Damage};

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

fn suite(operation: Operation, damage: Damage) -> Suite<Stark> {
    Suite::new(NAME, Hooked::with_hook(cpu(), Broken::new(operation, damage)), reference())
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
const OTHERS: [Operation; 10] = [
    Operation::Download,
    Operation::Sync,
    Operation::Merkle,
    Operation::Root,
    Operation::Open,
    Operation::Prepare,
    Operation::ConstraintEval,
    Operation::EvalAt,
    Operation::Sum,
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
    for operation in tables_but(&[Operation::Lde, Operation::UploadLde, Operation::TreeMap, Operation::BindSum]) {
        must_fail(operation, Damage::LastUpTo(1), tests::of(operation));
    }
    must_fail(Operation::TreeMap, Damage::LastUpTo(2), tests::tree_map);
    must_fail(Operation::BindSum, Damage::LastUpTo(2), tests::bind_sum);
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
fn wrong_sums_beside_tables_are_found() {
    must_fail(Operation::BindSum, Damage::Lists, tests::bind_sum);
}

#[test]
fn results_of_other_requests_are_found() {
    for operation in [
        Operation::ConstraintEval,
        Operation::EvalAt,
        Operation::Open,
        Operation::Bind,
        Operation::Sum,
        Operation::BindSum,
    ] {
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
    let hook = Broken::<Cpu>::new(Operation::FriFold, Damage::LastFrom(1));
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
