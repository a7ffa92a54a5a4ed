//! Times stwo-cairo's prover on a run, and its adapter on a program.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cairo_oracle::reference::{Parameters, main_columns, reference, variant};
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
        #[command(flatten)]
        parameters: Parameters,
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
    /// Proves compiled programs without hints, and prints a line of `vectors/cairo/channels/digests.tsv` for each. The
    /// proofs are verified.
    Digests {
        /// The compiled JSON.
        programs: Vec<PathBuf>,
        #[command(flatten)]
        parameters: Parameters,
        /// Makes twiddles for domains of 2^N points.
        #[arg(long, value_name = "N", default_value_t = 26)]
        precompute: u32,
        /// Writes each proof into this folder, with its auxiliary data, in bincode 1.
        #[arg(long)]
        extended: Option<PathBuf>,
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
        Mode::Prove { input, parameters, precompute, repeat, no_verify, out } => {
            let bytes = std::fs::read(&input)?;
            let clock = Instant::now();
            let reference = reference(parameters, precompute);
            if precompute.is_some() {
                println!("precompute {:.3} s", clock.elapsed().as_secs_f64());
            }
            for _ in 0..repeat {
                let run: ProverInput = bincode1::deserialize(&bytes)?;
                let clock = Instant::now();
                let proof = reference.prove(run)?.bincode;
                let seconds = clock.elapsed().as_secs_f64();
                println!("prove {seconds:.3} s, peak {}, {} bytes, sha256 {}", peak(), proof.len(), sha256(&proof));
                if let Some(out) = &out {
                    std::fs::write(out, &proof)?;
                }
                if !no_verify {
                    let clock = Instant::now();
                    reference.verify(&proof)?;
                    println!("verify {:.3} s", clock.elapsed().as_secs_f64());
                }
            }
        }
        Mode::Digests { programs, parameters, precompute, extended } => {
            digests(&programs, parameters, precompute, extended.as_deref())?;
        }
        Mode::Columns { input, preprocessed } => {
            for column in main_columns(bincode1::deserialize(&std::fs::read(&input)?)?, preprocessed) {
                let bytes: Vec<u8> = column.iter().flat_map(|value| value.to_le_bytes()).collect();
                println!("{} {}", column.len(), sha256(&bytes));
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
                let digest = sha256(&encoded);
                println!("run {ran:.3} s, adapt {seconds:.3} s, {steps} steps, peak {}, sha256 {digest}", peak());
                if let Some(out) = &out {
                    std::fs::write(out, &encoded)?;
                }
            }
        }
    }
    Ok(())
}

/// A line for each program; its columns are in `vectors/README.md`.
fn digests(
    programs: &[PathBuf],
    parameters: Parameters,
    precompute: u32,
    extended: Option<&Path>,
) -> Result<(), Box<dyn Error>> {
    let reference = reference(parameters, Some(precompute));
    let Parameters { channel, channel_salt, preprocessed, all_preprocessed, .. } = parameters;
    let Parameters { pow_bits, log_blowup, queries, fold_step, log_last, lifting, .. } = parameters;
    let lifting = lifting.map_or_else(|| "-".to_owned(), |log| log.to_string());
    let preprocessed = serde_json::to_value(preprocessed)?;
    for program in programs {
        let parsed = run::parse(&std::fs::read(program)?)?;
        let proof = reference.prove(run::adapt(&parsed, &run::run(&parsed)?)?)?;
        reference.verify(&proof.bincode)?;
        let name = program.file_stem().ok_or("no name")?.to_string_lossy();
        let felts = proof.felts.map_or_else(|| "-".to_owned(), |felts| sha256(felts.join("\n").as_bytes()));
        let words: [&dyn std::fmt::Display; _] = [
            &name,
            &preprocessed.as_str().unwrap_or_default(),
            &channel.name(),
            &channel_salt,
            &u8::from(all_preprocessed),
            &pow_bits,
            &log_blowup,
            &queries,
            &fold_step,
            &log_last,
            &lifting,
            &proof.roots.join(","),
            &proof.bincode.len(),
            &sha256(&proof.bincode),
            &sha256(&proof.json),
            &proof.extended.len(),
            &felts,
        ];
        println!("{}", words.map(ToString::to_string).join("\t"));
        if let Some(folder) = extended {
            std::fs::write(folder.join(format!("{name}.{}.extended", channel.name())), &proof.extended)?;
        }
    }
    Ok(())
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

fn peak() -> String {
    memory::peak_mib().map_or("unknown".into(), |mib| format!("{mib:.0} MiB"))
}
