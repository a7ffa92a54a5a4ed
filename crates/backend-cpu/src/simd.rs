//! The vector instructions to use, decided when the program runs.
//!
//! A computation is written once, as a [`Kernel`] generic over the registers of an [`Isa`], and [`dispatch`] runs the
//! instance of a [`SimdLevel`]. Every level gives the same results.

use crate::circle::m31;
use crate::goldilocks::arith::Packed;
use crate::goldilocks::hash::lanes as hash;
use crate::goldilocks::registers;

/// A set of vector instructions.
///
/// Results never depend on it. A level that this machine lacks is run as [`SimdLevel::Portable`], so any value is
/// safe to pass; tests should iterate over [`SimdLevel::available`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SimdLevel {
    /// Plain 64-bit code, one element at a time.
    Portable,
    /// Four lanes (x86-64 with AVX2).
    Avx2,
    /// Eight lanes (x86-64 with AVX-512 F, DQ, BW, VL).
    Avx512,
    /// Two lanes (AArch64).
    Neon,
}

impl SimdLevel {
    /// The widest level of this machine.
    #[must_use]
    pub fn detect() -> Self {
        [Self::Avx512, Self::Avx2, Self::Neon].into_iter().find(|level| level.is_available()).unwrap_or(Self::Portable)
    }

    /// Every level that this machine can run.
    #[must_use]
    pub fn available() -> Vec<Self> {
        [Self::Portable, Self::Avx2, Self::Avx512, Self::Neon]
            .into_iter()
            .filter(|level| level.is_available())
            .collect()
    }

    /// Whether this machine has the instructions. Cheap: the standard library caches the answer.
    #[inline]
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(target_arch = "aarch64")]
            Self::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            #[allow(unreachable_patterns, reason = "which arms are left depends on the architecture")]
            _ => false,
        }
    }
}

/// The registers of a level.
pub trait Isa {
    /// Elements of Goldilocks.
    type Goldilocks: Packed;
    /// 64-bit words, for hashes.
    type Words: hash::Lanes;
    /// Elements of M31, and 32-bit words.
    type M31: m31::Lanes;
}

struct Plain;

impl Isa for Plain {
    type Goldilocks = registers::Portable;
    type Words = registers::Portable;
    type M31 = m31::Portable;
}

/// A computation that is generic over the registers of a level.
pub(crate) trait Kernel {
    /// The result.
    type Output;

    /// The computation. Mark it `#[inline(always)]`, and everything generic over registers that it calls.
    fn run<I: Isa>(self) -> Self::Output;
}

/// Runs `kernel` with the instructions of `level`, or plainly where the machine lacks them.
#[inline]
pub(crate) fn dispatch<K: Kernel>(level: SimdLevel, kernel: K) -> K::Output {
    // One call of the plain instance: it is inlined, and is the largest of all.
    match if level.is_available() { level } else { SimdLevel::Portable } {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the instructions were just found to be available.
        SimdLevel::Avx2 => unsafe { x86::run_avx2(kernel) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the instructions were just found to be available.
        SimdLevel::Avx512 => unsafe { x86::run_avx512(kernel) },
        #[cfg(target_arch = "aarch64")]
        // SAFETY: the instructions were just found to be available.
        SimdLevel::Neon => unsafe { arm::run_neon(kernel) },
        _ => kernel.run::<Plain>(),
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Isa, Kernel, m31, registers};

    struct Avx2;

    impl Isa for Avx2 {
        type Goldilocks = registers::Avx2;
        type Words = registers::Avx2;
        type M31 = m31::Avx2;
    }

    struct Avx512;

    impl Isa for Avx512 {
        type Goldilocks = registers::Avx512;
        type Words = registers::Avx512;
        type M31 = m31::Avx512;
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx2>()
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl")]
    pub(super) fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx512>()
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use super::{Isa, Kernel, m31, registers};

    struct Neon;

    impl Isa for Neon {
        type Goldilocks = registers::Neon;
        type Words = registers::Neon;
        // Every AArch64 has NEON: compilers use it for the plain code.
        type M31 = m31::Portable;
    }

    #[target_feature(enable = "neon")]
    pub(super) fn run_neon<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Neon>()
    }
}
