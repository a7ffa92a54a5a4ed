//! The process that runs hints: the interpreter, under the limits of the system.
//!
//! The interpreter counts its steps, and the bytes of its values. It does not count all that a single operation does:
//! to write a list of 60,000 long texts as text, or to hand it out, took 37 s and 1.2 GB in the process of the run. So
//! hints have a process of their own, which takes no more than the system grants it, and which no other run shares.

mod address;
mod builtins;
mod host;
mod interpreter;
mod kept;
mod limits;
mod link;
mod names;
mod power;
mod rewrite;
mod system;
mod value;

use std::io;
use std::process::ExitCode;
use std::thread;

use super::granted::{SERVE, seconds};
use super::message::{Reply, Request, VERSION};
use interpreter::Interpreter;
use link::{Link, Stop, other};

/// Bytes of the stack on which hints are parsed and run.
const STACK: usize = 1 << 26;

/// Serves the hints of one run on the standard input and output, if this process was started for that: its only
/// argument says so. `None` if not.
///
/// A program that runs hints in Python by itself ([`crate::OwnHints::Python`] with its own path) calls this first of
/// all, and ends with the code:
///
/// ```no_run
/// # use std::process::ExitCode;
/// fn main() -> ExitCode {
///     if let Some(code) = cairo_run::serve_hints() {
///         return code;
///     }
///     // ...
///     # ExitCode::SUCCESS
/// }
/// ```
pub fn serve_hints() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_none_or(|word| word != SERVE) || words.next().is_some() {
        return None;
    }
    let server = thread::Builder::new().stack_size(STACK).spawn(|| {
        let served = serve();
        if let Err(error) = &served {
            eprintln!("{error}");
        }
        served.is_ok()
    });
    let is_served = server.is_ok_and(|server| server.join().is_ok_and(|is_served| is_served));
    Some(if is_served { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs hints until the run is gone.
fn serve() -> io::Result<()> {
    let link = Link::new()?;
    system::limit()?;
    let mut interpreter = Interpreter::new(link);
    match serve_by(&mut interpreter) {
        Ok(never) => match never {},
        // The run has ended.
        Err(Stop::Gone(error)) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(()),
        Err(Stop::Gone(error)) => Err(error),
        Err(Stop::Fault(fault)) => Err(io::Error::other(fault)),
    }
}

fn serve_by(interpreter: &mut Interpreter) -> Result<std::convert::Infallible, Stop> {
    interpreter.link.send(&Request::Ready { version: VERSION })?;
    let mut hints = 0;
    loop {
        let start = match interpreter.link.receive()? {
            Reply::Hint(start) => start,
            reply => return other(reply),
        };
        hints += 1;
        if seconds(hints) != seconds(hints - 1) {
            system::allow_processor(hints)?;
        }
        interpreter.run(start)?;
    }
}
