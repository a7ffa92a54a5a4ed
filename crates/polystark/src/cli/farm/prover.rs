//! The statements of this program, proven for a farm.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
#[cfg(feature = "cairo")]
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use farm::{Failure, Job, Made, Needs, Prover, Step};

use super::bounds::Bounds;
use super::statements;
use crate::cli::arguments::DeviceArguments;
use crate::hal::CircleStark;
use crate::proof_format::text::shown;
use crate::{Device, Driven, Goldilocks3, Registry, host_memory};

/// A device, opened when it is needed first, or why it cannot be.
type Opened<F> = OnceLock<Result<Device<F>, String>>;

/// What a program has, on one device.
pub(super) struct Statements {
    registry: Arc<Registry>,
    arguments: DeviceArguments,
    bounds: Bounds,
    /// The program that runs what strangers have written, in a process of its own; none, and this one does.
    #[cfg(feature = "cairo")]
    runner: Option<PathBuf>,
    goldilocks: Opened<Goldilocks3>,
    circle: Opened<CircleStark>,
}

impl Statements {
    pub(super) fn new(registry: Arc<Registry>, arguments: DeviceArguments, bounds: Bounds) -> Self {
        Self {
            registry,
            arguments,
            bounds,
            #[cfg(feature = "cairo")]
            runner: None,
            goldilocks: OnceLock::new(),
            circle: OnceLock::new(),
        }
    }

    /// The same, with a process of its own for each run of a program: this program again, if the system says where it is.
    pub(super) fn apart(self) -> Self {
        #[cfg(feature = "cairo")]
        let this = Self { runner: super::apart::this_program(), ..self };
        #[cfg(not(feature = "cairo"))]
        let this = self;
        this
    }

    /// Opens the device for both protocols.
    pub(super) fn open(&self) -> Result<(), String> {
        self.goldilocks()?;
        self.circle().map(|_| ())
    }

    fn device<'a, F: Driven>(&self, opened: &'a Opened<F>) -> Result<&'a Device<F>, String> {
        let open = || self.arguments.open(&self.registry).map_err(|failure| failure.message);
        opened.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    fn goldilocks(&self) -> Result<&Device<Goldilocks3>, String> {
        self.device(&self.goldilocks)
    }

    fn circle(&self) -> Result<&Device<CircleStark>, String> {
        self.device(&self.circle)
    }
}

/// The kind of a job.
enum Kind {
    Goldilocks,
    Circle,
    #[cfg(feature = "cairo")]
    Cairo,
}

fn kind(job: &Job) -> Result<Kind, String> {
    match &job.kind[..] {
        "goldilocks" => Ok(Kind::Goldilocks),
        "circle" => Ok(Kind::Circle),
        #[cfg(feature = "cairo")]
        "cairo" => Ok(Kind::Cairo),
        other => Err(format!("there is no kind `{}` of jobs: they are goldilocks, circle and cairo", shown(other))),
    }
}

impl Prover for Statements {
    fn device(&self) -> String {
        match self.goldilocks() {
            Ok(device) => format!("{} ({})", device.capabilities().backend, device.capabilities().device),
            Err(error) => error,
        }
    }

    fn room(&self) -> Option<u64> {
        self.goldilocks().ok()?.memory().ok()?.available.or_else(host_memory)
    }

    fn is_costly(&self, job: &Job) -> bool {
        match kind(job) {
            Ok(Kind::Goldilocks) => statements::is_costly::<Goldilocks3>(self.registry.airs(), job),
            Ok(Kind::Circle) => statements::is_costly::<CircleStark>(self.registry.airs(), job),
            _ => false,
        }
    }

    fn normal(&self, job: &Job) -> Result<Job, String> {
        match kind(job)? {
            Kind::Goldilocks => statements::normal::<Goldilocks3>(self.registry.airs(), job),
            Kind::Circle => statements::normal::<CircleStark>(self.registry.airs(), job),
            #[cfg(feature = "cairo")]
            Kind::Cairo => super::programs::normal(job),
        }
    }

    #[cfg_attr(not(feature = "cairo"), expect(unused_variables, reason = "only programs have inputs"))]
    fn needs(&self, job: &Job, inputs: &BTreeMap<String, Bytes>) -> Result<Needs, String> {
        match kind(job)? {
            Kind::Goldilocks => statements::needs(self.goldilocks()?, self.bounds, job),
            Kind::Circle => statements::needs(self.circle()?, self.bounds, job),
            #[cfg(feature = "cairo")]
            Kind::Cairo => match &self.runner {
                Some(program) => super::apart::needs(program, self.bounds, job, inputs),
                None => super::programs::needs(self.circle()?, self.bounds, job, inputs),
            },
        }
    }

    #[cfg_attr(not(feature = "cairo"), expect(unused_variables, reason = "only programs have inputs"))]
    fn prove(
        &self,
        job: &Job,
        inputs: &BTreeMap<String, Bytes>,
        follow: &dyn Fn(Step) -> ControlFlow<()>,
    ) -> Result<Made, Failure> {
        let bounds = self.bounds;
        match kind(job).map_err(Failure::Job)? {
            Kind::Goldilocks => statements::prove(self.goldilocks().map_err(Failure::Worker)?, bounds, job, follow),
            Kind::Circle => statements::prove(self.circle().map_err(Failure::Worker)?, bounds, job, follow),
            #[cfg(feature = "cairo")]
            Kind::Cairo => {
                let device = self.circle().map_err(Failure::Worker)?;
                super::programs::prove(device, (bounds, self.runner.as_deref()), job, inputs, follow)
            }
        }
    }
}
