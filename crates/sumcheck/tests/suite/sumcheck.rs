//! Sum-checks alone, over both fields.

use std::convert::Infallible;

use circle_proof::Suite;
use field::{Field, Goldilocks, PrimeField, QM31, SplitMix64};
use proptest::prelude::*;
use sumcheck::multilinear::{bind, evaluate};
use sumcheck::{Channel, MAX_VARIABLES, Polynomial, ProveError, Univariate, VerifyError, prove, verify};

/// A table as a polynomial of degree one.
#[derive(Clone)]
struct Table<E>(Vec<E>);

impl<E: Field> Polynomial<E> for Table<E> {
    type Error = Infallible;

    fn variables(&self) -> usize {
        self.0.len().ilog2() as usize
    }

    fn sum(&mut self, _: E) -> Result<Univariate<E>, Infallible> {
        let (low, high) = self.0.split_at(self.0.len() / 2);
        let [low, high]: [E; 2] = [low, high].map(|half| half.iter().copied().sum());
        Ok(Univariate::trimmed(vec![low, high - low]))
    }

    fn bind(&mut self, challenge: E) -> Result<(), Infallible> {
        self.0 = bind(&self.0, challenge);
        Ok(())
    }
}

/// A channel over Goldilocks, for the tests alone: it sums up.
struct Toy(Goldilocks);

impl Channel<Goldilocks> for Toy {
    fn mix(&mut self, elements: &[Goldilocks]) {
        for element in elements {
            self.0 = self.0 * Goldilocks::from_u64(0x9e37_79b9) + *element;
        }
    }

    fn draw(&mut self) -> Goldilocks {
        self.0 = self.0.pow(7) + Goldilocks::ONE;
        self.0
    }
}

fn tables(logs: &[u32], seed: u64) -> Vec<Table<Goldilocks>> {
    let mut random = SplitMix64::new(seed);
    let mut table = |log: &u32| Table((0..1 << log).map(|_| Goldilocks::from_u64(random.word())).collect());
    logs.iter().map(&mut table).collect()
}

fn sums<E: Field>(tables: &[Table<E>]) -> Vec<E> {
    tables.iter().map(|table| table.0.iter().copied().sum()).collect()
}

proptest! {
    #[test]
    fn sums_of_tables_of_any_sizes_leave_their_values(logs in proptest::collection::vec(0u32..7, 1..5), seed: u64) {
        let mut polynomials = tables(&logs, seed);
        let (whole, claims) = (polynomials.clone(), sums(&polynomials));
        let alpha = Goldilocks::from_u64(seed | 1);
        let proved = prove(&claims, &mut polynomials, alpha, &mut Toy(Goldilocks::ONE)).unwrap();

        let variables = *logs.iter().max().unwrap() as usize;
        let mut claim = Goldilocks::ZERO;
        for (sum, log) in claims.iter().zip(&logs).rev() {
            claim = claim * alpha + *sum * Goldilocks::from_u64(1 << (variables as u32 - log));
        }
        let (point, value) = verify(claim, variables, &proved.rounds, &mut Toy(Goldilocks::ONE)).unwrap();
        prop_assert_eq!(&point, &proved.point);
        let ends: Vec<_> = whole
            .iter()
            .map(|table| evaluate(&table.0, &point[variables - Polynomial::<Goldilocks>::variables(table)..]))
            .collect();
        prop_assert_eq!(value, ends.iter().rfold(Goldilocks::ZERO, |sum, end| sum * alpha + *end));
        prop_assert_eq!(proved.values, ends);
    }
}

#[test]
fn a_false_claim_has_no_proof() {
    let mut polynomials = tables(&[3, 2], 5);
    let mut claims = sums(&polynomials);
    claims[1] += Goldilocks::ONE;
    let error = prove(&claims, &mut polynomials, Goldilocks::ONE, &mut Toy(Goldilocks::ONE)).unwrap_err();
    // The smaller one waits for a round.
    assert_eq!(error, ProveError::Claim { polynomial: 1, round: 1 });
    let mut none: [Table<Goldilocks>; 0] = [];
    assert_eq!(prove(&[], &mut none, Goldilocks::ONE, &mut Toy(Goldilocks::ONE)), Err(ProveError::Empty));
    let error = prove(&claims, &mut polynomials[..1], Goldilocks::ONE, &mut Toy(Goldilocks::ONE)).unwrap_err();
    assert_eq!(error, ProveError::Claims { polynomials: 1, claims: 2 });
}

/// Something that says what it likes, and fails if that is nothing.
struct Says(usize, Vec<Goldilocks>);

impl Polynomial<Goldilocks> for Says {
    type Error = &'static str;

    fn variables(&self) -> usize {
        self.0
    }

    fn sum(&mut self, _: Goldilocks) -> Result<Univariate<Goldilocks>, &'static str> {
        if self.1.is_empty() { Err("nothing to say") } else { Ok(Univariate::trimmed(self.1.clone())) }
    }

    fn bind(&mut self, _: Goldilocks) -> Result<(), &'static str> {
        self.0 -= 1;
        Ok(())
    }
}

#[test]
fn degrees_and_variables_have_a_limit() {
    let of = |coefficients: &[u64]| coefficients.iter().copied().map(Goldilocks::from_u64).collect::<Vec<_>>();
    let claim = Goldilocks::from_u64(6);
    let prove = |variables, coefficients| {
        prove(&[claim], &mut [Says(variables, of(coefficients))], Goldilocks::ONE, &mut Toy(Goldilocks::ONE))
    };
    assert!(prove(1, &[1, 1, 1, 2]).is_ok());
    assert_eq!(prove(1, &[1, 1, 1, 1, 1]), Err(ProveError::Degree { polynomial: 0, round: 0 }));
    assert_eq!(prove(1, &[]), Err(ProveError::Polynomial("nothing to say")));
    assert_eq!(prove(MAX_VARIABLES + 1, &[3]), Err(ProveError::Variables(MAX_VARIABLES + 1)));

    let check = |rounds: &[Univariate<Goldilocks>]| verify(claim, 1, rounds, &mut Toy(Goldilocks::ONE));
    assert!(check(&[Univariate::new(of(&[1, 1, 1, 2]))]).is_ok());
    // A zero at the end counts.
    let found = VerifyError::Degree { round: 0, found: 5 };
    assert_eq!(check(&[Univariate::new(of(&[1, 1, 1, 2, 0]))]), Err(found));
    assert_eq!(check(&[Univariate::new(of(&[1, 1, 1, 1]))]), Err(VerifyError::Sum { round: 0 }));
    assert_eq!(check(&[]), Err(VerifyError::Rounds { expected: 1, found: 0 }));
}

/// The channels of Circle are channels of a sum-check, step by step.
#[test]
fn channels_of_circle_mix_and_draw_elements() {
    for suite in Suite::ALL {
        let [mut one, mut other] = [suite.channel(), suite.channel()];
        let felts = [QM31::ONE, QM31::default(), QM31::ONE.double()];
        for count in [0, 1, 3] {
            one.mix_felts(&felts[..count]);
            other.mix(&felts[..count]);
            assert_eq!(one.draw_felt(), other.draw(), "{suite}, {count} elements");
        }
        assert_eq!(one.digest(), other.digest());
    }
}
