//! What a job may cost, by what it says.

use crate::hal::Bytes;

/// Hashes of a proof of work in a second, about: what a few cores do. A GPU does more, and who has some raises the limit.
const HASHES: f64 = (1 << 24) as f64;
/// Bytes of a proof's memory for each of its seconds, about: what a slow processor does.
const BYTES: f64 = (1 << 27) as f64;

/// What a job may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Seconds of its proof.
    pub(super) prove_seconds: u64,
    /// Seconds of its plan.
    #[cfg_attr(not(feature = "cairo"), expect(dead_code, reason = "only programs take long"))]
    pub(super) plan_seconds: u64,
}

impl Bounds {
    /// Refuses a proof with so many bits of proof of work and so many bytes of memory, if it would take too long: by the expected number
    /// of hashes, and by what the phases with the memory take. Both are estimates for a processor.
    pub(super) fn check(&self, work_bits: u32, bytes: u64) -> Result<(), String> {
        let (work, rest) = (f64::from(work_bits).exp2() / HASHES, bytes as f64 / BYTES);
        let limit = self.prove_seconds;
        if work + rest <= limit as f64 {
            return Ok(());
        }
        let (why, remedy) = if work >= rest {
            (
                format!("{work_bits} bits of proof of work are 2^{work_bits} hashes"),
                "ask for fewer bits and more queries",
            )
        } else {
            (format!("it takes {} of memory", Bytes(bytes)), "prove fewer rows")
        };
        Err(format!(
            "its proof takes about {:.3e} s on a processor, and a job may take {limit} s: {why}; {remedy}, or have --prove-seconds raised \
             where jobs are planned and proven",
            work + rest
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_bounded() {
        let bounds = Bounds { prove_seconds: 6 * 3600, plan_seconds: 1 };
        for bits in [0, 20, 26, 34] {
            assert_eq!(bounds.check(bits, 64 << 30), Ok(()));
        }
        for bits in [40, 64, u32::MAX] {
            let refused = bounds.check(bits, 0).unwrap_err();
            assert!(refused.contains("--prove-seconds") && refused.contains("bits of proof of work"), "{refused}");
        }
        let rows = Bounds { prove_seconds: 10, plan_seconds: 1 }.check(20, 64 << 30).unwrap_err();
        assert!(rows.contains("prove fewer rows"), "{rows}");
    }
}
