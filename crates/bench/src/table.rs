//! Tables whose contents look random. The content of a column does not matter to the time.

use field::{ExtensionField, PrimeField};
use gpu_hal::{Columns, HalError, Protocol, StarkBackend};

use crate::shapes::SEEDS;

type Table<B> = Columns<<B as StarkBackend>::Buffer>;

/// Numbers that look random: splitmix64, reduced.
pub(crate) fn elements<P: Protocol>(count: usize, seed: u64) -> Vec<P::Base> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        P::Base::from_u64(z ^ (z >> 31))
    };
    std::iter::repeat_with(next).take(count).collect()
}

pub(crate) fn table<B: StarkBackend>(backend: &B, width: u64, log: u32) -> Result<Table<B>, HalError> {
    let seeds = SEEDS.min(width) as usize;
    let seeded = backend.upload(&elements::<B::P>(seeds << log, u64::from(log)), seeds, log)?;
    if seeds as u64 == width {
        return Ok(seeded);
    }
    let picks: Vec<(usize, usize)> = (0..width as usize).map(|column| (0, column % seeds)).collect();
    backend.select(&[seeded.as_ref()], &picks)
}

/// Extension elements that look random.
pub(crate) fn extensions<P: Protocol>(count: usize) -> Vec<P::Ext> {
    elements::<P>(P::DEGREE * count, 1)
        .chunks_exact(P::DEGREE)
        .map(|coordinates| P::Ext::from_coordinates(coordinates).expect("as many coordinates as the degree"))
        .collect()
}
