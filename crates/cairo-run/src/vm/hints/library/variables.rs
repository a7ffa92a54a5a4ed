//! The variables of a hint, which it calls `ids.NAME`: where they stand, decoded once when a program is loaded.

use std::cmp::Reverse;

use cairo_vm::Felt252;
use cairo_vm::hint_processor::hint_processor_definition::HintReference;
use cairo_vm::serde::deserialize_program::{ApTracking, OffsetValue};
use cairo_vm::types::instruction::Register;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};

use crate::vm::hints::machine::Machine;

/// The variable that says where relocated segments of dictionaries go.
pub(super) const RELOCATION: &str = "infos";

/// The variables and the constants that a hint names.
#[derive(Clone, Debug, Default)]
pub(in crate::vm) struct Variables {
    variables: Vec<Variable>,
    constants: Vec<(String, Felt252)>,
}

/// A variable.
#[derive(Clone, Debug)]
pub(in crate::vm) struct Variable {
    name: String,
    /// `felt`, `Uint256*`, as the compiler says it.
    cairo_type: Option<String>,
    place: Place,
}

/// Where a variable stands.
#[derive(Clone, Debug)]
enum Place {
    /// In the cell at an offset from `fp` or `ap`, which is nearly always so.
    Cell(Base, i64),
    /// Where a cell at an offset from `fp` or `ap` points, and so many cells behind it.
    Behind(Base, i64, i64),
    /// Elsewhere, or nowhere: an expression.
    Expression {
        terms: [Term; 2],
        /// Whether the second term is subtracted from the first one.
        is_difference: bool,
        /// Whether the address of the variable is in the cell that the terms say.
        is_behind: bool,
        /// Whether the variable has the value of the cell at its address.
        is_cell: bool,
    },
}

/// A register.
#[derive(Clone, Copy, Debug)]
enum Base {
    Ap,
    Fp,
}

/// A part of an expression.
#[derive(Clone, Debug)]
enum Term {
    Number(Felt252),
    /// The address at an offset from a register.
    Address(Base, i64),
    /// The value of that cell.
    Cell(Base, i64),
    /// A place relative to an `ap` that is not known here.
    Unknown,
}

impl Base {
    fn at(self, memory: &Machine<'_>, offset: i64) -> Option<Relocatable> {
        let base = match self {
            Self::Ap => memory.get_ap(),
            Self::Fp => memory.get_fp(),
        };
        let offset = base.offset.checked_add_signed(isize::try_from(offset).ok()?)?;
        Some(Relocatable { offset, ..base })
    }
}

impl Term {
    fn new(value: &OffsetValue, of: Option<&ApTracking>, at: &ApTracking) -> Self {
        match value {
            OffsetValue::Immediate(felt) => Self::Number(*felt),
            OffsetValue::Value(value) => Self::Number((*value).into()),
            OffsetValue::Reference(register, offset, is_cell, _) => {
                let offset = i64::from(*offset);
                let (base, offset) = match (register, of) {
                    (Register::FP, _) => (Base::Fp, offset),
                    // The variable counts from another ap, which was so many cells before.
                    (Register::AP, Some(of)) if of.group == at.group => {
                        (Base::Ap, offset - (at.offset as i64 - of.offset as i64))
                    }
                    _ => return Self::Unknown,
                };
                if *is_cell { Self::Cell(base, offset) } else { Self::Address(base, offset) }
            }
        }
    }

    fn value(&self, memory: &Machine<'_>) -> Option<MaybeRelocatable> {
        match self {
            Self::Number(felt) => Some(felt.into()),
            Self::Address(base, offset) => base.at(memory, *offset).map(MaybeRelocatable::from),
            Self::Cell(base, offset) => memory.get_maybe(&base.at(memory, *offset)?),
            Self::Unknown => None,
        }
    }
}

impl Place {
    /// The place of a reference, for a hint at this `ap`.
    fn new(reference: &HintReference, at: &ApTracking) -> Self {
        let HintReference { offset1, offset2, inner_dereference, outer_dereference, ap_tracking_data, .. } = reference;
        let term = |value| Term::new(value, ap_tracking_data.as_ref(), at);
        let number = |value: &OffsetValue| match value {
            OffsetValue::Value(value) => Some(i64::from(*value)),
            _ => None,
        };
        match (term(offset1), number(offset2), inner_dereference, outer_dereference) {
            (Term::Address(base, offset), Some(more), false, true) => Self::Cell(base, offset + more),
            (Term::Cell(base, offset), Some(more), false, true) => Self::Behind(base, offset, more),
            (first, ..) => Self::Expression {
                terms: [first, term(offset2)],
                is_difference: matches!(offset2, OffsetValue::Reference(.., false)),
                is_behind: *inner_dereference,
                is_cell: *outer_dereference,
            },
        }
    }

    fn address(&self, memory: &Machine<'_>) -> Option<Relocatable> {
        match self {
            Self::Cell(base, offset) => base.at(memory, *offset),
            Self::Behind(base, offset, more) => {
                let start = memory.get_maybe(&base.at(memory, *offset)?)?.get_relocatable()?;
                let offset = start.offset.checked_add_signed(isize::try_from(*more).ok()?)?;
                Some(Relocatable { offset, ..start })
            }
            Self::Expression { terms: [first, second], is_behind, .. } => {
                let sum = first.value(memory)?.add(&second.value(memory)?).ok()?;
                if *is_behind {
                    memory.get_maybe(&sum.get_relocatable()?)?.get_relocatable()
                } else {
                    sum.get_relocatable()
                }
            }
        }
    }

    fn value(&self, memory: &Machine<'_>) -> Option<MaybeRelocatable> {
        let Self::Expression { terms: [first, second], is_difference, is_behind, is_cell } = self else {
            return memory.get_maybe(&self.address(memory)?);
        };
        let (first, second) = (first.value(memory)?, second.value(memory)?);
        let mut value = if *is_difference { first.sub(&second) } else { first.add(&second) }.ok()?;
        for _ in 0..usize::from(*is_behind) + usize::from(*is_cell) {
            value = memory.get_maybe(&value.get_relocatable()?)?;
        }
        Some(value)
    }
}

impl Variables {
    /// The variables of these names at a hint's `ap`, from the references of a program.
    pub(in crate::vm) fn new<'a>(
        references: impl IntoIterator<Item = (&'a str, &'a HintReference)>,
        at: &ApTracking,
        constants: Vec<(String, Felt252)>,
    ) -> Self {
        let variables = references.into_iter().map(|(name, reference)| Variable {
            name: name.to_owned(),
            cairo_type: reference.cairo_type.clone(),
            place: Place::new(reference, at),
        });
        Self { variables: variables.collect(), constants }
    }

    /// The variables and the constants that the text of a hint names. Of several constants of a name it means the one
    /// whose scope has most in common with its own. `constants` has at least those whose last name is the given one.
    pub(in crate::vm) fn of_hint<'a>(
        code: &str,
        reference: impl Fn(&str) -> Option<&'a HintReference>,
        at: &ApTracking,
        scopes: &[String],
        constants: &dyn Fn(&str) -> Vec<(&'a String, &'a Felt252)>,
    ) -> Self {
        // Where there is such a variable, a relocated segment goes behind what it says, though no text names it.
        let names = names(code).into_iter().chain([RELOCATION.to_owned()]);
        let variables: Vec<_> = names.filter_map(|name| reference(&name).map(|found| (name, found))).collect();
        let inner = scopes.last().map_or("", String::as_str);
        let constant = |path: &String| {
            let ends = |name: &str| name.strip_suffix(path.as_str()).is_some_and(|rest| rest.ends_with('.'));
            let named = constants(last(path)).into_iter().filter(|(name, _)| ends(name));
            named.max_by_key(|(name, _)| (shared(name, inner), Reverse((name.len(), *name)))).map(|(_, felt)| *felt)
        };
        let paths = paths(code).into_iter().filter(|path| reference(first(path)).is_none());
        let known = paths.filter_map(|path| constant(&path).map(|felt| (path, felt))).collect();
        Self::new(variables.iter().map(|(name, reference)| (name.as_str(), *reference)), at, known)
    }

    /// These, and variables that no text names.
    pub(in crate::vm) fn and<'a>(
        mut self,
        references: impl IntoIterator<Item = (&'a String, &'a HintReference)>,
        at: &ApTracking,
    ) -> Self {
        let others = references.into_iter().filter(|(name, _)| self.get(name).is_none());
        let others: Vec<_> = others.map(|(name, reference)| (name.as_str(), reference)).collect();
        self.variables.extend(Self::new(others, at, Vec::new()).variables);
        self
    }

    /// Whether there is a variable of a name.
    #[cfg(all(feature = "python-hints", target_os = "linux"))]
    pub(in crate::vm) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Whether a variable is a cell, and no value that is computed.
    #[cfg(all(feature = "python-hints", target_os = "linux"))]
    pub(in crate::vm) fn is_cell(&self, name: &str) -> bool {
        !matches!(self.get(name).map(|variable| &variable.place), Some(Place::Expression { is_cell: false, .. }))
    }

    fn get(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// Where a variable stands.
    pub(super) fn address(&self, name: &str, memory: &Machine<'_>) -> Option<Relocatable> {
        self.get(name)?.place.address(memory)
    }

    /// The value of a variable.
    pub(super) fn value(&self, name: &str, memory: &Machine<'_>) -> Option<MaybeRelocatable> {
        self.get(name)?.place.value(memory)
    }

    /// The type of a variable.
    pub(in crate::vm) fn cairo_type(&self, name: &str) -> Option<&str> {
        self.get(name)?.cairo_type.as_deref()
    }

    /// The value of a constant.
    pub(in crate::vm) fn constant(&self, name: &str) -> Option<Felt252> {
        self.constants.iter().find(|(known, _)| known == name).map(|(_, felt)| *felt)
    }
}

/// The paths that the text of a hint names, each once: `p.x` for `ids.p.x`.
fn paths(code: &str) -> Vec<String> {
    let is_of_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let mut paths: Vec<String> = Vec::new();
    let mut rest = code;
    while let Some(place) = rest.find("ids.") {
        let is_word = !rest[..place].ends_with(is_of_name);
        rest = &rest[place + "ids.".len()..];
        let path = &rest[..rest.find(|char| !is_of_name(char) && char != '.').unwrap_or(rest.len())];
        let path = path.trim_end_matches('.');
        if is_word && !path.is_empty() {
            paths.push(path.to_owned());
        }
    }
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// How many names two paths have in common from their beginning.
fn shared(left: &str, right: &str) -> usize {
    left.split('.').zip(right.split('.')).take_while(|(left, right)| left == right).count()
}

/// The last name of a path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or_default()
}

/// The variable of a path.
fn first(path: &str) -> &str {
    path.split_once('.').map_or(path, |(first, _)| first)
}

/// The variables that the text of a hint names, each once.
pub(in crate::vm) fn names(code: &str) -> Vec<String> {
    let mut names: Vec<String> = paths(code).iter().map(|path| first(path).to_owned()).collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn variables_are_found_in_a_text() {
        assert_eq!(names("ids.n = program_input['n'] + kids.a + ids.p.x\nmemory[ids.n]"), ["n", "p"]);
        assert_eq!(names("memory[ap] = segments.add()"), [""; 0]);
        assert_eq!(names("x = ids."), [""; 0]);
        assert_eq!(paths("ids.a.b + ids.a.c_1(ids.a) - ids.Z.K"), ["Z.K", "a", "a.b", "a.c_1"]);
    }

    #[test]
    fn a_constant_of_the_nearest_scope_is_taken() {
        let constants = [("m.N", 1), ("m.f.N", 2), ("other.N", 3), ("other.K.N", 4)];
        let constants: HashMap<_, _> =
            constants.map(|(name, value)| (name.to_owned(), Felt252::from(value))).into_iter().collect();
        let scopes = ["m", "m.f"].map(str::to_owned);
        let constant = |code: &str, scopes: &[String], path: &str| {
            Variables::of_hint(code, |_| None, &ApTracking::default(), scopes, &|_| constants.iter().collect())
                .constant(path)
        };
        assert_eq!(constant("ids.N", &scopes, "N"), Some(2.into()));
        assert_eq!(constant("ids.N", &scopes[..1], "N"), Some(1.into()));
        assert_eq!(constant("ids.N", &["other.f".to_owned()], "N"), Some(3.into()));
        assert_eq!(constant("ids.K.N", &scopes, "K.N"), Some(4.into()));
        assert_eq!(constant("ids.M", &scopes, "M"), None);
    }
}
