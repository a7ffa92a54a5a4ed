//! The functions that a hint calls: memory, variables, segments and scopes.

use std::collections::BTreeMap;

use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use monty_types::MontyObject;
use num_bigint::BigInt;

use super::builtins;
use super::kept::Kept;
use super::limits::too_much_memory;
use super::link::{Link, Stop, fault, other};
use super::power::{power, power_modulo};
use super::value::{self, cell, to_cell, to_place};
use crate::vm::python::message::{MAX_RANGE, Reply, Request};

/// Cells of a message.
const CELLS: usize = 1 << 16;

/// The functions, by the names under which a hint that was rewritten calls them, with the names of their arguments, of
/// which the last ones may lack.
const FUNCTIONS: [(&str, &[&str]); 18] = [
    ("__host_drop", &["name"]),
    ("__host_end", &[]),
    ("__host_enter_scope", &["new_scope_locals"]),
    ("__host_exit_scope", &[]),
    ("__host_get", &["number"]),
    ("__host_keep", &["name", "value"]),
    ("__host_load", &["addr"]),
    ("__host_memory_add_relocation_rule", &["src_ptr", "dest_ptr"]),
    ("__host_memory_get", &["key", "default"]),
    ("__host_memory_get_range", &["addr", "size"]),
    ("__host_pow", &["base", "exp", "mod"]),
    ("__host_segments_add", &[]),
    ("__host_segments_add_temp_segment", &[]),
    ("__host_segments_gen_arg", &["arg"]),
    ("__host_segments_load_data", &["ptr", "data"]),
    ("__host_segments_write_arg", &["ptr", "arg"]),
    ("__host_set", &["number", "value"]),
    ("__host_store", &["addr", "value"]),
];

/// Whether there is a function of this name.
pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|(known, _)| *known == name)
}

/// A hint at work.
pub(super) struct Host<'a> {
    pub(super) link: &'a mut Link,
    pub(super) kept: &'a mut Kept,
    /// The names of variables and constants, by their numbers.
    pub(super) places: &'a [String],
    /// The scope in which the hint began.
    pub(super) scope: u64,
    /// Numbers that hints of the library have left in that scope.
    pub(super) numbers: BTreeMap<String, BigInt>,
    /// Whether the hint has ended, and hands on its variables.
    pub(super) has_ended: bool,
}

/// The arguments of a call in their order, of which some are given by name.
pub(super) fn arguments(
    function: &str,
    args: Vec<MontyObject>,
    named: Vec<(MontyObject, MontyObject)>,
) -> Result<Vec<MontyObject>, Stop> {
    let known = FUNCTIONS.iter().find(|(name, _)| *name == function).map_or(&[][..], |(_, names)| *names);
    let wrong = || fault(format!("`{}` takes other arguments", shown(function)));
    let mut all: Vec<Option<MontyObject>> = args.into_iter().map(Some).collect();
    for (name, value) in named {
        let MontyObject::String(name) = name else { return wrong() };
        let Some(index) = known.iter().position(|known| *known == name) else { return wrong() };
        all.resize(all.len().max(index + 1), None);
        if all[index].replace(value).is_some() {
            return wrong();
        }
    }
    if all.len() > known.len() {
        return wrong();
    }
    all.into_iter().collect::<Option<_>>().map_or_else(wrong, Ok)
}

impl Host<'_> {
    /// Calls a function.
    pub(super) fn call(&mut self, name: &str, arguments: &[MontyObject]) -> Result<MontyObject, Stop> {
        match (name, arguments) {
            ("__host_get", [MontyObject::Int(number)]) => self.value(&Request::Get(*number as usize)),
            ("__host_set", [MontyObject::Int(number), value]) => {
                let number = *number as usize;
                let name = self.places.get(number).map_or("a variable", String::as_str);
                self.write(&Request::Set(number, written(name, value)?))
            }
            ("__host_load", [address]) => self.value(&Request::Load(place("memory", address)?)),
            ("__host_store", [address, value]) => {
                self.write(&Request::Store(place("memory", address)?, written("memory", value)?))
            }
            ("__host_memory_get", [address, rest @ ..]) => {
                match self.link.ask(&Request::Find(place("memory.get", address)?))? {
                    Reply::Cell(Some(found)) => Ok(cell(&found)),
                    Reply::Cell(None) => Ok(rest.first().cloned().unwrap_or(MontyObject::None)),
                    reply => other(reply),
                }
            }
            ("__host_memory_add_relocation_rule", [source, target]) => {
                let source = place("memory.add_relocation_rule", source)?;
                self.write(&Request::Relocate(source, written("memory.add_relocation_rule", target)?))
            }
            ("__host_memory_get_range", [start, size]) => self.range(start, size),
            ("__host_keep", [MontyObject::String(name), value]) => match self.numbers.get(name) {
                None => self.keep(self.scope, name, value),
                Some(known) => {
                    let number = value::integer(value);
                    if number.as_ref() == Some(known) {
                        return Ok(MontyObject::None);
                    }
                    self.link.send(&Request::Number(name.clone(), number))?;
                    // The library may have no such number.
                    self.keep(self.scope, name, value)
                }
            },
            ("__host_drop", [MontyObject::String(name)]) => {
                if self.numbers.contains_key(name) {
                    self.link.send(&Request::Number(name.clone(), None))?;
                }
                self.kept.drop(self.scope, name);
                Ok(MontyObject::None)
            }
            ("__host_end", []) => {
                self.has_ended = true;
                Ok(MontyObject::None)
            }
            ("__host_pow", [base, exponent]) => power(base, exponent),
            ("__host_pow", [base, exponent, modulus]) => power_modulo(base, exponent, modulus),
            ("__host_segments_add", []) => self.segment(false).map(value::pointer),
            ("__host_segments_add_temp_segment", []) => self.segment(true).map(value::pointer),
            ("__host_segments_gen_arg", [argument]) => self.argument(argument).map(|argument| cell(&argument)),
            ("__host_segments_write_arg" | "__host_segments_load_data", [start, items]) => {
                let start = place("segments", start)?;
                self.write_items(start, items).map(value::pointer)
            }
            ("__host_enter_scope", []) => self.enter(&MontyObject::None),
            ("__host_enter_scope", [variables]) => self.enter(variables),
            ("__host_exit_scope", []) => self.write(&Request::Exit),
            _ => fault(format!("`{}` takes other arguments", shown(name))),
        }
    }

    fn value(&mut self, request: &Request) -> Result<MontyObject, Stop> {
        match self.link.ask(request)? {
            Reply::Cell(Some(found)) => Ok(cell(&found)),
            reply => other(reply),
        }
    }

    fn write(&mut self, request: &Request) -> Result<MontyObject, Stop> {
        self.link.send(request).map(|()| MontyObject::None)
    }

    fn segment(&mut self, is_temporary: bool) -> Result<Relocatable, Stop> {
        match self.link.ask(&Request::Segment { is_temporary })? {
            Reply::Cell(Some(MaybeRelocatable::RelocatableValue(start))) => Ok(start),
            reply => other(reply),
        }
    }

    fn range(&mut self, start: &MontyObject, size: &MontyObject) -> Result<MontyObject, Stop> {
        let start = place("memory.get_range", start)?;
        let size = match size {
            MontyObject::Int(size) => usize::try_from(*size).ok().filter(|size| *size <= MAX_RANGE),
            _ => None,
        };
        let Some(size) = size else {
            return fault(format!("memory.get_range: the size is no number from 0 to {MAX_RANGE}"));
        };
        match self.link.ask(&Request::Range(start, size))? {
            Reply::Cells(cells) => Ok(MontyObject::List(cells.iter().map(cell).collect())),
            reply => other(reply),
        }
    }

    /// Hands a variable to the hints after this one.
    fn keep(&mut self, scope: u64, name: &str, value: &MontyObject) -> Result<MontyObject, Stop> {
        match self.kept.get(scope, name) {
            Some(kept) if kept == value => Ok(MontyObject::None),
            _ => match self.kept.keep(scope, name, value.clone()) {
                Ok(()) => Ok(MontyObject::None),
                Err(_) => fault(too_much_memory()),
            },
        }
    }

    /// A list in a segment of its own, by its pointer; anything else as it is.
    fn argument(&mut self, argument: &MontyObject) -> Result<MaybeRelocatable, Stop> {
        match argument {
            MontyObject::List(_) | MontyObject::Tuple(_) => {
                let start = self.segment(false)?;
                self.write_items(start, argument)?;
                Ok(start.into())
            }
            other => written("segments", other),
        }
    }

    /// Writes the items of a list, and returns the place behind them.
    fn write_items(&mut self, start: Relocatable, items: &MontyObject) -> Result<Relocatable, Stop> {
        let (MontyObject::List(items) | MontyObject::Tuple(items)) = items else {
            return fault("segments: no list is given");
        };
        let cells = items.iter().map(|item| self.argument(item)).collect::<Result<Vec<_>, _>>()?;
        let mut at = start;
        for part in cells.chunks(CELLS) {
            self.write(&Request::Write(at, part.to_vec()))?;
            let Some(offset) = at.offset.checked_add(part.len()) else { return fault("segments: no such address") };
            at.offset = offset;
        }
        Ok(at)
    }

    /// Begins a scope with these variables. Numbers are there for hints of the library, too.
    fn enter(&mut self, variables: &MontyObject) -> Result<MontyObject, Stop> {
        let mut named = Vec::new();
        match variables {
            MontyObject::None => {}
            MontyObject::Dict(entries) => {
                for (name, value) in entries {
                    let MontyObject::String(name) = name else {
                        return fault("vm_enter_scope: a name is no text");
                    };
                    if let Some(why) = builtins::refusal(name) {
                        return fault(format!("vm_enter_scope: {why}"));
                    }
                    named.push((name, value));
                }
            }
            _ => return fault("vm_enter_scope: no dictionary is given"),
        }
        let felts = named.iter().filter_map(|(name, value)| Some(((*name).clone(), value::to_felt(value)?)));
        let scope = match self.link.ask(&Request::Enter(felts.collect()))? {
            Reply::Scope(scope) => scope,
            reply => return other(reply),
        };
        named.into_iter().try_for_each(|(name, value)| self.keep(scope, name, value).map(|_| ()))?;
        Ok(MontyObject::None)
    }
}

/// The name of a function as a hint has it.
pub(super) fn shown(name: &str) -> String {
    let name = name.strip_prefix("__host_").unwrap_or(name);
    match name.split_once('_') {
        Some((object @ ("memory" | "segments"), method)) => format!("{object}.{method}"),
        Some(("enter" | "exit", "scope")) => format!("vm_{name}"),
        _ => name.to_owned(),
    }
}

fn place(name: &str, value: &MontyObject) -> Result<Relocatable, Stop> {
    to_place(value).or_else(|why| fault(format!("{name}: {why}")))
}

fn written(name: &str, value: &MontyObject) -> Result<MaybeRelocatable, Stop> {
    to_cell(value).or_else(|why| fault(format!("{name}: {why}")))
}
