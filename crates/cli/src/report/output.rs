//! Standard output and standard error: text for people, JSON for machines. Where a file that is written is standard
//! output, all of them go to standard error.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Write};

use serde::Serialize;

use super::exit::Failure;
use super::findings::FindingsView;
use super::pretty::pretty;
use crate::progress::Detail;

/// Where results go.
pub(crate) struct Output {
    json: bool,
    /// Whether standard output is a file that is written.
    is_taken: bool,
    volume: Volume,
}

/// How much is said beside results and failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Volume {
    /// Nothing.
    Quiet,
    /// Progress and notes.
    #[default]
    Normal,
    /// Finished work, too.
    Verbose,
}

#[derive(Serialize)]
struct FailureView<'a> {
    status: &'static str,
    exit_code: u8,
    error: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<&'a FindingsView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    printed: Option<&'a str>,
}

impl<'a> FailureView<'a> {
    fn new(failure: &'a Failure) -> Self {
        Self {
            status: failure.code.name(),
            exit_code: failure.code as u8,
            error: failure.text(),
            findings: failure.findings.as_deref(),
            printed: failure.printed.as_deref(),
        }
    }
}

impl Output {
    pub(crate) fn new(json: bool, is_taken: bool) -> Self {
        Self { json, is_taken, volume: Volume::default() }
    }

    /// The same, as quiet or as loud.
    pub(crate) fn with_volume(self, volume: Volume) -> Self {
        Self { volume, ..self }
    }

    /// The display of work that takes long: machines are told nothing.
    pub(crate) fn progress_detail(&self) -> Detail {
        match self.volume {
            _ if self.json => Detail::Nothing,
            Volume::Quiet => Detail::Nothing,
            Volume::Normal => Detail::Share,
            Volume::Verbose => Detail::Stages,
        }
    }

    /// Writes a detail, for readers who want to know more.
    pub(crate) fn detail(&self, text: impl FnOnce() -> String) {
        if self.volume == Volume::Verbose {
            self.note(&text());
        }
    }

    /// Writes the result: the value as JSON, or the text.
    pub(crate) fn result(&self, value: &impl Serialize, text: &str) -> Result<(), Failure> {
        let written = if self.json { self.json_of(value) } else { self.write(text) };
        let stream = if self.is_taken { "error" } else { "output" };
        written.map_err(|error| Failure::usage(format!("standard {stream}: {error}")))
    }

    /// Writes something for machines, which may not be reading.
    pub(crate) fn machine(&self, value: &impl Serialize) {
        let _ = self.json_of(value);
    }

    fn json_of(&self, value: &impl Serialize) -> io::Result<()> {
        self.write(&pretty(value)?)
    }

    fn write(&self, text: &str) -> io::Result<()> {
        if self.is_taken { write(&mut io::stderr(), text) } else { write(&mut io::stdout(), text) }
    }

    /// Reports a failure, for people always and for machines if they read. Nothing can be done if nobody does.
    pub(crate) fn failure(&self, failure: &Failure) {
        self.printed(failure.printed.as_deref().unwrap_or_default());
        if self.json {
            self.machine(&FailureView::new(failure));
        }
        // Machines read one object of a stream.
        if !(self.json && self.is_taken) {
            self.problem(&failure.text());
        }
    }

    /// Reports the failure of a part of the work, which the result will tell machines.
    pub(crate) fn problem(&self, message: &str) {
        let _ = write(&mut io::stderr(), &format!("polystark: {message}\n"));
    }

    /// Writes a program's output: to standard error if machines read standard output. Nothing can be done if nobody
    /// reads.
    pub(crate) fn printed(&self, text: &str) {
        let line_end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let text = format!("{text}{line_end}");
        let _ = match (self.json, self.is_taken) {
            // Machines read one object of standard error, which has it.
            (true, true) => Ok(()),
            (true, false) => write(&mut io::stderr(), &text),
            (false, _) => self.write(&text),
        };
    }

    /// Writes a line about a part of the work, which the result will tell machines.
    pub(crate) fn part(&self, line: &str) {
        if !self.json {
            let _ = self.write(&format!("{line}\n"));
        }
    }

    /// Warns of how the program was called, machines as well: on standard error, unless that has their one object.
    pub(crate) fn warn(&self, text: &str) {
        if !(self.json && self.is_taken) {
            self.problem(&format!("warning: {text}"));
        }
    }

    /// Says something worth knowing that is no result.
    pub(crate) fn note(&self, text: &str) {
        if !self.json && self.volume != Volume::Quiet {
            let _ = write(&mut io::stderr(), &format!("polystark: {text}\n"));
        }
    }
}

/// Lines of `name  value`, the values aligned.
pub(crate) fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter().map(|(name, value)| format!("  {name:width$}  {value}\n")).collect()
}

/// Writes everything. A reader that has gone away, as `head` does, has read enough.
fn write(stream: &mut impl Write, text: &str) -> io::Result<()> {
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}
