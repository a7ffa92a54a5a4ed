//! The statements of this program, proven for a farm.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use farm::{Failure, Job, Made, Needs, Prover, Step};
use sdk::hal::CircleStark;
use sdk::proof_format::text::shown;
use sdk::{Device, Goldilocks3, Registered, Registry, host_memory};

use super::bounds::Bounds;
use super::statements::About;
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
    ) -> Result<Made, Failure>;
}

/// All kinds of jobs of a program, on one device.
pub(super) struct Statements {
    devices: Devices,
    bounds: Bounds,
    kinds: Vec<Box<dyn JobKind>>,
}

impl Statements {
    pub(super) fn new(registry: Arc<Registry>, arguments: DeviceArguments, bounds: Bounds) -> Self {
        let (goldilocks, circle) = (OnceLock::new(), OnceLock::new());
        let kinds: Vec<Box<dyn JobKind>> = vec![
            Box::new(About::<Goldilocks3> { device: Devices::goldilocks }),
            Box::new(About::<CircleStark> { device: Devices::circle }),
            #[cfg(feature = "cairo")]
            Box::new(super::programs::Programs::default()),
        ];
        Self { devices: Devices { registry, arguments, goldilocks, circle }, bounds, kinds }
    }

    /// The same, with a process of its own for each run of a program: this program again, if the system says where it
    /// is.
    pub(super) fn apart(mut self) -> Self {
        self.kinds.iter_mut().for_each(|kind| kind.run_apart());
        self
    }

    /// Opens the device for both protocols.
    pub(super) fn open(&self) -> Result<(), String> {
        self.devices.goldilocks()?;
        self.devices.circle().map(|_| ())
    }

    fn kind(&self, job: &Job) -> Result<&dyn JobKind, String> {
        let kind = self.kinds.iter().find(|kind| kind.name() == job.kind);
        kind.map(|kind| &**kind).ok_or_else(|| {
            format!("there is no kind `{}` of jobs: they are goldilocks, circle and cairo", shown(&job.kind))
        })
    }
}

impl Prover for Statements {
    fn device(&self) -> String {
        match self.devices.goldilocks() {
            Ok(device) => format!("{} ({})", device.capabilities().backend, device.capabilities().device),
            Err(error) => error,
        }
    }

    fn room(&self) -> Option<u64> {
        self.devices.goldilocks().ok()?.memory().ok()?.available.or_else(host_memory)
    }

    fn is_costly(&self, job: &Job) -> bool {
        self.kind(job).is_ok_and(|kind| kind.is_costly(&self.devices, job))
    }

    fn normal(&self, job: &Job) -> Result<Job, String> {
        self.kind(job)?.normal(&self.devices, job)
    }

    fn needs(&self, job: &Job, inputs: &BTreeMap<String, Bytes>) -> Result<Needs, String> {
        self.kind(job)?.needs(&self.devices, self.bounds, job, inputs)
    }

    fn prove(
        &self,
        job: &Job,
        inputs: &BTreeMap<String, Bytes>,
        follow: &dyn Fn(Step) -> ControlFlow<()>,
    ) -> Result<Made, Failure> {
        self.kind(job).map_err(Failure::Job)?.prove(&self.devices, self.bounds, job, inputs, follow)
    }
}
