//! Submits a Cairo program: the arguments of `polystark cairo prove` as a job.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use cairo_run::TaskList;
use clap::{Args, Subcommand};
use farm::{Digest, Job};
use sdk::Registry;
use sdk::proof_format::text::excerpt;

use super::{PROGRAM, TASK, apart, normal};
use crate::cairo::parameters::Parameters;
use crate::farm::connection::ConnectionArguments;
use crate::farm::kind::Inputs;
use crate::farm::submit::{SubmissionArguments, submit};
use crate::inputs::policy::ReadArguments;
use crate::outputs::{self, Named};
use crate::report::exit::Failure;
use crate::report::output::Output;

/// A Cairo program.
#[derive(Args)]
pub(in crate::farm) struct ProgramArguments {
    /// The program: a compiled program or an executable, in JSON, or the ProverInput of a run
    #[arg(required_unless_present = "tasks")]
    program: Option<PathBuf>,
    /// In place of a program: a list of tasks, as `polystark cairo prove --tasks` takes it. The files of the tasks are
    /// submitted with it; a preimage and fact topologies are not written
    #[arg(long, value_name = "LIST", conflicts_with_all = ["program", "args", "args_file", "program_input"])]
    tasks: Option<PathBuf>,
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
    /// Take all that decides the proof from FILE: prover parameters of stwo-cairo 1.3, JSON
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArguments,
}

/// `NAME=VALUE`.
fn word(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{}` is not NAME=VALUE", excerpt(text)))?;
    Ok((name.to_owned(), value.to_owned()))
}

impl ProgramArguments {
    /// The files that are read, each with its argument.
    pub(in crate::farm) fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let given = [("--args-file", &self.args_file), ("--program-input", &self.program_input)];
        let given = given.into_iter().filter_map(|(name, path)| Some((name, path.as_deref()?)));
        let tasks = self.tasks.as_deref().map(|path| ("--tasks", path));
        self.program.as_deref().map(|path| ("PROGRAM", path)).into_iter().chain(tasks).chain(given)
    }

    /// The file of parameters, with its argument. It is no input of the job, which has its content as words.
    pub(in crate::farm) fn params_file(&self) -> Option<(&'static str, &Path)> {
        self.params.as_deref().map(|path| ("--params", path))
    }

    /// The job, in its normal form, and the bytes of its inputs, by their roles. The file `written` is none of them.
    fn job(&self, written: Option<&Path>) -> Result<(Job, Inputs), Failure> {
        let mut words = BTreeMap::new();
        for (name, value) in &self.words {
            if words.insert(name.clone(), value.clone()).is_some() {
                return Err(Failure::usage(format!("--word {name} is given twice")));
            }
        }
        let parameters = self.params.as_deref().map(Parameters::read).transpose()?;
        if parameters.is_some() && words.contains_key("channel") {
            return Err(Failure::usage("--params says what --word channel= says: give one of them"));
        }
        for (name, value) in parameters.iter().flat_map(Parameters::words) {
            if words.insert(name.to_owned(), value).is_some() {
                return Err(Failure::usage(format!("--params says what --word {name}= says: give one of them")));
            }
        }
        if let Some(list) = &self.args
            && words.insert("args".to_owned(), list.clone()).is_some()
        {
            return Err(Failure::usage("--args and --word args= are the same: give one of them"));
        }
        let role = |name: &str| name.trim_start_matches('-').to_lowercase();
        let read = |(name, path): (&str, &Path)| Ok((role(name), Bytes::from(self.read.read(path)?)));
        let files = match &self.tasks {
            Some(path) => {
                if words.insert("program-type".to_owned(), "tasks".to_owned()).is_some() {
                    return Err(Failure::usage("--tasks says what --word program-type= says: leave it out"));
                }
                let text = self.read.read(path)?;
                let file = |file: &Path| {
                    if let Some(written) = written {
                        let names = [("-o", written), ("a task", file)].map(Named::from);
                        outputs::distinct(&names).map_err(|failure| failure.message)?;
                    }
                    self.read.read(file).map_err(|failure| failure.message)
                };
                let (list, mut files) = list(&text, file).map_err(|error| Failure::file(path, error))?;
                files.insert(PROGRAM.to_owned(), Bytes::from(list));
                files
            }
            None => self.files().map(read).collect::<Result<Inputs, Failure>>()?,
        };
        let inputs = files.iter().map(|(role, bytes)| (role.clone(), Digest::of(bytes))).collect();
        let job = normal(&Job { kind: "cairo".to_owned(), words, inputs }).map_err(Failure::usage)?;
        Ok((job, files))
    }
}

/// A list of tasks that calls its files by their roles, and these files.
pub(super) fn list(list: &[u8], read: impl Fn(&Path) -> Result<Vec<u8>, String>) -> Result<(Vec<u8>, Inputs), String> {
    let mut roles: Vec<PathBuf> = Vec::new();
    let list = TaskList::renamed(list, |path| {
        let known = roles.iter().position(|role| role == path);
        let number = known.unwrap_or_else(|| {
            roles.push(path.to_owned());
            roles.len() - 1
        });
        format!("{TASK}{number}")
    });
    let list = list.map_err(|error| error.to_string())?;
    let files = roles.iter().enumerate().map(|(number, path)| {
        let bytes = read(path).map_err(|error| format!("a task: {error}"))?;
        Ok((format!("{TASK}{number}"), Bytes::from(bytes)))
    });
    Ok((list, files.collect::<Result<_, String>>()?))
}

/// The subcommands of `farm` for programs.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Submit a Cairo program
    SubmitCairo(Box<SubmitProgramArguments>),
    /// Run or plan a program for another process, which says on standard input what
    #[command(name = apart::SUBCOMMAND, hide = true)]
    RunJob,
}

impl Command {
    /// The files that are read or written, each with the argument that names it.
    pub(in crate::farm) fn files(&self) -> Vec<(&'static str, &Path)> {
        match self {
            Self::SubmitCairo(arguments) => {
                let SubmitProgramArguments { program, submission, .. } = &**arguments;
                program
                    .files()
                    .chain(program.params_file())
                    .chain(submission.output.as_deref().map(|path| ("-o", path)))
                    .collect()
            }
            Self::RunJob => Vec::new(),
        }
    }

    /// Submits.
    pub(in crate::farm) async fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        match self {
            Self::SubmitCairo(arguments) => program(arguments, registry, output).await,
            Self::RunJob => Ok(()),
        }
    }
}

/// A program, its farm, and when it is wanted.
#[derive(Args)]
pub(crate) struct SubmitProgramArguments {
    #[command(flatten)]
    pub(in crate::farm) program: ProgramArguments,
    #[command(flatten)]
    pub(in crate::farm) submission: SubmissionArguments,
    #[command(flatten)]
    connection: ConnectionArguments,
}

async fn program(arguments: &SubmitProgramArguments, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
    let (job, inputs) = arguments.program.job(arguments.submission.output.as_deref())?;
    submit(job, inputs, &arguments.submission, &arguments.connection, registry, output).await
}
