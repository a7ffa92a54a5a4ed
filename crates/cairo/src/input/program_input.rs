//! Hints of compiled programs that read the program input.
//!
//! cairo-vm knows the hints of the Cairo library by their text. The hints by which a program takes its input are its
//! own, but they are nearly always assignments, and those are read here:
//!
//! ```text
//! ids.n = program_input['n']                        ids.x = program_input['points'][0]['x']
//! memory[ap] = program_input['n']                   ids.list = segments.gen_arg(program_input['list'])
//! ids.list_len = len(program_input['list'])
//! ```

use std::collections::HashMap;
use std::rc::Rc;

use cairo_vm::Felt252;
use cairo_vm::hint_processor::builtin_hint_processor::builtin_hint_processor_definition::HintFunc;
use cairo_vm::hint_processor::builtin_hint_processor::hint_utils::{insert_value_from_var_name, insert_value_into_ap};
use cairo_vm::types::program::Program;
use cairo_vm::types::relocatable::MaybeRelocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use cairo_vm::vm::vm_core::VirtualMachine;
use serde_json::Value;

use super::parse_arguments_list;

/// The name under which hints find the program input in their scope.
pub(super) const SCOPE_NAME: &str = "program_input";

/// The hints of `program` that are assignments from the program input, by their text.
pub(super) fn hints(program: &Program) -> HashMap<String, Rc<HintFunc>> {
    let hints = &program.shared_program_data.hints_collection.hints;
    hints
        .iter()
        .filter(|hint| hint.code.contains(SCOPE_NAME))
        .filter_map(|hint| Some((hint.code.clone(), Rc::new(function(parse(&hint.code)?)))))
        .collect()
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

#[derive(Debug, PartialEq)]
struct Assignment {
    target: Target,
    form: Form,
    path: Vec<Index>,
}

/// The assignments of a hint, one a line; `None` if a line is anything else.
fn parse(code: &str) -> Option<Vec<Assignment>> {
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
    let mut rest = place.strip_prefix(SCOPE_NAME)?;
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

fn function(assignments: Vec<Assignment>) -> HintFunc {
    HintFunc(Box::new(move |vm, scopes, ids, ap_tracking, _constants| {
        let missing = || custom("the program reads its program input, but none is given".into());
        let input: Value = scopes.get(SCOPE_NAME).map_err(|_| missing())?;
        for Assignment { target, form, path } in &assignments {
            let value = follow(&input, path)?;
            let word = match form {
                Form::Integer => MaybeRelocatable::Int(integer(value)?),
                Form::Argument => argument(vm, value)?,
                Form::Length => {
                    let list = value.as_array().ok_or_else(|| custom(format!("program input: {value} is no list")))?;
                    MaybeRelocatable::Int(list.len().into())
                }
            };
            match target {
                Target::Variable(name) => insert_value_from_var_name(name, word, vm, ids, ap_tracking)?,
                Target::Ap => insert_value_into_ap(vm, word)?,
            }
        }
        Ok(())
    }))
}

fn custom(text: String) -> HintError {
    HintError::CustomHint(text.into_boxed_str())
}

fn follow<'a>(input: &'a Value, path: &[Index]) -> Result<&'a Value, HintError> {
    path.iter().try_fold(input, |value, index| {
        let (found, name) = match index {
            Index::Key(key) => (value.get(key), format!("key {key:?}")),
            Index::Element(element) => (value.get(element), format!("element {element}")),
        };
        found.ok_or_else(|| custom(format!("program input: there is no {name}")))
    })
}

/// An integer of the program input. JSON numbers hold 64 bits here; a larger one is written as a string.
fn integer(value: &Value) -> Result<Felt252, HintError> {
    let felt = match value {
        Value::Number(number) => number.as_u64().map(Felt252::from).or_else(|| number.as_i64().map(Felt252::from)),
        Value::Bool(bit) => Some(Felt252::from(*bit)),
        Value::String(text) => parse_arguments_list(text).ok().filter(|words| words.len() == 1).map(|words| words[0]),
        _ => None,
    };
    felt.ok_or_else(|| {
        custom(format!(
            "program input: {value} is no integer below the prime; write one of more than 64 bits as a string"
        ))
    })
}

/// A list in a segment of its own, by its pointer; anything else as an integer.
fn argument(vm: &mut VirtualMachine, value: &Value) -> Result<MaybeRelocatable, HintError> {
    let Value::Array(elements) = value else {
        return Ok(MaybeRelocatable::Int(integer(value)?));
    };
    let words = elements.iter().map(|element| argument(vm, element)).collect::<Result<Vec<_>, _>>()?;
    let base = vm.add_memory_segment();
    vm.load_data(base, &words)?;
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
