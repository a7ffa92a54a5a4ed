//! The identity that a verifier checks at the out-of-domain point.

use air::{Column, RecordedAir};
use field::Fp3;
use gpu_hal::GoldilocksStark;

/// The protocol that is attacked.
pub type Cubic = GoldilocksStark<Fp3>;

/// The verifier's side of the out-of-domain identity, for any frame (row by row) that the prover may claim.
pub struct Identity<'a> {
    pub(super) recorded: &'a RecordedAir<Cubic>,
    pub(super) challenges: &'a [Fp3],
    pub(super) beta: Fp3,
    /// The out-of-domain point.
    pub z: Fp3,
}

impl Identity<'_> {
    /// The right value of the composition at z.
    ///
    /// # Panics
    /// If the frame is not of the AIR's shape.
    pub fn composition(&self, frame: &[Vec<Fp3>]) -> Fp3 {
        composition(self.recorded, self.challenges, self.beta, self.z, frame)
    }
}

/// The values of the constraints at a point, combined, from the columns at `g^d` times that point.
///
/// # Panics
/// If challenges or frame are not of the AIR's shape, or the point is on the trace domain.
pub fn composition(
    recorded: &RecordedAir<Cubic>,
    challenges: &[Fp3],
    beta: Fp3,
    point: Fp3,
    frame: &[Vec<Fp3>],
) -> Fp3 {
    let main = recorded.layout().main_columns;
    let params = recorded.params(challenges).expect("as many challenges as the AIR has");
    let cell = |column: Column, row: usize| match column {
        Column::Main(column) => frame[row][column],
        Column::Aux(column) => frame[row][main + column],
    };
    let combination = recorded.combination(beta);
    recorded.composition_at(point, &params, &combination, cell).expect("the point is outside the trace domain")
}
