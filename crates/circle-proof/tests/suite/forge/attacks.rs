//! False statements, with everything as consistent as a prover can make it.

use std::sync::Arc;

use adversary::liar::circle::{self, Cheat, Claimed, Honest, Identity, PointSamples, Samples, Table, prove};
use circle_air::Statement;
use circle_air::airs::{ShippedAir, build};
use circle_proof::{CircleOptions, VerifyError};
use field::circle::{CanonicDomain, CirclePoint};
use field::{Field, M31, QM31};
use golden::backends::reference;
use gpu_hal::CircleStark;
use prover_core::Silent;
use prover_core::circle::Prover;
use stwo::core::fri::FriVerificationError;
use stwo::core::verifier::VerificationError;

/// An AIR with parameters.
pub(crate) fn air(name: &str, log_rows: u32, params: &[(&str, &str)]) -> Arc<dyn ShippedAir> {
    let params: Vec<_> = params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    build(name, log_rows, &params).unwrap()
}

/// Small ones: without and with lookups, of one and of two components.
fn airs() -> Vec<Arc<dyn ShippedAir>> {
    vec![
        air("fibonacci", 4, &[]),
        air("wide-fibonacci", 4, &[("w", "5")]),
        air("plonk", 4, &[]),
        air("range-squares", 4, &[("table", "4")]),
        air("range-squares", 3, &[("table", "5")]),
        air("poseidon2", 3, &[]),
    ]
}

/// With 24 queries at rate 1/4 nothing here is accepted by luck.
pub(crate) fn options() -> CircleOptions {
    CircleOptions { pow_bits: 3, log_blowup: 2, queries: 24, fold_step: 1, log_last: 1, ..CircleOptions::default() }
}

pub(crate) fn claimed(statement: &dyn Statement) -> Claimed<'_> {
    Claimed { statement, options: options() }
}

#[test]
fn without_a_cheat_it_is_the_prover() {
    let backend = Arc::new(reference::<CircleStark>());
    let natural = options();
    let packed = CircleOptions { fold_step: 3, log_last: 0, ..natural };
    for air in airs() {
        let mut all = vec![natural, packed, CircleOptions { log_blowup: 1, ..natural }];
        if air.name() != "fibonacci" {
            all.push(CircleOptions { lifting: Some(8), ..natural });
        }
        for options in all {
            let claimed = Claimed { statement: &*air, options };
            let forged = prove(&claimed, &air.trace(), &mut Honest);
            assert!(claimed.check(&forged).is_ok(), "{}, {options:?}", air.name());
            let made =
                Prover::new(backend.clone(), air.clone(), &options).unwrap().prove(&air.trace(), &Silent).unwrap();
            assert!(circle_proof::encode(&made.proof) == circle_proof::encode(&forged.proof), "{}", air.name());
            assert_eq!(made.claimed_sums, forged.sums);
        }
    }
}

/// One cell changed that every one of these AIRs constrains.
fn broken(air: &dyn ShippedAir) -> Vec<Table> {
    let mut trace = air.trace();
    trace[0][2][5] += M31::new(7);
    trace
}

/// A cell of the only column.
fn broken_fibonacci(air: &dyn ShippedAir) -> Vec<Table> {
    let mut trace = air.trace();
    trace[0][0][5] += M31::new(7);
    trace
}

pub(crate) fn broken_trace(air: &dyn ShippedAir) -> Vec<Table> {
    if air.name() == "fibonacci" { broken_fibonacci(air) } else { broken(air) }
}

/// Proves a broken trace of every AIR with a new cheat each, keeping the claimed sums that the statement wants.
fn attack<C: Cheat>(mut cheat: impl FnMut() -> C, check: impl Fn(&VerifyError) -> bool) {
    for air in airs() {
        let mut cheat = WithSums { sums: wanted_sums(&*air), inner: cheat() };
        let error = claimed(&*air).attack(&broken_trace(&*air), &mut cheat).expect_err(air.name());
        assert!(check(&error), "{}: {error:?}", air.name());
    }
}

/// Replaces the last claimed sum so that all together are right, as far as the statement can tell.
pub(crate) struct WithSums<C> {
    pub(crate) sums: Option<QM31>,
    pub(crate) inner: C,
}

/// A total that the statement takes, if it does not depend on drawn elements.
fn wanted_sums(air: &dyn ShippedAir) -> Option<QM31> {
    (air.name() == "range-squares").then_some(QM31::ZERO)
}

impl<C: Cheat> Cheat for WithSums<C> {
    fn interaction(&mut self, sums: &mut Vec<QM31>, columns: &mut Table) {
        if let (Some(total), Some((last, others))) = (self.sums, sums.split_last_mut()) {
            *last = total - others.iter().copied().sum::<QM31>();
        }
        self.inner.interaction(sums, columns);
    }
    fn composition(&mut self, all: &[QM31], halves: &mut Table) {
        self.inner.composition(all, halves);
    }
    fn out_of_domain(&mut self, identity: &Identity<'_>, values: &mut Samples) {
        self.inner.out_of_domain(identity, values);
    }
    fn layer(&mut self, layer: usize, word: &mut Vec<QM31>) {
        self.inner.layer(layer, word);
    }
}

fn is_identity(error: &VerifyError) -> bool {
    // Where the sums depend on drawn elements, they are refused before.
    matches!(error, VerifyError::Protocol(VerificationError::OodsNotMatching) | VerifyError::ClaimedSums(_))
}

fn is_last_layer(error: &VerifyError) -> bool {
    let last = FriVerificationError::LastLayerEvaluationsInvalid;
    matches!(error, VerifyError::Protocol(VerificationError::Fri(e)) if std::mem::discriminant(e) == std::mem::discriminant(&last))
        || matches!(error, VerifyError::ClaimedSums(_))
}

#[test]
fn a_false_row_and_nothing_else() {
    attack(|| Honest, is_identity);
}

#[test]
fn a_random_trace_and_nothing_else() {
    for air in airs() {
        let random = |index: u32| M31::reduce(u64::from(index).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 7);
        let mut index = 0;
        let mut trace = air.trace();
        trace.iter_mut().flatten().flatten().for_each(|cell| {
            index += 1;
            *cell = random(index);
        });
        let mut cheat = WithSums { sums: wanted_sums(&*air), inner: Honest };
        let error = claimed(&*air).attack(&trace, &mut cheat).expect_err(air.name());
        assert!(is_identity(&error), "{}: {error:?}", air.name());
    }
}

/// Commits to the whole composition as the left half, whatever its degree, and claims that the identity holds.
struct WholeComposition;
impl Cheat for WholeComposition {
    fn out_of_domain(&mut self, identity: &Identity<'_>, values: &mut Samples) {
        ClaimedComposition.out_of_domain(identity, values);
    }
    fn composition(&mut self, all: &[QM31], halves: &mut Table) {
        for coordinate in 0..4 {
            halves[coordinate] = all.iter().map(|value| value.0[coordinate]).collect();
            halves[4 + coordinate] = vec![M31::ZERO; all.len()];
        }
    }
}

#[test]
fn a_composition_of_too_high_a_degree() {
    attack(|| WholeComposition, is_last_layer);
    // For a true statement, too: where constraints have degree 3 it is not below the bound of a half.
    let air = air("range-squares", 4, &[("table", "4")]);
    let error = claimed(&*air).attack(&air.trace(), &mut WholeComposition).unwrap_err();
    assert!(is_last_layer(&error), "{error:?}");
}

/// Commits to the halves in the other order.
struct SwappedHalves;
impl Cheat for SwappedHalves {
    fn composition(&mut self, _: &[QM31], halves: &mut Table) {
        halves.rotate_left(4);
    }
}

#[test]
fn halves_in_the_other_order() {
    for air in airs() {
        let error = claimed(&*air).attack(&air.trace(), &mut SwappedHalves).expect_err(air.name());
        assert!(matches!(error, VerifyError::Protocol(VerificationError::OodsNotMatching)), "{error:?}");
    }
}

/// Claims a composition with which the identity holds, although the committed one is another.
struct ClaimedComposition;
impl Cheat for ClaimedComposition {
    fn out_of_domain(&mut self, identity: &Identity<'_>, values: &mut Samples) {
        let missing = identity.composition(values) - identity.claimed(values);
        let composition = values.len() - 1;
        values[composition][0][0] += missing;
        assert_eq!(identity.composition(values), identity.claimed(values));
    }
}

#[test]
fn values_that_satisfy_the_identity_and_are_not_the_columns() {
    attack(|| ClaimedComposition, is_last_layer);
}

/// And commits to a first layer of low degree that has nothing to do with the columns.
struct OtherQuotient;
impl Cheat for OtherQuotient {
    fn out_of_domain(&mut self, identity: &Identity<'_>, values: &mut Samples) {
        ClaimedComposition.out_of_domain(identity, values);
    }
    fn layer(&mut self, layer: usize, word: &mut Vec<QM31>) {
        if layer == 0 {
            word.fill(QM31::from(M31::new(5)));
        }
    }
}

#[test]
fn a_first_layer_that_is_not_the_quotient() {
    attack(
        || OtherQuotient,
        |error| {
            matches!(
                error,
                VerifyError::Protocol(VerificationError::Fri(FriVerificationError::FirstLayerCommitmentInvalid { .. }))
                    | VerifyError::ClaimedSums(_)
            )
        },
    );
}

/// And commits to other values in a later layer.
struct OtherLayer;
impl Cheat for OtherLayer {
    fn out_of_domain(&mut self, identity: &Identity<'_>, values: &mut Samples) {
        ClaimedComposition.out_of_domain(identity, values);
    }
    fn layer(&mut self, layer: usize, word: &mut Vec<QM31>) {
        if layer == 1 {
            word.fill(QM31::from(M31::new(5)));
        }
    }
}

fn is_inner_layer(error: &VerifyError) -> bool {
    matches!(
        error,
        VerifyError::Protocol(VerificationError::Fri(FriVerificationError::InnerLayerCommitmentInvalid {
            inner_layer: 0,
            ..
        })) | VerifyError::ClaimedSums(_)
    )
}

#[test]
fn a_layer_that_is_not_the_fold_of_the_one_before() {
    attack(|| OtherLayer, is_inner_layer);
}

/// Folds the first layer with a factor of its own.
struct OtherFactor;
impl Cheat for OtherFactor {
    fn factor(&mut self, layer: usize, alpha: QM31) -> QM31 {
        if layer == 0 { alpha + QM31::ONE } else { alpha }
    }
}

/// Takes a last layer that is not the fold.
struct OtherLast;
impl Cheat for OtherLast {
    fn last(&mut self, coefficients: &mut Vec<QM31>) {
        coefficients[1] += QM31::ONE;
    }
}

#[test]
fn other_factors_and_another_last_layer() {
    for air in airs() {
        let claimed = claimed(&*air);
        let error = claimed.attack(&air.trace(), &mut OtherFactor).expect_err(air.name());
        assert!(is_inner_layer(&error), "{error:?}");
        let error = claimed.attack(&air.trace(), &mut OtherLast).expect_err(air.name());
        assert!(is_last_layer(&error), "{error:?}");
    }
}

/// Leaves the first sample out of the quotient, or takes it at another point.
struct OtherSample {
    is_moved: bool,
}
impl Cheat for OtherSample {
    fn samples(&mut self, samples: &mut PointSamples) {
        let column = samples.0[1].last_mut().expect("a main column");
        if self.is_moved {
            column[0].point = column[0].point.double();
        } else {
            column.clear();
        }
    }
}

#[test]
fn a_sample_left_out_or_moved() {
    for air in airs() {
        for is_moved in [false, true] {
            let error = claimed(&*air).attack(&air.trace(), &mut OtherSample { is_moved }).expect_err(air.name());
            let first = matches!(
                error,
                VerifyError::Protocol(VerificationError::Fri(FriVerificationError::FirstLayerCommitmentInvalid { .. }))
            );
            assert!(first, "{error:?}");
        }
    }
}

/// Commits to other selectors, under which any trace is right, and claims the values of the statement's.
struct OtherSelectors {
    true_values: bool,
}
impl Cheat for OtherSelectors {
    fn preprocessed(&mut self, columns: &mut Table) {
        columns.iter_mut().for_each(|column| column.fill(M31::ZERO));
    }
    fn out_of_domain(&mut self, identity: &Identity<'_>, values: &mut Samples) {
        if self.true_values {
            let columns = air("fibonacci", 4, &[]).preprocessed_values(None);
            for (column, claimed) in columns.iter().zip(&mut values[0]) {
                // Without an extension: 16 rows fix the polynomial.
                let word = circle::extend(column, 2, 6);
                claimed[0] = circle::at(&circle::coefficients(&word), identity.point);
            }
            ClaimedComposition.out_of_domain(identity, values);
        }
    }
}

#[test]
fn preprocessed_columns_that_are_not_the_statement_s() {
    let air = air("fibonacci", 4, &[]);
    let attack = |true_values| {
        let trace = broken_fibonacci(&*air);
        claimed(&*air).attack(&trace, &mut OtherSelectors { true_values }).unwrap_err()
    };
    let error = attack(false);
    assert!(matches!(error, VerifyError::Preprocessed { column: 0, .. }), "{error:?}");
    let error = attack(true);
    assert!(is_last_layer(&error), "{error:?}");
}

/// Adds `x^power v_n`, which is zero on the rows, to the first main column, and claims that the identity holds.
struct Blinded {
    power: u64,
}
impl Cheat for Blinded {
    fn main(&mut self, words: &mut Table) {
        let log_domain = words[0].len().ilog2();
        let domain = CanonicDomain::new(log_domain);
        for (index, value) in words[0].iter_mut().enumerate() {
            let x = domain.at_storage(index).x;
            *value += x.pow(self.power) * CirclePoint::repeated_double_x(x, log_domain - options().log_blowup - 1);
        }
    }
    fn out_of_domain(&mut self, identity: &Identity<'_>, values: &mut Samples) {
        ClaimedComposition.out_of_domain(identity, values);
    }
}

#[test]
fn columns_with_one_function_more_and_not_two() {
    // The quotient by a line leaves room for v_n, one function more than a trace has: the column still has the right
    // values on the rows, so this is a proof of a true statement, and not the canonical one. The constraint has degree
    // 2, and so the composition room for it.
    let air = air("wide-fibonacci", 4, &[("w", "3")]);
    let attack = |power| claimed(&*air).attack(&air.trace(), &mut Blinded { power });
    assert!(attack(0).is_ok(), "{:?}", attack(0));
    for power in [1, 2, 9] {
        let error = attack(power).unwrap_err();
        assert!(is_last_layer(&error), "{power}: {error:?}");
    }
}
