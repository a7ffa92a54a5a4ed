//! Tables whose contents look random. The content of a column does not matter to the time.

use field::{ExtensionField, PrimeField, SplitMix64};
use gpu_hal::{Columns, HalError, Protocol, StarkBackend};

use crate::shapes::SEEDS;

type Table<B> = Columns<<B as StarkBackend>::Buffer>;

/// Elements that look random.
pub(crate) fn elements<P: Protocol>(count: usize, seed: u64) -> Vec<P::Base> {
    let mut random = SplitMix64::new(seed);
    std::iter::repeat_with(|| P::Base::from_u64(random.word())).take(count).collect()
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
