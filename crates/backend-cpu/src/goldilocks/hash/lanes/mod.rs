//! Registers of 64-bit lanes for hashing, chosen at run time.
//!
//! One lane is one hash: lanes never exchange data but when digests are read and written.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

pub(crate) use crate::goldilocks::registers::Register;

/// Words of a digest.
pub(crate) const DIGEST_WORDS: usize = 4;

/// `LANES` independent u64, with the operations of hashes on them.
pub trait Lanes: Register {
    /// Lane `l` is `source[l * STRIDE + offset]`.
    ///
    /// # Safety
    /// `source` must be readable for `LANES * STRIDE` u64, at any alignment; `offset < STRIDE`.
    #[inline(always)]
    unsafe fn load_every<const STRIDE: usize>(source: *const u64, offset: usize) -> Self {
        let mut lanes = [0; 8];
        let mut lane = 0;
        while lane < Self::LANES {
            // SAFETY: lane * STRIDE + offset < LANES * STRIDE, which the caller promises to be readable.
            lanes[lane] = unsafe { source.add(lane * STRIDE + offset).read_unaligned() };
            lane += 1;
        }
        // SAFETY: the array has 8 >= LANES words.
        unsafe { Self::load_raw(lanes.as_ptr()) }
    }

    /// Asks for the cache line at `address`, which need not be readable.
    #[inline(always)]
    fn prefetch(address: *const u64) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: part of every x86-64; it reads nothing.
        unsafe {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(address.cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = address;
    }

    /// `self ^ other`.
    fn xor(self, other: Self) -> Self;

    /// `self ^ b ^ c`.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    /// `self ^ (!b & c)`.
    fn chi(self, b: Self, c: Self) -> Self;

    /// Rotates every lane left, `0 < BITS < 64`.
    fn rotate_left<const BITS: u32>(self) -> Self;

    /// Reverses the bytes of every lane.
    fn swap_bytes(self) -> Self;

    /// `self & other`.
    fn and(self, other: Self) -> Self;

    /// `self + other mod 2^64`.
    fn add(self, other: Self) -> Self;

    /// `self - other mod 2^64`.
    fn sub(self, other: Self) -> Self;

    /// `self >> BITS`, the sign coming in.
    fn shift_right_signed<const BITS: u32>(self) -> Self;

    /// `self mod 2^32 + 2^32 (high mod 2^32)`.
    fn low_high(self, high: Self) -> Self;

    /// The 128-bit product: low half, high half.
    fn wide_mul(self, other: Self) -> (Self, Self);

    /// The 128-bit square: low half, high half.
    fn wide_square(self) -> (Self, Self);

    /// `self + other`, and `2^32 - 1 = 2^64 mod p` more if that overflowed. The caller sees to it that this does not
    /// overflow again.
    fn add_fold(self, other: Self) -> Self;

    /// `self - other`, and `2^32 - 1` less if that borrowed. The caller sees to it that this does not borrow again.
    fn sub_fold(self, other: Self) -> Self;

    /// The words of `LANES` pairs of digests, word `w` of pair `l` in lane `l` of register `w`.
    ///
    /// # Safety
    /// `source` must be readable for `LANES * 64` bytes.
    #[inline(always)]
    unsafe fn load_pairs(source: *const u8) -> [Self; 8] {
        let mut words = [Self::splat_raw(0); 8];
        let mut register = 0;
        while register < 8 {
            let (group, pair) = (register / Self::LANES, register % Self::LANES);
            // SAFETY: 64 pair + 8 LANES (group + 1) <= 64 LANES, for group < 8 / LANES and pair < LANES.
            words[register] = unsafe { Self::load_raw(source.add(64 * pair + 8 * Self::LANES * group).cast()) };
            register += 1;
        }
        Self::transpose(&mut words);
        words
    }

    /// Writes `LANES` digests, word `w` of digest `l` from lane `l` of register `w`.
    ///
    /// # Safety
    /// `target` must be writable for `LANES * 32` bytes.
    #[inline(always)]
    unsafe fn store_digests(words: [Self; DIGEST_WORDS], target: *mut u8) {
        assert!(Self::LANES <= DIGEST_WORDS, "wider registers have their own");
        let zero = Self::splat_raw(0);
        let mut registers = [words[0], words[1], words[2], words[3], zero, zero, zero, zero];
        Self::transpose(&mut registers);
        let mut register = 0;
        while register < DIGEST_WORDS {
            let (group, digest) = (register / Self::LANES, register % Self::LANES);
            // SAFETY: 32 digest + 8 LANES (group + 1) <= 32 LANES, for group < 4 / LANES and digest < LANES.
            unsafe { registers[register].store_raw(target.add(32 * digest + 8 * Self::LANES * group).cast()) };
            register += 1;
        }
    }
}
