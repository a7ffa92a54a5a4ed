//! Jobs that were submitted.

use std::path::PathBuf;

use clap::Args;
use farm::{Client, JobName, ProofConflict, State, Status, Worker};
use serde::Serialize;

use super::connection::{ConnectionArguments, rows};
use super::views::{alarm_line, job_line, job_rows, worker_line};
use crate::outputs::Outputs;
use crate::report::exit::Failure;
use crate::report::output::{Output, table};

/// A job.
#[derive(Args)]
pub(crate) struct JobArguments {
    /// The job's name, or at least four digits that it alone begins with
    #[arg(value_name = "JOB")]
    job: String,
    #[command(flatten)]
    connection: ConnectionArguments,
}

impl JobArguments {
    /// The farm, and the job in it.
    async fn found(&self, output: &Output) -> Result<(Client, JobName), Failure> {
        let client = self.connection.connect(output).await?;
        let name = client.named(&self.job).await?;
        Ok((client, name))
    }
}

/// A job, and where its proof goes.
#[derive(Args)]
pub(crate) struct ResultArguments {
    #[command(flatten)]
    job: JobArguments,
    /// Where the proof goes, - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
}

/// The jobs to list.
#[derive(Args)]
pub(crate) struct ListArguments {
    /// Only jobs in this state: queued, running, done, failed, set-aside or cancelled
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Option<State>,
    /// The largest number of jobs to list
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Only jobs with names after this one: the last of the list before
    #[arg(long, value_name = "JOB")]
    after: Option<JobName>,
    #[command(flatten)]
    connection: ConnectionArguments,
}

fn state(text: &str) -> Result<State, String> {
    let known = || State::ALL.map(State::name).join(", ");
    State::ALL.into_iter().find(|state| state.name() == text).ok_or_else(|| format!("states are {}", known()))
}

/// The status of a farm.
#[derive(Serialize)]
struct FarmView {
    jobs: Vec<Status>,
    workers: Vec<Worker>,
    alarms: Vec<ProofConflict>,
}

/// A job, and the alarms on it.
#[derive(Serialize)]
struct JobView<'a> {
    #[serde(flatten)]
    status: &'a Status,
    alarms: Vec<ProofConflict>,
}

/// Says where a job stands, and aloud that two workers made different proofs of it.
async fn tell(client: &Client, status: &Status, output: &Output) -> Result<(), Failure> {
    let alarms = client.alarms_of(status.name).await?;
    alarms.iter().for_each(|alarm| output.note(alarm_line(alarm).trim_end()));
    output.result(&JobView { status, alarms }, &table(&job_rows(status)))
}

/// As [`tell`]. A job that has ended without a proof is a failure, which is reported after it.
pub(super) async fn say(client: &Client, status: &Status, output: &Output) -> Result<(), Failure> {
    tell(client, status, output).await?;
    match status.state {
        State::Failed | State::SetAside | State::Cancelled => {
            let reason = status.error.clone().unwrap_or_else(|| "nobody wants it any more".to_owned());
            let message = format!("job {} is {}: {reason}", status.name, status.state);
            Err(Failure::invalid(message))
        }
        State::Queued | State::Running | State::Done => Ok(()),
    }
}

pub(super) async fn status(arguments: &JobArguments, output: &Output) -> Result<(), Failure> {
    let (client, job) = arguments.found(output).await?;
    tell(&client, &client.status(job).await?, output).await
}

pub(super) async fn wait(arguments: &JobArguments, output: &Output) -> Result<(), Failure> {
    let (client, job) = arguments.found(output).await?;
    let status = client.wait(job).await?;
    say(&client, &status, output).await
}

/// A farm's settings, as JSON.
#[derive(Serialize)]
struct SettingsView {
    replicas: usize,
    keep_seconds: f64,
    lease_seconds: f64,
    max_queued: u64,
}

pub(super) async fn configure(connection: &ConnectionArguments, output: &Output) -> Result<(), Failure> {
    let settings = connection.configure().await?;
    let view = SettingsView {
        replicas: settings.replicas,
        keep_seconds: settings.keep.as_secs_f64(),
        lease_seconds: settings.lease.as_secs_f64(),
        max_queued: settings.queued_jobs,
    };
    output.result(&view, &table(&rows(&settings)))
}

pub(super) async fn cancel(arguments: &JobArguments, output: &Output) -> Result<(), Failure> {
    let (client, job) = arguments.found(output).await?;
    let status = client.cancel(job).await?;
    output.result(&status, &table(&job_rows(&status)))
}

pub(super) async fn result(arguments: &ResultArguments, output: &Output) -> Result<(), Failure> {
    let file = Outputs::open([arguments.output.as_path()])?;
    let (client, job) = arguments.job.found(output).await?;
    let proof = client.result(job).await?;
    file.save(&[&proof])?;
    tell(&client, &client.status(job).await?, output).await
}

pub(super) async fn list(arguments: &ListArguments, output: &Output) -> Result<(), Failure> {
    let client = arguments.connection.connect(output).await?;
    let jobs = client.list(arguments.state, arguments.limit, arguments.after).await?;
    let (workers, alarms) = (client.workers().await?, client.alarms().await?);
    let lines = workers.iter().map(worker_line).chain(jobs.iter().map(|job| job_line(job, &workers)));
    let loud = alarms.iter().map(alarm_line);
    let text: String = loud.chain(lines).collect();
    output.result(&FarmView { jobs, workers, alarms }, &text)
}
