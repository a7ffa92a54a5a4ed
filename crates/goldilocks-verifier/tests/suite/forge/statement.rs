//! Statements that are chosen after the challenges: a transcript that does not bind them allows these.

use adversary::liar::goldilocks::{Cheat, Claimed, Cubic, Domain, composition, prove};
use air::{Air, AirBuilder, Column, ExampleAir, Layout, RecordedAir, Rows, Trace, record};
use field::{Field, Fp3, Goldilocks, powers};
use goldilocks_proof::{Proof, Seed, Suite, Transcript, lambdaworks};
use goldilocks_verifier::{Policy, VerifyError, verify};
use gpu_hal::{CosetProtocol, Protocol};

const LOG_ROWS: u32 = 4;
/// Rows whose values are public. Two of them fix the sequence, so most triples of values are false.
const PUBLIC: [usize; 3] = [0, 5, 9];

/// How a boundary gets its value.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    Constant,
    /// Computed, and listed among the public inputs.
    Listed,
    /// Computed from something that the AIR does not list.
    Hidden,
}

/// A sequence with `A_(i+2) = A_(i+1) + A_i`, of which three values are public.
struct Sequence {
    public: [Goldilocks; 3],
    value: Value,
}

impl<P: CosetProtocol> Air<P> for Sequence {
    fn name(&self) -> &str {
        "sequence"
    }

    fn log_trace_length(&self) -> u32 {
        LOG_ROWS
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 1, aux_columns: 0, frame_rows: 3, challenges: 0, composition_parts: 1 }
    }

    fn define(&self, builder: &AirBuilder<P>) {
        let a = |row| builder.main(0, row);
        builder.transition(a(2) - a(1) - a(0), Rows::all().except_last(2));
        for (row, value) in PUBLIC.into_iter().zip(self.public) {
            match self.value {
                Value::Constant => builder.boundary(Column::Main(0), row, value),
                Value::Listed | Value::Hidden => builder.boundary_with(Column::Main(0), row, move |_| value.into()),
            }
        }
    }

    fn public_inputs(&self) -> Vec<Goldilocks> {
        if self.value == Value::Listed { self.public.to_vec() } else { Vec::new() }
    }
}

impl<P: CosetProtocol> ExampleAir<P> for Sequence {
    /// No sequence of this kind.
    fn trace(&self) -> Trace<<P as Protocol>::Base> {
        let mut transcript = Transcript::new(b"no meaning");
        let column = (0..1 << LOG_ROWS).map(|_| transcript.sample_element()).collect();
        Trace::from_columns(vec![column]).expect("a power of two")
    }
}

/// Whether there is a sequence with these values.
fn is_true(public: [Goldilocks; 3]) -> bool {
    // A_i = F_(i-1) A_0 + F_i A_1 with the Fibonacci numbers F.
    let [a0, a5, a9] = public;
    let number = Goldilocks::new;
    let a1 = (a5 - number(3) * a0) * number(5).inverse().expect("not zero");
    a9 == number(21) * a0 + number(34) * a1
}

/// Commits to a composition that has nothing to do with the trace, but is of low degree.
pub(crate) struct AnyComposition;
impl Cheat for AnyComposition {
    fn composition(&mut self, domain: Domain, _: &[Fp3], parts: &mut Vec<Vec<Fp3>>) {
        let mut transcript = Transcript::new(b"no meaning either");
        let coefficients: Vec<Fp3> = (0..1 << LOG_ROWS).map(|_| transcript.sample_element()).collect();
        parts[0] = domain.evaluate(&coefficients);
    }
}

fn recorded(public: [Goldilocks; 3], value: Value) -> RecordedAir<Cubic> {
    record(&Sequence { public, value }).expect("valid")
}

/// `x` with `sum of x_k columns_k = right`, by Cramer's rule.
pub(crate) fn solve(columns: [Fp3; 3], right: Fp3) -> [Goldilocks; 3] {
    let determinant = |columns: [Fp3; 3]| -> Goldilocks {
        let [a, b, c] = columns.map(|column| column.0);
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let inverse = determinant(columns).inverse().expect("independent, but with probability 2^-64");
    [0, 1, 2].map(|k| {
        let mut replaced = columns;
        replaced[k] = right;
        determinant(replaced) * inverse
    })
}

/// Makes a proof first, then the public inputs that it proves: the identity at z is linear in them, one equation over
/// the extension, that is three over the base field.
fn forge(value: Value, seed: Seed<'_>) -> ([Goldilocks; 3], Proof<Cubic>, lambdaworks::Options) {
    let options =
        lambdaworks::Options { blowup: 4, queries: 30, grinding: 2, coset_offset: 3, suite: Suite::Keccak256 };
    let zero = [Goldilocks::ZERO; 3];
    let air = Sequence { public: zero, value };
    let claimed = Claimed { air: &air, options, seed };
    let (proof, drawn) = prove(&claimed, &ExampleAir::<Cubic>::trace(&air), &mut AnyComposition);
    let frame: Vec<Vec<Fp3>> = proof.trace_ood.data.iter().map(|&cell| vec![cell]).collect();
    let at = |public| composition(&recorded(public, value), &drawn.challenges, drawn.beta, drawn.z, &frame);
    let unit = |k: usize| {
        let mut public = zero;
        public[k] = Goldilocks::ONE;
        at(public) - at(zero)
    };
    let claimed_value = powers(drawn.z).zip(&proof.composition_ood).fold(Fp3::ZERO, |sum, (z, &h)| sum + z * h);
    let public = solve([unit(0), unit(1), unit(2)], claimed_value - at(zero));
    assert!(!is_true(public), "there is no such sequence");
    (public, proof, options)
}

fn check(value: Value, seed: Seed<'_>) -> Result<(), VerifyError> {
    let (public, proof, options) = forge(value, seed);
    verify(&recorded(public, value), &options, seed, &proof, &Policy::ANY).map(drop)
}

#[test]
fn the_default_seed_binds_public_inputs() {
    for value in [Value::Constant, Value::Listed] {
        // The transcript is another one, so the first thing that depends on it fails: the proof of work, or the
        // identity.
        let result = check(value, Seed::Default);
        let expected = |e: &VerifyError| matches!(e, VerifyError::ProofOfWork { .. } | VerifyError::Composition);
        assert!(result.as_ref().is_err_and(expected), "{result:?}");
    }
}

#[test]
fn a_seed_that_binds_nothing_is_forged() {
    // Not a defect of the verifier but what its documentation says of given seeds: this is why the default one exists.
    for value in [Value::Constant, Value::Listed, Value::Hidden] {
        for seed in [&b""[..], b"some bytes"] {
            assert_eq!(check(value, Seed::Given(seed)), Ok(()));
        }
    }
    // So is an AIR that does not list what its boundaries use.
    assert_eq!(check(Value::Hidden, Seed::Default), Ok(()));
}
