//! Submissions: the arguments of `polystark prove` and of `polystark cairo prove` as jobs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use clap::{Args, ValueEnum};
use farm::{Job, Priority, State, Submission, now};

use super::connection::ConnectionArguments;
use super::jobs::say;
use super::serve::planner;
use super::views::job_rows;
use super::words::{NO_HIDING, words};
use crate::arguments::values::integer;
use crate::arguments::{NamedStatement, with_system};
use crate::inputs::policy::SecurityArguments;
use crate::outputs::Outputs;
use crate::protocol::{CommandLine, ProofRequest, request_to_prove};
use crate::report::exit::{Code, Failure};
use crate::report::output::{Output, table};
use sdk::Registry;
use sdk::hal::Protocol as _;

/// How urgent a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PriorityArgument {
    /// Before all others
    High,
    /// As they come
    Normal,
    /// When there is nothing else
    Low,
}

/// When a job is wanted, and the action after its submission.
#[derive(Args)]
pub(super) struct SubmissionArguments {
    /// The jobs that go first
    #[arg(long, value_enum, default_value = "normal")]
    priority: PriorityArgument,
    /// Seconds from now after which nobody wants the proof: a job that was not begun by then fails
    #[arg(long, value_name = "SECONDS", value_parser = integer)]
    deadline: Option<u64>,
    /// Wait for the proof and write it to FILE
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

impl From<PriorityArgument> for Priority {
    fn from(priority: PriorityArgument) -> Self {
        match priority {
            PriorityArgument::High => Self::High,
            PriorityArgument::Normal => Self::Normal,
            PriorityArgument::Low => Self::Low,
        }
    }
}

/// A statement about an AIR.
#[derive(Args)]
pub(super) struct AirArguments {
    #[command(flatten)]
    named: NamedStatement,
    #[command(flatten)]
    security: SecurityArguments,
}

impl AirArguments {
    /// The job, in its normal form.
    pub(super) fn job(&self, registry: &Registry) -> Result<Job, Failure> {
        if self.named.statement.goldilocks.hides() {
            return Err(Failure::usage(NO_HIDING));
        }
        with_system!(self.named.protocol(registry)?, S => self.job_of::<S>(S::NAME, registry))
    }

    fn job_of<F: CommandLine>(&self, kind: &str, registry: &Registry) -> Result<Job, Failure> {
        let (airs, NamedStatement { air, rows, statement, .. }) = (&registry.airs::<F>(), &self.named);
        let ProofRequest { request, statement, .. } =
            request_to_prove::<F>(airs, air, *rows, statement, &self.security)?;
        Ok(Job { kind: kind.to_owned(), words: words(airs, &request, &statement.air), inputs: BTreeMap::new() })
    }
}

impl From<farm::Error> for Failure {
    fn from(error: farm::Error) -> Self {
        let code = match error {
            farm::Error::Server { .. }
            | farm::Error::Away { .. }
            | farm::Error::Never { .. }
            | farm::Error::Damaged { .. }
            | farm::Error::Differ { .. } => Code::Device,
            _ => Code::Usage,
        };
        Self::new(code, error.to_string())
    }
}

/// A statement, its farm, and when it is wanted.
#[derive(Args)]
pub(crate) struct SubmitArguments {
    #[command(flatten)]
    air: AirArguments,
    #[command(flatten)]
    pub(super) submission: SubmissionArguments,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) async fn statement(
    arguments: &SubmitArguments,
    registry: &Arc<Registry>,
    output: &Output,
) -> Result<(), Failure> {
    let job = arguments.air.job(registry)?;
    submit(job, BTreeMap::new(), &arguments.submission, &arguments.connection, registry, output).await
}

/// Submits a job in normal form, after its inputs; if the proof is to be written, waits for it.
pub(super) async fn submit(
    job: Job,
    inputs: BTreeMap<String, Bytes>,
    arguments: &SubmissionArguments,
    connection: &ConnectionArguments,
    registry: &Arc<Registry>,
    output: &Output,
) -> Result<(), Failure> {
    let prover = planner(registry, connection);
    let file = arguments.output.as_deref().map(|path| Outputs::open([path])).transpose()?;
    let client = connection.connect(output).await?;
    let deadline = arguments.deadline.map(|seconds| now().saturating_add(seconds.saturating_mul(1000)));
    let submission = Submission { job, priority: arguments.priority.into(), deadline };
    let status = client.submit_with(&prover, submission, inputs).await?;
    let Some(file) = file else {
        return output.result(&status, &table(&job_rows(&status)));
    };
    let status = client.wait(status.name).await?;
    if status.state == State::Done {
        file.save(&[&client.result(status.name).await?])?;
    }
    say(&client, &status, output).await
}
