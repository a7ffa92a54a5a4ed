//! The findings of a rehearsal, and the programs that it runs.

use alloc::vec::Vec;
use core::fmt;
use std::sync::Arc;

use crate::op::Cost;
use crate::{ConstraintProgram, DeviceProgram, Operation, Types};

/// A call in a rehearsal, or one of its requests.
#[derive(Clone, Debug)]
pub struct Step {
    /// The operation.
    pub operation: Operation,
    /// Its least work.
    pub cost: Cost,
}

/// Where in a rehearsal something was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeakLocation {
    /// The name that [`crate::decorate::Rehearsed::enter`] was told last.
    pub part: &'static str,
    /// The operation.
    pub operation: Operation,
}

impl fmt::Display for PeakLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.operation)
    }
}

/// The findings of a rehearsal since it began, or since [`crate::decorate::Rehearsed::finish`] was called last.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// Highest sum of live bytes, including the tables that the backend keeps for all statements
    /// ([`crate::Footprint::Kept`]).
    pub peak_bytes: u64,
    /// Where it was reached.
    pub peak_at: PeakLocation,
    /// Bytes that are live at the end, without the bytes that the backend keeps.
    pub live_bytes: u64,
    /// Every operation, in order.
    pub steps: Vec<Step>,
    /// Moves to the host's memory and back; `None` if there are none.
    pub spill: Option<Spill>,
}

impl Rehearsal {
    /// Operations of the base field that evaluating constraints takes, about, on all rows
    /// ([`ConstraintProgram::operations`]).
    pub fn constraint_operations(&self) -> u64 {
        let evaluations = self.steps.iter().filter(|step| step.operation == Operation::ConstraintEval);
        evaluations.map(|step| step.cost.operations).sum::<f64>() as u64
    }
}

/// Moves between the host's memory and a device that is too small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spill {
    /// Highest sum on the device, in bytes.
    pub device_bytes: u64,
    /// Highest sum in the host's memory, in bytes.
    pub host_bytes: u64,
    /// Bytes moved, in either direction.
    pub moved_bytes: u64,
}

impl Spill {
    /// The sums of two devices.
    pub fn plus(self, other: Self) -> Self {
        Self {
            device_bytes: self.device_bytes.saturating_add(other.device_bytes),
            host_bytes: self.host_bytes.saturating_add(other.host_bytes),
            moved_bytes: self.moved_bytes.saturating_add(other.moved_bytes),
        }
    }

    /// The larger of each number.
    pub fn max(self, other: Self) -> Self {
        Self {
            device_bytes: self.device_bytes.max(other.device_bytes),
            host_bytes: self.host_bytes.max(other.host_bytes),
            moved_bytes: self.moved_bytes.max(other.moved_bytes),
        }
    }
}

/// A program of a backend, and its source.
pub struct Prepared<T: Types> {
    /// The program as the backend made it.
    pub program: T::Program,
    /// The program that it was made from.
    pub source: Arc<ConstraintProgram<T::P>>,
}

impl<T: Types> DeviceProgram<T::P> for Arc<Prepared<T>> {
    fn program(&self) -> &ConstraintProgram<T::P> {
        &self.source
    }
}
