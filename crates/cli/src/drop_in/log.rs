//! The messages of the reference's programs: events on standard output, the outcome on standard error, each line with
//! its time.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::process::ExitCode;

use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};

/// The log of a program.
pub(super) struct Log {
    /// The name in messages.
    pub(super) program: &'static str,
}

/// The time, in UTC; nothing if the clock stands before 1970.
fn time() -> String {
    let mut time = String::new();
    match SystemTime.format_time(&mut Writer::new(&mut time)) {
        Ok(()) => time,
        Err(_) => String::new(),
    }
}

impl Log {
    /// An event of a program that goes on.
    pub(super) fn info(&self, text: &str) {
        self.event(" INFO", text);
    }

    /// An event of a program that fails.
    pub(super) fn error(&self, text: &str) {
        self.event("ERROR", text);
    }

    fn event(&self, level: &str, text: &str) {
        // Nobody may be reading.
        let _ = writeln!(io::stdout(), "{} {level} {}: {text}", time(), self.program);
    }

    /// A message about the program's work, on standard error.
    pub(super) fn note(&self, text: &str) {
        self.message(self.program, text);
    }

    fn message(&self, target: &str, text: &str) {
        let _ = writeln!(io::stderr(), "[{} INFO  {target}] {text}", time());
    }

    /// The outcome, and the exit code.
    pub(super) fn end(&self, outcome: Result<(), impl Display>) -> ExitCode {
        let (text, code) = match outcome {
            Ok(()) => ("succeeded".to_owned(), ExitCode::SUCCESS),
            Err(error) => (format!("failed: {error}"), ExitCode::FAILURE),
        };
        self.message("stwo_cairo_utils::binary_utils", &format!("{} {text}", self.program));
        code
    }
}
