//! Constraint evaluation of fibonacci-rap by the library next to a kernel written by hand, on the GPU, by device
//! events: `constraints [LOG_ROWS]` (default 22), blowup 4. The results must be equal.
//!
//! Two domains: the whole one, and the trace's coset, which a prover may choose when it is enough
//! (docs/architecture.md). The library's call is timed twice: its kernels alone, and from event to event with the
//! host's work in between.

mod hand_written;

use std::error::Error;
use std::time::Duration;

use air::airs::FibonacciRap;
use backend_cuda::NAME;
use field::{Fp3, Goldilocks};
use gpu_hal::{Columns, Constraints, CosetDomain, GoldilocksStark, StarkBackend};
use gpu_runtime::{GpuBackend, KernelDevice};
use hand_written::{HandWritten, Task};

const LOG_BLOWUP: u32 = 2;
/// Points a thread of the hand-written kernel; the fastest counts.
const ROWS: [u64; 4] = [1, 2, 4, 8];

/// Median times.
struct Compared {
    log_eval: u32,
    rows: u64,
    hand_written: Duration,
    kernels: Duration,
    call: Duration,
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn random(count: usize, seed: u64) -> Vec<Goldilocks> {
    let mut state = seed;
    let next = || {
        // Knuth's MMIX generator; its high bits are good.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Goldilocks::new(state ^ (state >> 32))
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// Times both and compares their results.
fn compare<D: KernelDevice>(
    backend: &GpuBackend<D, GoldilocksStark>,
    log_rows: u32,
    log_eval: u32,
    runs: usize,
) -> Result<Compared, Box<dyn Error>> {
    let recorded = air::record::<GoldilocksStark, _>(&FibonacciRap::new(1 << log_rows, (1 << log_rows) - 1)?)?;
    let domain = CosetDomain::new(Goldilocks::new(3), log_rows + LOG_BLOWUP);
    let challenges = random(6, 1);
    let [gamma, beta] = [0, 3].map(|at| Fp3::new(challenges[at], challenges[at + 1], challenges[at + 2]));
    let (main, aux) = (random(2 << domain.log_size, 2), random(3 << domain.log_size, 3));

    let program = backend.prepare(recorded.constraints())?;
    let tables = [backend.upload(&main, 2, domain.log_size)?, backend.upload(&aux, 3, domain.log_size)?];
    let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
    let params = recorded.params(&[gamma])?;
    let combination = recorded.combination(beta);
    let args = Constraints {
        program: &program,
        columns: &columns,
        domain,
        log_trace: log_rows,
        log_eval,
        params: &params,
        combination: &combination,
    };
    let evaluate = || backend.constraint_eval(std::slice::from_ref(&args)).map(|mut values| values.remove(0));
    let values = evaluate()?;
    let expected = backend.download(values.as_ref(), 0..values.height())?;

    let device = backend.device();
    let events = |run: &dyn Fn() -> gpu_hal::Result<()>| -> gpu_hal::Result<Duration> {
        let mut times = Vec::new();
        for _ in 0..runs {
            device.synchronize()?;
            let start = device.record()?;
            run()?;
            let end = device.record()?;
            times.push(device.elapsed(&start, &end)?);
        }
        Ok(median(times))
    };
    let call = events(&|| evaluate().map(drop))?;
    let mut kernels = Vec::new();
    for _ in 0..runs {
        backend.reset_profile(true);
        drop(evaluate()?);
        kernels.push(backend.profile()?.busy());
    }
    backend.reset_profile(false);

    let task = Task { domain, log_trace: log_rows, log_eval, gamma, beta };
    let mut best: Option<(u64, Duration)> = None;
    for rows in ROWS {
        let hand_written = HandWritten::new(device, rows, &task, &main, &aux)?;
        hand_written.launch()?;
        if hand_written.download()? != expected {
            return Err(format!("2^{log_eval} points: the hand-written kernel with {rows} a thread differs").into());
        }
        let time = events(&|| hand_written.launch())?;
        if best.is_none_or(|(_, least)| time < least) {
            best = Some((rows, time));
        }
    }
    let (rows, hand_written) = best.ok_or("no form of the hand-written kernel was tried")?;
    Ok(Compared { log_eval, rows, hand_written, kernels: median(kernels), call })
}

fn main() -> Result<(), Box<dyn Error>> {
    let log_rows = std::env::args().nth(1).map_or(Ok(22), |text| text.parse::<u32>())?;
    if !(3..=28).contains(&log_rows) {
        return Err(format!("2^{log_rows} rows: 3 to 28 are possible").into());
    }
    let backend: backend_cuda::Cuda = backend_cuda::open()?;
    println!("fibonacci-rap, 2^{log_rows} rows, blowup 4, {NAME}: {}", backend.capabilities().device);
    for log_eval in [log_rows, log_rows + LOG_BLOWUP] {
        let Compared { log_eval, rows, hand_written, kernels, call } = compare(&backend, log_rows, log_eval, 21)?;
        let [hand, kernels, call] = [hand_written, kernels, call].map(|time| time.as_secs_f64() * 1e3);
        println!(
            "2^{log_eval} points: by hand {hand:.4} ms ({rows} points a thread); the library's kernels {kernels:.4} ms, {:.2} \
             times as long; its whole call {call:.4} ms, {:.2} times; results equal",
            kernels / hand,
            call / hand
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use backend_emulated::{Emulated, NAME, device};

    use super::*;

    #[test]
    fn both_give_the_same_on_the_emulator() {
        let backend = Emulated::<GoldilocksStark>::new(NAME, device().expect("there is a C++ compiler"))
            .expect("it runs all kernels");
        for (log_rows, log_eval) in [(3, 3), (3, 5), (4, 5), (11, 13)] {
            let compared = compare(&backend, log_rows, log_eval, 1).expect("results are equal");
            assert!(compared.hand_written > Duration::ZERO && compared.kernels > Duration::ZERO);
        }
    }
}
