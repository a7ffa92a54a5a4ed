//! The output of a bootloader beside the output of the run.

use super::FactTopology;
use crate::Felt252;

/// The output of a bootloader beside the output of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TasksOutput {
    /// The fact topologies: one of each task; of each plain task, where outputs of bootloaders are taken apart; of the
    /// aggregator alone, where one runs.
    pub fact_topologies: Vec<FactTopology>,
    /// The felts whose hash a run of the privacy variant puts out.
    pub preimage: Option<Vec<Felt252>>,
}
