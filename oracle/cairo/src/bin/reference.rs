//! Times stwo-cairo's prover on a run, and its adapter on a program.

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use cairo_oracle::reference::{Reference, config, main_columns, prove, variant, verify};
use cairo_oracle::{memory, run};
use clap::{Parser, Subcommand};
use sha2::{Digest, Sha256};
use stwo_cairo_adapter::ProverInput;
use stwo_cairo_common::preprocessed_columns::preprocessed_trace::PreProcessedTraceVariant;

#[derive(Parser)]
#[command(
    about = "stwo-cairo's prover and adapter: seconds, peak memory, digests. RAYON_NUM_THREADS says how many threads"
)]
struct Arguments {
    #[command(subcommand)]
    mode: Mode,
}

#[derive(Subcommand)]
enum Mode {
    /// Proves a ProverInput in bincode 1.
    Prove {
        /// The file.
        input: PathBuf,
        /// The preprocessed columns.
        #[arg(long, default_value = "canonical-small", value_parser = variant)]
        preprocessed: PreProcessedTraceVariant,
        /// Bits of work before the queries.
        #[arg(long, default_value_t = 26)]
        pow_bits: u32,
        /// Queries.
        #[arg(long, default_value_t = 70)]
        queries: usize,
        /// Makes twiddles for domains of 2^N points and the preprocessed tree before the clock starts. Otherwise all is
        /// as the reference's tool does it: twiddles for 2^30 points and the tree are part of every proof.
        #[arg(long, value_name = "N")]
        precompute: Option<u32>,
        /// Proofs, of which each is timed.
        #[arg(long, default_value_t = 1)]
        repeat: usize,
        /// Does not run the reference's verifier afterwards.
        #[arg(long)]
        no_verify: bool,
        /// Writes the proof here, in bincode 1.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Prints the length and the SHA-256 of every main column of a ProverInput in bincode 1, in the order of the tree.
    Columns {
        /// The file.
        input: PathBuf,
        /// The preprocessed columns.
        #[arg(long, default_value = "canonical-small", value_parser = variant)]
        preprocessed: PreProcessedTraceVariant,
    },
    /// Runs a compiled program without hints, and adapts the run.
    Adapt {
        /// The compiled JSON.
        program: PathBuf,
        /// Runs, of which each is timed.
        #[arg(long, default_value_t = 1)]
        repeat: usize,
        /// Writes the ProverInput here, in bincode 1.
        #[arg(long)]
        out: Option<PathBuf>,
    },
}

fn main() -> Result<(), Box<dyn Error>> {
    match Arguments::parse().mode {
        Mode::Prove { input, preprocessed, pow_bits, queries, precompute, repeat, no_verify, out } => {
            let bytes = std::fs::read(&input)?;
            let config = config(pow_bits, queries);
            let clock = Instant::now();
            let reference = precompute.map(|log_domain| Reference::new(preprocessed, config, log_domain));
            if reference.is_some() {
                println!("precompute {:.3} s", clock.elapsed().as_secs_f64());
            }
            for _ in 0..repeat {
                let run: ProverInput = bincode1::deserialize(&bytes)?;
                let clock = Instant::now();
                let proof = match &reference {
                    Some(reference) => reference.prove(run)?,
                    None => prove(run, preprocessed, config)?,
                };
                let seconds = clock.elapsed().as_secs_f64();
                let encoded = bincode1::serialize(&proof)?;
                let digest = hex::encode(Sha256::digest(&encoded));
                println!("prove {seconds:.3} s, peak {}, {} bytes, sha256 {digest}", peak(), encoded.len());
                if let Some(out) = &out {
                    std::fs::write(out, &encoded)?;
                }
                if !no_verify {
                    let clock = Instant::now();
                    verify(proof)?;
                    println!("verify {:.3} s", clock.elapsed().as_secs_f64());
                }
            }
        }
        Mode::Columns { input, preprocessed } => {
            for column in main_columns(bincode1::deserialize(&std::fs::read(&input)?)?, preprocessed) {
                let bytes: Vec<u8> = column.iter().flat_map(|value| value.to_le_bytes()).collect();
                println!("{} {}", column.len(), hex::encode(Sha256::digest(&bytes)));
            }
        }
        Mode::Adapt { program, repeat, out } => {
            let program = run::parse(&std::fs::read(&program)?)?;
            for _ in 0..repeat {
                let clock = Instant::now();
                let runner = run::run(&program)?;
                let ran = clock.elapsed().as_secs_f64();
                let clock = Instant::now();
                let mut input = run::adapt(&program, &runner)?;
                let seconds = clock.elapsed().as_secs_f64();
                // The adapter leaves them in an order that differs from run to run; no proof depends on it.
                input.public_memory_addresses.sort_unstable();
                let steps: usize =
                    input.state_transitions.casm_states_by_opcode.counts().iter().map(|(_, count)| count).sum();
                let encoded = bincode1::serialize(&input)?;
                let digest = hex::encode(Sha256::digest(&encoded));
                println!("run {ran:.3} s, adapt {seconds:.3} s, {steps} steps, peak {}, sha256 {digest}", peak());
                if let Some(out) = &out {
                    std::fs::write(out, &encoded)?;
                }
            }
        }
    }
    Ok(())
}

fn peak() -> String {
    memory::peak_mib().map_or("unknown".into(), |mib| format!("{mib:.0} MiB"))
}
