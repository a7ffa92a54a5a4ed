//! Hints of a program's own, as the run has them: it sends them to their process, and answers what they ask.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::Rc;

use cairo_vm::types::program::Program;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::errors::hint_errors::HintError;
use serde_json::Value;

use super::message::{End, MAX_RANGE, Reply, Request, Start};
use super::process::{Fault, Process};
use super::scope::{Scopes, numbers, set_number};
use super::types::{Path, Types};
use crate::vm::hints::error::custom;
use crate::vm::hints::executable::Printed;
use crate::vm::hints::library::{At, Variables};
use crate::vm::options::{Options, OwnHints};
use crate::{Problem, StopFlag};

/// Names of a hint behind `ids.`, and names of one of them: more than its text has.
const MAX_NAMES: usize = 1 << 12;

/// The hints in Python of a run.
#[derive(Clone)]
pub(in crate::vm) struct Python(Rc<Shared>);

struct Shared {
    types: Types,
    /// The program that serves hints.
    program: PathBuf,
    stop: StopFlag,
    scopes: Scopes,
    /// Once a hint was run.
    process: RefCell<Option<Process>>,
    printed: RefCell<Printed>,
    /// The number of the next hint.
    next: Cell<u64>,
}

/// A hint.
pub(in crate::vm) struct Code {
    python: Python,
    number: u64,
    text: String,
    /// Whether the process has its text.
    is_sent: Cell<bool>,
    /// The meanings of its names behind `ids.`, by the numbers that the process has of them.
    places: RefCell<Vec<Named>>,
}

/// The meaning of names behind `ids.`.
#[derive(Debug, PartialEq)]
enum Named {
    Place(Path),
    /// A constant, by its path.
    Constant(String),
    /// The size of a structure, or the offset of a member.
    Number(usize),
}

/// The error of a hint whose process does not answer. The budget knows if the run was cancelled.
fn failed(at: &mut At<'_>, fault: Fault) -> HintError {
    at.work(0).err().unwrap_or_else(|| custom(fault.to_string()))
}

fn malformed(why: &'static str) -> HintError {
    custom(Fault::Malformed(why).to_string())
}

impl Python {
    /// The hints in Python of a program, if they are asked for.
    ///
    /// # Errors
    /// None; a build without Python has one.
    pub(in crate::vm) fn of(program: &Program, options: &Options) -> Result<Option<Self>, Problem> {
        let OwnHints::Python(path) = &options.own_hints else { return Ok(None) };
        Ok(Some(Self(Rc::new(Shared {
            types: Types::new(program),
            program: path.clone(),
            stop: options.stop.clone(),
            scopes: Scopes::default(),
            process: RefCell::default(),
            printed: RefCell::default(),
            next: Cell::default(),
        }))))
    }

    /// A hint.
    pub(in crate::vm) fn code(&self, text: &str) -> Code {
        let number = self.0.next.replace(self.0.next.get() + 1);
        let (is_sent, places) = (Cell::new(false), RefCell::default());
        Code { python: self.clone(), number, text: text.to_owned(), is_sent, places }
    }

    /// The text that hints have printed.
    pub(in crate::vm) fn take_printed(&self) -> String {
        self.0.printed.borrow_mut().take()
    }
}

impl Code {
    /// Runs the hint.
    pub(in crate::vm) fn run(&self, at: &mut At<'_>, input: Option<&Value>) -> Result<(), HintError> {
        let shared = &self.python.0;
        let text = (!self.is_sent.replace(true)).then(|| self.text.clone());
        at.work(text.as_ref().map_or(0, String::len))?;
        let mut process = shared.process.borrow_mut();
        let process = match &mut *process {
            Some(process) => process,
            none => none.insert(Process::start(&shared.program, &shared.stop).map_err(|fault| failed(at, fault))?),
        };
        let scope = shared.scopes.current(at.scopes)?;
        let start = Start {
            number: self.number,
            text,
            scope,
            numbers: numbers(at.scopes),
            left: shared.scopes.take_left(),
            registers: [at.vm.get_ap(), at.vm.get_fp(), at.vm.get_pc()],
            steps: at.vm.budget().steps_left(),
        };
        process.begin_hint();
        process.send(&Reply::Hint(start)).map_err(|fault| failed(at, fault))?;
        loop {
            match process.receive().map_err(|fault| failed(at, fault))? {
                Request::Ended { steps, end } => {
                    return match end {
                        // The budget says so.
                        End::Steps => at.work(usize::MAX),
                        End::Well => at.work(steps),
                        End::Failed(fault) => at.work(steps).and(Err(custom(fault))),
                    };
                }
                request => {
                    at.work(1)?;
                    if let Some(reply) = self.answer(at, input, scope, request)? {
                        process.send(&reply).map_err(|fault| failed(at, fault))?;
                    }
                }
            }
        }
    }

    /// Does what a hint asks for. The answer, if it waits for one.
    fn answer(
        &self,
        at: &mut At<'_>,
        input: Option<&Value>,
        scope: u64,
        request: Request,
    ) -> Result<Option<Reply>, HintError> {
        Ok(Some(match request {
            Request::Resolve(names) if names.len() > MAX_NAMES || self.places.borrow().len() == MAX_NAMES => {
                return Err(malformed("it asks for more names than a hint has"));
            }
            Request::Resolve(names) => self.resolve(at.ids, &names),
            Request::Get(number) => Reply::Cell(Some(self.named(number, |named| named.value(at))?)),
            Request::Set(number, value) => {
                let address = self.named(number, |named| named.written(at))?;
                at.vm.put(address, value)?;
                return Ok(None);
            }
            Request::Load(address) => Reply::Cell(Some(at.cell(address)?)),
            Request::Store(address, value) => {
                at.vm.put(address, value)?;
                return Ok(None);
            }
            Request::Find(address) => Reply::Cell(at.vm.get_maybe(&address)),
            Request::Range(start, count) => {
                if count > MAX_RANGE {
                    return Err(custom(format!("memory.get_range: the size is above {MAX_RANGE}")));
                }
                at.work(count)?;
                let cells = (0..count).map(|offset| at.cell((start + offset)?));
                Reply::Cells(cells.collect::<Result<_, HintError>>()?)
            }
            Request::Segment { is_temporary: false } => Reply::Cell(Some(at.vm.add_memory_segment()?.into())),
            Request::Segment { is_temporary: true } => Reply::Cell(Some(at.vm.add_temporary_segment()?.into())),
            Request::Write(start, cells) => {
                at.work(cells.len())?;
                at.vm.has_room(start, cells.len())?;
                for (offset, cell) in cells.into_iter().enumerate() {
                    at.vm.put((start + offset)?, cell)?;
                }
                return Ok(None);
            }
            Request::Relocate(source, target) => {
                at.vm.add_relocation_rule(source, target)?;
                return Ok(None);
            }
            Request::Number(name, number) => {
                set_number(at.scopes, scope, &name, number);
                return Ok(None);
            }
            Request::Input => Reply::Input(input.map(Value::to_string)),
            Request::Enter(felts) => Reply::Scope(self.python.0.scopes.enter(at.scopes, felts)?),
            Request::Exit => {
                at.scopes.exit_scope()?;
                return Ok(None);
            }
            Request::Printed(text) => {
                self.python.0.printed.borrow_mut().text(&text);
                return Ok(None);
            }
            Request::Ready { .. } | Request::Ended { .. } => return Err(malformed("it asks nothing")),
        }))
    }

    /// Finds what the names behind `ids.` mean, and numbers it.
    fn resolve(&self, ids: &Variables, names: &[String]) -> Reply {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match self.meant(ids, &names) {
            Ok((named, used)) => {
                let mut places = self.places.borrow_mut();
                let number = places.iter().position(|known| *known == named).unwrap_or(places.len());
                if number == places.len() {
                    places.push(named);
                }
                Reply::Resolved(number, used)
            }
            Err(fault) => Reply::Unresolved(fault),
        }
    }

    fn meant(&self, ids: &Variables, names: &[&str]) -> Result<(Named, usize), String> {
        let [name, members @ ..] = names else { return Err("no name".to_owned()) };
        if ids.has(name) {
            let mut of = ids.cairo_type(name).unwrap_or("felt").to_owned();
            // cairo-vm leaves out a star of each type, also of a pointer that is computed: `cast(fp, Point*)`.
            if !ids.is_cell(name) {
                of.push('*');
            }
            let (path, used) = self.python.0.types.path(name, &of, members)?;
            return Ok((Named::Place(path), 1 + used));
        }
        let path = |count: usize| names[..count].join(".");
        let known = (1..=names.len()).rev().find(|count| ids.constant(&path(*count)).is_some());
        let number = || self.python.0.types.number(name, members.first()?);
        match (known, number()) {
            (Some(count), _) => Ok((Named::Constant(path(count)), count)),
            (None, Some(number)) => Ok((Named::Number(number), 2)),
            (None, None) => Err("there is no such variable or constant".to_owned()),
        }
    }

    fn named<T>(&self, number: usize, with: impl FnOnce(&Named) -> Result<T, HintError>) -> Result<T, HintError> {
        let places = self.places.borrow();
        with(places.get(number).ok_or_else(|| malformed("it asks for the number of nothing"))?)
    }
}

impl Named {
    fn value(&self, at: &At<'_>) -> Result<MaybeRelocatable, HintError> {
        match self {
            Self::Constant(path) => Ok(at.constant(path)?.into()),
            Self::Number(number) => Ok(crate::Felt252::from(*number).into()),
            Self::Place(path @ Path { is_address: true, .. }) => Ok(address(at, path)?.into()),
            Self::Place(path) if path.offsets.is_empty() => at.value(&path.name),
            Self::Place(path) => at.cell(address(at, path)?),
        }
    }

    /// The place of the cell that is written.
    fn written(&self, at: &At<'_>) -> Result<Relocatable, HintError> {
        match self {
            Self::Place(path) if path.offsets.is_empty() && !at.ids.is_cell(&path.name) => {
                Err(custom(format!("ids.{} is a value that is computed, and no cell", path.name)))
            }
            Self::Place(path) if !path.is_address => address(at, path),
            _ => Err(custom("a constant or an address is not written")),
        }
    }
}

/// Where what a path says stands.
fn address(at: &At<'_>, path: &Path) -> Result<Relocatable, HintError> {
    let mut place = if path.is_behind { at.pointer(&path.name)? } else { at.address(&path.name)? };
    for (index, offset) in path.offsets.iter().enumerate() {
        if index > 0 {
            let found = at.cell(place)?;
            place = found.get_relocatable().ok_or_else(|| custom(format!("the cell {place} has no pointer")))?;
        }
        place = (place + *offset)?;
    }
    Ok(place)
}
