//! The statements of this program, proven for a farm.

use std::ops::ControlFlow;
use std::sync::Arc;

use clap::ValueEnum;
use farm::{Failure, Job, JobProof, Prover, Requirements, Step};
use sdk::proof_format::text::shown;
use sdk::{Goldilocks3, Registry, host_memory};

use super::bounds::Bounds;
use super::kind::{Devices, Inputs, JobKind};
use super::statements::About;
use crate::arguments::{DeviceArguments, Protocol, with_system};

/// All kinds of jobs of a program, on one device.
pub(super) struct Statements {
    devices: Devices,
    bounds: Bounds,
    kinds: Vec<Box<dyn JobKind>>,
}

impl Statements {
    pub(super) fn new(registry: Arc<Registry>, arguments: DeviceArguments, bounds: Bounds) -> Self {
        let of_airs =
            |protocol: &Protocol| -> Box<dyn JobKind> { with_system!(*protocol, S => Box::new(About::<S>::default())) };
        let kinds = Protocol::value_variants().iter().map(of_airs);
        #[cfg(feature = "cairo-vm")]
        let kinds = kinds.chain([Box::new(super::programs::Programs::default()) as Box<dyn JobKind>]);
        #[cfg(feature = "client-prove")]
        let kinds = kinds.chain([Box::new(super::client::Clients::default()) as Box<dyn JobKind>]);
        let kinds = kinds.collect();
        Self { devices: Devices::new(registry, arguments), bounds, kinds }
    }

    /// The same, with a process of its own for each run of a program: this program again, if the system says where it
    /// is.
    pub(super) fn apart(mut self) -> Self {
        self.kinds.iter_mut().for_each(|kind| kind.run_apart());
        self
    }

    /// Opens the device for all protocols.
    pub(super) fn open(&self) -> Result<(), String> {
        self.kinds.iter().try_for_each(|kind| kind.open(&self.devices))
    }

    fn kind(&self, job: &Job) -> Result<&dyn JobKind, String> {
        let kind = self.kinds.iter().find(|kind| kind.name() == job.kind);
        kind.map(|kind| &**kind).ok_or_else(|| {
            let known: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
            format!("there is no kind `{}` of jobs: they are {}", shown(&job.kind), known.join(", "))
        })
    }
}

impl Prover for Statements {
    fn device(&self) -> String {
        match self.devices.of::<Goldilocks3>() {
            Ok(device) => format!("{} ({})", device.capabilities().backend, device.capabilities().device),
            Err(error) => error,
        }
    }

    fn room(&self) -> Option<u64> {
        self.devices.of::<Goldilocks3>().ok()?.memory().ok()?.available.or_else(host_memory)
    }

    fn is_costly(&self, job: &Job) -> bool {
        self.kind(job).is_ok_and(|kind| kind.is_costly(&self.devices, job))
    }

    fn normal(&self, job: &Job) -> Result<Job, String> {
        self.kind(job)?.normal(&self.devices, job)
    }

    fn needs(&self, job: &Job, inputs: &Inputs) -> Result<Requirements, String> {
        self.kind(job)?.needs(&self.devices, self.bounds, job, inputs)
    }

    fn prove(&self, job: &Job, inputs: &Inputs, follow: &dyn Fn(Step) -> ControlFlow<()>) -> Result<JobProof, Failure> {
        self.kind(job).map_err(Failure::Job)?.prove(&self.devices, self.bounds, job, inputs, follow)
    }
}
