//! The table of components as the witness reads it.

use cairo_run::BuiltinName;
use gpu_hal::ir::RowProgramError;

use super::table::{is_numbered, with_components};
use crate::components::machine::{ComponentProgram, Counter, List};
use crate::components::{Builtin, Component, RecordedComponent, Requester, Rows, recorded};
use crate::components::{blake, builtins, ec, memory, mod_builtins, opcodes, poseidon};
use crate::preprocessed::Variant;

fn always(_: Variant) -> bool {
    true
}

fn is_small(variant: Variant) -> bool {
    variant == Variant::CanonicalSmall
}

fn is_large(variant: Variant) -> bool {
    !is_small(variant)
}

/// The source of a component's rows, and its program: a function with the component's name, of a module of the witness.
macro_rules! rows {
    ($name:ident states($module:ident)) => { (Rows::States(|by| &by.$name), recorded!($module::$name)) };
    ($name:ident requests($module:ident, Opcodes)) => {
        (Rows::Requests(Requester::Opcodes), recorded!($module::$name))
    };
    ($name:ident requests($module:ident, $requester:ident, $by:ident)) => {
        (Rows::Requests(Requester::$requester(stringify!($by))), recorded!($module::$name))
    };
    ($name:ident builtin($program:path, $builtin:ident, $serves:ident)) => {
        (Rows::Segment(Builtin { name: BuiltinName::$builtin, serves: $serves }), recorded!($program))
    };
    ($name:ident list($module:ident, $list:ident, $($caller:ident * $sites:literal),+)) => {
        (Rows::List(List::$list, &[$((stringify!($caller), $sites)),+]), recorded!($module::$name))
    };
    ($name:ident table($counter:ident)) => { (Rows::Table(Counter::$counter, None), None) };
    ($name:ident table($counter:ident, $with:ident)) => {
        (Rows::Table(Counter::$counter, Some(stringify!($with))), None)
    };
    ($name:ident memory($rows:ident)) => { (Rows::$rows, recorded!(memory::$name)) };
}

macro_rules! components {
    (() $($shape:ident $(($start:ident))? $name:ident: $source:ident($($of:tt)*);)*) => {
        &[$({
            let (rows, program): (Rows, Option<RecordedComponent>) = rows!($name $source($($of)*));
            Component { name: stringify!($name), rows, program, numbered: is_numbered!($shape) }
        }),*]
    };
}

/// All components in the order of their columns. Callers come before their callees.
pub(super) const COMPONENTS: &[Component] = with_components!(components!());
