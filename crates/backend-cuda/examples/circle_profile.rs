//! Device time of operations of the Circle protocol, beside the time of the memory traffic or the hashes that they cannot do without:
//! `circle_profile [LOG_ROWS [COLUMNS]]`; and where the time of a proof goes: `circle_profile AIR LOG_ROWS PARAMETERS LOG_BLOWUP QUERIES
//! POW_BITS`. The device makes the trace where it can.

use std::error::Error;
use std::time::{Duration, Instant};

use backend_cuda::{Cuda, open_circle};
use circle_proof::{CircleOptions, Policy};
use field::circle::CirclePoint;
use field::{M31, QM31};
use golden::circle::air;
use gpu_hal::{
    Basis, CircleDomain, CircleStark, DeepTerm, EvalOrder, GrindChallenge, Group, HashFn, Kind, LeafLayout, Logup,
    Operation, ProgramBuilder, StarkBackend,
};
use prover_core::Silent;
use prover_core::circle::Prover;

type Failure = Box<dyn Error>;

const RUNS: usize = 7;
/// Bytes that the device copies in a second, read and written counted each.
const COPY: f64 = 4.2e12;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let backend = open_circle()?;
    match &arguments[..] {
        [name, log_rows, params, log_blowup, queries, pow_bits] => {
            let (log_blowup, queries, pow_bits) = (log_blowup.parse()?, queries.parse()?, pow_bits.parse()?);
            let options = CircleOptions { pow_bits, log_blowup, queries, fold_step: 1, log_last: 0, lifting: None };
            proof(&backend, name, log_rows.parse()?, params, options)
        }
        [] => operations(&backend, 24, 64),
        [log_rows] => operations(&backend, log_rows.parse()?, 64),
        [log_rows, columns] => operations(&backend, log_rows.parse()?, columns.parse()?),
        _ => Err("arguments: [LOG_ROWS [COLUMNS]], or AIR LOG_ROWS PARAMETERS LOG_BLOWUP QUERIES POW_BITS".into()),
    }
}

/// Median device time of an operation.
fn time(
    backend: &Cuda<CircleStark>,
    operation: Operation,
    mut run: impl FnMut() -> Result<(), Failure>,
) -> Result<Duration, Failure> {
    let mut times = Vec::new();
    for turn in 0..RUNS + 2 {
        backend.reset_profile(true);
        run()?;
        let profile = backend.profile()?;
        let spent = profile.operations.iter().find(|o| o.operation == operation).map(|o| o.device_time);
        if turn >= 2 {
            times.push(spent.unwrap_or_default());
        }
    }
    times.sort_unstable();
    Ok(times[RUNS / 2])
}

fn report(what: &str, time: Duration, floor: f64) {
    let seconds = time.as_secs_f64();
    println!("{what:<44} {:9.3} ms, floor {:9.3} ms, {:.2} times", seconds * 1e3, floor * 1e3, seconds / floor);
}

fn elements(count: usize) -> Vec<M31> {
    (0..count as u64).map(|i| M31::new((i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u32 % 0x7fff_ffff)).collect()
}

fn element(seed: u32) -> QM31 {
    QM31::new(M31::new(seed), M31::new(seed + 1), M31::new(3 * seed), M31::new(5 * seed))
}

fn point(seed: u32) -> CirclePoint<QM31> {
    CirclePoint::from_parameter(element(seed)).expect("no root of -1")
}

fn operations(backend: &Cuda<CircleStark>, log: u32, columns: usize) -> Result<(), Failure> {
    println!("{}", backend.capabilities().device);
    let bytes = |columns: usize, log: u32| (4 * columns) as f64 * f64::from(1 << log);
    let passes = |log: u32| f64::from(log.div_ceil(8));
    let mut table = backend.upload(&elements(columns << log), columns, log)?;
    let domain = CircleDomain::canonic(log);
    let storage = Basis::Evaluations { domain, order: EvalOrder::Storage };
    let floor = 2.0 * bytes(columns, log) * passes(log) / COPY;
    let spent = time(backend, Operation::Ntt, || Ok(backend.ntt(table.as_mut(), storage, Basis::Coefficients)?))?;
    report(&format!("ntt, to coefficients, 2^{log} x {columns}"), spent, floor);
    let spent = time(backend, Operation::Ntt, || Ok(backend.ntt(table.as_mut(), Basis::Coefficients, storage)?))?;
    report(&format!("ntt, to values, 2^{log} x {columns}"), spent, floor);

    let spent = time(backend, Operation::Merkle, || {
        Ok(backend.merkle(&[table.as_ref()], LeafLayout::new(1), HashFn::Blake2s).map(drop)?)
    })?;
    let blocks = f64::from(1 << log) * ((columns as f64 / 16.0).ceil() + 1.0);
    report(
        &format!("merkle, 2^{log} x {columns} ({:.1} G blocks/s)", blocks / spent.as_secs_f64() / 1e9),
        spent,
        blocks / 17e9,
    );

    let points = [point(7), point(9)];
    let spent =
        time(backend, Operation::EvalAt, || Ok(backend.eval_at(table.as_ref(), storage, &points).map(drop)?))?;
    report(&format!("eval_at, values, 2 points, 2^{log} x {columns}"), spent, bytes(columns, log) / COPY);

    let weights = |seed: u32| (0..columns).map(|column| (0, column, element(seed + column as u32))).collect();
    let terms: Vec<DeepTerm<CircleStark>> = (0..2)
        .map(|seed| DeepTerm {
            point: point(seed + 5),
            weights: weights(seed),
            constant: element(3),
            slope: element(4),
        })
        .collect();
    let spent = time(backend, Operation::DeepQuotient, || {
        Ok(backend.deep_quotient(&[table.as_ref()], domain, &terms).map(drop)?)
    })?;
    report(&format!("deep_quotient, 2 terms, 2^{log} x {columns}"), spent, bytes(columns + 4, log) / COPY);
    drop(table);

    let log = log - 1;
    let table = backend.upload(&elements(columns << log), columns, log)?;
    let rows = Basis::Evaluations { domain: CircleDomain::canonic(log), order: EvalOrder::Row };
    let spent = time(backend, Operation::Lde, || Ok(backend.lde(table.as_ref(), rows, domain).map(drop)?))?;
    let traffic = 2.0 * bytes(columns, log) * passes(log)
        + bytes(columns, log)
        + bytes(columns, log + 1) * (2.0 * passes(log) - 1.0);
    report(&format!("lde, rows, 2^{log} x {columns} to twice"), spent, traffic / COPY);
    drop(table);

    let mut layer = backend.upload(&elements(4 << log), 4, log)?;
    let mut domain = CircleDomain::canonic(log);
    for _ in 0..2 {
        let spent = time(backend, Operation::FriFold, || {
            Ok(backend.fri_fold(layer.as_ref(), domain, element(7)).map(drop)?)
        })?;
        report(&format!("fri_fold, {domain:?}"), spent, bytes(6, layer.log_height) / COPY);
        layer = backend.fri_fold(layer.as_ref(), domain, element(7))?;
        domain = CircleDomain::Line { log_size: layer.log_height };
    }

    // 1/(a - z) + b/(b - z) of two columns.
    let mut builder = ProgramBuilder::<CircleStark>::new(vec![Group { width: 2, kind: Kind::Base }], 1);
    let (a, b, z) = (builder.load(0, 0, 0), builder.load(0, 1, 0), builder.param(0));
    let one = builder.constant(M31::new(1));
    let (first, second) = (builder.sub(a, z), builder.sub(b, z));
    for node in [one, first, b, second] {
        builder.output(node);
    }
    let program = backend.prepare(&builder.finish()?)?;
    let table = backend.upload(&elements(2 << log), 2, log)?;
    let spent = time(backend, Operation::Logup, || {
        let args = Logup {
            program: &program,
            columns: &[table.as_ref()],
            log_height: log,
            params: &[element(11)],
            fractions: &[(0, 1), (2, 3)],
        };
        Ok(backend.logup(&args).map(drop)?)
    })?;
    report(&format!("logup, 2 fractions, 2^{log}"), spent, bytes(2 + 8, log) / COPY);

    let start = Instant::now();
    for seed in 0..8 {
        backend.grind(&GrindChallenge { digest: [seed; 32], bits: 26 })?;
    }
    println!("grind, 26 bits: {:.3} ms a search, wall, 8 searches", start.elapsed().as_secs_f64() * 125.0);
    Ok(())
}

fn proof(
    backend: &Cuda<CircleStark>,
    name: &str,
    log_rows: u32,
    params: &str,
    options: CircleOptions,
) -> Result<(), Failure> {
    let air = air(name, log_rows, params);
    let options = match name {
        "range-squares" => CircleOptions { lifting: Some(log_rows + options.log_blowup), ..options },
        _ => options,
    };
    let start = Instant::now();
    let prover = Prover::new(backend, air.as_ref(), &options)?;
    let prepared = start.elapsed();
    let trace = (!prover.generates()).then(|| air.trace());
    let prove = || match &trace {
        Some(trace) => prover.prove(trace, &Silent),
        None => prover.prove_generated(&Silent),
    };
    let start = Instant::now();
    let proof = prove()?;
    let first = start.elapsed();
    circle_proof::verify(air.as_ref(), &proof.claimed_sums, &circle_proof::encode(&proof.proof), &Policy::ANY)?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        prove()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    println!(
        "{name} 2^{log_rows} {params}: {:.3} ms a proof, trace made by the {}; prepared in {:.1} ms, first proof {:.1} ms; verified; plan {:.2} GiB",
        times[RUNS / 2].as_secs_f64() * 1e3,
        if trace.is_some() { "host" } else { "device" },
        prepared.as_secs_f64() * 1e3,
        first.as_secs_f64() * 1e3,
        prover.plan().peak_bytes as f64 / f64::from(1 << 30),
    );
    backend.reset_profile(true);
    prove()?;
    let profile = backend.profile()?;
    for o in &profile.operations {
        println!(
            "  {:<16} {:5} calls {:6} launches {:5} transfers {:10.3} ms on the device",
            o.operation.name(),
            o.calls,
            o.launches,
            o.transfers,
            o.device_time.as_secs_f64() * 1e3
        );
    }
    let total: f64 = profile.operations.iter().map(|o| o.device_time.as_secs_f64() * 1e3).sum();
    println!("  {:<16} {total:10.3} ms on the device", "all");
    Ok(())
}
