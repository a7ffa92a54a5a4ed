//! Speed and memory of our fast processor backend next to stwo's `SimdBackend`: the same statement, the same bytes, two
//! threads each, processes of their own that alternate.
//!
//! The clock runs from main columns in the host's memory, each side's in its own layout (ours in row order, and kept;
//! stwo's as it stores them, and consumed), to the proof. On the third side, `generated`, our backend makes the trace
//! too, within the time. Work that is done once for a statement comes before it, on both sides (twiddles, recording,
//! the preprocessed tree), and a first proof, whose memory is reported.
#![forbid(unsafe_code)]

use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;

use backend_cpu::Cpu;
use circle_air::RecordedStatement;
use circle_air::airs::{ShippedAir, build};
use circle_proof::{CircleOptions, Policy, Suite, encode};
use clap::{Parser, ValueEnum};
use field::{M31, QM31};
use gpu_hal::CircleStark;
use oracle::plonk;
use oracle::reference::{Evaluation, Prepared, ReferenceError, evaluation};
use prover_core::Silent;
use prover_core::circle::{CircleProof, ProveError, Prover};

/// Blowup 2, 70 queries, 10 bits of work: as many published timings of this prover.
const OPTIONS: CircleOptions = CircleOptions {
    pow_bits: 10,
    log_blowup: 1,
    queries: 70,
    fold_step: 1,
    log_last: 0,
    lifting: None,
    suite: Suite::Blake2s,
};

const THREADS: &str = "2";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Side {
    /// Ours, from the host's rows.
    Ours,
    /// Ours, which makes the trace too, by the statement's program.
    Generated,
    Stwo,
}

impl Side {
    const ALL: [Self; 3] = [Self::Ours, Self::Generated, Self::Stwo];

    fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Generated => "generated",
            Self::Stwo => "stwo",
        }
    }
}

#[derive(Parser)]
#[command(about = "Speed and memory of our fast processor backend next to stwo's")]
struct Arguments {
    /// AIRs.
    #[arg(long, value_delimiter = ',', default_value = "wide-fibonacci,plonk")]
    airs: Vec<String>,
    /// Log2 of the rows.
    #[arg(long, default_value_t = 18)]
    log_rows: u32,
    /// Processes of each side.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Timed proofs in a process.
    #[arg(long, default_value_t = 3)]
    proofs: usize,
    /// The part of a process of one side.
    #[arg(long, hide = true)]
    side: Option<Side>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.side {
        Some(side) => arguments.airs.iter().try_for_each(|air| child(side, air, &arguments)),
        None => arguments.airs.iter().try_for_each(|air| compare(air, &arguments)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ratio: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The printed figures of the processes of one side.
#[derive(Default)]
struct Measured {
    seconds: Vec<f64>,
    /// Most memory during a first proof, and memory before it, in MiB.
    peaks: Vec<f64>,
    starts: Vec<f64>,
    proofs: Vec<String>,
}

fn compare(air: &str, arguments: &Arguments) -> Result<(), String> {
    let mut sides: [Measured; 3] = Default::default();
    for _ in 0..arguments.rounds {
        for (side, measured) in Side::ALL.map(Side::name).into_iter().zip(&mut sides) {
            let program = std::env::current_exe().map_err(|error| error.to_string())?;
            let output = Command::new(program)
                .args(["--side", side, "--airs", air, "--log-rows", &arguments.log_rows.to_string()])
                .args(["--proofs", &arguments.proofs.to_string()])
                .env("RAYON_NUM_THREADS", THREADS)
                .output()
                .map_err(|error| error.to_string())?;
            if !output.status.success() {
                return Err(format!("{side}: {}", String::from_utf8_lossy(&output.stderr)));
            }
            for line in String::from_utf8_lossy(&output.stdout).lines() {
                let (name, value) = line.split_once(' ').ok_or("a line without a value")?;
                let number = || value.parse::<f64>().map_err(|error| format!("{line}: {error}"));
                match name {
                    "seconds" => measured.seconds.push(number()?),
                    "peak" => measured.peaks.push(number()?),
                    "start" => measured.starts.push(number()?),
                    _ => measured.proofs.push(value.to_owned()),
                }
            }
        }
    }
    let proof = sides[2].proofs[0].clone();
    if sides.iter().flat_map(|side| &side.proofs).any(|other| *other != proof) {
        return Err(format!("{air}: the proofs are not equal"));
    }
    let timed = sides[0].seconds.len();
    println!("{air} 2^{}, {THREADS} threads, {timed} timed proofs a side, all equal", arguments.log_rows);
    let [.., (stwo_time, stwo_peak)] =
        sides.each_mut().map(|side| (median(&mut side.seconds), median(&mut side.peaks)));
    for (side, measured) in Side::ALL.into_iter().zip(&mut sides) {
        let [low, middle, high] = quartiles(&mut measured.seconds);
        let (peak, start) = (median(&mut measured.peaks), median(&mut measured.starts));
        println!(
            "  {:9}  {:.0} ms (quartiles {:.0} to {:.0}), peak {peak:.0} MiB, {start:.0} before; stwo/this: time {:.2}, memory {:.2}",
            side.name(),
            middle * 1e3,
            low * 1e3,
            high * 1e3,
            stwo_time / middle,
            stwo_peak / peak
        );
    }
    Ok(())
}

fn median(values: &mut [f64]) -> f64 {
    quartiles(values)[1]
}

fn quartiles(values: &mut [f64]) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values[(values.len() - 1) * quarter / 4])
}

fn child(side: Side, name: &str, arguments: &Arguments) -> Result<(), String> {
    let params = if name == "plonk" { vec![("v0", "3"), ("v1", "5")] } else { Vec::new() };
    let params: Vec<_> =
        params.into_iter().map(|(name, value): (&str, &str)| (name.to_owned(), value.to_owned())).collect();
    let air = build(name, arguments.log_rows, &params).map_err(|error| error.to_string())?;
    match side {
        Side::Ours => ours(&air, arguments.proofs, false),
        Side::Generated => ours(&air, arguments.proofs, true),
        Side::Stwo => stwo(air.as_ref(), arguments.proofs),
    }
}

fn ours(air: &Arc<dyn ShippedAir>, proofs: usize, generated: bool) -> Result<(), String> {
    let prover =
        Prover::new(Arc::new(Cpu::<CircleStark>::new()), air.clone(), &OPTIONS).map_err(|error| error.to_string())?;
    let result = |made: Result<CircleProof, ProveError>| {
        let made = made.map_err(|error| error.to_string())?;
        Ok((encode(&made.proof), made.claimed_sums))
    };
    if generated {
        measure(proofs, || Ok(()), |()| result(prover.prove_generated(&Silent)), &**air)
    } else {
        let prove = |trace: Vec<Vec<Vec<M31>>>| result(prover.prove(&trace, &Silent));
        measure(proofs, || Ok(air.trace()), prove, &**air)
    }
}

fn stwo(air: &dyn ShippedAir, proofs: usize) -> Result<(), String> {
    let recorded = RecordedStatement::new(air, OPTIONS.lifting).map_err(|error| error.to_string())?;
    let prepared = Prepared::<Blake2sMerkleChannel>::new(air, &recorded, &OPTIONS);
    let fixed: Vec<Evaluation> = if air.name() == "plonk" {
        air.preprocessed_values(None).iter().map(|column| evaluation(column)).collect()
    } else {
        Vec::new()
    };
    // Each column of the host is released as soon as there is stwo's.
    let columns = || Ok(air.trace().into_iter().flatten().map(|column| evaluation(&column)).collect::<Vec<_>>());
    measure(
        proofs,
        columns,
        |main| {
            // The generator wants the columns that the commitment consumes.
            let kept: Vec<Evaluation> = if air.draws() > 0 { main[..4].to_vec() } else { Vec::new() };
            let interaction = |drawn: &[_]| -> Result<_, ReferenceError> {
                let (columns, sum) = plonk::interaction([&fixed[1], &fixed[2], &fixed[3]], &kept, drawn);
                Ok((columns, vec![sum]))
            };
            let made = prepared.prove(main, interaction).map_err(|error| format!("{error:?}"))?;
            Ok((made.bytes, made.claimed_sums))
        },
        air,
    )
}

/// A first proof, its memory, its verification; then the timed ones.
fn measure<T>(
    proofs: usize,
    trace: impl Fn() -> Result<T, String>,
    mut prove: impl FnMut(T) -> Result<(Vec<u8>, Vec<QM31>), String>,
    air: &dyn ShippedAir,
) -> Result<(), String> {
    let input = trace()?;
    // Resets the peak (proc(5)), so that it is the proof's and not that of making the trace.
    std::fs::write("/proc/self/clear_refs", "5").map_err(|error| format!("/proc/self/clear_refs: {error}"))?;
    println!("start {}", status("VmRSS:")?);
    let (first, sums) = prove(input)?;
    println!("peak {}", status("VmHWM:")?);
    circle_proof::verify(air, &sums, &first, &Policy::ANY).map_err(|error| error.to_string())?;
    for _ in 0..proofs {
        let input = trace()?;
        let start = Instant::now();
        let (bytes, _) = prove(input)?;
        println!("seconds {}", start.elapsed().as_secs_f64());
        if bytes != first {
            return Err("two proofs of one trace differ".to_owned());
        }
    }
    println!("proof {}", hex(&first));
    Ok(())
}

/// A line of this process's status, in MiB.
fn status(name: &str) -> Result<f64, String> {
    let text = std::fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)).ok_or_else(|| format!("no {name} in status"))?;
    let kib = line.split_whitespace().next().and_then(|number| number.parse::<f64>().ok());
    kib.map(|kib| kib / 1024.0).ok_or_else(|| format!("{name}{line}"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
