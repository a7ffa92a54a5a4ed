//! The copy bandwidth that floors of memory are taken from.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use gpu_hal::{Columns, HalError, StarkBackend};

use crate::clock;
use crate::measurable::Measurable;
use crate::table::table;

/// Copies that are timed; the shortest counts, since a floor is no average.
const RUNS: usize = 7;
/// Bytes of a row that is copied, rows at most, and at least.
const ROW: u64 = 64;
const MOST_LOG: u32 = 23;
const LEAST_LOG: u32 = 12;
/// Words that a thread of the host copies: 32 MiB each way, more than its share of any cache.
const HOST_WORDS: usize = 4 << 20;

/// Bytes read and written a second, in GB/s, by copies on the device: `select` of all columns, which copies and does
/// nothing else.
pub(crate) fn device<B: StarkBackend<P: Measurable>>(backend: &B, available: Option<u64>) -> Result<f64, HalError> {
    let fits = |log: &u32| available.is_none_or(|available| (4 * ROW) << log <= available);
    let log = (LEAST_LOG..=MOST_LOG).rev().find(fits).unwrap_or(LEAST_LOG);
    let width = ROW / B::P::ELEMENT;
    let table = table(backend, width, log)?;
    let picks: Vec<(usize, usize)> = (0..width as usize).map(|column| (0, column)).collect();
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let run = || backend.select(&[Columns::as_ref(&table)], &picks);
        times.push(clock::time(backend, run)?.1);
    }
    Ok(rate(2.0 * (ROW << log) as f64, &times))
}

/// The same of the host's memory, all its threads copying.
pub(crate) fn host() -> f64 {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut memory: Vec<[Vec<u64>; 2]> = (0..threads).map(|_| [vec![1; HOST_WORDS], vec![2; HOST_WORDS]]).collect();
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for [from, to] in &mut memory {
                scope.spawn(|| to.copy_from_slice(std::hint::black_box(from)));
            }
        });
        times.push(start.elapsed());
    }
    rate((2 * threads * HOST_WORDS * 8) as f64, &times)
}

fn rate(bytes: f64, times: &[Duration]) -> f64 {
    bytes / times.iter().min().map_or(f64::INFINITY, Duration::as_secs_f64) / 1e9
}
