//! Registers of 64-bit lanes, chosen at run time: the common base of field arithmetic and hashes.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::Neon;
pub(crate) use portable::Portable;

/// The field's modulus, `2^64 - 2^32 + 1`.
pub(crate) const P: u64 = 0xFFFF_FFFF_0000_0001;
/// `2^64 mod p = 2^32 - 1`.
pub(crate) const EPSILON: u64 = 0xFFFF_FFFF;

/// `LANES` u64 in one register.
///
/// Code gets an implementation only from the type parameter of [`crate::simd::Kernel::run`], after the dispatcher has
/// checked that the machine has the instructions; this makes the safe methods sound. Functions generic over registers
/// must be `#[inline(always)]` and must not compute in closures: only code that is inlined into the entry of a level is
/// compiled with its instructions.
pub trait Register: Copy {
    /// Number of lanes: 1, 2, 4 or 8.
    const LANES: usize;

    /// Every lane set to `value`.
    fn splat_raw(value: u64) -> Self;

    /// Lanes from `LANES` consecutive u64.
    ///
    /// # Safety
    /// `source` must be readable for `LANES` u64, at any alignment.
    unsafe fn load_raw(source: *const u64) -> Self;

    /// Lanes to `LANES` consecutive u64, as they are.
    ///
    /// # Safety
    /// `target` must be writable for `LANES` u64, at any alignment.
    unsafe fn store_raw(self, target: *mut u64);

    /// The representative in `[0, p)` of each lane.
    fn canonical(self) -> Self;

    /// The lanes shifted left, bits lost at the top.
    fn shift_left<const BITS: u32>(self) -> Self;

    /// The lanes shifted right, zeros coming in.
    fn shift_right<const BITS: u32>(self) -> Self;

    /// `(lane mod 2^32) (2^32 - 1)`, which is below p.
    fn low_times_epsilon(self) -> Self;

    /// Transposes each of the `8 / LANES` groups of `LANES` registers as a square matrix:
    /// lane c of register r of a group goes to lane r of register c.
    fn transpose(registers: &mut [Self; 8]);
}
