//! Which vector instructions to use, decided when the program runs.

use super::Packed;
use super::portable::Portable;

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

/// A computation that is generic over the lanes.
pub(crate) trait SimdKernel {
    /// What it returns.
    type Output;

    /// The computation. Mark it `#[inline(always)]`, and everything generic over `V` that it calls.
    fn run<V: Packed>(self) -> Self::Output;
}

/// Runs `kernel` with the instructions of `level`.
#[inline]
pub(crate) fn dispatch<K: SimdKernel>(level: SimdLevel, kernel: K) -> K::Output {
    if !level.is_available() {
        return kernel.run::<Portable>();
    }
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the instructions were just found to be available.
        SimdLevel::Avx2 => unsafe { run_avx2(kernel) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the instructions were just found to be available.
        SimdLevel::Avx512 => unsafe { run_avx512(kernel) },
        #[cfg(target_arch = "aarch64")]
        // SAFETY: the instructions were just found to be available.
        SimdLevel::Neon => unsafe { run_neon(kernel) },
        _ => kernel.run::<Portable>(),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<K: SimdKernel>(kernel: K) -> K::Output {
    kernel.run::<super::avx2::Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl")]
fn run_avx512<K: SimdKernel>(kernel: K) -> K::Output {
    kernel.run::<super::avx512::Avx512>()
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
fn run_neon<K: SimdKernel>(kernel: K) -> K::Output {
    kernel.run::<super::neon::Neon>()
}
