//! Starknet's client proofs folded into one: `fold_proofs cpu|cuda OUTPUT PROOF PREIMAGE PROOF PREIMAGE ...`, of two,
//! four, eight proofs, each with its preimage as `polystark cairo client-prove --preimage` writes it. docs/starknet.md
//! explains it.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;
use std::{env, fs};

use backend_cpu::Cpu;
use cairo_run::{Felt252, parse_arguments_file};
use circle_proof::{Policy, hex};
use circuits::{CircuitVerifier, Fold, FoldProver, Folded, STARKNET_OPTIONS};
use client::{CIRCUIT_ROOT, ClientVerifier, circuit_columns, facts};
use gpu_hal::{CircleStark, StarkBackend};
use prover_core::Silent;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A client proof as a leaf.
fn leaf(file: &str, preimage: &str) -> Result<Folded> {
    let preimage: Vec<Felt252> = parse_arguments_file(&fs::read(preimage)?)?;
    let written = ClientVerifier::new(&Policy::ANY)?.written(&fs::read(file)?)?;
    Ok(Folded { written, outputs: facts::circuit_outputs(&preimage)? })
}

/// Folds proofs, a power of two of them, level by level. The published verifier takes the last one, whose outputs
/// follow from those of the leaves and from the roots of all levels.
fn fold<B: StarkBackend<P = CircleStark>>(backend: Arc<B>, leaves: Vec<Folded>) -> Result<Folded> {
    let (mut level, mut root) = (leaves, CIRCUIT_ROOT);
    let mut verifier = CircuitVerifier::new(circuit_columns(), 2, root, &STARKNET_OPTIONS)?;
    let mut outputs: Vec<_> = level.iter().map(|leaf| leaf.outputs).collect();
    while level.len() > 1 {
        let begun = Instant::now();
        let prover = FoldProver::new(backend.clone(), &verifier, &STARKNET_OPTIONS)?;
        eprintln!("circuit of {} wires: {:.2?}", prover.fold().circuit().wires(), begun.elapsed());
        let (pairs, _) = level.as_chunks::<2>();
        let prove = |pair: &[Folded; 2]| {
            let begun = Instant::now();
            let folded = prover.prove(pair.each_ref().map(|proof| proof.leaf(&verifier)), &Silent);
            eprintln!("two proofs folded: {:.2?}", begun.elapsed());
            folded
        };
        level = pairs.iter().map(prove).collect::<std::result::Result<_, _>>()?;
        outputs =
            outputs.as_chunks().0.iter().map(|pair| Fold::outputs(pair.map(|outputs| (&root, outputs)))).collect();
        (root, verifier) = (prover.root(), prover.verifier().clone());
    }
    let last = level.pop().ok_or("no proof")?;
    let begun = Instant::now();
    verifier.verify_written(&last.written, &outputs[0])?;
    eprintln!("verified by the published verifier, with the root {}: {:.2?}", hex(&root), begun.elapsed());
    Ok(last)
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [backend, output, files @ ..] = &arguments[..] else {
        return Err("fold_proofs cpu|cuda OUTPUT PROOF PREIMAGE PROOF PREIMAGE ...".into());
    };
    let (files, []) = files.as_chunks() else { return Err("a proof without its preimage".into()) };
    if !files.len().is_power_of_two() {
        return Err(format!("{} proofs: a tree takes two, four, eight ...", files.len()).into());
    }
    let leaves = files.iter().map(|[proof, preimage]| leaf(proof, preimage)).collect::<Result<_>>()?;
    let folded = match &backend[..] {
        "cpu" => fold(Arc::new(Cpu::<CircleStark>::new()), leaves),
        "cuda" => fold(Arc::new(backend_cuda::open::<CircleStark>()?), leaves),
        _ => Err(format!("no backend {backend}: it is cpu or cuda").into()),
    };
    Ok(fs::write(output, folded?.written)?)
}
