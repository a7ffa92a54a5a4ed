//! Where the time of a proof goes on a GPU: `device_profile transfers` and
//! `device_profile AIR LOG_ROWS [POSEIDON2]...`.
//!
//! For a proof: wall time without profiling, then per operation calls, launches, transfers, bytes and device time, and
//! which share of the time after the upload the device was busy.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use air::airs;
use backend_cuda::Cuda;
use field::{Fp3, Goldilocks};
use goldilocks_proof::{Seed, Suite, lambdaworks};
use gpu_hal::{Basis, CosetDomain, EvalOrder, GoldilocksStark, Operation, StarkBackend};
use prover_core::Silent;
use prover_core::goldilocks::Prover;

type P = GoldilocksStark<Fp3>;

const RUNS: usize = 9;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let backend: Arc<Cuda<P>> = Arc::new(backend_cuda::open()?);
    match &arguments[..] {
        [word] if word == "transfers" => transfers(&backend),
        [air, log_rows, hash @ ..] => {
            let suite = if hash.is_empty() { Suite::Keccak256 } else { Suite::Poseidon2 };
            proof_of(&backend, air, log_rows.parse()?, suite)
        }
        _ => Err("arguments: transfers, or AIR LOG_ROWS [POSEIDON2]".into()),
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn repeat(mut run: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    (0..2).try_for_each(|_| run())?;
    let times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run().map(|()| start.elapsed())
        })
        .collect::<Result<_, _>>()?;
    Ok(median(times))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn transfers(backend: &Cuda<P>) -> Result<(), Box<dyn Error>> {
    for log_bytes in [3, 12, 16, 20, 22, 24, 26, 28, 29] {
        let log_rows = log_bytes - 3;
        let data: Vec<Goldilocks> =
            (0..1u64 << log_rows).map(|i| Goldilocks::new(i.wrapping_mul(0x9e37_79b9))).collect();
        let start = Instant::now();
        let table = backend.upload(&data, 1, log_rows)?;
        backend.sync()?;
        let first = start.elapsed();
        let up = repeat(|| Ok(backend.upload(&data, 1, log_rows).and_then(|_| backend.sync())?))?;
        let down = repeat(|| Ok(backend.download(table.as_ref(), 0..1 << log_rows).map(drop)?))?;
        let rate = |time: Duration| (1u64 << log_bytes) as f64 / time.as_secs_f64() / 1e9;
        println!(
            "2^{log_bytes} bytes: up {:.3} ms ({:.1} GB/s; first {:.3} ms), down {:.3} ms ({:.1} GB/s)",
            milliseconds(up),
            rate(up),
            milliseconds(first),
            milliseconds(down),
            rate(down)
        );
    }
    // Host time of a launch, allocation from the pool included, and a launch with the wait for its result.
    let layer = backend.upload(&[Goldilocks::new(7); 3 << 4], 3, 4)?;
    let fold = || backend.fri_fold(layer.as_ref(), CosetDomain::subgroup(4), Fp3::default());
    let many = repeat(|| (0..256).try_for_each(|_| fold().map(drop)).map_err(Into::into))?;
    backend.sync()?;
    let one = repeat(|| Ok(backend.download(fold()?.as_ref(), 0..8).map(drop)?))?;
    println!(
        "launch {:.2} us of the host, with the result {:.2} us",
        many.as_secs_f64() * 1e6 / 256.0,
        one.as_secs_f64() * 1e6
    );
    Ok(())
}

fn proof_of(backend: &Arc<Cuda<P>>, name: &str, log_rows: u32, suite: Suite) -> Result<(), Box<dyn Error>> {
    let params: BTreeMap<String, u64> = match name {
        "wide" => [("width".to_owned(), 64), ("degree".to_owned(), 3)].into(),
        _ => BTreeMap::new(),
    };
    let air = airs::build::<P>(name, 1 << log_rows, &params)?;
    let (queries, grinding) = if name == "wide" { (41, 20) } else { (3, 1) };
    let options = lambdaworks::Options { blowup: 4, queries, grinding, coset_offset: 3, suite };
    let prover = Prover::new(backend.clone(), air.clone())?;
    let trace = air.trace();
    let prove = || prover.prove(&trace, &options, Seed::Default, &Silent).map(drop).map_err(Into::into);
    let wall = repeat(prove)?;
    let upload = repeat(|| {
        let table = backend.upload(&trace.data(), trace.width(), trace.log_height())?;
        backend.sync()?;
        drop(table);
        Ok(())
    })?;
    let domain = CosetDomain::subgroup(log_rows);
    let (rows, target) = (Basis::Evaluations { domain, order: EvalOrder::Row }, options.lde_domain(log_rows));
    let upload_lde = repeat(|| {
        let columns: Vec<_> = (0..trace.width()).map(|column| trace.column(column)).collect();
        let tables = backend.upload_lde(&columns, log_rows, rows, target, true)?;
        backend.sync()?;
        drop(tables);
        Ok(())
    })?;
    backend.reset_profile(true);
    let start = Instant::now();
    prove()?;
    let timed = start.elapsed();
    let profile = backend.profile()?;
    backend.reset_profile(false);
    println!(
        "{name}, 2^{log_rows} rows, {}: proof {:.3} ms, upload alone {:.3} ms, with its extension {:.3} ms",
        suite.name(),
        milliseconds(wall),
        milliseconds(upload),
        milliseconds(upload_lde)
    );
    println!(
        "{:>16} {:>6} {:>8} {:>7} {:>9} {:>12} {:>12} {:>10}",
        "operation", "calls", "launches", "copies", "transfers", "up", "down", "device ms"
    );
    for o in &profile.operations {
        println!(
            "{:>16} {:>6} {:>8} {:>7} {:>9} {:>12} {:>12} {:>10.3}",
            o.operation.name(),
            o.calls,
            o.launches,
            o.copies,
            o.transfers,
            o.uploaded,
            o.downloaded,
            milliseconds(o.device_time)
        );
    }
    let launches: u64 = profile.operations.iter().map(|o| o.launches + o.copies).sum();
    let rest = profile.without(&[Operation::Upload, Operation::UploadLde]);
    println!(
        "timed run {:.3} ms; {launches} launches, device busy {:.3} ms of {:.3} ms from first to last: {:.1} %; of the untimed proof without upload_lde {:.1} %",
        milliseconds(timed),
        milliseconds(rest.busy()),
        milliseconds(rest.span()),
        100.0 * rest.busy().as_secs_f64() / rest.span().as_secs_f64(),
        100.0 * rest.busy().as_secs_f64() / wall.saturating_sub(upload_lde).as_secs_f64()
    );
    let gaps: Vec<f64> =
        rest.intervals.windows(2).map(|pair| (pair[1].start.saturating_sub(pair[0].end)).as_secs_f64() * 1e6).collect();
    let over = |limit: f64| gaps.iter().filter(|gap| **gap > limit).count();
    println!(
        "gaps: {} above 5 us, {} above 20 us, {} above 100 us, longest {:.1} us",
        over(5.0),
        over(20.0),
        over(100.0),
        gaps.iter().fold(0.0f64, |a, b| a.max(*b))
    );
    Ok(())
}
