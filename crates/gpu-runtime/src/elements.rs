//! Elements and words: memory of the device is counted in words of 64 bits.

use gpu_hal::Protocol;

/// Elements of a word.
pub(crate) const fn per_word<P: Protocol>() -> u64 {
    8 / size_of::<P::Base>() as u64
}

/// Words of a number of elements.
pub(crate) const fn words<P: Protocol>(elements: u64) -> u64 {
    elements.div_ceil(per_word::<P>())
}
