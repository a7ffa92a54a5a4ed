//! `polystark cairo prove`.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use sdk::hal::CircleStark;
use sdk::{Device, Error, Loading, Registry, Stage, load_beside};

use super::batch;
use super::execution::ExecutionArguments;
use super::list::{self, Job};
use super::options::{COLUMNS, ProvingArguments};
use super::program::{TasksArguments, machine};
use super::proof::ProgramProof;
use super::tasks::ListedFiles;
use crate::arguments::moved;
use crate::command::Command;
use crate::outputs::{Named, is_stream};
use crate::progress::Progress;
use crate::report::exit::{Code, Failure};
use crate::report::output::{Output, table};

#[derive(Args)]
pub(crate) struct ProveCommand {
    /// The program: a compiled program or an executable, in JSON, or the ProverInput of a run
    #[arg(required_unless_present_any = ["batch", "tasks"])]
    program: Option<PathBuf>,
    #[command(flatten)]
    execution: ExecutionArguments,
    #[command(flatten)]
    tasks: TasksArguments,
    #[command(flatten)]
    pub(super) proving: ProvingArguments,
    /// Where the proof goes, - is standard output; with --batch the folder that OUTPUTs are relative to
    /// [default with --batch: that of LIST]
    #[arg(short, long, value_name = "FILE", required_unless_present = "batch")]
    output: Option<PathBuf>,
    /// Where the proof goes in bincode, too
    #[arg(long, value_name = "FILE")]
    raw: Option<PathBuf>,
    /// Prove the programs of a list, or of standard input if it is -: a line for each, {"program": FILE, "output":
    /// FILE}, with the keys program_type, args, args_file, program_input and raw for the flags of these names. Paths
    /// are relative to the folder of LIST
    #[arg(long, value_name = "LIST", conflicts_with_all = ["program", "program_type", "args", "args_file", "program_input", "raw", "tasks"])]
    batch: Option<PathBuf>,
    /// With --batch: proofs that are made at the same time where memory allows it, 1 to 64
    /// [default: 1 on the processor, 4 on a GPU]
    #[arg(long, value_name = "N", conflicts_with_all = ["program", "tasks"], value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(super) jobs: Option<u16>,
    /// The jobs of the list.
    #[arg(skip)]
    pub(super) listed: Vec<Job>,
    /// The files that the list of tasks names.
    #[arg(skip)]
    task_files: ListedFiles,
}

impl Command for ProveCommand {
    /// Reads the list, if there is one.
    fn read_lists(&mut self) -> Result<(), Failure> {
        if let Some(list) = &self.batch {
            self.listed = list::read(list, self.output.as_deref(), &self.proving.limits)?;
        } else if let Some((program, execution)) = self.tasks.or(self.program.as_ref(), &self.execution) {
            self.task_files = ListedFiles::of(program, &execution, &self.proving.limits.read());
        }
        Ok(())
    }

    /// All files, each with its argument or its place in the list.
    fn files(&self) -> Vec<Named<'_>> {
        let params = self.proving.parameters.file().map(Named::from);
        let files: Vec<Named<'_>> = match &self.batch {
            Some(list) => {
                let read = Some(Named { argument: "--batch".into(), path: list, is_shared: true });
                let jobs = self.listed.iter().flat_map(Job::named);
                read.filter(|_| list::is_file(list)).into_iter().chain(jobs).collect()
            }
            None => {
                let program = self.program.iter().flat_map(|program| self.execution.files(program));
                let tasks = self.tasks.tasks.iter().map(|list| ("--tasks", list.as_path()));
                let output = self.output.iter().map(|output| ("-o", output.as_path()));
                let raw = self.raw.iter().map(|raw| ("--raw", raw.as_path()));
                let named = program.chain(tasks).chain(output).chain(raw).map(Named::from);
                named.chain(self.task_files.named("")).collect()
            }
        };
        params.into_iter().chain(files).collect()
    }

    fn interrupted(&self) -> Option<&'static str> {
        Some("proof")
    }

    /// Whether a proof goes to standard output. Proofs of a batch never do.
    fn takes_stdout(&self) -> bool {
        let files = [&self.output, &self.raw];
        self.batch.is_none() && files.into_iter().flatten().any(|file| is_stream(file))
    }

    fn run(&self, registry: &Arc<Registry>, output: &Output) -> Result<(), Failure> {
        self.run_to_code(registry, output).map(drop)
    }

    /// Proves one program, or the programs of a list.
    fn run_to_code(&self, registry: &Arc<Registry>, output: &Output) -> Result<Code, Failure> {
        let input = self.tasks.or(self.program.as_ref(), &self.execution);
        match (input, &self.output) {
            (Some((program, execution)), Some(file)) if self.batch.is_none() => {
                let raw = self.raw.clone();
                let (program, output_file, listed) = (program.to_owned(), file.clone(), self.task_files.clone());
                let job = Job { line: 1, program, execution, output: output_file, raw, listed };
                one(&job, &self.proving, registry, output).map(|()| Code::Success)
            }
            _ => batch::run(&self.proving, &self.listed, self.jobs, registry, output),
        }
    }
}

/// Runs, proves, verifies, writes, and reports the proof.
fn one(job: &Job, proving: &ProvingArguments, registry: &Registry, output: &Output) -> Result<(), Failure> {
    let files = job.open()?;
    let (asked, policy) = proving.checked_options()?;
    job.check_format(proving)?;
    // The number of its rows is known after the run: a million steps' are assumed.
    let progress = Progress::new(output.progress_detail(), 1 << 20, asked.options.pow_bits);
    progress.begin(Stage::Trace);
    let follow = |stage| {
        progress.begin(stage);
        ControlFlow::Continue(())
    };
    let known = asked.ahead();
    // A GPU takes about as long to open as a program of a million steps to run.
    let ahead = |loading: &Loading| -> Result<_, Failure> {
        let device: Device<CircleStark> = proving.device.open(registry)?.keeping();
        let took = known.make(&device, loading)?;
        Ok((device, took))
    };
    let (loaded, ahead) = load_beside(ahead, || job.load(&proving.limits, &known.signs), &follow)?;
    progress.suspend(|| output.printed(&loaded.printed));
    let (device, took) = ahead?;
    progress.beside(COLUMNS, took);
    progress.suspend(|| output.detail(|| machine(&loaded)));
    proving.check_format(&loaded)?;
    // Until its first phase.
    progress.begin(Stage::Trace);
    let proven = device.prove_with(&asked.request(&loaded)?, &follow);
    let stages = progress.finish();
    let (proven, capabilities) = (&proven?, device.capabilities());
    policy.check_security(&proven.verified.security).map_err(Error::from)?;
    let made = ProgramProof { job, loaded: &loaded, proven, format: proving.format, capabilities };
    let view = made.save(files, stages)?;
    output.result(&view, &format!("proven and verified\n{}", table(&made.rows(&view))))?;
    made.notes(&view).iter().chain(&moved(&device)).for_each(|note| output.note(note));
    Ok(())
}
