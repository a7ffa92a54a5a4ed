//! Small AIRs over both fields: proven, and nothing else is.

use backend_emulated::{Emulated, NAME, device};
use gpu_hal::{CircleStark, GoldilocksStark};
use p3_air::{Air, DebugConstraintBuilder, SymbolicAirBuilder, check_all_constraints};
use p3_goldilocks::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::Mersenne31;
use polystark_p3::P3Air;

use crate::airs::{Fibonacci, OddSelectors, Weighted, fibonacci, odd_selectors, weighted};
use crate::support::{Prove, Tested, examine};

fn bound_cells<F: Tested, A>(air: &A, (matrix, public): (RowMajorMatrix<F>, Vec<F>)) -> usize
where
    A: Air<SymbolicAirBuilder<F>> + for<'a> Air<DebugConstraintBuilder<'a, F>>,
{
    let rows = matrix.values.len() / matrix.width;
    let record = |public: &[F]| P3Air::new("examined", air, rows, public).expect("can be recorded");
    let is_satisfied = |matrix: &RowMajorMatrix<F>| check_all_constraints(air, matrix, &public, None).is_ok();
    examine(&record, &is_satisfied, &matrix, &public)
}

fn every_small_air<F: Tested>() {
    for rows in [4, 16] {
        assert_eq!(bound_cells::<F, _>(&Fibonacci, fibonacci(rows)), 2 * rows);
    }
    let air = Weighted::new(8);
    assert_eq!(bound_cells::<F, _>(&air, weighted(&air)), 16);
    for rows in [4, 8] {
        // Every cell is in a constraint.
        assert_eq!(bound_cells::<F, _>(&OddSelectors, odd_selectors(rows)), 3 * rows);
    }
}

#[test]
fn what_satisfies_is_proven_and_nothing_else() {
    every_small_air::<Goldilocks>();
    every_small_air::<Mersenne31>();
}

fn parts_of_the_statement<F: Tested>() {
    let air = Weighted::new(8);
    let (matrix, public) = weighted::<F>(&air);
    let record = |air: &Weighted| P3Air::new("weighted", air, 8, &public).expect("can be recorded");
    let bytes = F::prover(&record(&air))(&matrix).expect("an honest trace");
    assert!(F::is_accepted(&record(&air), &bytes));
    let mut others = [Weighted::new(8), Weighted::new(8), Weighted::new(8)];
    others[0].weights[3] += 1;
    others[1].rates[2] += 1;
    others[2].cells.clear();
    for (index, other) in others.iter().enumerate() {
        assert!(!F::is_accepted(&record(other), &bytes), "{index}");
    }
}

#[test]
fn preprocessed_and_periodic_columns_are_bound() {
    parts_of_the_statement::<Goldilocks>();
    parts_of_the_statement::<Mersenne31>();
}

#[test]
fn an_emulated_gpu_proves_the_same_bytes() {
    fn compare<F: Tested>(prover: impl Fn(&P3Air<F>) -> Prove<F>) {
        let air = Weighted::new(8);
        let (matrix, public) = weighted::<F>(&air);
        let recorded = P3Air::new("weighted", &air, 8, &public).expect("can be recorded");
        let proof = F::prover(&recorded)(&matrix).expect("an honest trace");
        assert!(prover(&recorded)(&matrix).is_some_and(|other| other == proof));
    }
    let device = || device().expect("a C++ compiler");
    compare(|air| Goldilocks::prover_on(Emulated::<GoldilocksStark>::new(NAME, device()).expect("a backend"), air));
    compare(|air| Mersenne31::prover_on(Emulated::<CircleStark>::new(NAME, device()).expect("a backend"), air));
}
