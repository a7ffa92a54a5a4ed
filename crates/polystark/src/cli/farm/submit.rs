//! What is submitted: the arguments of `polystark prove` and of `polystark cairo prove` as jobs.

use std::collections::BTreeMap;
#[cfg(feature = "cairo")]
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use clap::{Args, ValueEnum};
#[cfg(feature = "cairo")]
use farm::Digest;
use farm::{Job, Priority, State, Submission, now};

use super::connection::ConnectionArguments;
use super::jobs::say;
#[cfg(feature = "cairo")]
use super::programs::normal;
use super::serve::planner;
use super::views::job_rows;
use super::words::words;
use crate::cli::arguments::{NamedStatement, Protocol};
use crate::cli::exit::{Code, Failure};
use crate::cli::output::{Output, table};
use crate::cli::outputs::Outputs;
use crate::cli::policy::{ReadArguments, SecurityArguments};
use crate::cli::protocol::{Chosen, CommandLine, chosen};
use crate::cli::values::integer;
use crate::hal::{CircleStark, Fields as _};
use crate::proof_format::text::shown;
use crate::{Goldilocks3, Registry};

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

/// When a job is wanted, and what is done after it was submitted.
#[derive(Args)]
pub(super) struct WantedArguments {
    /// Which jobs go first
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
        match self.named.protocol(registry)? {
            Protocol::Goldilocks => self.job_of::<Goldilocks3>(Goldilocks3::NAME, registry),
            Protocol::Circle => self.job_of::<CircleStark>(CircleStark::NAME, registry),
        }
    }

    fn job_of<F: CommandLine>(&self, kind: &str, registry: &Registry) -> Result<Job, Failure> {
        let (airs, NamedStatement { air, rows, statement, .. }) = (registry.airs::<F>(), &self.named);
        let Chosen { request, statement, .. } = chosen::<F>(airs, air, *rows, statement, &self.security)?;
        Ok(Job { kind: kind.to_owned(), words: words(airs, &request, &statement.air), inputs: BTreeMap::new() })
    }
}

/// A Cairo program.
#[derive(Args)]
pub(super) struct ProgramArguments {
    /// The program: a compiled program or an executable, in JSON, or the ProverInput of a run
    program: PathBuf,
    /// executable: its arguments, a JSON array of strings, each a felt in hexadecimal after 0x
    #[arg(long, value_name = "FILE")]
    args_file: Option<PathBuf>,
    /// compiled program: the JSON value that its hints call `program_input`
    #[arg(long, value_name = "FILE")]
    program_input: Option<PathBuf>,
    /// executable: its arguments, with commas between them
    #[arg(long, value_name = "LIST", conflicts_with = "args_file", allow_hyphen_values = true)]
    args: Option<String>,
    /// A further argument of `polystark cairo prove` that decides the proof, such as pow-bits=20; may be repeated
    #[arg(long = "word", value_name = "NAME=VALUE", value_parser = word)]
    words: Vec<(String, String)>,
    #[command(flatten)]
    read: ReadArguments,
}

/// `NAME=VALUE`.
fn word(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{}` is not NAME=VALUE", shown(text)))?;
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(feature = "cairo")]
impl ProgramArguments {
    /// The files that are read, each with its argument.
    pub(super) fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let given = [("--args-file", &self.args_file), ("--program-input", &self.program_input)];
        let given = given.into_iter().filter_map(|(name, path)| Some((name, path.as_deref()?)));
        std::iter::once(("PROGRAM", self.program.as_path())).chain(given)
    }

    /// The job, in its normal form, and the bytes of its inputs, by their roles.
    pub(super) fn job(&self) -> Result<(Job, BTreeMap<String, Bytes>), Failure> {
        let mut words = BTreeMap::new();
        for (name, value) in &self.words {
            if words.insert(name.clone(), value.clone()).is_some() {
                return Err(Failure::usage(format!("--word {name} is given twice")));
            }
        }
        if let Some(list) = &self.args
            && words.insert("args".to_owned(), list.clone()).is_some()
        {
            return Err(Failure::usage("--args and --word args= are the same: give one of them"));
        }
        let role = |name: &str| name.trim_start_matches('-').to_lowercase();
        let read = |(name, path): (&str, &Path)| Ok((role(name), Bytes::from(self.read.read(path)?)));
        let files: BTreeMap<String, Bytes> = self.files().map(read).collect::<Result<_, Failure>>()?;
        let inputs = files.iter().map(|(role, bytes)| (role.clone(), Digest::of(bytes))).collect();
        let job = normal(&Job { kind: "cairo".to_owned(), words, inputs }).map_err(Failure::usage)?;
        Ok((job, files))
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
    pub(super) wanted: WantedArguments,
    #[command(flatten)]
    connection: ConnectionArguments,
}

/// A program, its farm, and when it is wanted.
#[derive(Args)]
pub(crate) struct SubmitProgramArguments {
    #[command(flatten)]
    pub(super) program: ProgramArguments,
    #[command(flatten)]
    pub(super) wanted: WantedArguments,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) async fn statement(
    arguments: &SubmitArguments,
    registry: &Arc<Registry>,
    output: &Output,
) -> Result<(), Failure> {
    let job = arguments.air.job(registry)?;
    submit(job, BTreeMap::new(), &arguments.wanted, &arguments.connection, registry, output).await
}

#[cfg(feature = "cairo")]
pub(super) async fn program(
    arguments: &SubmitProgramArguments,
    registry: &Arc<Registry>,
    output: &Output,
) -> Result<(), Failure> {
    let (job, inputs) = arguments.program.job()?;
    submit(job, inputs, &arguments.wanted, &arguments.connection, registry, output).await
}

/// Submits a job in normal form, after its inputs; if the proof is to be written, waits for it.
async fn submit(
    job: Job,
    inputs: BTreeMap<String, Bytes>,
    wanted: &WantedArguments,
    connection: &ConnectionArguments,
    registry: &Arc<Registry>,
    output: &Output,
) -> Result<(), Failure> {
    let prover = planner(registry, connection);
    let file = wanted.output.as_deref().map(|path| Outputs::open([path])).transpose()?;
    let client = connection.connect(output).await?;
    let deadline = wanted.deadline.map(|seconds| now().saturating_add(seconds.saturating_mul(1000)));
    let submission = Submission { job, priority: wanted.priority.into(), deadline };
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
