//! A trace of the Goldilocks protocol, looked at row by row on the host.

use air::{Air, RecordedAir, Trace, TraceError};
use field::{Fp3, Goldilocks};
use gpu_hal::GoldilocksStark;

/// [`air::check_trace`] with challenges of no meaning: an honest trace satisfies its AIR for all.
pub(super) fn check_trace(
    recorded: &RecordedAir<GoldilocksStark>,
    air: &dyn Air<GoldilocksStark>,
    trace: &Trace<Goldilocks>,
    limit: usize,
) -> Result<(), TraceError<GoldilocksStark>> {
    let challenge = |k: usize| {
        let coordinate = |odd: u64| Goldilocks::new(odd.wrapping_mul(k as u64 + 1));
        Fp3::new(
            coordinate(0x9E37_79B9_7F4A_7C15),
            coordinate(0xD1B5_4A32_D192_ED03),
            coordinate(0x2545_F491_4F6C_DD1D),
        )
    };
    let challenges: Vec<Fp3> = (0..recorded.layout().challenges).map(challenge).collect();
    air::check_trace(recorded, air, trace, &challenges, limit)
}
