//! Hints, run in the interpreter.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::rc::Rc;

use cairo_vm::Felt252;
use monty::{MontyRun, RunProgress};
use monty_types::{
    CompileOptions, ExtFunctionResult, MontyException, MontyObject, NameLookupResult, PrintWriter, PrintWriterCallback,
};
use proof_format::text::{MAX_PARSER_MESSAGE, cut};

use super::host::{Host, arguments, is_function};
use super::kept::Kept;
use super::limits::{Limits, Met, Meter, too_much_memory};
use super::link::{Link, Stop, fault, other};
use super::rewrite::{in_line, rewrite};
use super::value;
use crate::vm::hints::executable::MAX_PRINTED_BYTES;
use crate::vm::python::message::{End, Reply, Request, Start};

/// Bytes of a hint's text.
const MAX_TEXT: usize = 1 << 14;

/// The interpreter of a run.
pub(super) struct Interpreter {
    pub(super) link: Link,
    kept: Kept,
    /// The hints that were run, by their numbers.
    hints: HashMap<u64, Hint>,
    input: Option<Input>,
    /// Bytes that hints have printed.
    printed: usize,
}

/// A hint that is ready.
struct Hint {
    run: MontyRun,
    /// The names of what it calls by numbers.
    places: Vec<String>,
}

/// The program input, once a hint has read it.
struct Input {
    value: MontyObject,
    /// Steps that it takes to read it.
    work: usize,
}

impl Interpreter {
    pub(super) fn new(link: Link) -> Self {
        Self { link, kept: Kept::default(), hints: HashMap::new(), input: None, printed: 0 }
    }

    /// Runs a hint, and says how it has ended.
    ///
    /// # Errors
    /// The run is gone.
    pub(super) fn run(&mut self, start: Start) -> Result<(), Stop> {
        start.left.iter().for_each(|scope| self.kept.drop_scope(*scope));
        let meter = Meter::new(start.steps);
        // One byte more than is shown says that there was more.
        let mut out = Out { text: String::new(), left: (MAX_PRINTED_BYTES + 1).saturating_sub(self.printed) };
        let done = self.hint(&start, &meter, &mut out);
        self.printed += out.text.len();
        let end = match (meter.met(), done) {
            (_, Err(Stop::Gone(error))) => return Err(Stop::Gone(error)),
            (Some(Met::Steps), _) => End::Steps,
            (Some(Met::Memory), _) => End::Failed(too_much_memory()),
            (None, Ok(())) => End::Well,
            (None, Err(Stop::Fault(text))) => End::Failed(text),
        };
        if !out.text.is_empty() {
            self.link.send(&Request::Printed(out.text))?;
        }
        self.link.send(&Request::Ended { steps: start.steps - meter.left(), end })
    }

    fn hint(&mut self, start: &Start, meter: &Rc<Meter>, out: &mut Out) -> Result<(), Stop> {
        if let Some(text) = &start.text {
            let hint = ready(&mut self.link, text)?;
            self.hints.insert(start.number, hint);
        }
        let unknown = || Stop::Gone(io::Error::other("the run sends the number of no hint"));
        let Hint { run, places } = self.hints.get(&start.number).ok_or_else(unknown)?;
        let host = Host {
            link: &mut self.link,
            kept: &mut self.kept,
            places,
            scope: start.scope,
            numbers: start.numbers.iter().cloned().collect(),
            has_ended: false,
        };
        let mut work = Work { host, start, input: &mut self.input, meter };
        work.drive(run.clone(), out)
    }
}

/// Makes a hint ready.
fn ready(link: &mut Link, text: &str) -> Result<Hint, Stop> {
    if text.len() > MAX_TEXT {
        return fault(format!("a hint has {} bytes, and at most {MAX_TEXT} are run", text.len()));
    }
    let (mut gone, mut places) = (None, Vec::new());
    let mut resolve = |names: &[&str]| {
        let request = Request::Resolve(names.iter().map(|name| (*name).to_owned()).collect());
        match link.ask(&request) {
            Ok(Reply::Resolved(number, used)) if number <= places.len() && (1..=names.len()).contains(&used) => {
                if number == places.len() {
                    places.push(format!("ids.{}", names[..used].join(".")));
                }
                Ok((number, used))
            }
            Ok(Reply::Unresolved(fault)) => Err(fault),
            Ok(reply) => {
                gone = other::<()>(reply).err();
                Err(String::new())
            }
            Err(stop) => {
                gone = Some(stop);
                Err(String::new())
            }
        }
    };
    let rewritten = rewrite(text, &mut resolve);
    if let Some(stop) = gone {
        return Err(stop);
    }
    let run = MontyRun::new(rewritten.map_err(Stop::Fault)?, "hint", Vec::new(), CompileOptions::default());
    Ok(Hint { run: run.map_err(|exception| Stop::Fault(said(&exception)))?, places })
}

/// A hint at work.
struct Work<'a> {
    host: Host<'a>,
    start: &'a Start,
    input: &'a mut Option<Input>,
    meter: &'a Rc<Meter>,
}

impl Work<'_> {
    /// Runs the hint to its end.
    fn drive(&mut self, run: MontyRun, out: &mut Out) -> Result<(), Stop> {
        let failed = |exception: MontyException| Stop::Fault(said(&exception));
        let print = PrintWriter::Callback(out);
        let mut progress = run.start(Vec::new(), Limits(self.meter.clone()), print).map_err(failed)?;
        loop {
            let print = PrintWriter::Callback(out);
            progress = match progress {
                RunProgress::Complete(_) => return Ok(()),
                RunProgress::FunctionCall(mut call) => {
                    let result = if is_function(&call.function_name) {
                        let (args, named) = (std::mem::take(&mut call.args), std::mem::take(&mut call.kwargs));
                        let arguments = arguments(&call.function_name, args, named)?;
                        ExtFunctionResult::Return(self.host.call(&call.function_name, &arguments)?)
                    } else {
                        // An exception of the hint.
                        ExtFunctionResult::NotFound(call.function_name.clone())
                    };
                    call.resume(result, print).map_err(failed)?
                }
                RunProgress::NameLookup(lookup) => {
                    let found = self.named(&lookup.name)?;
                    lookup
                        .resume(found.map_or(NameLookupResult::Undefined, NameLookupResult::Value), print)
                        .map_err(failed)?
                }
                RunProgress::OsCall(_) => return fault("a hint has no files, no network and no clock"),
                RunProgress::ResolveFutures(_) => return fault("a hint awaits nothing"),
            };
        }
    }

    /// The value of a name that the hint itself does not give one.
    fn named(&mut self, name: &str) -> Result<Option<MontyObject>, Stop> {
        if is_function(name) {
            return Ok(Some(MontyObject::Function { name: name.to_owned(), docstring: None }));
        }
        if self.host.has_ended {
            return Ok(None);
        }
        let [ap, fp, pc] = self.start.registers;
        Ok(match name {
            "ap" => Some(value::pointer(ap)),
            "fp" => Some(value::pointer(fp)),
            "pc" => Some(value::pointer(pc)),
            "PRIME" => Some(value::number(Felt252::prime().into())),
            "program_input" => Some(self.input()?),
            name => self.variable(name),
        })
    }

    /// A variable that a hint of the library or one in Python has left.
    fn variable(&mut self, name: &str) -> Option<MontyObject> {
        if let Some(number) = self.host.numbers.get(name) {
            return Some(value::number(number.clone()));
        }
        let kept = self.host.kept.get(self.host.scope, name)?;
        // All of it becomes the hint's.
        let _ = self.meter.work(value::bytes(kept).unwrap_or_default() / 16);
        Some(kept.clone())
    }

    fn input(&mut self) -> Result<MontyObject, Stop> {
        let input = match self.input.take() {
            Some(input) => input,
            None => match self.host.link.ask(&Request::Input)? {
                Reply::Input(Some(text)) => {
                    let json = serde_json::from_str(&text).map_err(io::Error::from)?;
                    Input { value: value::json(&json), work: value::json_work(&json) }
                }
                Reply::Input(None) => return fault("the program reads its program input, but none is given"),
                reply => return other(reply),
            },
        };
        let is_paid = self.meter.work(input.work).is_ok();
        let value = if is_paid { input.value.clone() } else { MontyObject::None };
        *self.input = Some(input);
        if is_paid { Ok(value) } else { fault("the program input is too long") }
    }
}

/// An exception, with the line of the hint where it was raised.
fn said(exception: &MontyException) -> String {
    let summary = exception.summary();
    let text = value::with_places(&summary);
    let text = cut(&text, MAX_PARSER_MESSAGE);
    exception.traceback().last().map_or_else(|| text.to_string(), |frame| in_line(frame.start.line, &text))
}

/// Where `print` goes.
struct Out {
    text: String,
    /// Bytes that are shown yet.
    left: usize,
}

impl Out {
    fn push(&mut self, text: &str) {
        if self.left > 0 {
            self.text += text;
            self.left = self.left.saturating_sub(text.len());
        }
    }
}

impl PrintWriterCallback for Out {
    fn stdout_write(&mut self, text: Cow<'_, str>) -> Result<(), MontyException> {
        if self.left > 0 {
            self.push(&value::with_places(&text));
        }
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.push(end.encode_utf8(&mut [0; 4]));
        Ok(())
    }
}
