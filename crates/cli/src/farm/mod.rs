//! `polystark farm`: jobs in a queue, and their provers.

mod bounds;
#[cfg(feature = "client-prove")]
mod client;
mod connection;
mod defaults;
mod jobs;
mod kind;
#[cfg(feature = "cairo-vm")]
mod programs;
mod prover;
mod serve;
mod statements;
mod submit;
#[cfg(feature = "client-prove")]
mod submit_client;
mod views;
mod words;

use std::sync::Arc;

use clap::Subcommand;

use super::command;
use super::outputs::{Named, is_stream};
use crate::report::exit::Failure;
use crate::report::output::Output;
use sdk::Registry;

/// A subcommand for a farm.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// A server, a worker and the page on this machine, until it is interrupted
    Local(Box<serve::LocalArguments>),
    /// Prove jobs on a device, one after the other, until it is interrupted: the job that is being proven is ended
    /// before
    Worker(serve::WorkerArguments),
    /// Serve the farm over HTTP: an API in JSON, its page, metrics
    Serve(serve::ServeArguments),
    /// Submit a statement about an AIR
    Submit(Box<submit::SubmitArguments>),
    #[cfg(feature = "cairo-vm")]
    #[command(flatten)]
    Program(programs::Command),
    /// Submit a CairoPIE, of which Starknet's client proof is made
    #[cfg(feature = "client-prove")]
    SubmitClient(Box<submit_client::SubmitClientArguments>),
    /// Say where a job stands
    Status(jobs::JobArguments),
    /// List jobs, workers and alarms
    List(jobs::ListArguments),
    /// Wait until a job has ended
    Wait(jobs::JobArguments),
    /// Cancel a job
    Cancel(jobs::JobArguments),
    /// Show what all of a farm share, changed before to what is given of --replicas, --keep-hours, --lease-seconds,
    /// --max-queued
    Configure(connection::ConnectionArguments),
    /// Write the proof of a job to a file
    Result(jobs::ResultArguments),
}

impl command::Command for Command {
    fn files(&self) -> Vec<Named<'_>> {
        let output = |path| ("-o", path);
        command::named(match self {
            Self::Submit(arguments) => arguments.submission.output.as_deref().map(output).into_iter().collect(),
            #[cfg(feature = "cairo-vm")]
            Self::Program(command) => command.files(),
            #[cfg(feature = "client-prove")]
            Self::SubmitClient(arguments) => arguments.files(),
            Self::Result(arguments) => vec![output(&arguments.output)],
            _ => Vec::new(),
        })
    }

    fn interrupted(&self) -> Option<&'static str> {
        None
    }

    fn takes_stdout(&self) -> bool {
        self.files().iter().any(|file| file.argument == "-o" && is_stream(file.path))
    }

    /// Runs it on a few threads of a pool: the servers of a farm take their time to answer.
    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        #[cfg(feature = "cairo-vm")]
        if let Self::Program(programs::Command::RunJob) = self {
            return programs::runner::serve(registry);
        }
        let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let threads = threads.map_err(|error| Failure::usage(format!("no threads: {error}")))?;
        let done = threads.block_on(async {
            match self {
                Self::Local(arguments) => serve::local(arguments, registry, output).await,
                Self::Worker(arguments) => serve::worker(arguments, registry, output).await,
                Self::Serve(arguments) => serve::serve(arguments, registry, output).await,
                Self::Submit(arguments) => submit::statement(arguments, registry, output).await,
                #[cfg(feature = "cairo-vm")]
                Self::Program(command) => command.run(registry, output).await,
                #[cfg(feature = "client-prove")]
                Self::SubmitClient(arguments) => submit_client::client(arguments, registry, output).await,
                Self::Status(arguments) => jobs::status(arguments, output).await,
                Self::List(arguments) => jobs::list(arguments, output).await,
                Self::Wait(arguments) => jobs::wait(arguments, output).await,
                Self::Cancel(arguments) => jobs::cancel(arguments, output).await,
                Self::Configure(connection) => jobs::configure(connection, output).await,
                Self::Result(arguments) => jobs::result(arguments, output).await,
            }
        });
        // A proof that was given up may still be on its way to its next phase.
        threads.shutdown_background();
        done
    }
}

#[cfg(all(test, feature = "cairo-vm"))]
mod tests;
