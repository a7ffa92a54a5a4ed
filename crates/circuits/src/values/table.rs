//! The table of values that several threads fill.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use field::{M31, QM31};
use zerocopy::FromBytes;

/// The values of all wires, of which each is written by one thread, and read by others after they have waited for that
/// thread. So no order of accesses is asked for.
#[derive(Clone, Copy)]
pub(super) struct Table<'v>(&'v [[AtomicU32; 4]]);

impl<'v> Table<'v> {
    pub(super) fn new(values: &'v mut [QM31]) -> Self {
        let words = <[[AtomicU32; 4]]>::mut_from_bytes(bytemuck::cast_slice_mut(values));
        Self(words.expect("an element is four words of 32 bits"))
    }

    #[inline(always)]
    pub(super) fn get(self, wire: u32) -> QM31 {
        let [a, b, c, d] = &self.0[wire as usize];
        let word = |place: &AtomicU32| bytemuck::cast::<u32, M31>(place.load(Relaxed));
        QM31([word(a), word(b), word(c), word(d)])
    }

    #[inline(always)]
    pub(super) fn set(self, wire: u32, value: QM31) {
        let [a, b, c, d] = &self.0[wire as usize];
        let QM31(words) = value;
        a.store(words[0].value(), Relaxed);
        b.store(words[1].value(), Relaxed);
        c.store(words[2].value(), Relaxed);
        d.store(words[3].value(), Relaxed);
    }
}
