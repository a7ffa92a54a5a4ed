//! The cost of a job, from its words.

use farm::Requirements;
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

/// The cost of a proof beside its proof of work, which its plan says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Planned {
    /// Bytes of its memory.
    pub(super) bytes: u64,
    /// Operations of the base field that its constraints take, on all rows.
    pub(super) operations: u64,
    /// How many of them are done in a second.
    pub(super) operations_a_second: f64,
}

impl Bounds {
    /// The needs of a proof with this hash function of its trees and this many bits of proof of work. Too much work is
    /// refused before the plan is made.
    pub(super) fn needs(
        &self,
        hash: HashFn,
        work_bits: u32,
        plan: impl FnOnce() -> Result<Planned, String>,
    ) -> Result<Requirements, String> {
        self.check_work(hash, work_bits)?;
        let planned = plan()?;
        self.check(hash, work_bits, &planned)?;
        Ok(Requirements { bytes: planned.bytes })
    }

    /// Refuses a proof with this many bits of proof of work, for any other cost.
    pub(super) fn check_work(&self, hash: HashFn, work_bits: u32) -> Result<(), String> {
        self.check(hash, work_bits, &Planned { bytes: 0, operations: 0, operations_a_second: 1.0 })
    }

    /// Refuses a proof that would take too long: by the expected number of hashes, by the time of the phases with the
    /// memory, and by its constraints. All are estimates for a processor.
    fn check(&self, hash: HashFn, work_bits: u32, planned: &Planned) -> Result<(), String> {
        let Planned { bytes, operations, operations_a_second } = *planned;
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

    const NOTHING: Planned = Planned { bytes: 0, operations: 0, operations_a_second: 1e8 };

    #[test]
    fn work_is_bounded() {
        let bounds = Bounds { prove_seconds: 6 * 3600, plan_seconds: 1 };
        let check = |hash, work_bits, planned: Planned| {
            let needs = bounds.needs(hash, work_bits, || Ok(planned));
            needs.map(|needs| assert_eq!(needs.bytes, planned.bytes))
        };
        for work_bits in [0, 20, 26, 34] {
            assert_eq!(check(HashFn::Blake2s, work_bits, Planned { bytes: 64 << 30, ..NOTHING }), Ok(()));
        }
        for bits in [40, 64, u32::MAX] {
            let refused = bounds.needs(HashFn::Blake2s, bits, || panic!("it is planned")).unwrap_err();
            assert!(refused.contains("--prove-seconds") && refused.contains("bits of proof of work"), "{refused}");
        }
        // A dear hash function admits fewer bits, and less memory.
        assert!(check(HashFn::Poseidon252, 34, NOTHING).is_ok());
        assert!(bounds.check_work(HashFn::Blake2s, 37).is_ok() && bounds.check_work(HashFn::Poseidon252, 37).is_err());
        assert!(check(HashFn::Blake2s, 0, Planned { bytes: 1 << 40, ..NOTHING }).is_ok());
        assert!(check(HashFn::Poseidon252, 0, Planned { bytes: 1 << 40, ..NOTHING }).is_err());
        let bounds = Bounds { prove_seconds: 10, plan_seconds: 1 };
        let check = |work_bits, planned| bounds.check(HashFn::Blake2s, work_bits, &planned);
        let rows = check(20, Planned { bytes: 64 << 30, ..NOTHING }).unwrap_err();
        assert!(rows.contains("prove fewer rows,"), "{rows}");
        assert_eq!(check(0, Planned { operations: 900_000_000, ..NOTHING }), Ok(()));
        let columns = check(0, Planned { operations: 1_100_000_000, ..NOTHING }).unwrap_err();
        assert!(columns.contains("its constraints take 1.1e9 operations"), "{columns}");
        // Sums are bounded, and sizes that nobody has.
        assert!(check(0, Planned { bytes: 5 << 27, operations: 600_000_000, ..NOTHING }).is_err());
        assert!(check(0, Planned { operations: u64::MAX, bytes: u64::MAX, ..NOTHING }).is_err());
    }
}
