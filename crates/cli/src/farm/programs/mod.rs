//! Jobs about Cairo programs: kind `cairo`. The program and the files that it is run with are inputs.

mod apart;
pub(super) mod runner;
mod submit;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairo::file::Format;
use cairo::preprocessed::Variant;
use cairo::verify::{Expect, Verified};
use cairo::{AirProof, AirVersion, Proof, Version};
use cairo_run::{BootloaderProgram, Kind, Loaded, Options, RunSigns, TaskList, Tasks, is_bootloader, pie};
use clap::Args;
use farm::{Digest, Failure, Job, JobProof, Requirements, Step};

pub(super) use self::submit::Command;
use super::bounds::{Bounds, Planned};
use super::kind::{Devices, Inputs, JobKind};
use super::statements::{failure, steps};
use super::words::{FORM, arguments};
use crate::cairo::arguments::value_name;
use crate::cairo::machine::execution::{HintsType, MachineType, ProgramType};
use crate::cairo::machine::options::{OptionArguments, ProofParameters, RootArguments, VariantArguments, format};
use crate::cairo::machine::with_bytes::WithBytes;
use crate::cairo::samples::Samples;
use crate::circle::option_words;
use crate::inputs::policy::SecurityArguments;
use crate::protocol::CommandLine as _;
use sdk::circle_proof::{self, CircleOptions};
use sdk::hal::CircleStark;
use sdk::proof_format::text::excerpt;
use sdk::prover::circle::Keep;
use sdk::{CairoProven, Device, Error, Follow, Profile, Stage, StatementError, load_beside};

/// The role of the program, or of the list of tasks.
const PROGRAM: &str = "program";
/// The beginning of the roles of a list's files. A number follows.
const TASK: &str = "task-";
/// The roles of a program's inputs, named as the arguments are.
const ARGUMENTS: &str = "args-file";
const PROGRAM_INPUT: &str = "program-input";

/// Jobs about programs.
#[derive(Default)]
pub(super) struct Programs {
    /// The program that runs the programs of strangers, in a process of its own; without one this process does.
    runner: Option<PathBuf>,
}

impl JobKind for Programs {
    fn name(&self) -> &'static str {
        "cairo"
    }

    fn open(&self, devices: &Devices) -> Result<(), String> {
        devices.of::<CircleStark>().map(drop)
    }

    fn run_apart(&mut self) {
        self.runner = apart::this_program();
    }

    fn normal(&self, _: &Devices, job: &Job) -> Result<Job, String> {
        normal(job)
    }

    fn needs(&self, devices: &Devices, bounds: Bounds, job: &Job, inputs: &Inputs) -> Result<Requirements, String> {
        match &self.runner {
            Some(program) => apart::needs(program, bounds, job, inputs),
            None => needs(&devices.of()?, bounds, job, inputs),
        }
    }

    fn prove(
        &self,
        devices: &Devices,
        bounds: Bounds,
        job: &Job,
        inputs: &Inputs,
        follow: &dyn Fn(Step) -> ControlFlow<()>,
    ) -> Result<JobProof, Failure> {
        let device = devices.of().map_err(Failure::Worker)?;
        prove(&device, (bounds, self.runner.as_deref()), job, inputs, follow)
    }
}

/// The arguments of `polystark cairo prove` that decide a proof.
#[derive(Args)]
struct ProgramWords {
    #[arg(long, value_enum, default_value_t = ProgramType::Auto)]
    program_type: ProgramType,
    #[arg(long, allow_hyphen_values = true)]
    args: Option<String>,
    #[command(flatten)]
    variant: VariantArguments,
    #[command(flatten)]
    options: OptionArguments,
    #[command(flatten)]
    security: SecurityArguments,
    #[command(flatten)]
    root: RootArguments,
    #[arg(long, value_parser = format(), default_value_t = Format::Binary)]
    format: Format,
}

impl ProgramWords {
    /// The words of a job, checked as far as they can be without its inputs; what they ask of its proof, and the policy
    /// on it.
    fn of(job: &Job) -> Result<(Self, ProofParameters, circle_proof::Policy), String> {
        let words: Self = arguments(&job.words)?;
        if words.options.keep.is_some() {
            return Err("what is kept on a device changes no proof: leave `keep` out".to_owned());
        }
        let is_list = words.program_type == ProgramType::Tasks;
        let is_known = |role: &str| match role {
            PROGRAM => true,
            ARGUMENTS | PROGRAM_INPUT => !is_list,
            role => is_list && role.strip_prefix(TASK).is_some_and(|number| number.parse::<u16>().is_ok()),
        };
        if let Some(role) = job.inputs.keys().find(|role| !is_known(role)) {
            let known =
                if is_list { format!("`{TASK}0`, `{TASK}1`, ..") } else { format!("`{ARGUMENTS}`, `{PROGRAM_INPUT}`") };
            return Err(format!("there is no input `{}`: they are `{PROGRAM}`, {known}", excerpt(role)));
        }
        if !job.inputs.contains_key(PROGRAM) {
            return Err(format!("the input `{PROGRAM}` is missing"));
        }
        if words.args.is_some() && job.inputs.contains_key(ARGUMENTS) {
            return Err(format!("`args` and the input `{ARGUMENTS}` exclude each other"));
        }
        if words.args.is_some() && is_list {
            return Err("a list of tasks has the arguments of each task: leave `args` out".to_owned());
        }
        if words.format == Format::CairoSerde {
            return Err("a proof in the format `cairo-serde` cannot be read again, which a worker must do before it is published: take another"
                .to_owned());
        }
        let parameters = ProofParameters::of_flags(&words.variant, &words.options);
        let checked = parameters.checked(&words.security, &words.root).map_err(|failure| failure.message);
        checked.map(|(parameters, policy)| (words, parameters, policy))
    }

    /// The run of the program, as long as the follower goes on. It shows there how far it is.
    fn load(&self, job: &Job, inputs: &Inputs, signs: &RunSigns, follow: &Follow<'_>) -> Result<Loaded, Error> {
        let bytes = |role: &str| inputs.get(role).map(|bytes| &bytes[..]);
        let may_be_compiled = match self.program_type {
            ProgramType::Auto | ProgramType::Json => true,
            ProgramType::Executable | ProgramType::ProverInput | ProgramType::Tasks => false,
        };
        let wrong = |error: String| Error::Statement(Box::new(StatementError::Other(error)));
        if may_be_compiled && bytes(PROGRAM).is_some_and(is_bootloader) {
            let refused = "the program is a bootloader, and the tasks that its list names are files that no worker \
                           has: submit the list with `--tasks`, or prove it with `polystark cairo prove`";
            return Err(wrong(refused.to_owned()));
        }
        let list = match self.program_type {
            ProgramType::Tasks => Some(tasks(inputs).map_err(wrong)?),
            _ => None,
        };
        let with = WithBytes {
            name: job.inputs.get(PROGRAM).map_or_else(|| PROGRAM.to_owned(), Digest::to_string),
            program_type: self.program_type,
            args_file: bytes(ARGUMENTS),
            args: self.args.as_deref(),
            program_input: bytes(PROGRAM_INPUT),
            max_steps: None,
            max_addresses: None,
            machine: MachineType::default(),
            hints: HintsType::default(),
        };
        let options =
            with.options(|argument, error| wrong(format!("{}: {error}", argument.trim_start_matches('-'))))?;
        let options = Options { signs: signs.clone(), ..options };
        let load = |bytes: &[u8], options: &Options| {
            options.stop.watch(|| follow(Stage::Trace).is_continue(), || cairo_run::load(bytes, options))
        };
        Ok(match list {
            Some((bootloader, tasks)) => load(&bootloader, &Options { tasks: Some(Arc::new(tasks)), ..options }),
            None => load(bytes(PROGRAM).unwrap_or_default(), &options),
        }?)
    }
}

/// Goes on: nobody stops the run.
fn on(_: Stage) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The bootloader of a list of tasks, and the tasks. The list calls files by their roles.
fn tasks(inputs: &Inputs) -> Result<(Vec<u8>, Tasks), String> {
    let list = inputs.get(PROGRAM).map(|bytes| &bytes[..]).unwrap_or_default();
    let read = |path: &Path| {
        let bytes = path.to_str().filter(|role| role.starts_with(TASK)).and_then(|role| inputs.get(role));
        bytes.map(|bytes| bytes.to_vec()).ok_or_else(|| {
            format!(
                "no input is its file `{}`: `farm submit-cairo --tasks` makes them",
                excerpt(&path.to_string_lossy())
            )
        })
    };
    let list = TaskList::read(list, pie::DEFAULT_MAX_BYTES, read).map_err(|error| error.to_string())?;
    let bootloader = BootloaderProgram::of(&list).json().map_err(|error| error.to_string())?;
    Ok((bootloader, list.tasks))
}

/// The job in its normal form.
fn normal(job: &Job) -> Result<Job, String> {
    let (words, ProofParameters { options, .. }, asked) = ProgramWords::of(job)?;
    let mut normal: BTreeMap<_, _> =
        option_words(&options).into_iter().map(|(word, value)| (word.to_owned(), value)).collect();
    let named = [
        ("program-type", value_name(&words.program_type)),
        ("preprocessed", words.variant.name()),
        ("format", words.format.name().to_owned()),
    ];
    normal.extend(named.map(|(word, value)| (word.to_owned(), value)));
    normal.insert(FORM.0.to_owned(), FORM.1.to_owned());
    // Verifiers ask for the default.
    let default = circle_proof::Policy { suite: options.suite, ..cairo::verify::Policy::default().proof };
    if asked != default {
        let profile = Profile { kind: asked.kind, bits: asked.min_security_bits };
        // Without a number of bits a figure implies bits of queries and work, too.
        let word = if asked.min_query_bits == 0 { profile.to_string() } else { profile.kind.to_string() };
        normal.insert("security".to_owned(), word);
    }
    if words.options.channel_salt != 0 {
        normal.insert("channel-salt".to_owned(), words.options.channel_salt.to_string());
    }
    if words.options.samples.all() {
        normal.insert("preprocessed-samples".to_owned(), value_name(&Samples::All));
    }
    if words.root.admits(&options) {
        normal.insert("preprocessed-root".to_owned(), "any".to_owned());
    }
    if let Some(list) = &words.args {
        let felts = cairo_run::parse_arguments_list(list).map_err(|error| format!("args: {error}"))?;
        let felts: Vec<String> = felts.iter().map(cairo_run::felt::text).collect();
        normal.insert("args".to_owned(), felts.join(","));
    }
    Ok(Job { kind: job.kind.clone(), words: normal, inputs: job.inputs.clone() })
}

/// The needs of its proof. The program is run.
fn needs(device: &Device<CircleStark>, bounds: Bounds, job: &Job, inputs: &Inputs) -> Result<Requirements, String> {
    let (words, parameters, _) = ProgramWords::of(job)?;
    let options = &parameters.options;
    bounds.needs(options.suite.tree(), options.pow_bits, || {
        let plan = || {
            let loaded = words.load(job, inputs, &RunSigns::default(), &on)?;
            // The least that it takes: the planner is not the prover, whose memory may differ.
            device.plan(&parameters.keeping(Keep::LEAST).request(&loaded)?)
        };
        let plan = plan().map_err(|error: Error| error.to_string())?.device;
        Ok(Planned {
            bytes: plan.peak_bytes.max(plan.preparation_bytes),
            operations: plan.constraint_operations,
            operations_a_second: CircleStark::OPERATIONS_A_SECOND,
        })
    })
}

/// The run of a job's program, as a ProverInput in bincode, and the text that the program prints.
fn run(job: &Job, inputs: &Inputs) -> Result<(Vec<u8>, String), String> {
    let loaded =
        ProgramWords::of(job)?.0.load(job, inputs, &RunSigns::default(), &on).map_err(|error| error.to_string())?;
    let run = cairo_run::write_prover_input(&loaded.run).map_err(|error| error.to_string())?;
    Ok((run, loaded.printed))
}

/// Its proof.
fn prove(
    device: &Device<CircleStark>,
    (bounds, runner): (Bounds, Option<&Path>),
    job: &Job,
    inputs: &Inputs,
    follow: &dyn Fn(Step) -> ControlFlow<()>,
) -> Result<JobProof, Failure> {
    let (words, parameters, policy) = ProgramWords::of(job).map_err(Failure::Job)?;
    let ProofParameters { options, salt, .. } = parameters;
    // The planner may have had other bounds.
    bounds.check_work(options.suite.tree(), options.pow_bits).map_err(Failure::Costly)?;
    let follow = steps(follow);
    if follow(Stage::Trace).is_break() {
        return Err(Failure::Stopped);
    }
    // Columns that are made for it beside its run last as long as the job.
    let device = &device.keeping();
    let known = parameters.ahead();
    let run = || -> Result<_, Ended> {
        let Some(program) = runner else {
            let mut loaded = words.load(job, inputs, &known.signs, &follow)?;
            let printed = std::mem::take(&mut loaded.printed);
            return Ok((loaded, printed));
        };
        let goes_on = || {
            known.signs.begin();
            follow(Stage::Trace)
        };
        let (run, printed) = apart::run(program, job, inputs, &goes_on)?;
        let options = Options { kind: Some(Kind::ProverInput), ..Options::default() };
        Ok((cairo_run::load(&run, &options).map_err(Error::from)?, printed))
    };
    // A device that failed may have another try: the proof makes what is not there, or says why not.
    let (run, _) = load_beside(|loading| Ok(known.make(device, loading)?), run, &follow).map_err(|Ended(why)| why)?;
    let make = || {
        let (loaded, printed) = run;
        let printed = Some(printed).filter(|text| !text.is_empty());
        let request = parameters.request(&loaded)?;
        let variant = request.variant;
        let proven = device.prove_with(&request, &follow)?;
        let file = proven.file(words.format)?;
        let CairoProven { proof, verified, .. } = proven;
        let expected = Expected::new(variant, options, salt, policy, loaded);
        let verify = move |bytes: &[u8]| expected.check(&proof, &verified, bytes).map_err(|error| error.to_string());
        Ok(JobProof { proof: file, verify: Box::new(verify), printed })
    };
    make().map_err(|error| failure(&error))
}

/// Why a job has no run.
struct Ended(Failure);

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self(failure(&error))
    }
}

/// The demands on the proof of a job.
struct Expected {
    variant: Variant,
    options: CircleOptions,
    salt: u32,
    /// The security demanded of it.
    policy: circle_proof::Policy,
    /// The run of the job.
    expect: Expect,
}

impl Expected {
    fn new(variant: Variant, options: CircleOptions, salt: u32, policy: circle_proof::Policy, loaded: Loaded) -> Self {
        let builtins = loaded.builtins.iter().map(|(name, _)| *name).collect();
        let expect =
            Expect { program_hash: Some(loaded.program_hash), output: Some(loaded.output), builtins: Some(builtins) };
        Self { variant, options, salt, policy, expect }
    }

    /// Whether a file holds the proof that was verified, and whether that is about the run of the job and has its
    /// options.
    fn check(&self, proof: &Proof, verified: &Verified, file: &[u8]) -> Result<(), Error> {
        let wrong = |what: String| Err(Error::Statement(Box::new(StatementError::Other(what))));
        let (max_bytes, suite) = (circle_proof::Policy::ANY.max_bytes, self.options.suite);
        let (found, _) = cairo::file::decode::<Proof>(file, max_bytes, suite)?;
        let bare = |proof: &Proof| cairo::file::bincode(proof, suite);
        if bare(&found)? != bare(proof)? {
            return wrong("the file holds another proof than was verified".to_owned());
        }
        cairo::file::check_auxiliary::<Proof>(file, max_bytes, suite)?;
        // The prover's own root was taken. Where no constant is known for the options there is nothing to compare it
        // with.
        let known = Version::root(self.variant, &self.options);
        let root = proof.root(0);
        if known.is_some() && root != known {
            return wrong(format!("the root of the preprocessed columns is {root:?}, not {known:?}"));
        }
        self.expect.check(&verified.stated).map_err(cairo::verify::VerifyError::from)?;
        self.policy.check_security(&verified.security)?;
        if proof.salt() != self.salt {
            return wrong(format!("the proof has the salt {}, not {}", proof.salt(), self.salt));
        }
        let (options, variant) = (verified.options, verified.variant);
        if (options, variant) != (self.options, self.variant) {
            return wrong(format!(
                "the proof has {options:?}, {variant:?}, not {:?}, {:?}",
                self.options, self.variant
            ));
        }
        Ok(())
    }
}
