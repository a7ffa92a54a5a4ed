//! Proofs over Goldilocks.

use p3_air::{Air, DebugConstraintBuilder, SymbolicAirBuilder, check_all_constraints};
use p3_field::PrimeCharacteristicRing;
use p3_goldilocks::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;
use polystark_p3::P3Air;
use prover_core::goldilocks::ProveError;

use crate::airs::{Fibonacci, OddSelectors, Weighted, fibonacci, odd_selectors, weighted};
use crate::support::{OverGoldilocks, is_accepted};

/// Proves the honest trace; with each cell changed there is a proof exactly if Plonky3's own check finds no fault. A proof is of its public
/// values only.
fn examine<A>(air: &A, matrix: &RowMajorMatrix<Goldilocks>, public: &[Goldilocks]) -> usize
where
    A: Air<SymbolicAirBuilder<Goldilocks>> + for<'a> Air<DebugConstraintBuilder<'a, Goldilocks>>,
{
    let rows = matrix.values.len() / matrix.width;
    let record = |public: &[Goldilocks]| P3Air::new("examined", air, rows, public).expect("can be recorded");
    let prover = OverGoldilocks::new(record(public));
    let bytes = prover.prove(matrix).expect("an honest trace");
    assert!(is_accepted(&record(public), &bytes));
    for index in 0..public.len() {
        let mut other = public.to_vec();
        other[index] += Goldilocks::ONE;
        assert!(!is_accepted(&record(&other), &bytes), "public value {index}");
    }
    let mut refused = 0;
    for cell in 0..matrix.values.len() {
        let mut changed = matrix.clone();
        changed.values[cell] += Goldilocks::from_u8(5);
        let satisfied = check_all_constraints(air, &changed, public, None).is_ok();
        match prover.prove(&changed) {
            Ok(_) => assert!(satisfied, "a proof with cell {cell} changed"),
            Err(ProveError::Unsatisfied(_)) => {
                assert!(!satisfied, "cell {cell} is free, and there is no proof");
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    refused
}

#[test]
fn fibonacci_is_proven_and_nothing_else() {
    for rows in [4, 8, 32] {
        let (matrix, public) = fibonacci(rows);
        assert_eq!(examine(&Fibonacci, &matrix, &public), 2 * rows);
    }
}

#[test]
fn preprocessed_periodic_and_public_values_are_bound() {
    let air = Weighted::new(8);
    let (matrix, public) = weighted(&air);
    assert_eq!(examine(&air, &matrix, &public), 16);
    let record = |air: &Weighted| P3Air::new("weighted", air, 8, &public).expect("can be recorded");
    let bytes = OverGoldilocks::new(record(&air)).prove(&matrix).expect("an honest trace");
    assert!(is_accepted(&record(&air), &bytes));
    let mut others = [Weighted::new(8), Weighted::new(8), Weighted::new(8)];
    others[0].weights[3] += 1;
    others[1].rates[2] += 1;
    others[2].cells.clear();
    for (index, other) in others.iter().enumerate() {
        assert!(!is_accepted(&record(other), &bytes), "{index}");
    }
}

#[test]
fn selectors_in_odd_places_say_what_plonky3_says() {
    for rows in [4, 8] {
        let (matrix, public) = odd_selectors(rows);
        // Every cell is in a constraint.
        assert_eq!(examine(&OddSelectors, &matrix, &public), 3 * rows);
    }
}
