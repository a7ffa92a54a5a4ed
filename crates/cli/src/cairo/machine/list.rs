//! The list of a batch: JSON lines, one program each. Keys are the flags of a single proof, with `_` for `-`; values
//! the values of these.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use cairo::file::{Format, check_builtins};
use cairo_run::{Loaded, Named as Program, RunSigns, named};
use serde::Deserialize;

use super::execution::{ExecutionArguments, ProgramType};
use super::options::ProvingArguments;
use super::program::{LimitArguments, RunOptions};
use super::tasks::ListedFiles;
use crate::cairo::arguments::MAX_TEXT_BYTES;
use crate::outputs::{self, Named, Outputs};
use crate::report::exit::Failure;
use sdk::proof_format::text;

/// A program and where its proof goes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Job {
    /// Where it stands in the list, from 1.
    pub(super) line: usize,
    pub(super) program: PathBuf,
    pub(super) execution: ExecutionArguments,
    pub(super) output: PathBuf,
    pub(super) raw: Option<PathBuf>,
    /// The files that its list of tasks names, if it has one.
    pub(super) listed: ListedFiles,
}

/// A line of the list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    program: PathBuf,
    #[serde(default)]
    program_type: ProgramType,
    args_file: Option<PathBuf>,
    args: Option<String>,
    program_input: Option<PathBuf>,
    output: PathBuf,
    raw: Option<PathBuf>,
}

impl Job {
    /// The files that are written, each with its flag.
    fn outputs(&self) -> Vec<(&'static str, &Path)> {
        let raw = self.raw.as_deref().map(|raw| ("--raw", raw));
        std::iter::once(("-o", self.output.as_path())).chain(raw).collect()
    }

    /// Makes the files ready that are written.
    pub(super) fn open(&self) -> Result<Outputs, Failure> {
        Outputs::open(self.outputs().into_iter().map(|(_, path)| path))
    }

    /// Reads the program and runs it, which shows there how far it is.
    pub(super) fn load(&self, limits: &LimitArguments, signs: &RunSigns) -> Result<Loaded, Failure> {
        let run = RunOptions { signs: signs.clone(), ..RunOptions::default() };
        self.execution.load_as(&self.program, limits, run, &self.outputs())
    }

    /// All files, each with its place in the list. Other jobs may read the same files.
    pub(super) fn named(&self) -> impl Iterator<Item = Named<'_>> {
        let named = |is_shared| {
            move |(flag, path)| Named { argument: format!("{} ({flag})", self.place()).into(), path, is_shared }
        };
        let read = self.execution.files(&self.program).into_iter().map(named(true));
        let own = read.chain(self.outputs().into_iter().map(named(false)));
        own.chain(self.listed.named(&self.place()).collect::<Vec<_>>())
    }

    /// Where it stands, for people.
    pub(super) fn place(&self) -> String {
        format!("line {}", self.line)
    }

    /// Refuses a program that cannot be read, and a proof that could not be written.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let readable = |path: &Path| match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Err(std::io::Error::other("this is a folder: name a file")),
            // A pipe can be opened once only.
            Ok(metadata) if !metadata.is_file() => Ok(()),
            _ => std::fs::File::open(path).map(drop),
        };
        let read = self.execution.files(&self.program).into_iter();
        read.map(|(_, path)| readable(path).map_err(|error| Failure::file(path, error)))
            .chain(self.outputs().into_iter().map(|(_, path)| outputs::check(path)))
            .chain(self.listed.written().map(|(_, path)| outputs::check(path)))
            .collect::<Result<(), _>>()
            .map_err(at(self.place()))
    }
}

impl Job {
    /// Refuses a program whose proof could not be written, as far as that is known before the program runs: by the
    /// builtins that it names.
    pub(super) fn check_format(&self, proving: &ProvingArguments) -> Result<(), Failure> {
        // A pipe can be read once only.
        let is_file = || std::fs::metadata(&self.program).is_ok_and(|metadata| metadata.is_file());
        if proving.format != Format::CairoSerde || !is_file() {
            return Ok(());
        }
        let program = named(&proving.limits.read().read(&self.program)?);
        // A file that is no program is refused where it is run.
        let Ok(Program { builtins, .. }) = program else { return Ok(()) };
        check_builtins(builtins.len(), proving.format).map_err(|error| Failure::file(&self.program, error))
    }
}

/// Says of a failure where it is.
pub(super) fn at(place: impl Display) -> impl FnOnce(Failure) -> Failure {
    move |failure| Failure { message: format!("{place}: {}", failure.message), ..failure }
}

/// The jobs of a list. Paths are relative to its folder, paths of proofs to `folder` if there is one.
pub(super) fn read(list: &Path, folder: Option<&Path>, limits: &LimitArguments) -> Result<Vec<Job>, Failure> {
    let bytes = match is_file(list) {
        true => limits.read().read_part(list, "a list of programs", MAX_TEXT_BYTES)?,
        false => limits.read().read_any(list)?,
    };
    let of_list = list.parent().unwrap_or(Path::new(""));
    let mut jobs = jobs(&bytes, of_list, folder.unwrap_or(of_list)).map_err(at(list.display()))?;
    for job in &mut jobs {
        job.listed = ListedFiles::of(&job.program, &job.execution, &limits.read());
    }
    Ok(jobs)
}

/// Whether a list is a file.
pub(super) fn is_file(list: &Path) -> bool {
    !outputs::is_stream(list)
}

fn jobs(bytes: &[u8], inputs: &Path, outputs: &Path) -> Result<Vec<Job>, Failure> {
    let text = std::str::from_utf8(bytes).map_err(|error| Failure::usage(format!("no text in UTF-8: {error}")))?;
    let lines = text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty());
    let jobs: Vec<Job> = lines.map(|(at, text)| job(at + 1, text, inputs, outputs)).collect::<Result<_, _>>()?;
    if jobs.is_empty() {
        return Err(Failure::usage(
            "no line names a program: write {\"program\": \"FILE\", \"output\": \"FILE\"} for each",
        ));
    }
    Ok(jobs)
}

fn job(line: usize, text: &str, inputs: &Path, outputs: &Path) -> Result<Job, Failure> {
    let read = || {
        let read: Line = serde_json::from_str(text).map_err(|error| {
            // The place is named once, with the line of the list.
            let (said, column) = (error.to_string(), error.column());
            let said = said.strip_suffix(&format!(" at line {} column {column}", error.line())).unwrap_or(&said);
            Failure::usage(format!("column {column}: {}", text::parser_message(said)))
        })?;
        let Line { program, program_type, args_file, args, program_input, output, raw } = read;
        let read = [Some(&program), args_file.as_ref(), program_input.as_ref(), Some(&output), raw.as_ref()];
        if read.into_iter().flatten().any(|path| outputs::is_stream(path)) {
            return Err(Failure::usage("`-` is no file: the programs of a batch and their proofs are files"));
        }
        if args.is_some() && args_file.is_some() {
            return Err(Failure::usage("args and args_file: say one of them"));
        }
        let input = |path: PathBuf| inputs.join(path);
        let execution = ExecutionArguments {
            program_type,
            args_file: args_file.map(input),
            args,
            program_input: program_input.map(input),
        };
        execution.listed()?;
        let raw = raw.map(|raw| outputs.join(raw));
        let (program, output) = (inputs.join(program), outputs.join(output));
        Ok(Job { line, program, execution, output, raw, listed: ListedFiles::default() })
    };
    read().map_err(at(format!("line {line}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Job>, String> {
        jobs(text.as_bytes(), Path::new("in"), Path::new("out")).map_err(|failure| failure.message)
    }

    #[test]
    fn a_line_is_a_job() {
        let text = r#"
            {"program": "a.json", "output": "a.proof"}

            {"program": "/b.json", "program_type": "executable", "args": "1,0x2", "output": "/b.proof", "raw": "b.bin"}
            {"program": "c.json", "args_file": "c.args", "program_input": "c.input", "output": "c.proof"}
        "#;
        let job = |line, program: &str, output: &str| Job {
            line,
            program: program.into(),
            execution: ExecutionArguments::default(),
            output: output.into(),
            raw: None,
            listed: ListedFiles::default(),
        };
        let b = ExecutionArguments {
            program_type: ProgramType::Executable,
            args: Some("1,0x2".into()),
            ..ExecutionArguments::default()
        };
        let c = ExecutionArguments {
            args_file: Some("in/c.args".into()),
            program_input: Some("in/c.input".into()),
            ..ExecutionArguments::default()
        };
        let expected = vec![
            job(2, "in/a.json", "out/a.proof"),
            Job { execution: b, raw: Some("out/b.bin".into()), ..job(4, "/b.json", "/b.proof") },
            Job { execution: c, ..job(5, "in/c.json", "out/c.proof") },
        ];
        assert_eq!(read(text), Ok(expected));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let good = r#"{"program": "a", "output": "b"}"#;
        for (bad, needed) in [
            (r#"{"program": "a", "output": "b", "outptu": "c"}"#, "unknown field `outptu`"),
            (r#"{"program": "a"}"#, "missing field `output`"),
            (r#"{"output": "a"}"#, "missing field `program`"),
            (r#"{"program": "a", "output": "b", "output": "c"}"#, "duplicate field `output`"),
            (r#"{"program": "a", "output": 7}"#, "column 28: invalid type"),
            (r#"{"program": "a", "output": "b", "program_type": "rust"}"#, "unknown variant `rust`"),
            (r#"{"program": "a", "output": "b", "args": "1", "args_file": "c"}"#, "say one of them"),
            (r#"{"program": "a", "output": "b", "args": "1,x"}"#, "--args: "),
            (r#"["a", "b"]"#, "unknown variant `b`"),
            ("a b", "column 1: expected value"),
            (r#"{"program": "a", "output": "b"} {}"#, "trailing characters"),
        ] {
            let said = read(&format!("{good}\n{bad}\n{good}\n")).unwrap_err();
            assert!(said.starts_with("line 2: ") && said.contains(needed), "{bad}: {said}");
            assert!(!said.contains("at line"), "{said}");
        }
        for empty in ["", "\n \n"] {
            assert!(read(empty).unwrap_err().contains("no line names a program"));
        }
        assert!(jobs(&[0xff], Path::new(""), Path::new("")).is_err());
    }
}
