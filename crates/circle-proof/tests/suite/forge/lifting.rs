//! Components of different sizes: columns that are not lifts (trap 9), and the use of the periodicity samples.

use adversary::liar::circle::{Claimed, Honest, Table};
use circle_air::{AirComponent, ClaimedSumError, ConfigError, PreProcessedColumnId, PreprocessedColumn, Statement};
use circle_proof::{CircleOptions, VerifyError, security};
use field::{Field, M31, QM31};
use stwo::core::fields::m31::BaseField;
use stwo::core::fri::FriVerificationError;
use stwo::core::verifier::VerificationError;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, ORIGINAL_TRACE_IDX};

use crate::forge::attacks::{air, claimed, options};

/// A component of 4 rows with `f(r + 2) = sqrt(2) f(r + 1) - f(r)`, so that `f(r + 4) = -f(r)`, and `f(0)^2 = 1`,
/// beside one of 8 rows. No column of 4 rows satisfies that: `f` would be its own opposite. One of 8 rows does.
#[derive(Clone, Copy)]
struct Waves {
    offsets: Offsets,
    /// Log2 of the rows of a preprocessed column that nobody reads: with 3 the tree is as high as the domain.
    log_unread: u32,
}

impl Waves {
    fn new(offsets: Offsets) -> Self {
        Self { offsets, log_unread: 3 }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Offsets {
    /// One column, read at three rows.
    Three,
    /// Two columns, each read at two rows.
    Two,
    /// Two columns, one of which is read at one row only.
    One,
}

#[derive(Clone)]
struct Wave(Offsets);

impl FrameworkEval for Wave {
    fn log_size(&self) -> u32 {
        2
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        3
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let is_first = eval.get_preprocessed_column(PreProcessedColumnId { id: "is_first".into() });
        // 2^32 = 2.
        let root = BaseField::from(1 << 16);
        let one = E::F::from(BaseField::from(1));
        let first = match self.0 {
            Offsets::Three => {
                let [f, next, after] = eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [0, 1, 2]);
                eval.add_constraint(after - next * root + f.clone());
                f
            }
            Offsets::Two => {
                let [f, next] = eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [0, 1]);
                let [g, after] = eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [0, 1]);
                eval.add_constraint(next - g.clone());
                eval.add_constraint(after - g * root + f.clone());
                f
            }
            Offsets::One => {
                let [f] = eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [0]);
                f
            }
        };
        eval.add_constraint(is_first * (first.clone() * first - one));
        eval
    }
}

/// Bits.
#[derive(Clone)]
struct Long;

impl FrameworkEval for Long {
    fn log_size(&self) -> u32 {
        3
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        4
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let bit = eval.next_trace_mask();
        eval.add_constraint(bit.clone() * (bit - E::F::from(BaseField::from(1))));
        eval
    }
}

impl Statement for Waves {
    fn name(&self) -> &str {
        "waves"
    }

    fn words(&self) -> Vec<u32> {
        vec![100]
    }

    fn preprocessed(&self, _: Option<u32>) -> Vec<PreprocessedColumn> {
        vec![PreprocessedColumn::new("is_first", 2), PreprocessedColumn::new("unread", self.log_unread)]
    }

    fn preprocessed_values(&self, _: Option<u32>) -> Vec<Vec<M31>> {
        vec![[1, 0, 0, 0].map(M31::new).into(), vec![M31::ZERO; 1 << self.log_unread]]
    }

    fn components(&self, _: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        vec![Box::new(Wave(self.offsets)), Box::new(Long)]
    }

    fn check_claimed_sums(&self, _: &[QM31], _: &[QM31]) -> Result<(), ClaimedSumError> {
        Ok(())
    }
}

/// 8 rows of the wave, and bits.
fn trace(offsets: Offsets) -> Vec<Table> {
    let mut wave = vec![M31::ONE, M31::new(5)];
    for row in 2..9 {
        wave.push(wave[row - 1] * M31::new(1 << 16) - wave[row - 2]);
    }
    assert_eq!(wave[8], wave[0], "the period is 8");
    assert_eq!(wave[4], -wave[0]);
    let (f, g) = (wave[..8].to_vec(), wave[1..].to_vec());
    let columns = if offsets == Offsets::Two { vec![f, g] } else { vec![f] };
    vec![columns, vec![[0, 1, 1, 0, 1, 0, 0, 0].map(M31::new).into()]]
}

fn is_fri(error: &VerifyError) -> bool {
    matches!(error, VerifyError::Protocol(VerificationError::Fri(FriVerificationError::LastLayerEvaluationsInvalid)))
}

#[test]
fn a_column_read_at_two_rows_must_be_a_lift() {
    // All constraints hold on 8 rows; only the periodicity sample knows that there are 4.
    let statement = Waves::new(Offsets::Two);
    let error = claimed(&statement).attack(&trace(Offsets::Two), &mut Honest).unwrap_err();
    assert!(is_fri(&error), "{error:?}");
}

#[test]
fn a_column_read_at_three_rows_has_the_size_of_the_domain() {
    // Without this check of the configuration stwo's verifier accepts the false statement: trap 9.
    let statement = Waves::new(Offsets::Three);
    let error = claimed(&statement).attack(&trace(Offsets::Three), &mut Honest).unwrap_err();
    let expected = ConfigError::Offsets { component: 0, offsets: 3, log_size: 4, needed: 5 };
    assert!(matches!(&error, VerifyError::Config(config) if *config == expected), "{error:?}");
}

#[test]
fn a_column_read_at_one_row_need_not_be_a_lift() {
    // No forgery: any 4 rows of the 8 satisfy the constraints.
    let statement = Waves::new(Offsets::One);
    assert!(claimed(&statement).attack(&trace(Offsets::One), &mut Honest).is_ok());
}

#[test]
fn a_preprocessed_tree_higher_than_the_domain() {
    // stwo's verifier maps queries of a lower tree only.
    let statement = Waves { log_unread: 4, ..Waves::new(Offsets::Two) };
    let error = security(&statement, &options()).unwrap_err();
    assert!(matches!(error, VerifyError::TreeHeight { tree: 0, height: 6, log_domain: 5 }), "{error:?}");
}

#[test]
fn more_rows_than_the_statement_s() {
    // 32 rows of lookups instead of 8, and a quarter of each multiplicity: everything is right on 32 rows.
    let (short, long) = (air("range-squares", 3, &[("table", "5")]), air("range-squares", 5, &[("table", "5")]));
    let quarter = M31::new(4).inverse().unwrap();
    let mut trace = long.trace();
    trace[1][0].iter_mut().for_each(|uses| *uses *= quarter);
    for lifting in [None, Some(8)] {
        let claimed = Claimed { statement: &*short, options: CircleOptions { lifting, ..options() } };
        let error = claimed.attack(&trace, &mut Honest).unwrap_err();
        assert!(is_fri(&error), "{error:?}");
    }
}
