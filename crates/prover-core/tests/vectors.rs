//! Every golden proof: each round's intermediates against the JSON, so that a difference names its round, then the bytes.

mod common;

use std::cell::RefCell;
use std::sync::Arc;

use backend_cpu::Cpu;
use backend_reference::CpuReference;
use common::{Vector, element, vectors};
use field::{ExtensionField, Goldilocks};
use gpu_hal::{CosetProtocol, Digest, GoldilocksStark, StarkBackend};
use proof::Seed;
use prover_core::{Observer, Prover};
use serde_json::Value;

/// Checks what the prover reports against the JSON, in the order of the protocol.
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
        let list = |value: &Value| value.as_array().expect("a list").iter().map(element::<E>).collect::<Vec<E>>();
        let expected = match name {
            "rap_challenges" => list(&self.json["rap_challenges"]),
            "beta" => one("beta"),
            "z" => one("z"),
            "trace_ood_row" => list(&self.json["trace_ood_rows"][at]),
            "composition_ood" => list(&self.json["composition_ood"]),
            "deep_gamma" => one("deep_gamma"),
            "fri_zeta" => vec![element::<E>(&self.json["fri_zetas"][at])],
            "fri_last_value" => one("fri_last_value"),
            other => panic!("no such values: {other}"),
        };
        assert_eq!(values, expected, "{name} {at}");
    }

    fn queries(&self, indices: &[usize]) {
        self.nth("queries");
        let expected: Vec<u64> = self.json["query_indices"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|v| v.as_u64().expect("an index"))
            .collect();
        assert_eq!(indices.iter().map(|index| *index as u64).collect::<Vec<_>>(), expected, "query indices");
    }
}

fn check<B: StarkBackend<P: CosetProtocol>>(backend: &Arc<B>, vector: &Vector) {
    let air = vector.air::<B::P>();
    let prover = Prover::new(backend.clone(), air.clone()).expect("the AIR is sound");
    let compare = Compare { json: &vector.json, seen: RefCell::default() };
    let seed = vector.seed();
    let proof = prover
        .prove(&air.trace(), &vector.options(), Seed::Given(&seed), &compare)
        .unwrap_or_else(|error| panic!("{}: {error}", vector.name));
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
        assert!(seen.contains(&name), "{}: {name} was never reported", vector.name);
    }
    assert_eq!(proof.nonce.map(|nonce| nonce.to_string()).as_deref(), vector.json["nonce"].as_str(), "nonce");
    assert_eq!(proof::encode(&proof), vector.bytes, "{} on {}", vector.name, backend.capabilities().backend);
}

/// The vector whose challenges are base elements.
fn is_base(vector: &Vector) -> bool {
    vector.name.starts_with("fibrap_base")
}

/// Runs every vector on the backends that `make` gives for the two protocols.
fn check_all<B, C>(extension: impl Fn() -> B, base: impl Fn() -> C)
where
    B: StarkBackend<P = GoldilocksStark>,
    C: StarkBackend<P = GoldilocksStark<Goldilocks>>,
{
    for vector in vectors() {
        if is_base(&vector) { check(&base(), &vector) } else { check(&extension(), &vector) }
    }
}

#[test]
fn every_vector_on_the_reference() {
    check_all(CpuReference::<GoldilocksStark>::new, CpuReference::<GoldilocksStark<Goldilocks>>::new);
}

#[test]
fn every_vector_on_one_and_two_threads() {
    for threads in [1, 2] {
        check_all(
            || Cpu::<GoldilocksStark>::with_threads(threads).expect("a thread pool"),
            || Cpu::<GoldilocksStark<Goldilocks>>::with_threads(threads).expect("a thread pool"),
        );
    }
}
