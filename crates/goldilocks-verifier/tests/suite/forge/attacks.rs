//! False statements, with everything as consistent as a prover can make it.

use std::sync::Arc;

use adversary::liar::goldilocks::{
    Cheat, Claimed, Cubic, Domain, Drawn, Honest, Identity, Table, end_right, fold, prove,
};
use air::airs::{
    BitFlags, ExampleAir, Fibonacci2Columns, FibonacciRap, PeriodicFibonacci, Quadratic, ReadOnlyMemory,
    ReadOnlyMemoryLogup, SimpleFibonacci, Wide,
};
use air::{Air, Trace, record};
use field::{Field, Fp3, Goldilocks, powers};
use golden::backends::cpu;
use goldilocks_proof::{Proof, Seed, Suite, Transcript, encode, lambdaworks};
use goldilocks_verifier::{Part, Policy, VerifyError, verify};
use prover_core::Silent;
use prover_core::goldilocks::Prover;

/// Every example AIR, small.
fn airs() -> Vec<Arc<dyn ExampleAir<Cubic>>> {
    let possible = "possible";
    vec![
        Arc::new(FibonacciRap::new(16, 11).expect(possible)),
        Arc::new(FibonacciRap::new(16, 15).expect(possible).with_parts(2)),
        Arc::new(SimpleFibonacci::new(16).expect(possible)),
        Arc::new(Fibonacci2Columns::new(8).expect(possible)),
        Arc::new(Quadratic::new(16).expect(possible)),
        Arc::new(PeriodicFibonacci::new(16).expect(possible)),
        Arc::new(ReadOnlyMemory::new(16).expect(possible)),
        Arc::new(ReadOnlyMemoryLogup::new(16).expect(possible)),
        Arc::new(BitFlags::new(16).expect(possible)),
        Arc::new(Wide::new(8, 3, 4).expect(possible)),
    ]
}

/// With 24 queries at rate 1/4 nothing here is accepted by luck.
fn options(suite: Suite) -> lambdaworks::Options {
    lambdaworks::Options { blowup: 4, queries: 24, grinding: 3, coset_offset: 7, suite }
}

fn claimed(air: &dyn ExampleAir<Cubic>, suite: Suite) -> Claimed<'_> {
    Claimed { air, options: options(suite), seed: Seed::Default }
}

fn check(claimed: &Claimed<'_>, proof: &Proof<Cubic>) -> Result<(), VerifyError> {
    let recorded = record::<Cubic, _>(claimed.air).expect("valid");
    verify(&recorded, &claimed.options, claimed.seed, proof, &Policy::ANY).map(drop)
}

/// The honest trace with one cell changed that every one of these AIRs constrains.
pub(crate) fn broken(air: &dyn ExampleAir<Cubic>) -> Trace<Goldilocks> {
    let mut trace = air.trace();
    trace.set(2, 0, trace.get(2, 0) + Goldilocks::new(5));
    trace
}

/// Proves the broken trace of every AIR with a new cheat each; returns the verifier's answers.
fn attack<C: Cheat>(suite: Suite, mut cheat: impl FnMut() -> C) -> Vec<(String, Result<(), VerifyError>)> {
    let mut attack = |air: &dyn ExampleAir<Cubic>| {
        let claimed = claimed(air, suite);
        let (proof, _) = prove(&claimed, &broken(air), &mut cheat());
        (air.name().to_owned(), check(&claimed, &proof))
    };
    airs().iter().map(|air| attack(&**air)).collect()
}

/// The proof of this workspace's prover.
pub(crate) fn prover_s_bytes(
    air: Arc<dyn Air<Cubic>>,
    trace: &Trace<Goldilocks>,
    options: &lambdaworks::Options,
) -> Vec<u8> {
    let prover = Prover::new(Arc::new(cpu::<Cubic>()), air).expect("a sound AIR");
    encode(&prover.prove(trace, options, Seed::Default, &Silent).expect("honest"))
}

fn random(count: usize) -> Vec<Fp3> {
    let mut transcript = Transcript::new(b"no meaning");
    (0..count).map(|_| transcript.sample_element()).collect()
}

/// Claims a value of part 0 with which the identity holds.
fn adjust(identity: &Identity<'_>, frame: &[Vec<Fp3>], parts: &mut [Fp3]) {
    let claimed = powers(identity.z).zip(parts.iter()).fold(Fp3::ZERO, |sum, (power, &part)| sum + power * part);
    parts[0] += identity.composition(frame) - claimed;
}

fn last_layer(proof: &Proof<Cubic>) -> Part {
    Part::Fri(proof.fri_roots.len())
}

#[test]
fn without_a_cheat_it_is_the_prover() {
    for suite in [Suite::Keccak256, Suite::Poseidon2] {
        for air in airs() {
            let claimed = claimed(&*air, suite);
            let (proof, _) = prove(&claimed, &air.trace(), &mut Honest);
            assert_eq!(check(&claimed, &proof), Ok(()), "{}", air.name());
            let same = prover_s_bytes(air.clone(), &air.trace(), &claimed.options);
            assert!(encode(&proof) == same, "{}", air.name());
        }
    }
}

#[test]
fn a_false_trace_and_nothing_else() {
    for (air, result) in attack(Suite::Keccak256, || Honest) {
        assert_eq!(result, Err(VerifyError::Composition), "{air}");
    }
}

/// A false trace with out-of-domain values that satisfy the identity.
struct Adjusted;
impl Cheat for Adjusted {
    fn out_of_domain(&mut self, identity: &Identity<'_>, frame: &mut Table<Fp3>, parts: &mut Vec<Fp3>) {
        adjust(identity, frame, parts);
    }
}

#[test]
fn out_of_domain_values_that_satisfy_the_identity() {
    for (air, result) in attack(Suite::Keccak256, || Adjusted) {
        assert!(matches!(result, Err(VerifyError::LastValue { .. })), "{air}: {result:?}");
    }
}

/// The same, and the opened values of the last layer make every query end right.
struct Ended(Option<Part>);
impl Cheat for Ended {
    fn out_of_domain(&mut self, identity: &Identity<'_>, frame: &mut Table<Fp3>, parts: &mut Vec<Fp3>) {
        adjust(identity, frame, parts);
    }
    fn finish(&mut self, proof: &mut Proof<Cubic>, drawn: &Drawn) {
        end_right(proof, drawn);
        self.0 = Some(last_layer(proof));
    }
}

#[test]
fn opened_values_that_end_right() {
    for suite in [Suite::Keccak256, Suite::Poseidon2] {
        for air in airs() {
            let claimed = claimed(&*air, suite);
            let mut cheat = Ended(None);
            let (proof, _) = prove(&claimed, &broken(&*air), &mut cheat);
            let result = check(&claimed, &proof);
            let Err(VerifyError::Path { part, .. }) = result else { panic!("{}: {result:?}", air.name()) };
            assert_eq!(Some(part), cheat.0, "{}", air.name());
        }
    }
}

/// A proof that the reference's verifier accepts: the low-degree test is left out.
struct Emptied;
impl Cheat for Emptied {
    fn out_of_domain(&mut self, identity: &Identity<'_>, frame: &mut Table<Fp3>, parts: &mut Vec<Fp3>) {
        adjust(identity, frame, parts);
    }
    fn finish(&mut self, proof: &mut Proof<Cubic>, _: &Drawn) {
        for decommitment in &mut proof.fri_decommitments {
            decommitment.paths.clear();
            decommitment.values.clear();
        }
    }
}

#[test]
fn no_low_degree_test() {
    for (air, result) in attack(Suite::Keccak256, || Emptied) {
        assert!(matches!(result, Err(VerifyError::FriPaths { query: 0, .. })), "{air}: {result:?}");
    }
}

/// Cuts the composition into parts without cutting off the terms of too high a degree.
fn uncut(domain: Domain, all: &[Fp3], parts: &mut Table<Fp3>) {
    let (whole, count) = (domain.coefficients(all), parts.len());
    for (k, part) in parts.iter_mut().enumerate() {
        let coefficients: Vec<Fp3> = whole.iter().copied().skip(k).step_by(count).collect();
        *part = domain.evaluate(&coefficients);
    }
}

/// The composition of a false trace as it is on every point of the domain.
struct HighDegree;
impl Cheat for HighDegree {
    fn composition(&mut self, domain: Domain, all: &[Fp3], parts: &mut Table<Fp3>) {
        uncut(domain, all, parts);
    }
    fn out_of_domain(&mut self, identity: &Identity<'_>, frame: &mut Table<Fp3>, parts: &mut Vec<Fp3>) {
        // A false trace gives a quotient with poles, which is no polynomial; the missing value at z is claimed.
        adjust(identity, frame, parts);
    }
}

#[test]
fn a_composition_of_too_high_a_degree() {
    for (air, result) in attack(Suite::Keccak256, || HighDegree) {
        assert!(matches!(result, Err(VerifyError::LastValue { .. })), "{air}: {result:?}");
    }
}

/// FRI of a polynomial that has nothing to do with the quotient.
struct OtherWord {
    end: bool,
}
impl Cheat for OtherWord {
    fn out_of_domain(&mut self, identity: &Identity<'_>, frame: &mut Table<Fp3>, parts: &mut Vec<Fp3>) {
        adjust(identity, frame, parts);
    }
    fn quotient(&mut self, domain: Domain, word: &mut Vec<Fp3>) {
        *word = domain.evaluate(&random(word.len() / 4));
        // It is of low degree: a fold of a fold ends in a constant.
        let (mut domain, mut folded) = (domain, word.clone());
        while folded.len() > 4 {
            (domain, folded) = fold(domain, &folded, Fp3::ONE);
        }
        assert!(folded.iter().all(|value| *value == folded[0]));
    }
    fn finish(&mut self, proof: &mut Proof<Cubic>, drawn: &Drawn) {
        if self.end {
            end_right(proof, drawn);
        }
    }
}

#[test]
fn a_low_degree_test_of_something_else() {
    for (air, result) in attack(Suite::Keccak256, || OtherWord { end: false }) {
        assert!(matches!(result, Err(VerifyError::LastValue { .. })), "{air}: {result:?}");
    }
    // Ended right, the value that the first layer must hold is not the one that was committed.
    for (air, result) in attack(Suite::Keccak256, || OtherWord { end: true }) {
        assert!(matches!(result, Err(VerifyError::Path { part: Part::Fri(1), .. })), "{air}: {result:?}");
    }
}

/// An honest proof except for the last value.
struct OtherLastValue;
impl Cheat for OtherLastValue {
    fn last_value(&mut self, word: &[Fp3]) -> Fp3 {
        word[0] + Fp3::ONE
    }
}

#[test]
fn another_last_value() {
    for air in airs() {
        let claimed = claimed(&*air, Suite::Keccak256);
        let (proof, _) = prove(&claimed, &air.trace(), &mut OtherLastValue);
        assert_eq!(check(&claimed, &proof), Err(VerifyError::LastValue { query: 0 }), "{}", air.name());
    }
}

/// Claims other values of columns, including columns that no constraint reads.
struct OtherFrame {
    row: usize,
    column: usize,
}
impl Cheat for OtherFrame {
    fn out_of_domain(&mut self, identity: &Identity<'_>, frame: &mut Table<Fp3>, parts: &mut Vec<Fp3>) {
        frame[self.row][self.column] += Fp3::ONE;
        adjust(identity, frame, parts);
    }
}

#[test]
fn other_out_of_domain_values_of_each_cell() {
    for air in airs() {
        let claimed = claimed(&*air, Suite::Keccak256);
        let layout = air.layout();
        for row in 0..layout.frame_rows {
            for column in 0..layout.main_columns + layout.aux_columns {
                let (proof, _) = prove(&claimed, &air.trace(), &mut OtherFrame { row, column });
                let result = check(&claimed, &proof);
                let expected = matches!(result, Err(VerifyError::LastValue { .. }));
                assert!(expected, "{}, cell ({row}, {column}): {result:?}", air.name());
            }
        }
    }
}

/// Adds `X^shift (X^n - 1)` to a column: the rows of the trace are unchanged.
struct Blinded {
    log_rows: u32,
    column: usize,
    shift: u64,
}
impl Cheat for Blinded {
    fn main(&mut self, domain: Domain, columns: &mut Table<Goldilocks>) {
        for (value, x) in columns[self.column].iter_mut().zip(domain.points()) {
            *value += x.pow(self.shift) * (x.pow_two_to(self.log_rows) - Goldilocks::ONE);
        }
    }
    // The identity holds for polynomials: only degrees are wrong.
    fn composition(&mut self, domain: Domain, all: &[Fp3], parts: &mut Table<Fp3>) {
        uncut(domain, all, parts);
    }
}

#[test]
fn columns_of_degree_n_and_not_more() {
    // The quotient by X - z leaves room for one degree more than a trace has: the room that the security estimate gives
    // to a prover. It still has the right values on the rows, so this is a proof of a true statement, and not the
    // canonical one.
    for air in
        [&SimpleFibonacci::new(16).expect("possible") as &dyn ExampleAir<Cubic>, &BitFlags::new(16).expect("possible")]
    {
        let claimed = claimed(air, Suite::Keccak256);
        let column = air.layout().main_columns - 1;
        let prove = |shift| {
            let mut cheat = Blinded { log_rows: air.log_trace_length(), column, shift };
            prove(&claimed, &air.trace(), &mut cheat).0
        };
        assert_eq!(check(&claimed, &prove(0)), Ok(()), "{}", air.name());
        for shift in [1, 2, 16, 40] {
            let result = check(&claimed, &prove(shift));
            assert!(matches!(result, Err(VerifyError::LastValue { .. })), "{}, {shift}: {result:?}", air.name());
        }
    }
}
