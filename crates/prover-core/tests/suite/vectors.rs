//! Every golden proof: each round's intermediates against the JSON, so that a difference names its round, then the
//! bytes.

use std::cell::RefCell;
use std::sync::Arc;

use field::{ExtensionField, Goldilocks};
use golden::backends::{cpu_of, reference};
use golden::goldilocks::{Base, Cubic, Vector, element, elements, vectors};
use golden::{list, number};
use goldilocks_proof::Seed;
use gpu_hal::{CosetProtocol, Digest, StarkBackend};
use prover_core::Observer;
use prover_core::goldilocks::Prover;
use serde_json::Value;

/// Checks the prover's values against the JSON, in the order of the protocol.
struct Compare<'a> {
    json: &'a Value,
    seen: RefCell<Vec<&'static str>>,
}

impl Compare<'_> {
    fn nth(&self, name: &'static str) -> usize {
        let mut seen = self.seen.borrow_mut();
        seen.push(name);
        seen.iter().filter(|other| **other == name).count() - 1
    }
}

impl<E: ExtensionField<Goldilocks>> Observer<E> for Compare<'_> {
    fn root(&self, name: &'static str, root: &Digest) {
        let at = self.nth(name);
        let expected = match name {
            "main" => &self.json["trace_root"],
            "aux" => &self.json["aux_root"],
            "composition" => &self.json["composition_root"],
            "fri" => &self.json["fri_roots"][at],
            other => panic!("no such root: {other}"),
        };
        assert_eq!(Some(hex::encode(root).as_str()), expected.as_str(), "root {name} {at}");
    }

    fn values(&self, name: &'static str, values: &[E]) {
        let at = self.nth(name);
        let one = |key: &str| vec![element::<E>(&self.json[key])];
        let expected = match name {
            "rap_challenges" => elements(&self.json["rap_challenges"]),
            "beta" => one("beta"),
            "z" => one("z"),
            "trace_ood_row" => elements(&self.json["trace_ood_rows"][at]),
            "composition_ood" => elements(&self.json["composition_ood"]),
            "deep_gamma" => one("deep_gamma"),
            "fri_zeta" => vec![element::<E>(&self.json["fri_zetas"][at])],
            "fri_last_value" => one("fri_last_value"),
            other => panic!("no such values: {other}"),
        };
        assert_eq!(values, expected, "{name} {at}");
    }

    fn queries(&self, indices: &[usize]) {
        self.nth("queries");
        assert_eq!(indices, list(&self.json["query_indices"], |index| number(index) as usize), "query indices");
    }
}

fn check<B: StarkBackend<P: CosetProtocol>>(backend: &Arc<B>, vector: &Vector) {
    let (case, air) = (&vector.case, vector.case.air::<B::P>());
    let prover = Prover::new(backend.clone(), air.clone()).expect("the AIR is sound");
    let compare = Compare { json: &vector.json, seen: RefCell::default() };
    let proof = prover
        .prove(&air.trace(), &case.options, Seed::Given(&case.seed), &compare)
        .unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let seen = compare.seen.into_inner();
    for name in [
        "main",
        "beta",
        "composition",
        "z",
        "trace_ood_row",
        "composition_ood",
        "fri_zeta",
        "fri_last_value",
        "queries",
    ] {
        assert!(seen.contains(&name), "{}: {name} was never reported", case.name);
    }
    assert_eq!(proof.nonce, vector.nonce(), "nonce");
    assert_eq!(goldilocks_proof::encode(&proof), vector.proof, "{} on {}", case.name, backend.capabilities().backend);
}

/// Runs every vector on the backends that `make` gives for the two protocols.
fn check_all<B, C>(extension: impl Fn() -> B, base: impl Fn() -> C)
where
    B: StarkBackend<P = Cubic>,
    C: StarkBackend<P = Base>,
{
    for vector in vectors() {
        if vector.is_base() { check(&Arc::new(base()), &vector) } else { check(&Arc::new(extension()), &vector) }
    }
}

#[test]
fn every_vector_on_the_reference() {
    check_all(reference::<Cubic>, reference::<Base>);
}

#[test]
fn every_vector_on_one_and_two_threads() {
    for threads in [1, 2] {
        check_all(|| cpu_of::<Cubic>(threads), || cpu_of::<Base>(threads));
    }
}
