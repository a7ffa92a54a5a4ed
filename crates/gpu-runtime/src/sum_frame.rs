//! The parameters of a kernel that sums a program's outputs.

use crate::params::Params;

/// The parameter block of the kernels, as in `sum_rows.h`.
pub(crate) struct SumFrame {
    pub(crate) count: u64,
    /// The first row of the high and of the low weights, and the elements from a coordinate to the next.
    pub(crate) weights: [[u64; 2]; 2],
    /// The coordinates of the challenge, zeros where there is none.
    pub(crate) challenge: Vec<u64>,
    pub(crate) log_low: u32,
    pub(crate) has_one_low: bool,
    pub(crate) instructions: u32,
    pub(crate) first_sum: u32,
    pub(crate) sums: u32,
}

impl SumFrame {
    pub(crate) fn params(&self) -> Params {
        let params = self.weights.as_flattened().iter().copied().fold(Params::new().u64(self.count), Params::u64);
        let params = self.challenge.iter().copied().fold(params, Params::u64);
        let params = params.u32(self.log_low).u32(self.has_one_low.into()).u32(self.instructions);
        params.u32(self.first_sum).u32(self.sums).u32(0)
    }
}
