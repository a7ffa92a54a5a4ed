//! The statements of this program, proven for a farm.

use std::ops::ControlFlow;
use std::sync::Arc;

use clap::ValueEnum;
use farm::{Failure, Job, JobProof, Prover, Requirements, Step};
use sdk::proof_format::text::excerpt;
use sdk::support::host_memory;
use sdk::{Goldilocks3, Registry};

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

    /// Bytes that kinds of jobs keep on the device.
    fn kept_bytes(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.kept_bytes()).sum()
    }

    fn kind(&self, job: &Job) -> Result<&dyn JobKind, String> {
        let kind = self.kinds.iter().find(|kind| kind.name() == job.kind);
        kind.map(|kind| &**kind).ok_or_else(|| {
            let known: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
            format!("there is no kind `{}` of jobs: they are {}", excerpt(&job.kind), known.join(", "))
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

    /// Data that are kept go for a job that needs the room.
    fn room(&self) -> Option<u64> {
        let available = self.devices.of::<Goldilocks3>().ok()?.memory().ok()?.available.or_else(host_memory)?;
        Some(available.saturating_add(self.kept_bytes()))
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
        let kind = self.kind(job).map_err(Failure::Job)?;
        let attempt = || {
            let proven = kind.prove(&self.devices, self.bounds, job, inputs, follow);
            let kept = self.kept_bytes();
            // There may be no room beside what is kept; or it is spoiled, and all later proofs would be. A kind may
            // keep something that it does not count yet.
            if let Err(Failure::Memory(_) | Failure::Worker(_)) = proven {
                self.kinds.iter().for_each(|kind| kind.release());
            }
            (proven, kept)
        };
        match attempt() {
            (Err(Failure::Memory(why)), 1..) => {
                tracing::warn!("once more, with nothing kept on the device: {why}");
                attempt().0
            }
            (proven, _) => proven,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Jobs that fail as long as anything is kept, and as often as told.
    struct Large {
        kept: AtomicU64,
        /// Failures to come, whatever is kept.
        failures: AtomicU64,
        failure: Failure,
        proofs: AtomicU64,
        releases: AtomicU64,
    }

    impl JobKind for Arc<Large> {
        fn name(&self) -> &'static str {
            "large"
        }

        fn open(&self, _: &Devices) -> Result<(), String> {
            Ok(())
        }

        fn kept_bytes(&self) -> u64 {
            self.kept.load(Ordering::Relaxed)
        }

        fn release(&self) {
            self.kept.store(0, Ordering::Relaxed);
            self.releases.fetch_add(1, Ordering::Relaxed);
        }

        fn normal(&self, _: &Devices, job: &Job) -> Result<Job, String> {
            Ok(job.clone())
        }

        fn needs(&self, _: &Devices, _: Bounds, _: &Job, _: &Inputs) -> Result<Requirements, String> {
            Ok(Requirements { bytes: 0 })
        }

        fn prove(
            &self,
            _: &Devices,
            _: Bounds,
            _: &Job,
            _: &Inputs,
            _: &dyn Fn(Step) -> ControlFlow<()>,
        ) -> Result<JobProof, Failure> {
            self.proofs.fetch_add(1, Ordering::Relaxed);
            let fails =
                self.failures.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
            match self.kept_bytes() {
                0 if !fails => Ok(JobProof { proof: Vec::new(), verify: Box::new(|_| Ok(())), printed: None }),
                _ => Err(self.failure.clone()),
            }
        }
    }

    /// Whether there was a proof, how often it was tried, and how often what is kept was let go.
    fn tried(kept: u64, failures: u64, failure: Failure) -> (bool, u64, u64) {
        let [failures, proofs, releases] = [failures, 0, 0].map(AtomicU64::new);
        let large = Arc::new(Large { kept: kept.into(), failures, failure, proofs, releases });
        let prover = Statements {
            devices: Devices::new(Arc::new(Registry::shipped()), DeviceArguments::planner()),
            bounds: Bounds { prove_seconds: 1, plan_seconds: 1 },
            kinds: vec![Box::new(large.clone())],
        };
        assert!(prover.room().unwrap() >= kept);
        let job = Job { kind: "large".to_owned(), words: BTreeMap::new(), inputs: BTreeMap::new() };
        let proven = prover.prove(&job, &BTreeMap::new(), &|_| ControlFlow::Continue(()));
        let releases = large.releases.load(Ordering::Relaxed);
        assert!(releases == 0 || large.kept_bytes() == 0);
        (proven.is_ok(), large.proofs.load(Ordering::Relaxed), releases)
    }

    #[test]
    fn what_is_kept_goes_for_a_job_without_room() {
        let no_room = || Failure::Memory("no room".to_owned());
        assert_eq!(tried(0, 0, no_room()), (true, 1, 0));
        assert_eq!(tried(1 << 40, 0, no_room()), (true, 2, 1));
        // The second failure ends it, and the first where nothing was kept.
        assert_eq!(tried(5, 2, no_room()), (false, 2, 2));
        assert_eq!(tried(0, 1, no_room()), (false, 1, 1));
        // Jobs that are at fault, or stopped, cost the others nothing.
        assert_eq!(tried(5, 0, Failure::Job("wrong".to_owned())), (false, 1, 0));
        assert_eq!(tried(5, 0, Failure::Costly("long".to_owned())), (false, 1, 0));
        assert_eq!(tried(5, 0, Failure::Stopped), (false, 1, 0));
    }

    /// It may be spoiled, and the farm tries the job again. Columns that a first proof has made are not counted before
    /// it has ended.
    #[test]
    fn what_is_kept_goes_when_the_device_is_at_fault() {
        let fault = || Failure::Worker("a fault".to_owned());
        assert_eq!(tried(5, 0, fault()), (false, 1, 1));
        assert_eq!(tried(0, 1, fault()), (false, 1, 1));
    }
}
