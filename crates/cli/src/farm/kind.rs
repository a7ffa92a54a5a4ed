//! Kinds of jobs, and the device that they are proven on.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use farm::{Failure, Job, JobProof, Needs, Step};
use sdk::hal::CircleStark;
use sdk::{Device, Goldilocks3, Registered, Registry};

use super::bounds::Bounds;
use crate::arguments::DeviceArguments;

/// A device, opened when it is needed first, or why it cannot be.
type Opened<F> = OnceLock<Result<Device<F>, String>>;

/// One device, as one of each protocol.
pub(super) struct Devices {
    registry: Arc<Registry>,
    arguments: DeviceArguments,
    goldilocks: Opened<Goldilocks3>,
    circle: Opened<CircleStark>,
}

impl Devices {
    pub(super) fn new(registry: Arc<Registry>, arguments: DeviceArguments) -> Self {
        Self { registry, arguments, goldilocks: OnceLock::new(), circle: OnceLock::new() }
    }

    fn device<'a, F: Registered>(&self, opened: &'a Opened<F>) -> Result<&'a Device<F>, String> {
        let open = || self.arguments.open(&self.registry).map_err(|failure| failure.message);
        opened.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    pub(super) fn goldilocks(&self) -> Result<&Device<Goldilocks3>, String> {
        self.device(&self.goldilocks)
    }

    pub(super) fn circle(&self) -> Result<&Device<CircleStark>, String> {
        self.device(&self.circle)
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.registry
    }
}

/// A kind of jobs.
pub(super) trait JobKind: Send + Sync {
    /// The name that jobs say.
    fn name(&self) -> &'static str;

    /// Strangers' code is run in a process of its own from now on.
    fn run_apart(&mut self) {}

    /// Whether it takes long to plan a job.
    fn is_costly(&self, _devices: &Devices, _job: &Job) -> bool {
        false
    }

    /// The job in its normal form.
    fn normal(&self, devices: &Devices, job: &Job) -> Result<Job, String>;

    /// The needs of its proof. Inputs are bytes by their roles.
    fn needs(
        &self,
        devices: &Devices,
        bounds: Bounds,
        job: &Job,
        inputs: &BTreeMap<String, Bytes>,
    ) -> Result<Needs, String>;

    /// Its proof.
    fn prove(
        &self,
        devices: &Devices,
        bounds: Bounds,
        job: &Job,
        inputs: &BTreeMap<String, Bytes>,
        follow: &dyn Fn(Step) -> ControlFlow<()>,
    ) -> Result<JobProof, Failure>;
}
