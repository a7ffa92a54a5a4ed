//! Whole client proofs.

use std::sync::Arc;
use std::time::Instant;

use backend_cpu::Cpu;
use cairo_run::pie::CairoPie;
use circle_proof::{CAIRO_PROFILE, Policy, Suite};
use client::file::pack;
use client::{ClientProver, ClientRun, ClientVerifier};
use gpu_hal::{CircleStark, StarkBackend};
use hal_conformance::left_out_without_backend;
use prover_core::Silent;

use crate::files;

/// The CairoPIE of Starknet's public client proof: every stage is the reference's, and the bytes are. It takes 12 GB
/// and minutes on two cores, so it is made where `POLYSTARK_BACKEND` is `cpu` or `cuda`.
#[test]
fn the_public_proof_is_made_byte_for_byte() {
    match std::env::var("POLYSTARK_BACKEND").unwrap_or_default().as_str() {
        "cpu" => proves_all(Cpu::<CircleStark>::new()),
        "cuda" => proves_all(backend_cuda::open::<CircleStark>().unwrap()),
        _ => left_out_without_backend("a client proof"),
    }
}

fn proves_all(backend: impl StarkBackend<P = CircleStark>) {
    let timed = Stopwatch::default();
    let prover = ClientProver::new(Arc::new(backend)).unwrap();
    timed.lap("the circuit");
    let pie = files::pie("transfers_10");
    let plan = prover.plan(&ClientRun::new(&pie).unwrap()).unwrap();
    timed.lap("the plan");
    let bytes = stages(&prover, &pie, &timed);
    assert_eq!(files::sha256(&bytes), files::public()["final"]["sha256"]);
    // Again, with what is kept.
    let begun = Instant::now();
    let again = prover.prove(&pie, &Silent).unwrap();
    eprintln!("the second proof: {:?}", begun.elapsed());
    assert!(again.bytes == bytes);
    let (planned, peak) = (plan.peak_bytes(), prover.backend().memory().unwrap().peak);
    eprintln!("{planned} bytes planned, {peak} taken");
    assert!(peak <= planned);
    assert_eq!(again.output_preimage, files::public_preimage());
    let verifier = ClientVerifier::new(&Policy::asking(CAIRO_PROFILE)).unwrap();
    let begun = Instant::now();
    assert_eq!(verifier.verify_facts(&again.bytes, &again.facts).unwrap().facts, again.facts);
    eprintln!("verified: {:?}", begun.elapsed());
}

/// Makes a proof stage by stage, each next to the reference's.
fn stages<B: StarkBackend<P = CircleStark>>(
    prover: &ClientProver<B>,
    pie: &Arc<CairoPie>,
    timed: &Stopwatch,
) -> Vec<u8> {
    let vector = files::public();
    let run = ClientRun::new(pie).unwrap();
    timed.lap("the run");
    let proof = prover.cairo_proof(&run, &Silent).unwrap();
    timed.lap("the Cairo proof, with its preprocessed columns");
    let bytes = cairo::file::bincode(&proof, Suite::Blake2sM31).unwrap();
    assert_eq!(files::sha256(&bytes), vector["cairo"]["rust_verifier_bincode1_sha256"]);
    timed.lap("its digest");
    let witness = prover.witness(&proof, &Silent).unwrap();
    timed.lap("the values of the circuit");
    assert_eq!(files::digest_of_values(witness.values()), vector["context"]["padded_values_sha256"]);
    timed.lap("their digest");
    let written = prover.circuit_proof(witness, &Silent).unwrap();
    timed.lap("the proof of the circuit, with its preprocessed columns");
    assert_eq!(files::sha256(&written), vector["circuit"]["serialized"]["sha256"]);
    let bytes = pack(&written).unwrap();
    timed.lap("the bytes");
    bytes
}

/// Says how long each stage has taken.
struct Stopwatch(std::cell::Cell<Instant>);

impl Default for Stopwatch {
    fn default() -> Self {
        Self(std::cell::Cell::new(Instant::now()))
    }
}

impl Stopwatch {
    fn lap(&self, what: &str) {
        eprintln!("{what}: {:?}", self.0.replace(Instant::now()).elapsed());
    }
}
