//! How long a proof is likely to take on a backend.

use std::time::{Duration, Instant};

use circle_proof::CircleOptions;
use field::M31;
use gpu_hal::{Basis, CircleDomain, CircleStark, Columns, EvalOrder, HalError, LeafLayout, StarkBackend};

/// Log2 of the rows, and the columns, of the table that is timed.
const LOG_ROWS: u32 = 16;
const WIDTH: usize = 32;

/// The work of a proof for each cell, in extensions of a cell with the tree above it.
const WORK: f64 = 2.0;

/// Nonces that are looked for, each with `NONCE_BITS` bits.
const NONCES: u8 = 8;
const NONCE_BITS: u32 = 18;

/// The time of a proof with this many cells, preprocessed ones included, and this many bits of work before the lookups:
/// the time here of extending and hashing a small table, and of finding a few nonces, in proportion. The nonces of a
/// proof may be found sooner or later than in the mean.
pub(crate) fn estimate<B: StarkBackend<P = CircleStark>>(
    backend: &B,
    cells: u64,
    options: &CircleOptions,
    interaction_pow_bits: u32,
) -> Result<Duration, HalError> {
    let table = vec![M31::new(1); WIDTH << LOG_ROWS];
    let table = backend.upload(&table, WIDTH, LOG_ROWS)?;
    let extend = || {
        let domain = CircleDomain::canonic(LOG_ROWS);
        let from = Basis::Evaluations { domain, order: EvalOrder::Storage };
        let extended = backend.lde(table.as_ref(), from, CircleDomain::canonic(LOG_ROWS + options.log_blowup))?;
        let layout = LeafLayout::lifted(LOG_ROWS + options.log_blowup);
        let tree = backend.merkle(&[Columns::as_ref(&extended)], layout, options.suite.tree())?;
        backend.root(&tree)
    };
    let grind = || {
        (0..NONCES).try_for_each(|number| {
            let mut channel = options.suite.channel();
            channel.mix_u64(number.into());
            backend.grind(&channel.work(NONCE_BITS)).map(drop)
        })
    };
    // The first time is that of compiling kernels and of memory that was never used.
    extend()?;
    grind()?;
    let extension = timed(extend)? / (WIDTH << LOG_ROWS) as f64;
    let hash = timed(grind)? / (f64::from(NONCES) * f64::from(NONCE_BITS).exp2());
    let hashes: f64 = [options.pow_bits, interaction_pow_bits].map(|bits| f64::from(bits).exp2()).iter().sum();
    Ok(Duration::from_secs_f64(WORK * extension * cells as f64 + hash * hashes))
}

/// The seconds that a call takes.
fn timed<T>(call: impl FnOnce() -> Result<T, HalError>) -> Result<f64, HalError> {
    let start = Instant::now();
    call()?;
    Ok(start.elapsed().as_secs_f64())
}
