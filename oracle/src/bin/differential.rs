//! Random statements proven by us and by stwo's `SimdBackend`; proofs must be the same bytes.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use backend_cpu::{Cpu, CpuOptions, SimdLevel};
use backend_reference::CpuReference;
use circle_air::airs::ShippedAir;
use circle_proof::{Policy, Suite, VerifyError, encode};
use clap::Parser;
use gpu_hal::{CircleStark, StarkBackend};
use oracle::compare::first_difference;
use oracle::reference::{self, Reference, ReferenceError};
use oracle::statement::{Case, LINE};
use prover_core::Silent;
use prover_core::circle::{CircleProof, ProveError, Prover};

#[derive(Parser)]
#[command(about = "Random statements proven by us and by stwo: the same bytes, or it fails")]
struct Arguments {
    /// Number of cases.
    #[arg(long, env = "ORACLE_CASES", default_value_t = 200)]
    cases: u64,
    /// Seed of the cases.
    #[arg(long, env = "ORACLE_SEED", default_value_t = 1)]
    seed: u64,
    /// First case: with `--cases 1`, one case alone.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Ends early after this many seconds.
    #[arg(long, default_value_t = u64::MAX)]
    seconds: u64,
    /// Writes a line of `vectors/circle/suites.tsv` for each case of another suite than Blake2s.
    #[arg(long)]
    digests: Option<PathBuf>,
    /// Prints every case.
    #[arg(long)]
    verbose: bool,
}

/// The outcome of a case without a failure.
enum Outcome {
    /// The same bytes, which are these.
    Equal(Vec<u8>),
    /// There is nothing to compare: why.
    Skipped(&'static str),
}

/// The last panic's text; the thread may be another.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn take_panic() -> String {
    std::mem::take(&mut *PANIC.lock().unwrap_or_else(PoisonError::into_inner))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    std::panic::set_hook(Box::new(|info| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string().replace('\n', " ");
    }));
    let start = Instant::now();
    let limit = Duration::from_secs(arguments.seconds);
    let (mut equal, mut skipped) = (BTreeMap::<&str, u64>::new(), BTreeMap::<&str, u64>::new());
    let mut failures = 0;
    let mut lines = Vec::new();
    for index in arguments.first..arguments.first.saturating_add(arguments.cases) {
        if start.elapsed() >= limit {
            break;
        }
        let case = Case::draw(arguments.seed, index);
        let begin = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| run(&case, index)))
            .unwrap_or_else(|_| Err(format!("our side panicked: {}", take_panic())));
        let what = match outcome {
            Ok(Outcome::Equal(bytes)) => {
                if case.options.suite != Suite::Blake2s {
                    lines.push(case.line(&bytes));
                }
                *equal.entry(case.air).or_default() += 1;
                "equal".to_owned()
            }
            Ok(Outcome::Skipped(reason)) => {
                *skipped.entry(reason).or_default() += 1;
                reason.to_owned()
            }
            Err(difference) => {
                failures += 1;
                println!("DIFFERENT seed {} case {index}: {case}: {difference}", arguments.seed);
                difference
            }
        };
        if arguments.verbose {
            println!("{index}: {case}: {what} ({:.2} s)", begin.elapsed().as_secs_f64());
        }
    }
    if let Some(path) = arguments.digests {
        let text: String =
            [LINE].into_iter().chain(lines.iter().map(String::as_str)).flat_map(|line| [line, "\n"]).collect();
        std::fs::write(&path, text).expect("a file that can be written");
    }
    let compared: u64 = equal.values().sum();
    println!("oracle: seed {}, {compared} proofs equal to stwo's: {equal:?}", arguments.seed);
    println!(
        "oracle: without a proof to compare: {skipped:?}; failures: {failures}; {:.0} s",
        start.elapsed().as_secs_f64()
    );
    // A run that compares nothing shows nothing.
    if failures == 0 && compared > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Case `index`: the fast backend on one to three threads and every level of vector instructions in turn, and the plain
/// one.
fn run(case: &Case, index: u64) -> Result<Outcome, String> {
    let air = case.build()?;
    let levels = SimdLevel::available();
    let index = index as usize;
    let (threads, simd) = (Some(1 + index / levels.len() % 3), Some(levels[index % levels.len()]));
    let fast = Cpu::<CircleStark>::with_options(&CpuOptions { threads, simd, ..CpuOptions::default() });
    let fast = Arc::new(fast.map_err(|error| error.to_string())?);
    let ours = match prove(&fast, case, &air) {
        Ok(proof) => proof,
        Err(ProveError::Options(_)) => return Ok(Outcome::Skipped("options that do not fit the size")),
        Err(ProveError::Config(_)) => return Ok(Outcome::Skipped("lifting below the preprocessed tree")),
        Err(ProveError::Unsorted(_)) => return unsorted(case, air.as_ref()),
        Err(error) => return Err(format!("we have no proof: {error}")),
    };
    let theirs = match reference(case, air.as_ref()) {
        Ok(proof) => proof,
        Err(Refusal::Panic(text)) => return Err(format!("stwo panics: {text}")),
        Err(Refusal::Error(error)) => return Err(format!("stwo has no proof: {error:?}")),
    };
    if let Some(difference) = first_difference(&ours, &theirs) {
        return Err(format!("fast backend, {threads:?} threads, {simd:?}: {difference}"));
    }
    let prover = Prover::new(fast, air.clone(), &case.options).map_err(|error| error.to_string())?;
    if prover.generates() {
        let made =
            prover.prove_generated(&Silent).map_err(|error| format!("the trace that the device makes: {error}"))?;
        if let Some(difference) = first_difference(&made, &theirs) {
            return Err(format!("the trace that the device makes: {difference}"));
        }
    }
    if case.is_small() {
        let plain = prove(&Arc::new(CpuReference::<CircleStark>::new()), case, &air);
        let plain = plain.map_err(|error| format!("the plain backend: {error}"))?;
        if let Some(difference) = first_difference(&plain, &theirs) {
            return Err(format!("plain backend: {difference}"));
        }
    }
    let policy = Policy { suite: case.options.suite, ..Policy::ANY };
    let verdict = circle_proof::verify(air.as_ref(), &ours.claimed_sums, &encode(&ours.proof), &policy);
    verdict.map_err(|error| format!("refused: {error}"))?;
    Ok(Outcome::Equal(theirs.bytes))
}

/// Trap 8: we refuse. The positions of stwo's proof must be out of order too; its own verifier often refuses that
/// proof, and where it does not, it leaves openings unchecked.
fn unsorted(case: &Case, air: &dyn ShippedAir) -> Result<Outcome, String> {
    let made = match reference(case, air) {
        Ok(made) => made,
        Err(Refusal::Panic(_)) => return Ok(Outcome::Skipped("positions out of order (trap 8), stwo's prover panics")),
        Err(Refusal::Error(error)) => return Err(format!("stwo has no proof: {error:?}")),
    };
    match circle_proof::verify(
        air,
        &made.claimed_sums,
        &made.bytes,
        &Policy { suite: case.options.suite, ..Policy::ANY },
    ) {
        Err(VerifyError::Unsorted(_)) => {}
        verdict => return Err(format!("positions out of order for us, but of stwo's proof: {verdict:?}")),
    }
    Ok(Outcome::Skipped(match catch_unwind(AssertUnwindSafe(|| reference::verify(air, &case.options, &made))) {
        Ok(Ok(())) => "positions out of order (trap 8), stwo accepts its proof",
        Ok(Err(_)) => "positions out of order (trap 8), stwo refuses its proof",
        Err(_) => "positions out of order (trap 8), stwo's verifier panics",
    }))
}

enum Refusal {
    Panic(String),
    Error(ReferenceError),
}

fn reference(case: &Case, air: &dyn ShippedAir) -> Result<Reference, Refusal> {
    catch_unwind(AssertUnwindSafe(|| reference::prove(air, &case.options)))
        .map_err(|_| Refusal::Panic(take_panic()))?
        .map_err(Refusal::Error)
}

fn prove<B: StarkBackend<P = CircleStark>>(
    backend: &Arc<B>,
    case: &Case,
    air: &Arc<dyn ShippedAir>,
) -> Result<CircleProof, ProveError> {
    Prover::new(backend.clone(), air.clone(), &case.options)?.prove(&air.trace(), &Silent)
}
