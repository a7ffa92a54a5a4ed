//! Things chosen after the challenge that must not be known when they are chosen. Each of these proofs is right by the
//! challenges that its prover drew: a verifier that left the thing out of its transcript would accept it.

use adversary::liar::goldilocks::{
    Cheat, Claimed, Cubic, Domain, Drawn, Identity, Table, at, composition, end_right, fold_pair, prove,
};
use air::airs::{ExampleAir, SimpleFibonacci, Wide};
use air::record;
use field::{Field, Fp3, Goldilocks, powers};
use goldilocks_proof::merkle::leaf_digest;
use goldilocks_proof::{Proof, Seed, lambdaworks};
use goldilocks_verifier::{Policy, VerifyError, verify};
use gpu_hal::{Digest, HashFn};

use crate::forge::attacks::broken;
use crate::forge::statement::{AnyComposition, solve};

const HASH: HashFn = HashFn::Keccak256;

/// No work, so that it is not the nonce that fails.
fn claimed(air: &dyn ExampleAir<Cubic>, queries: u32) -> Claimed<'_> {
    let options = lambdaworks::Options {
        blowup: 4,
        queries,
        grinding: 0,
        coset_offset: 7,
        suite: goldilocks_proof::Suite::Keccak256,
    };
    Claimed { air, options, seed: Seed::Default }
}

/// `sum of z^k parts_k`.
fn joined(z: Fp3, parts: &[Fp3]) -> Fp3 {
    powers(z).zip(parts).fold(Fp3::ZERO, |sum, (power, &part)| sum + power * part)
}

/// Proves the broken trace; returns the answer of the verifier, after a look at the answer of one that would draw the
/// prover's challenges.
fn attack(air: &dyn ExampleAir<Cubic>, queries: u32, cheat: &mut dyn Cheat) -> Result<(), VerifyError> {
    let (claimed, recorded) = (&claimed(air, queries), record::<Cubic, _>(air).expect("valid"));
    let (proof, drawn) = prove(claimed, &broken(air), cheat);
    let frame: Table<Fp3> = proof.trace_ood.data.chunks(proof.trace_ood.width as usize).map(<[Fp3]>::to_vec).collect();
    let constraints = composition(&recorded, &drawn.challenges, drawn.beta, drawn.z, &frame);
    assert_eq!(constraints, joined(drawn.z, &proof.composition_ood), "the identity holds at the prover's point");
    for (&query, decommitment) in drawn.queries.iter().zip(&proof.fri_decommitments) {
        let index = |k: usize| drawn.domain.natural(2 * query as usize + k);
        let mut x = drawn.domain.points().nth(index(0)).expect("of the domain");
        let mut value = drawn.quotient[index(0)];
        let opposites = std::iter::once(&drawn.quotient[index(1)]).chain(&decommitment.values);
        for (&opposite, &zeta) in opposites.zip(&drawn.zetas) {
            value = fold_pair(value, opposite, x, zeta);
            x = x.square();
        }
        assert_eq!(value, proof.fri_last_value, "query {query} of the prover's ends right");
    }
    verify(&recorded, &claimed.options, claimed.seed, &proof, &Policy::ANY).map(drop)
}

/// Adds the missing value at z to the first part.
struct LateComposition;
impl Cheat for LateComposition {
    fn at_point(
        &mut self,
        identity: &Identity<'_>,
        domain: Domain,
        frame: &dyn Fn(&Table<Goldilocks>) -> Table<Fp3>,
        main: &mut Table<Goldilocks>,
        parts: &mut Table<Fp3>,
    ) -> bool {
        let point = identity.z.pow(parts.len() as u64);
        let values: Vec<Fp3> = parts.iter().map(|part| at(&domain.coefficients(part), point)).collect();
        let missing = identity.composition(&frame(main)) - joined(identity.z, &values);
        parts[0].iter_mut().for_each(|value| *value += missing);
        true
    }
}

#[test]
fn composition_parts_that_know_the_point() {
    for air in
        [&SimpleFibonacci::new(16).expect("possible") as &dyn ExampleAir<Cubic>, &Wide::new(8, 3, 4).expect("possible")]
    {
        assert_eq!(attack(air, 24, &mut LateComposition), Err(VerifyError::Composition), "{}", air.name());
    }
}

/// Commits to any composition, and to a trace that has it at z: constraints that are linear give as many equations as
/// an element has coordinates.
struct LateTrace;
impl Cheat for LateTrace {
    fn composition(&mut self, domain: Domain, all: &[Fp3], parts: &mut Table<Fp3>) {
        AnyComposition.composition(domain, all, parts);
    }
    fn at_point(
        &mut self,
        identity: &Identity<'_>,
        domain: Domain,
        frame: &dyn Fn(&Table<Goldilocks>) -> Table<Fp3>,
        main: &mut Table<Goldilocks>,
        parts: &mut Table<Fp3>,
    ) -> bool {
        let with = |changes: [Goldilocks; 3]| -> Table<Goldilocks> {
            let change =
                |x: Goldilocks| changes.into_iter().zip(powers(x)).map(|(c, power)| c * power).sum::<Goldilocks>();
            vec![main[0].iter().zip(domain.points()).map(|(&value, x)| value + change(x)).collect()]
        };
        let constraints = |changes| identity.composition(&frame(&with(changes)));
        let zero = [Goldilocks::ZERO; 3];
        let unit = |k: usize| {
            let mut changes = zero;
            changes[k] = Goldilocks::ONE;
            constraints(changes) - constraints(zero)
        };
        let wanted = at(&domain.coefficients(&parts[0]), identity.z);
        *main = with(solve([unit(0), unit(1), unit(2)], wanted - constraints(zero)));
        true
    }
}

#[test]
fn a_trace_that_knows_the_point() {
    let air = SimpleFibonacci::new(16).expect("possible");
    assert_eq!(attack(&air, 24, &mut LateTrace), Err(VerifyError::Composition));
}

/// Claims other values of two parts, of which the weighted sum stays what it is: `d gamma` more of one, `d` less of the
/// next.
struct LateValues;
impl Cheat for LateValues {
    fn after_gamma(&mut self, gamma: Fp3, identity: &Identity<'_>, frame: &mut Table<Fp3>, parts: &mut Vec<Fp3>) {
        let missing = identity.composition(frame) - joined(identity.z, parts);
        let change = missing * (gamma - identity.z).inverse().expect("drawn apart");
        parts[0] += change * gamma;
        parts[1] -= change;
    }
}

#[test]
fn out_of_domain_values_that_know_their_weights() {
    // Degree 4: three parts.
    let air = Wide::new(8, 3, 4).expect("possible");
    let result = attack(&air, 24, &mut LateValues);
    assert_eq!(result, Err(VerifyError::LastValue { query: 0 }));
}

/// Makes the only query end right, and the root of the last layer the root of the opened leaves.
struct LateLayer;
impl Cheat for LateLayer {
    fn out_of_domain(&mut self, identity: &Identity<'_>, frame: &mut Table<Fp3>, parts: &mut Vec<Fp3>) {
        let missing = identity.composition(frame) - joined(identity.z, parts);
        parts[0] += missing;
    }
    fn finish(&mut self, proof: &mut Proof<Cubic>, drawn: &Drawn) {
        end_right(proof, drawn);
        let (&[query], layers) = (&drawn.queries[..], proof.fri_roots.len()) else { panic!("one query") };
        let decommitment = &proof.fri_decommitments[0];
        // The value of the layer at the query: the fold of all before.
        let index = |k: usize| drawn.domain.natural(2 * query as usize + k);
        let mut x = drawn.domain.points().nth(index(0)).expect("of the domain");
        let mut value = fold_pair(drawn.quotient[index(0)], drawn.quotient[index(1)], x, drawn.zetas[0]);
        for (&opposite, &zeta) in decommitment.values[..layers - 1].iter().zip(&drawn.zetas[1..]) {
            x = x.square();
            value = fold_pair(value, opposite, x, zeta);
        }
        let place = query >> (layers - 1);
        let opposite = decommitment.values[layers - 1];
        let pair = if place & 1 == 0 { [value, opposite] } else { [opposite, value] };
        let leaf = leaf_digest(HASH, &pair);
        let up = |(place, node): (u64, Digest), sibling: &Digest| {
            let (left, right) = if place & 1 == 0 { (node, *sibling) } else { (*sibling, node) };
            (place >> 1, HASH.parent(&left, &right).expect("digests of this function"))
        };
        proof.fri_roots[layers - 1] = decommitment.paths[layers - 1].iter().fold((place >> 1, leaf), up).1;
    }
}

#[test]
fn a_layer_that_knows_the_queries() {
    for air in [
        &SimpleFibonacci::new(64).expect("possible") as &dyn ExampleAir<Cubic>,
        &Wide::new(64, 3, 4).expect("possible"),
    ] {
        let result = attack(air, 1, &mut LateLayer);
        assert_eq!(result, Err(VerifyError::LastValue { query: 0 }), "{}", air.name());
    }
}
