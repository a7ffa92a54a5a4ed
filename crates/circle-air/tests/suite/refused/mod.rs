//! Refused statements, and their errors.

mod choices;
mod component;
mod statements;

use crate::refused::component::{Component, Defect, component};
use circle_air::{AirComponent, RecordError, SharedComponent};
use stwo_constraint_framework::{EvalAtRow, FrameworkEval};

#[test]
fn components_are_refused() {
    use RecordError::*;
    let offset = |offset| Offset { tree: 1, column: 1, offset, log_size: 3 };
    for (defect, error) in [
        (Defect::DegreeFour, ConstraintDegree { constraint: 1, degree: 4 }),
        (Defect::NoColumns, NoColumns),
        (Defect::NoConstraints, NoConstraints),
        (Defect::Inverse, Inverse),
        (Defect::InverseOfZero, InverseOfZero),
        (Defect::Branch, Branch),
        (Defect::Tree(0), Tree { tree: 0 }),
        (Defect::Tree(3), Tree { tree: 3 }),
        (Defect::LookupOfInteraction, LookupOfInteraction { column: 0 }),
        (Defect::EmptyMask, EmptyMask { tree: 1, column: 1 }),
        (Defect::Offset(8), offset(8)),
        (Defect::Offset(-8), offset(-8)),
        (Defect::Offset(isize::MIN), offset(isize::MIN)),
        (Defect::NotFinalised, LogupNotFinalised { fractions: 1 }),
        (Defect::Finalised(2), LogupFinalisedTwice),
        (Defect::Late, FractionAfterFinalise),
        (Defect::NoFractions, LogupWithoutFractions),
        (Defect::Batching(&[0, 1]), BatchingLength { batching: 2, fractions: 3 }),
        (Defect::Batching(&[0, 0, 2]), BatchingGap { batch: 1 }),
        (Defect::Batching(&[1, 1, 1]), BatchingGap { batch: 0 }),
        (Defect::Batching(&[0, 1, usize::MAX]), BatchingGap { batch: 2 }),
        // Three denominators and the sum's difference: degree 4.
        (Defect::Batching(&[0, 0, 0]), ConstraintDegree { constraint: 1, degree: 4 }),
    ] {
        assert_eq!(component(defect).record().err(), Some(error));
    }
    for (defect, width, given) in [
        (Defect::None, 0, 0),
        (Defect::Offset(7), 0, 0),
        (Defect::Finalised(1), 4, 0),
        (Defect::Batching(&[1, 0, 1]), 8, 0),
        (Defect::ManyOffsets, 0, 0),
        (Defect::Tree(2), 1, 1),
        (Defect::ReadsInteraction, 4, 4),
    ] {
        let recorded = component(defect).record().unwrap();
        assert_eq!((recorded.width(2), recorded.host_columns().count()), (width, given));
    }
    for (log_size, bound, error) in [
        (0, 1, LogSize { log_size: 0 }),
        (30, 31, LogSize { log_size: 30 }),
        (3, 3, DegreeBound { bound: 3, log_size: 3 }),
        (3, 5, DegreeBound { bound: 5, log_size: 3 }),
    ] {
        assert_eq!(Component { log_size, bound, defect: Defect::None }.record().err(), Some(error));
    }
}

/// A recording that failed, or whose `evaluate` panicked, leaves nothing behind for the next on the thread.
#[test]
fn recordings_are_independent() {
    let expected = component(Defect::Logup).record().unwrap().constraints.encode();
    assert!(component(Defect::Inverse).record().is_err());
    struct Panics;
    impl FrameworkEval for Panics {
        fn log_size(&self) -> u32 {
            3
        }
        fn max_constraint_log_degree_bound(&self) -> u32 {
            4
        }
        fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
            let x = eval.next_trace_mask();
            // A recording inside a recording.
            assert!(component(Defect::Logup).record().is_ok());
            eval.add_constraint(x);
            panic!("on purpose");
        }
    }
    // Not clonable, hence shared.
    let panics = SharedComponent::new(Panics);
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| panics.record())).is_err());
    assert_eq!(component(Defect::Logup).record().unwrap().constraints.encode(), expected);
}
