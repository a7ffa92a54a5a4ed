//! Hints of compiled programs that read the program input.
//!
//! cairo-vm knows the hints of the Cairo library by their text. The hints by which a program takes its input are its
//! own, but they are nearly always assignments, and assignments are read here:
//!
//! ```text
//! ids.n = program_input['n']                        ids.x = program_input['points'][0]['x']
//! memory[ap] = program_input['n']                   ids.list = segments.gen_arg(program_input['list'])
//! ids.list_len = len(program_input['list'])
//! ```

use cairo_vm::Felt252;
use cairo_vm::types::relocatable::MaybeRelocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use proof_format::text::excerpt;
use serde_json::Value;

use super::library::At;
use super::machine::Machine;
use crate::parse_arguments_list;

/// The name under which hints know the program input.
const NAME: &str = "program_input";

/// Longer text is no felt, and is not parsed.
const MAX_TEXT: usize = 256;

/// A line of a hint.
#[derive(Debug, PartialEq)]
pub(super) struct Assignment {
    target: Target,
    form: Form,
    path: Vec<Index>,
}

#[derive(Debug, PartialEq)]
enum Target {
    /// `ids.NAME`
    Variable(String),
    /// `memory[ap]`
    Ap,
}

#[derive(Debug, PartialEq)]
enum Form {
    /// The value itself, an integer.
    Integer,
    /// `segments.gen_arg(...)`: the value in a segment of its own, if it is a list.
    Argument,
    /// `len(...)`
    Length,
}

#[derive(Debug, PartialEq)]
enum Index {
    Key(String),
    Element(usize),
}

/// The assignments of a hint, one a line; `None` if there is none, or if a line is anything else.
pub(super) fn parse(code: &str) -> Option<Vec<Assignment>> {
    if !code.contains(NAME) {
        return None;
    }
    code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Assignment> {
    let (target, source) = line.split_once('=')?;
    let target = match target.trim() {
        "memory[ap]" => Target::Ap,
        target => Target::Variable(target.strip_prefix("ids.").filter(|name| is_name(name))?.into()),
    };
    let source = source.trim();
    let inner = |call: &str| source.strip_prefix(call)?.strip_suffix(')');
    let (form, place) = if let Some(place) = inner("segments.gen_arg(") {
        (Form::Argument, place)
    } else if let Some(place) = inner("len(") {
        (Form::Length, place)
    } else {
        (Form::Integer, source)
    };
    Some(Assignment { target, form, path: parse_path(place.trim())? })
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn parse_path(place: &str) -> Option<Vec<Index>> {
    let mut rest = place.strip_prefix(NAME)?;
    let mut path = Vec::new();
    while !rest.is_empty() {
        let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
        let quoted = |quote: char| index.strip_prefix(quote)?.strip_suffix(quote);
        path.push(match quoted('\'').or_else(|| quoted('"')) {
            Some(key) => Index::Key(key.into()),
            None => Index::Element(index.parse().ok()?),
        });
        rest = after;
    }
    Some(path)
}

/// Does the assignments. The program input is borrowed: they take time only for the parts that they read.
pub(super) fn assign(at: &mut At<'_>, input: Option<&Value>, assignments: &[Assignment]) -> Result<(), HintError> {
    let input = input.ok_or_else(|| custom("the program reads its program input, but none is given".into()))?;
    at.work(assignments.iter().map(|assignment| 1 + assignment.path.len()).sum::<usize>().saturating_sub(FREE))?;
    for Assignment { target, form, path } in assignments {
        let value = follow(input, path)?;
        let word = match form {
            Form::Integer => MaybeRelocatable::Int(integer(value)?),
            Form::Argument => argument(at.vm, value)?,
            Form::Length => {
                let list =
                    value.as_array().ok_or_else(|| custom(format!("program input: {} is no list", named(value))))?;
                MaybeRelocatable::Int(list.len().into())
            }
        };
        match target {
            Target::Variable(name) => at.set(name, word)?,
            Target::Ap => {
                let ap = at.vm.get_ap();
                at.vm.put(ap, word)?;
            }
        }
    }
    Ok(())
}

/// Steps into the program input that a hint takes in the time of the step that it belongs to.
const FREE: usize = 16;

/// The beginning of a value.
fn named(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("a list of {} values", list.len()),
        Value::Object(object) => format!("an object of {} keys", object.len()),
        Value::String(text) => format!("\"{}\"", excerpt(text)),
        value => excerpt(&value.to_string()).to_string(),
    }
}

fn custom(text: String) -> HintError {
    HintError::CustomHint(text.into_boxed_str())
}

fn follow<'a>(input: &'a Value, path: &[Index]) -> Result<&'a Value, HintError> {
    path.iter().try_fold(input, |value, index| {
        let found = match index {
            Index::Key(key) => value.get(key),
            Index::Element(element) => value.get(element),
        };
        found.ok_or_else(|| {
            let name = match index {
                Index::Key(key) => format!("key \"{}\"", excerpt(key)),
                Index::Element(element) => format!("element {element}"),
            };
            custom(format!("program input: there is no {name}"))
        })
    })
}

/// An integer of the program input. JSON numbers hold 64 bits here; a larger one is written as a string.
fn integer(value: &Value) -> Result<Felt252, HintError> {
    let felt = match value {
        Value::Number(number) => number.as_u64().map(Felt252::from).or_else(|| number.as_i64().map(Felt252::from)),
        Value::Bool(bit) => Some(Felt252::from(*bit)),
        Value::String(text) if text.len() > MAX_TEXT => None,
        Value::String(text) => parse_arguments_list(text).ok().filter(|words| words.len() == 1).map(|words| words[0]),
        _ => None,
    };
    felt.ok_or_else(|| {
        custom(format!(
            "program input: {} is no integer below the prime; write one of more than 64 bits as a string",
            named(value)
        ))
    })
}

/// A list in a segment of its own, by its pointer; anything else as an integer.
fn argument(vm: &mut Machine<'_>, value: &Value) -> Result<MaybeRelocatable, HintError> {
    let Value::Array(elements) = value else {
        return Ok(MaybeRelocatable::Int(integer(value)?));
    };
    vm.work(elements.len())?;
    let base = vm.add_memory_segment()?;
    vm.has_room(base, elements.len())?;
    let words = elements.iter().map(|element| argument(vm, element)).collect::<Result<Vec<_>, _>>()?;
    vm.load_data(base, words)?;
    Ok(base.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_read_and_other_code_is_not() {
        let one = |target, form, path| Some(vec![Assignment { target, form, path }]);
        let variable = || Target::Variable("n".into());
        assert_eq!(parse("ids.n = program_input['n']"), one(variable(), Form::Integer, vec![Index::Key("n".into())]));
        assert_eq!(
            parse("\n  ids.n = segments.gen_arg(program_input[\"a\"][2])\n"),
            one(variable(), Form::Argument, vec![Index::Key("a".into()), Index::Element(2)])
        );
        assert_eq!(parse("memory[ap] = len(program_input)"), one(Target::Ap, Form::Length, vec![]));
        for code in ["ids.n = program_input['n'] + 1", "n = program_input['n']", "ids.a.b = program_input", "import os"]
        {
            assert_eq!(parse(code), None, "{code}");
        }
    }
}
