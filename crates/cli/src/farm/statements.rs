//! Jobs about AIRs: kinds `goldilocks` and `circle`.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use farm::{Digest, Failure, Job, JobProof, Requirements, Step};

use super::bounds::{Bounds, Planned};
use super::kind::{Devices, Inputs, JobKind};
use super::words::{columns, request, words};
use crate::protocol::{CommandLine, ProofCost};
use sdk::{AirStatement, Airs, Class, Error, FileContents, Mismatch, Proven, Report, Request, Stage};

/// How a worker fails by an error of a proof.
pub(super) fn failure(error: &Error) -> Failure {
    match error {
        Error::Cancelled(_) => Failure::Stopped,
        // A device that has no room, or that fails: another one may have it.
        _ if error.missing_memory().is_some() => Failure::Memory(error.to_string()),
        _ if error.class() == Class::Device && error.lacks_memory() => Failure::Memory(error.to_string()),
        _ if error.class() == Class::Device => Failure::Worker(error.to_string()),
        _ => Failure::Job(error.to_string()),
    }
}

/// Tells a farm's worker of the stages of a proof.
pub(super) fn steps(follow: &dyn Fn(Step) -> ControlFlow<()>) -> impl Fn(Stage) -> ControlFlow<()> {
    let stages: Vec<Stage> = Stage::all().collect();
    move |stage| {
        let before = stages.iter().position(|&known| known == stage).unwrap_or(0);
        follow(Step { phase: stage.name(), share: before as f64 / stages.len() as f64 })
    }
}

/// Columns of a statement whose plan takes about a tenth of a second in a debug build; it takes time by its
/// constraints, most of which have a column of their own.
const MANY_COLUMNS: usize = 4096;

/// Jobs about the AIRs of a protocol, which have no inputs.
pub(super) struct About<F>(PhantomData<fn() -> F>);

impl<F> Default for About<F> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<F: CommandLine> JobKind for About<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn open(&self, devices: &Devices) -> Result<(), String> {
        devices.of::<F>().map(drop)
    }

    /// Its columns decide. Planning says why it is no job.
    fn is_costly(&self, devices: &Devices, job: &Job) -> bool {
        columns::<F>(&devices.registry().airs(), job).is_ok_and(|columns| columns > MANY_COLUMNS)
    }

    fn normal(&self, devices: &Devices, job: &Job) -> Result<Job, String> {
        let airs = &devices.registry().airs::<F>();
        let (request, statement) = request(airs, job)?;
        Ok(Job { kind: job.kind.clone(), words: words(airs, &request, &statement.air), inputs: BTreeMap::new() })
    }

    fn needs(&self, devices: &Devices, bounds: Bounds, job: &Job, _: &Inputs) -> Result<Requirements, String> {
        let device = devices.of::<F>()?;
        let (request, statement) = request(device.airs(), job)?;
        let ProofCost { hash, work_bits, .. } = F::cost(&request, &statement.air);
        bounds.needs(hash, work_bits, || {
            let statement = AirStatement::built(device.airs().clone(), request, statement);
            let footprint = device.plan(&statement).map_err(|error| error.to_string())?;
            Ok(Planned {
                bytes: footprint.highest_bytes,
                operations: footprint.constraint_operations,
                operations_a_second: F::OPERATIONS_A_SECOND,
            })
        })
    }

    /// Its proof in a file with its statement.
    fn prove(
        &self,
        devices: &Devices,
        bounds: Bounds,
        job: &Job,
        _: &Inputs,
        follow: &dyn Fn(Step) -> ControlFlow<()>,
    ) -> Result<JobProof, Failure> {
        let device = devices.of::<F>().map_err(Failure::Worker)?;
        let (request, statement) = request(device.airs(), job).map_err(Failure::Job)?;
        // The planner may have had other bounds.
        let ProofCost { hash, work_bits, .. } = F::cost(&request, &statement.air);
        bounds.check_work(hash, work_bits).map_err(Failure::Costly)?;
        let statement = AirStatement::built(device.airs().clone(), request, statement);
        let Proven { file, report, .. } =
            device.prove_with(&statement, &steps(follow)).map_err(|error| failure(&error))?;
        // Public values may take time by the rows; the proof has computed them, and could be cancelled meanwhile.
        let expected =
            Expected::new(device.airs(), statement.request(), statement.air()).map_err(|error| failure(&error))?;
        // The verdict of the verifier is about these bytes, for the seed that the request has.
        let (verified, verdict) = (Digest::of(&file), expected.check(&report).map_err(|error| error.to_string()));
        let verify = move |bytes: &[u8]| {
            if Digest::of(bytes) == verified {
                verdict
            } else {
                Err("they are not the bytes that were verified".to_owned())
            }
        };
        Ok(JobProof { proof: file, verify: Box::new(verify), printed: None })
    }
}

/// The demands on the file of a job.
pub(super) struct Expected<F: CommandLine> {
    air: String,
    rows: u64,
    parameters: BTreeMap<String, u64>,
    public: Vec<F::Public>,
    options: F::Options,
}

impl<F: CommandLine> Expected<F> {
    /// `air` is the request's.
    pub(super) fn new(airs: &Airs<F>, request: &Request<F>, air: &F::Air) -> Result<Self, Error> {
        Ok(Self {
            air: request.air.clone(),
            rows: request.rows,
            parameters: airs.public_parameters(request)?,
            public: F::facts(air).public,
            options: request.options.clone(),
        })
    }

    /// Checks the verified statement, public values and options.
    pub(super) fn check(&self, report: &Report<F>) -> Result<(), Mismatch> {
        let FileContents { air, rows, parameters, public_inputs, .. } = F::stated(&report.file);
        Mismatch::check("the AIR", Some(&self.air[..]), air)?;
        Mismatch::check("the number of rows", Some(&self.rows), &rows)?;
        let listed = |of: &BTreeMap<String, u64>| {
            let listed: Vec<String> = of.iter().map(|(name, value)| format!("{name}={value}")).collect();
            listed.join(" ")
        };
        Mismatch::check("the list of parameters", Some(&listed(&self.parameters)), &listed(parameters))?;
        Mismatch::check_all("public input", Some(&self.public), public_inputs)?;
        let text = |options: &F::Options| F::OptionsView::from(options).to_string();
        Mismatch::check("the list of options", Some(&text(&self.options)), &text(&report.options))?;
        // Should two options look the same.
        if self.options == report.options {
            Ok(())
        } else {
            Err(Mismatch::new("the list of options", "another", "the same"))
        }
    }
}
