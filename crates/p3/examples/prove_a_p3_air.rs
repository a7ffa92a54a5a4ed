//! Plonky3's own Keccak-AIR, unchanged, proven over both fields: the program of docs/plonky3.md.
//!
//! `cargo run --release -p polystark-p3 --example prove_a_p3_air`

use std::error::Error;
use std::sync::Arc;

use p3_goldilocks::Goldilocks;
use p3_keccak_air::KeccakAir;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_mersenne_31::Mersenne31;
use polystark::{circle, goldilocks};
use polystark_p3::P3Air;

/// Over Goldilocks, on a GPU where there is one.
fn over_goldilocks(matrix: &RowMajorMatrix<Goldilocks>) -> Result<Vec<u8>, Box<dyn Error>> {
    let air = P3Air::new("keccak", &KeccakAir {}, matrix.height(), &[])?;
    let proven = goldilocks::Device::open("auto", None)?.prove_air(&air, &air.trace(matrix)?)?;
    Ok(proven.file)
}

/// The verifier records the AIR itself, with the rows and public values that it believes in.
fn verify_over_goldilocks(rows: usize, file: &[u8]) -> Result<(), Box<dyn Error>> {
    let air = P3Air::<Goldilocks>::new("keccak", &KeccakAir {}, rows, &[])?;
    let airs = goldilocks::Airs::of(Arc::new(air));
    airs.verify_file(file, &goldilocks::Policy::default(), &goldilocks::Expect::default())?;
    Ok(())
}

/// Over Mersenne31, by the Circle protocol.
fn over_mersenne31(matrix: &RowMajorMatrix<Mersenne31>) -> Result<Vec<u8>, Box<dyn Error>> {
    let air = P3Air::new("keccak", &KeccakAir {}, matrix.height(), &[])?;
    let trace = vec![air.columns(matrix)?].into();
    let proven = circle::Device::open("auto", None)?.prove_air(&air.statement()?, &trace)?;
    Ok(proven.file)
}

fn verify_over_mersenne31(rows: usize, file: &[u8]) -> Result<(), Box<dyn Error>> {
    let statement = P3Air::<Mersenne31>::new("keccak", &KeccakAir {}, rows, &[])?.statement()?;
    let airs = circle::Airs::of(Arc::new(statement));
    airs.verify_file(file, &circle::Policy::default(), &circle::Expect::default())?;
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
