//! The cost of a job, from its words.

use sdk::hal::{Bytes, HashFn};

/// Hashes of a proof of work in a second, about, on a few cores, and bytes of a proof's memory for each of its seconds,
/// about, on a slow processor. A GPU is faster; the owner of one raises the limit.
fn speeds(hash: HashFn) -> (f64, f64) {
    match hash {
        HashFn::Keccak256 | HashFn::Poseidon2 | HashFn::Blake2s | HashFn::Blake2sM31 => (24_f64.exp2(), 27_f64.exp2()),
        // A permutation takes as long as sixteen blocks of Blake2s, and trees longer than all else.
        HashFn::Poseidon252 => (20_f64.exp2(), 25_f64.exp2()),
    }
}

/// The limits of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Seconds of its proof.
    pub(super) prove_seconds: u64,
    /// Seconds of its plan.
    pub(super) plan_seconds: u64,
}

/// The cost of a proof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    /// The hash function of its trees and of its proof of work.
    pub(super) hash: HashFn,
    /// Bits of its proof of work.
    pub(super) work_bits: u32,
    /// Bytes of its memory.
    pub(super) bytes: u64,
    /// Operations of the base field that its constraints take, on all rows.
    pub(super) operations: u64,
    /// How many of them are done in a second.
    pub(super) operations_a_second: f64,
}

impl Bounds {
    /// Refuses a proof with this many bits of proof of work, for any other cost.
    pub(super) fn check_work(&self, hash: HashFn, work_bits: u32) -> Result<(), String> {
        self.check(&Cost { hash, work_bits, bytes: 0, operations: 0, operations_a_second: 1.0 })
    }

    /// Refuses a proof that would take too long: by the expected number of hashes, by the time of the phases with the
    /// memory, and by its constraints. All are estimates for a processor.
    pub(super) fn check(&self, cost: &Cost) -> Result<(), String> {
        let Cost { hash, work_bits, bytes, operations, operations_a_second } = *cost;
        let (hashes, bytes_a_second) = speeds(hash);
        let work = f64::from(work_bits).exp2() / hashes;
        let moved = bytes as f64 / bytes_a_second;
        let constraints = operations as f64 / operations_a_second;
        let (seconds, limit) = (work + moved + constraints, self.prove_seconds);
        if seconds <= limit as f64 {
            return Ok(());
        }
        let most = work.max(moved).max(constraints);
        let (why, remedy) = if work == most {
            (
                format!("{work_bits} bits of proof of work are 2^{work_bits} hashes"),
                "ask for fewer bits and more queries",
            )
        } else if moved == most {
            (format!("it takes {} of memory", Bytes(bytes)), "prove fewer rows")
        } else {
            (
                format!("its constraints take {operations:.1e} operations", operations = operations as f64),
                "prove fewer rows or columns",
            )
        };
        Err(format!(
            "its proof takes about {seconds:.3e} s on a processor, and a job may take {limit} s: {why}; {remedy}, or have --prove-seconds \
             raised where jobs are planned and proven"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Cost =
        Cost { hash: HashFn::Blake2s, work_bits: 0, bytes: 0, operations: 0, operations_a_second: 1e8 };

    #[test]
    fn work_is_bounded() {
        let bounds = Bounds { prove_seconds: 6 * 3600, plan_seconds: 1 };
        for work_bits in [0, 20, 26, 34] {
            assert_eq!(bounds.check(&Cost { work_bits, bytes: 64 << 30, ..NOTHING }), Ok(()));
        }
        for bits in [40, 64, u32::MAX] {
            let refused = bounds.check_work(HashFn::Blake2s, bits).unwrap_err();
            assert!(refused.contains("--prove-seconds") && refused.contains("bits of proof of work"), "{refused}");
        }
        // A dear hash function admits fewer bits, and less memory.
        let dear = Cost { hash: HashFn::Poseidon252, ..NOTHING };
        assert!(bounds.check(&Cost { work_bits: 34, ..dear }).is_ok());
        assert!(bounds.check_work(HashFn::Blake2s, 37).is_ok() && bounds.check_work(HashFn::Poseidon252, 37).is_err());
        assert!(bounds.check(&Cost { bytes: 1 << 40, ..NOTHING }).is_ok());
        assert!(bounds.check(&Cost { bytes: 1 << 40, ..dear }).is_err());
        let bounds = Bounds { prove_seconds: 10, plan_seconds: 1 };
        let rows = bounds.check(&Cost { work_bits: 20, bytes: 64 << 30, ..NOTHING }).unwrap_err();
        assert!(rows.contains("prove fewer rows,"), "{rows}");
        assert_eq!(bounds.check(&Cost { operations: 900_000_000, ..NOTHING }), Ok(()));
        let columns = bounds.check(&Cost { operations: 1_100_000_000, ..NOTHING }).unwrap_err();
        assert!(columns.contains("its constraints take 1.1e9 operations"), "{columns}");
        // Sums are bounded, and sizes that nobody has.
        assert!(bounds.check(&Cost { bytes: 5 << 27, operations: 600_000_000, ..NOTHING }).is_err());
        assert!(bounds.check(&Cost { operations: u64::MAX, bytes: u64::MAX, ..NOTHING }).is_err());
    }
}
