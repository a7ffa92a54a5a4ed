//! Kinds of jobs, and the device that they are proven on.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;
use farm::{Failure, Job, JobProof, Requirements, Step};
use sdk::support::TypeMap;
use sdk::{Device, ProofSystem, Registry};

use super::bounds::Bounds;
use crate::arguments::DeviceArguments;

/// Bytes of a job's inputs, by their roles.
pub(super) type Inputs = BTreeMap<String, Bytes>;

/// One device, as one of each protocol.
pub(super) struct Devices {
    registry: Arc<Registry>,
    arguments: DeviceArguments,
    opened: TypeMap,
}

impl Devices {
    pub(super) fn new(registry: Arc<Registry>, arguments: DeviceArguments) -> Self {
        Self { registry, arguments, opened: TypeMap::default() }
    }

    /// The device of a protocol, opened when it is needed first.
    pub(super) fn of<F: ProofSystem>(&self) -> Result<Device<F>, String> {
        self.opened.get_or_try_insert_with(|| self.arguments.open(&self.registry).map_err(|failure| failure.message))
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.registry
    }
}

/// A kind of jobs.
pub(super) trait JobKind: Send + Sync {
    /// The name that jobs say.
    fn name(&self) -> &'static str;

    /// Opens the device that its jobs take.
    fn open(&self, devices: &Devices) -> Result<(), String>;

    /// Strangers' code is run in a process of its own from now on.
    fn run_apart(&mut self) {}

    /// Whether it takes long to plan a job.
    fn is_costly(&self, _devices: &Devices, _job: &Job) -> bool {
        false
    }

    /// The job in its normal form.
    fn normal(&self, devices: &Devices, job: &Job) -> Result<Job, String>;

    /// Bytes that it keeps on the device for its next jobs.
    fn kept_bytes(&self) -> u64 {
        0
    }

    /// Lets go of them.
    fn release(&self) {}

    /// The needs of its proof.
    fn needs(&self, devices: &Devices, bounds: Bounds, job: &Job, inputs: &Inputs) -> Result<Requirements, String>;

    /// Its proof.
    fn prove(
        &self,
        devices: &Devices,
        bounds: Bounds,
        job: &Job,
        inputs: &Inputs,
        follow: &dyn Fn(Step) -> ControlFlow<()>,
    ) -> Result<JobProof, Failure>;
}
