//! Jobs about AIRs: kinds `goldilocks` and `circle`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use farm::{Failure, Job, Needs, Step};

use super::words::{request, words};
use crate::cli::protocol::CommandLine;
use crate::expect::mismatch;
use crate::{Airs, Class, Device, Error, Expect, Request, Stage};

/// How a worker fails by an error of a proof.
pub(super) fn failure(error: &Error) -> Failure {
    match error {
        Error::Cancelled(_) => Failure::Stopped,
        // A device that has no room, or that fails: another one may have it.
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

/// The job in its normal form.
pub(super) fn normal<F: CommandLine>(airs: &Airs<F>, job: &Job) -> Result<Job, String> {
    let request = request(airs, job)?;
    let words = words(airs, &request).map_err(|error| error.to_string())?;
    Ok(Job { kind: job.kind.clone(), words, inputs: BTreeMap::new() })
}

/// What its proof takes.
pub(super) fn needs<F: CommandLine>(device: &Device<F>, job: &Job) -> Result<Needs, String> {
    let request = request(device.airs(), job)?;
    let footprint = device.footprint(&request).map_err(|error| error.to_string())?;
    Ok(Needs { bytes: footprint.highest_bytes })
}

/// Its proof in a file with its statement.
pub(super) fn prove<F: CommandLine>(
    device: &Device<F>,
    job: &Job,
    follow: &dyn Fn(Step) -> ControlFlow<()>,
) -> Result<Vec<u8>, Failure> {
    let request = request(device.airs(), job).map_err(Failure::Job)?;
    let proven = device.prove_with(&request, &steps(follow)).map_err(|error| failure(&error))?;
    Ok(proven.file)
}

/// Verifies the file, and that it is about the job: statement, public values and options.
pub(super) fn verify<F: CommandLine>(airs: &Airs<F>, job: &Job, file: &[u8]) -> Result<(), String> {
    let asked = request(airs, job)?;
    check(airs, &asked, file).map_err(|error| error.to_string())
}

fn check<F: CommandLine>(airs: &Airs<F>, asked: &Request<F>, file: &[u8]) -> Result<(), Error> {
    let report = F::accept(airs, asked, file)?;
    let expected = Expect {
        air: Some(asked.air.clone()),
        rows: Some(asked.rows),
        parameters: airs.public_parameters(asked)?,
        public_inputs: Some(F::public(&airs.build(asked)?.air)),
        options: F::ExpectOptions::default(),
    };
    expected.check(airs, &report.file, &report.options)?;
    if report.options != asked.options {
        let text = |options| F::options_text(options);
        return Err(mismatch("the list of options", text(&report.options), text(&asked.options)).into());
    }
    Ok(())
}
