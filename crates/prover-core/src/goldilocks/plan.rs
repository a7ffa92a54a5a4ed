//! The resources of a proof, known before any work.

use std::fmt;

use air::RecordedAir;
use gpu_hal::CosetProtocol;
use gpu_hal::ir::{Kind, NodeOp};
use gpu_hal::rehearsal::{PeakLocation, Spill};

/// How the composition polynomial is evaluated on the LDE domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composition {
    /// Constraints at every point of the LDE domain; the result is the one part.
    Direct,
    /// Constraints on the first `2^log_eval` points in storage order, which fix a polynomial of the declared degree;
    /// its parts are then extended.
    Prefix {
        /// Log2 of the number of points.
        log_eval: u32,
    },
}

impl Composition {
    /// How it is evaluated for an AIR. With one part and few operations a row it is cheaper to evaluate the constraints
    /// on the whole LDE domain than to evaluate them on `n` points and extend the result; the choice changes no byte of
    /// a proof.
    pub fn of<P: CosetProtocol>(recorded: &RecordedAir<P>, log_blowup: u32) -> Self {
        let parts = recorded.layout().composition_parts;
        let log_trace = recorded.log_trace_length();
        let log_eval = log_trace + parts.next_power_of_two().trailing_zeros();
        if parts > 1 {
            return Self::Prefix { log_eval };
        }
        // Base multiplications a row: of the program, and of extending D columns, each about half a butterfly a level.
        let program = recorded.constraints();
        let degree = P::DEGREE as u64;
        let cost = |kind: Kind| if kind == Kind::Ext { degree * degree } else { 1 };
        let row: u64 = program
            .nodes()
            .iter()
            .map(|node| match node.op {
                NodeOp::Mul(a, b) => cost(program.nodes()[a.index()].kind).max(cost(program.nodes()[b.index()].kind)),
                NodeOp::Add(..) | NodeOp::Sub(..) | NodeOp::Neg(_) => 1,
                _ => 0,
            })
            .sum::<u64>()
            + program.outputs().len() as u64 * degree * 2;
        let lde = (1u64 << log_blowup) * degree * u64::from(log_trace + log_blowup) / 2;
        if row * ((1 << log_blowup) - 1) > lde { Self::Prefix { log_eval } } else { Self::Direct }
    }
}

/// The device memory that a proof will take: at least as much as it takes, and little more. It is the peak of a
/// rehearsal, in which buffers, trees, and the working memory of an operation count as
/// [`gpu_hal::StarkBackend::footprint`] has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Highest sum of live buffers, in bytes.
    pub peak_bytes: u64,
    /// Where the peak is.
    pub peak_at: PeakLocation,
    /// The bytes moved to the host's memory and back, if the device is too small; then the peak counts both memories.
    pub spill: Option<Spill>,
    /// Bytes that the trace takes on its way to the device.
    pub upload_bytes: u64,
    /// Operations of the base field that evaluating constraints takes, about.
    pub constraint_operations: u64,
    /// How the composition polynomial is evaluated.
    pub composition: Composition,
    /// Log2 of the trace length.
    pub log_trace: u32,
    /// Log2 of the LDE size.
    pub log_lde: u32,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "trace 2^{}, LDE 2^{}, {} MiB on the device ({})",
            self.log_trace,
            self.log_lde,
            self.peak_bytes.div_ceil(1 << 20),
            self.peak_at
        )
    }
}
