//! Keccak-AIR of Plonky3, as it comes, proven over both fields: the program of docs/plonky3.md.
//!
//! `cargo run --release -p polystark-p3 --example prove_a_p3_air`

use std::error::Error;
use std::sync::Arc;

use backend_cpu::Cpu;
use circle_proof::CircleOptions;
use gpu_hal::{CircleStark, GoldilocksStark};
use p3_goldilocks::Goldilocks;
use p3_keccak_air::KeccakAir;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::Mersenne31;
use polystark_p3::P3Air;
use proof::{ProofOptions, Seed};
use prover_core::{Silent, circle, goldilocks};

/// Over Goldilocks.
fn over_goldilocks(matrix: &RowMajorMatrix<Goldilocks>) -> Result<Vec<u8>, Box<dyn Error>> {
    let air = Arc::new(P3Air::new("keccak", &KeccakAir {}, matrix.height(), &[])?);
    let backend = Arc::new(Cpu::<GoldilocksStark>::new());
    // Records the constraints; any number of proofs may follow.
    let prover = goldilocks::Prover::new(backend, air.clone())?;
    let options = ProofOptions::default();
    let proof = prover.prove(&air.trace(matrix)?, &options, Seed::Default, &Silent)?;
    Ok(proof::encode(&proof))
}

/// The verifier records the AIR itself, with the rows and public values that it believes in.
fn verify_over_goldilocks(rows: usize, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let recorded = air::record(&P3Air::<Goldilocks>::new("keccak", &KeccakAir {}, rows, &[])?)?;
    let options = ProofOptions::default();
    verifier::verify_bytes(&recorded, &options, Seed::Default, bytes, &verifier::Policy::default())?;
    Ok(())
}

/// Over Mersenne31, by the Circle protocol.
fn over_mersenne31(matrix: &RowMajorMatrix<Mersenne31>) -> Result<Vec<u8>, Box<dyn Error>> {
    let air = P3Air::new("keccak", &KeccakAir {}, matrix.height(), &[])?;
    let trace = vec![air.columns(matrix)?];
    let backend = Arc::new(Cpu::<CircleStark>::new());
    let prover = circle::Prover::new(backend, Arc::new(air.statement()?), &CircleOptions::default())?;
    Ok(circle_proof::encode(&prover.prove(&trace, &Silent)?.proof))
}

fn verify_over_mersenne31(rows: usize, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let statement = P3Air::<Mersenne31>::new("keccak", &KeccakAir {}, rows, &[])?.statement()?;
    circle_proof::verify(&statement, &[], bytes, &circle_proof::Policy::default())?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let matrix = KeccakAir {}.generate_random_trace_rows(2, 0);
    let bytes = over_goldilocks(&matrix)?;
    verify_over_goldilocks(matrix.height(), &bytes)?;
    println!("Goldilocks: a valid proof of {} bytes for {} rows", bytes.len(), matrix.height());

    let matrix = KeccakAir {}.generate_random_trace_rows(2, 0);
    let bytes = over_mersenne31(&matrix)?;
    verify_over_mersenne31(matrix.height(), &bytes)?;
    println!("Mersenne31: a valid proof of {} bytes for {} rows", bytes.len(), matrix.height());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_runs() {
        main().expect("honest traces");
    }
}
