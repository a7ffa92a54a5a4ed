//! A proof is a proof of its statement only.

use air::airs::{self, FibonacciRap, Wide};
use air::{Air, AirBuilder, Column, Layout, Rows, record};
use field::{Goldilocks, PrimeField};
use goldilocks_proof::{OptionsError, Suite, lambdaworks};
use goldilocks_verifier::{Policy, Seed, VerifyError, transcript_seed, verify};
use gpu_hal::CosetProtocol;

use crate::common::{CUBIC, Case, Cubic, case};

fn with_options(case: &Case<Cubic>, change: impl FnOnce(&mut lambdaworks::Options)) -> Result<(), VerifyError> {
    let mut options = case.options;
    change(&mut options);
    verify(&case.air, &options, Seed::Given(&case.seed), &case.proof, &Policy::ANY).map(drop)
}

#[test]
fn other_options() {
    let case = case::<Cubic>(CUBIC[0]);
    assert_eq!(with_options(&case, |_| ()), Ok(()));
    assert!(matches!(with_options(&case, |o| o.blowup = 8), Err(VerifyError::LastValue { .. })));
    assert!(matches!(with_options(&case, |o| o.coset_offset = 7), Err(VerifyError::LastValue { .. })));
    assert_eq!(with_options(&case, |o| o.queries = 4), Err(VerifyError::FriDecommitments { expected: 4, found: 3 }));
    assert_eq!(with_options(&case, |o| o.queries = 2), Err(VerifyError::FriDecommitments { expected: 2, found: 3 }));
    assert_eq!(with_options(&case, |o| o.grinding = 0), Err(VerifyError::Nonce { expected: false }));
    assert!(with_options(&case, |o| o.grinding = 2).is_err());
    assert!(matches!(with_options(&case, |o| o.grinding = 60), Err(VerifyError::ProofOfWork { bits: 60, .. })));
    assert!(matches!(with_options(&case, |o| o.suite = Suite::Poseidon2), Err(VerifyError::Path { .. })));
    // The same field element under another name is another option, and none.
    let offset = Goldilocks::ORDER + 3;
    let expected = VerifyError::Options(OptionsError::OffsetNotReduced(offset));
    assert_eq!(with_options(&case, |o| o.coset_offset = offset), Err(expected));
}

#[test]
fn options_that_are_none() {
    let case = case::<Cubic>(CUBIC[0]);
    let options = |change: fn(&mut lambdaworks::Options)| with_options(&case, change);
    assert_eq!(options(|o| o.blowup = 3), Err(VerifyError::Options(OptionsError::Blowup(3))));
    assert_eq!(options(|o| o.blowup = 0), Err(VerifyError::Options(OptionsError::Blowup(0))));
    assert_eq!(options(|o| o.queries = 0), Err(VerifyError::Options(OptionsError::Queries(0))));
    assert_eq!(options(|o| o.grinding = 65), Err(VerifyError::Options(OptionsError::Grinding(65))));
    assert_eq!(options(|o| o.coset_offset = 0), Err(VerifyError::Options(OptionsError::ZeroOffset)));
    let error = OptionsError::OffsetInSubgroup { offset: 1, log_lde: 7 };
    assert_eq!(options(|o| o.coset_offset = 1), Err(VerifyError::Options(error)));
}

#[test]
fn other_seeds() {
    for name in [CUBIC[0], "fibrap_fp3_n64_s40_b8_q4_c3_g8_seed"] {
        let case = case::<Cubic>(name);
        let with = |seed: Seed<'_>| verify(&case.air, &case.options, seed, &case.proof, &Policy::ANY);
        assert!(with(Seed::Given(&case.seed)).is_ok());
        assert!(with(Seed::Default).is_err());
        assert!(with(Seed::Given(b"other")).is_err());
        assert!(with(Seed::Given(&[&case.seed[..], &[0]].concat())).is_err());
    }
}

#[test]
fn other_airs() {
    let case = case::<Cubic>(CUBIC[0]);
    let with = |air: &dyn Air<Cubic>| {
        verify(&record(air).expect("valid"), &case.options, Seed::Given(&case.seed), &case.proof, &Policy::ANY)
    };
    assert!(with(&FibonacciRap::new(32, 16).expect("possible")).is_ok());
    assert_eq!(with(&FibonacciRap::new(32, 17).expect("possible")), Err(VerifyError::Composition));
    let expected = VerifyError::TraceLength { expected: 64, found: 32 };
    assert_eq!(with(&FibonacciRap::new(64, 16).expect("possible")), Err(expected));
    let expected = VerifyError::CompositionOod { expected: 2, found: 1 };
    assert_eq!(with(&FibonacciRap::new(32, 16).expect("possible").with_parts(2)), Err(expected));
    for info in airs::all().iter().filter(|info| info.name != "fibonacci-rap") {
        let air = airs::build::<Cubic>(info.name, 32, &Default::default());
        // The wide AIR has parameters without defaults.
        let Ok(air) = air else { continue };
        assert!(with(&*air).is_err(), "{}", info.name);
    }
    assert!(with(&Wide::new(32, 3, 2).expect("possible")).is_err());
}

/// simple-fibonacci with free first values.
struct Fibonacci {
    first: u64,
    second: u64,
    end: usize,
    name: &'static str,
}

impl<P: CosetProtocol> Air<P> for Fibonacci {
    fn name(&self) -> &str {
        self.name
    }

    fn log_trace_length(&self) -> u32 {
        4
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 1, aux_columns: 0, frame_rows: 3, challenges: 0, composition_parts: 1 }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        let a = |row| builder.main(0, row);
        builder.transition(a(2) - a(1) - a(0), Rows::all().except_last(self.end));
        builder.boundary(Column::Main(0), 0, Goldilocks::new(self.first));
        builder.boundary(Column::Main(0), 1, Goldilocks::new(self.second));
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        vec![Goldilocks::new(self.first), Goldilocks::new(self.second)]
    }
}

#[test]
fn other_public_inputs_and_exemptions() {
    let case = case::<Cubic>("simple-fibonacci_n16_b4_q3_c3_g1");
    let with = |first, second, end| {
        let air = record(&Fibonacci { first, second, end, name: "simple-fibonacci" }).expect("valid");
        verify::<Cubic>(&air, &case.options, Seed::Given(&case.seed), &case.proof, &Policy::ANY)
    };
    assert!(with(1, 1, 2).is_ok(), "the same statement, written once more");
    for (first, second, end) in [(1, 2, 2), (2, 1, 2), (0, 1, 2), (1, 1, 1), (1, 1, 3), (1, 1, 0)] {
        assert_eq!(with(first, second, end), Err(VerifyError::Composition), "{first} {second} {end}");
    }
}

#[test]
fn the_default_seed_depends_on_the_statement() {
    let options = lambdaworks::Options::default();
    let seed = |first, second, end, name, options: &lambdaworks::Options| {
        transcript_seed::<Cubic>(&record(&Fibonacci { first, second, end, name }).expect("valid"), options)
    };
    let mut seeds = vec![
        seed(1, 1, 2, "a", &options),
        seed(2, 1, 2, "a", &options),
        seed(1, 2, 2, "a", &options),
        seed(1, 1, 1, "a", &options),
        seed(1, 1, 2, "b", &options),
        seed(1, 1, 2, "a", &lambdaworks::Options { queries: 42, ..options }),
    ];
    assert_eq!(seeds[0], seed(1, 1, 2, "a", &options));
    seeds.sort();
    seeds.dedup();
    assert_eq!(seeds.len(), 6);
}
