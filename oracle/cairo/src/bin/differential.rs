//! Proofs of random Cairo programs by both provers, compared byte for byte.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use bzip2::Compression;
use bzip2::write::BzEncoder;
use cairo_oracle::coverage::Coverage;
use cairo_oracle::ours::{Made, Ours};
use cairo_oracle::random::program;
use cairo_oracle::reference::{Channel, Parameters, Proof, Reference, reference, variant};
use cairo_oracle::run;
use clap::Parser;
use stwo_cairo_adapter::ProverInput;

#[derive(Parser)]
#[command(about = "Proofs of random Cairo programs by both provers, compared byte for byte")]
struct Arguments {
    /// Our command line.
    #[arg(long)]
    polystark: PathBuf,
    /// Programs.
    #[arg(long, default_value_t = 300)]
    cases: u64,
    /// Seed of the first case; the other seeds follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Begins no case after this many seconds.
    #[arg(long, default_value_t = u64::MAX)]
    seconds: u64,
    /// The preprocessed columns; curve operations need others than `canonical-small`.
    #[arg(long, default_value = "canonical-small")]
    preprocessed: String,
    /// The hash functions of trees and transcript.
    #[arg(long, value_enum, default_value_t = Channel::Blake2s)]
    channel: Channel,
    /// Where files go; the program of a case that failed stays there.
    #[arg(long, default_value_os_t = std::env::temp_dir().join("cairo-oracle"))]
    folder: PathBuf,
    /// Writes the program of the first seed, and ends.
    #[arg(long)]
    only_write: bool,
}

const POW_BITS: u32 = 5;
const QUERIES: usize = 3;
/// Twiddles for twice the rows of the largest component of these programs and of the longest preprocessed column.
const LOG_DOMAIN: u32 = 26;
/// One case in this many gives our command line the run instead of the program.
const RUNS: u64 = 4;

fn main() -> ExitCode {
    match compare(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The reference's result for a program.
enum Theirs {
    Proof(Box<(ProverInput, Proof)>),
    Refused(String),
}

fn compare(arguments: &Arguments) -> Result<(), String> {
    std::fs::create_dir_all(&arguments.folder).map_err(|error| format!("{}: {error}", arguments.folder.display()))?;
    let with_ec = arguments.preprocessed != "canonical-small";
    let file = |name: String| arguments.folder.join(name);
    let write =
        |path: &Path, bytes: &[u8]| std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()));
    if arguments.only_write {
        return write(&file(format!("{}.json", arguments.seed)), program(arguments.seed, with_ec).as_bytes());
    }
    let parameters = Parameters {
        channel: arguments.channel,
        channel_salt: 0,
        preprocessed: variant(&arguments.preprocessed)?,
        all_preprocessed: false,
        pow_bits: POW_BITS,
        queries: QUERIES,
        log_blowup: 1,
        fold_step: 1,
        log_last: 0,
        lifting: None,
    };
    let reference = reference(parameters, Some(LOG_DOMAIN));
    let channel = arguments.channel.name();
    let [pow_bits, queries] = [POW_BITS.to_string(), QUERIES.to_string()];
    let options = ["--preprocessed", &arguments.preprocessed, "--pow-bits", &pow_bits, "--queries", &queries];
    let options = [&options[..], &["--channel", channel]].concat();
    let ours = Ours::new(arguments.polystark.clone(), arguments.folder.clone());
    let mut coverage = Coverage::default();
    let (start, mut equal, mut refused, mut times) = (Instant::now(), 0, 0, [0.0; 2]);
    for seed in (arguments.seed..).take(usize::try_from(arguments.cases).unwrap_or(usize::MAX)) {
        if start.elapsed().as_secs() >= arguments.seconds {
            break;
        }
        let text = program(seed, with_ec);
        let path = file(format!("{seed}.json"));
        write(&path, text.as_bytes())?;
        let failed = |what: &str| format!("seed {seed}: {what}; the program is {}", path.display());
        let parsed = run::parse(text.as_bytes()).map_err(|error| failed(&error))?;
        // A program that does not run is a fault of this test.
        let runner = run::run(&parsed).map_err(|error| failed(&error))?;
        let clock = Instant::now();
        let theirs = theirs(&*reference, || run::adapt(&parsed, &runner));
        times[0] += clock.elapsed().as_secs_f64();
        let mut given = path.clone();
        if let (0, Theirs::Proof(theirs)) = (seed % RUNS, &theirs) {
            given = file(format!("{seed}.bin"));
            write(&given, &bincode1::serialize(&theirs.0).map_err(|error| error.to_string())?)?;
        }
        let clock = Instant::now();
        let made = ours.prove(&given, &options).map_err(|error| failed(&error))?;
        times[1] += clock.elapsed().as_secs_f64();
        match (theirs, made) {
            (Theirs::Proof(theirs), Made::Proof(made)) => {
                let (input, proof) = *theirs;
                let bytes = &proof.bincode;
                if *bytes != made {
                    let at = bytes.iter().zip(&made).position(|(a, b)| a != b);
                    return Err(failed(&format!("the proofs differ, from byte {at:?} on")));
                }
                let verify = |file: &[u8], what: &str| {
                    ours.verify(file, channel).map_err(|error| failed(&format!("our verifier of {what}: {error}")))
                };
                verify(bytes, "the proof")?;
                // It compares the maps of auxiliary data, sorted, with ours.
                verify(&packed(&proof.extended)?, "the proof with auxiliary data")?;
                coverage.add(&input, &proof.claim);
                equal += 1;
                let steps = runner.get_relocatable_trace().map_or(0, <[_]>::len);
                println!("{seed}: equal, {steps} steps, {:.0} s", start.elapsed().as_secs_f64());
            }
            (Theirs::Refused(why), Made::Refused(said)) => {
                refused += 1;
                println!("{seed}: refused by both\n  reference: {why}\n  ours: {said}");
            }
            (Theirs::Proof(_), Made::Refused(said)) => return Err(failed(&format!("only ours refuses: {said}"))),
            (Theirs::Refused(why), Made::Proof(_)) => {
                return Err(failed(&format!("only the reference refuses: {why}")));
            }
        }
        for path in [path, given] {
            // The second may be the first.
            let _ = std::fs::remove_file(path);
        }
    }
    print!("{coverage}");
    println!(
        "{equal} programs from seed {} with {} and {channel}: proofs equal; {refused} refused by both; reference {:.0} s, ours {:.0} s",
        arguments.seed, arguments.preprocessed, times[0], times[1]
    );
    Ok(())
}

/// A file of the format `extended-binary`.
fn packed(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut encoder = BzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).map_err(|error| error.to_string())
}

/// The reference's proof, if its own verifier takes it. It panics on much that it cannot prove.
fn theirs(reference: &dyn Reference, adapt: impl FnOnce() -> Result<ProverInput, String>) -> Theirs {
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        let input = adapt()?;
        let proof = reference.prove(input.clone())?;
        reference.verify(&proof.bincode).map_err(|error| format!("its verifier: {error}"))?;
        Ok::<_, String>((input, proof))
    }));
    match attempt {
        Ok(Ok(made)) => Theirs::Proof(Box::new(made)),
        Ok(Err(error)) => Theirs::Refused(error),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Theirs::Refused(format!("panic: {}", text.unwrap_or_default()))
        }
    }
}
