//! A hint of a program's own, and the interpreter that runs it.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use cairo_vm::Felt252;
use cairo_vm::types::program::Program;
use cairo_vm::vm::errors::hint_errors::HintError;
use field::Bytes;
use monty::{MontyRun, RunProgress};
use monty_types::{
    CompileOptions, ExtFunctionResult, MontyException, MontyObject, NameLookupResult, PrintWriter, PrintWriterCallback,
};
use proof_format::text::{MAX_SAID, cut};
use serde_json::Value;

use super::host::{FUNCTIONS, Host};
use super::limits::{Limits, Met, Meter};
use super::rewrite::{HIDDEN, Named, Rewritten, in_line, rewrite};
use super::scope::Scope;
use super::types::Types;
use super::value;
use crate::Problem;
use crate::vm::hint_error::custom;
use crate::vm::hints::Printed;
use crate::vm::library::{At, Variables};
use crate::vm::options::OwnHints;

/// Bytes that a hint takes for each byte of its text, at most, once it was run.
const READY_BYTES: u64 = 1 << 10;
/// Bytes of a hint's text.
const MAX_TEXT: usize = 1 << 14;
/// Bytes of the stack on which hints are parsed: a text of [`MAX_TEXT`] bytes may nest as deep as it is long.
const STACK: u64 = 1 << 28;

/// The interpreter of a run.
#[derive(Clone)]
pub(in crate::vm) struct Python(Rc<Shared>);

struct Shared {
    types: Types,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    printed: Printed,
    spent: Duration,
}

/// A hint.
pub(in crate::vm) struct Code {
    python: Python,
    text: String,
    /// Once it was run: ready to run again, or what is wrong with it.
    ready: OnceCell<Result<(MontyRun, Vec<Named>), String>>,
}

impl Python {
    /// The interpreter for the hints of a program, if Python is asked for.
    ///
    /// # Errors
    /// None; a build without Python has one.
    pub(in crate::vm) fn of(program: &Program, hints: OwnHints) -> Result<Option<Self>, Problem> {
        let new = || Self(Rc::new(Shared { types: Types::new(program), state: RefCell::default() }));
        Ok((hints == OwnHints::Python).then(new))
    }

    /// A hint.
    pub(in crate::vm) fn code(&self, text: &str) -> Code {
        Code { python: self.clone(), text: text.to_owned(), ready: OnceCell::new() }
    }

    fn ready(&self, text: &str, variables: &Variables) -> Result<(MontyRun, Vec<Named>), String> {
        if text.len() > MAX_TEXT {
            return Err(format!("a hint has {} bytes, and at most {MAX_TEXT} are run", text.len()));
        }
        let resolve = |names: &[&str]| {
            let [name, members @ ..] = names else { return Err("no name".to_owned()) };
            if variables.has(name) {
                let (path, used) = self.0.types.path(name, variables.cairo_type(name), members)?;
                return Ok((Named::Place(path), 1 + used));
            }
            let path = |count: usize| names[..count].join(".");
            let known = (1..=names.len()).rev().find(|count| variables.constant(&path(*count)).is_some());
            let count = known.ok_or("there is no such variable or constant")?;
            Ok((Named::Constant(path(count)), count))
        };
        let Rewritten { text, places } = rewrite(text, &resolve)?;
        let run = MontyRun::new(text, "hint", Vec::new(), CompileOptions::default());
        Ok((run.map_err(|exception| said(&exception))?, places))
    }

    /// The text that hints have printed.
    pub(in crate::vm) fn take_printed(&self) -> String {
        self.0.state.borrow_mut().printed.take()
    }
}

impl Code {
    /// Runs the hint.
    pub(in crate::vm) fn run(&self, at: &mut At<'_>, input: Option<&Value>) -> Result<(), HintError> {
        if self.ready.get().is_none() {
            at.work(self.text.len())?;
            at.keep(READY_BYTES.saturating_mul(self.text.len() as u64))?;
        }
        let ready = self.ready.get_or_init(|| self.python.ready(&self.text, at.ids));
        let (run, places) = ready.as_ref().map_err(|fault| custom(fault.clone()))?;
        let mut state = self.python.0.state.borrow_mut();
        let meter = Meter::new(at.vm.budget().steps_left(), state.spent);
        let before = meter.left();
        let scope = Scope::current(at.scopes);
        let mut host = Host { at, places, scope, read: BTreeMap::new(), has_ended: false };
        let done = drive(run.clone(), &mut host, input, &meter, &mut state.printed);
        state.spent += meter.spent();
        let worked = before - meter.left();
        match meter.met() {
            // The budget says so.
            Some(Met::Steps) => at.work(usize::MAX),
            Some(met) => Err(custom(met.text())),
            None => {
                at.work(worked)?;
                done
            }
        }
    }
}

/// Runs work on a stack of its own, if Python is asked for.
pub(in crate::vm) fn with_stack<T: Send>(hints: OwnHints, work: impl FnOnce() -> T + Send) -> Result<T, Problem> {
    if hints != OwnHints::Python {
        return Ok(work());
    }
    let no_stack =
        |error| Problem::Arguments(format!("--hints python: there is no stack of {}: {error}", Bytes(STACK)));
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK as usize).spawn_scoped(scope, work);
        let joined = thread.map_err(no_stack)?.join();
        joined.map_err(|_| Problem::Unforeseen("a hint in Python stopped it".into()))
    })
}

/// Runs a hint to its end.
fn drive(
    run: MontyRun,
    host: &mut Host<'_, '_>,
    input: Option<&Value>,
    meter: &Rc<Meter>,
    printed: &mut Printed,
) -> Result<(), HintError> {
    let failed = |exception: MontyException| custom(said(&exception));
    let mut out = Out(printed);
    let mut progress = run.start(Vec::new(), Limits(meter.clone()), PrintWriter::Callback(&mut out)).map_err(failed)?;
    loop {
        let print = PrintWriter::Callback(&mut out);
        progress = match progress {
            RunProgress::Complete(_) => return Ok(()),
            RunProgress::FunctionCall(call) => {
                if !call.kwargs.is_empty() {
                    return Err(custom("functions of the host take no arguments by name"));
                }
                let name = call.function_name.clone();
                let result = match FUNCTIONS.contains(&name.as_str()) {
                    true => ExtFunctionResult::Return(host.call(&name, &call.args)?),
                    false if name.starts_with(HIDDEN) => return Err(no_function(&name)),
                    // An exception of the hint.
                    false => ExtFunctionResult::NotFound(name),
                };
                call.resume(result, print).map_err(failed)?
            }
            RunProgress::NameLookup(lookup) => {
                let found = named(host, &lookup.name, input, meter)?;
                lookup
                    .resume(found.map_or(NameLookupResult::Undefined, NameLookupResult::Value), print)
                    .map_err(failed)?
            }
            RunProgress::OsCall(_) => return Err(custom("a hint has no files, no network and no clock")),
            RunProgress::ResolveFutures(_) => return Err(custom("a hint awaits nothing")),
        };
    }
}

/// `segments.x`, where there is no `x`.
fn no_function(hidden: &str) -> HintError {
    custom(format!("there is no function `{}`", hidden[HIDDEN.len()..].replacen('_', ".", 1)))
}

/// The value of a name that the hint itself does not give one.
fn named(
    host: &mut Host<'_, '_>,
    name: &str,
    input: Option<&Value>,
    meter: &Meter,
) -> Result<Option<MontyObject>, HintError> {
    if FUNCTIONS.contains(&name) {
        return Ok(Some(MontyObject::Function { name: name.to_owned(), docstring: None }));
    }
    if host.has_ended {
        return Ok(None);
    }
    Ok(match name {
        "ap" => Some(value::pointer(host.at.vm.get_ap())),
        "fp" => Some(value::pointer(host.at.vm.get_fp())),
        "pc" => Some(value::pointer(host.at.vm.get_pc())),
        "PRIME" => Some(value::number(Felt252::prime().into())),
        "program_input" => {
            let input = input.ok_or_else(|| custom("the program reads its program input, but none is given"))?;
            // All of it becomes the hint's.
            let _ = meter.work(value::json_work(input));
            if meter.met().is_some() {
                return Err(custom("the program input is too long"));
            }
            Some(value::json(input))
        }
        hidden if hidden.starts_with(HIDDEN) => {
            return Err(no_function(hidden));
        }
        name => {
            let found = host.scope.get(host.at.scopes, name);
            if let Some(value) = &found {
                let _ = meter.work(value::bytes(value).unwrap_or_default() / 16);
                host.read.insert(name.to_owned(), value.clone());
            }
            found
        }
    })
}

/// An exception, with the line of the hint where it was raised.
fn said(exception: &MontyException) -> String {
    let summary = exception.summary();
    let text = value::with_places(&summary);
    let text = cut(&text, MAX_SAID);
    exception.traceback().last().map_or_else(|| text.to_string(), |frame| in_line(frame.start, &text))
}

/// Where `print` goes.
struct Out<'a>(&'a mut Printed);

impl PrintWriterCallback for Out<'_> {
    fn stdout_write(&mut self, text: Cow<'_, str>) -> Result<(), MontyException> {
        self.0.text(&value::with_places(&text));
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.0.text(end.encode_utf8(&mut [0; 4]));
        Ok(())
    }
}
