//! The components in the order of their columns, and where the rows of each come from.

use std::sync::OnceLock;

use cairo_run::{BuiltinName, State, StatesByOpcode};
use gpu_hal::RowProgramError;

use super::machine::{ComponentProgram, Counter, List};
use super::{blake, builtins, ec, memory, mod_builtins, opcodes, poseidon};
use crate::air_1_3::with_components;
use crate::preprocessed::Variant;

/// A component.
#[derive(Clone, Copy, Debug)]
pub struct Component {
    /// As in cairo-air. That of the chunks of big values has no chunk's number.
    pub name: &'static str,
    /// Where its rows come from.
    pub rows: Rows,
    /// The program that makes its rows; `None` for a fixed table, whose columns are its counter.
    pub program: Option<Record>,
    /// Whether it reads the preprocessed column that numbers the rows, which bounds its height.
    pub numbered: bool,
}

/// Records a component's row program.
pub type Record = fn() -> Result<ComponentProgram, RowProgramError>;

impl Component {
    /// Its row program, recorded when it is first asked for; `None` for a fixed table.
    ///
    /// # Errors
    /// A wrong use of the recorder: a mistake of this crate.
    pub fn recorded(&self) -> Result<Option<&'static ComponentProgram>, RowProgramError> {
        static PROGRAMS: [OnceLock<Result<ComponentProgram, RowProgramError>>; COMPONENTS.len() + 1] =
            [const { OnceLock::new() }; COMPONENTS.len() + 1];
        let Some(record) = self.program else { return Ok(None) };
        let number = COMPONENTS.iter().position(|component| component.name == self.name);
        PROGRAMS[number.unwrap_or(COMPONENTS.len())]
            .get_or_init(record)
            .as_ref()
            .map(Some)
            .map_err(RowProgramError::clone)
    }
}

/// Where the rows of a component come from.
#[derive(Clone, Copy, Debug)]
pub enum Rows {
    /// One for each state of an opcode.
    States(fn(&StatesByOpcode) -> &Vec<State>),
    /// One for each key that is requested, however often.
    Requests(Requester),
    /// One for each instance of a builtin.
    Segment(Builtin),
    /// One for each entry of a list: so many for every row of each caller, callers in this order.
    List(List, &'static [(&'static str, usize)]),
    /// One for each entry of a fixed table, whose columns count uses. It is there if the named component is; without a name, always.
    Table(Counter, Option<&'static str>),
    /// One for each sixteenth of the addresses.
    Addresses,
    /// One for each big value of a chunk.
    Big,
    /// One for each small value.
    Small,
    /// One for each use of public memory.
    PublicMemory,
}

/// The components that request keys which the host counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requester {
    /// All opcodes: addresses of instructions.
    Opcodes,
    /// The Pedersen builtin that this component is: ids of two operands and the result.
    Pedersen(&'static str),
    /// The Poseidon builtin: ids of three inputs and three outputs.
    Poseidon(&'static str),
}

/// The builtin of a component.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name.
    pub name: BuiltinName,
    /// Whether this component serves the builtin, given a set of preprocessed columns.
    pub serves: fn(Variant) -> bool,
}

fn always(_: Variant) -> bool {
    true
}

fn is_small(variant: Variant) -> bool {
    variant == Variant::CanonicalSmall
}

fn is_large(variant: Variant) -> bool {
    !is_small(variant)
}

/// Pedersen builtin with windows of 18 bits.
pub const PEDERSEN: &str = "pedersen_builtin";
/// Builtin of operations on the curve.
pub const EC_OP: &str = "ec_op_builtin";
/// The chunks of big values.
pub const BIG: &str = "memory_id_to_big";

/// The public memory. It is no component: its row program has no columns, and only counts what the public memory uses.
pub const PUBLIC_MEMORY: &Component = &Component {
    name: "public memory",
    rows: Rows::PublicMemory,
    program: Some(memory::public_memory),
    numbered: false,
};

/// A line of the table of components. Programs are functions with the component's name, of a module of the witness.
macro_rules! component {
    (@rows $name:ident states($module:ident)) => { (Rows::States(|by| &by.$name), Some($module::$name)) };
    (@rows $name:ident requests($module:ident, Opcodes)) => {
        (Rows::Requests(Requester::Opcodes), Some($module::$name))
    };
    (@rows $name:ident requests($module:ident, $requester:ident, $by:ident)) => {
        (Rows::Requests(Requester::$requester(stringify!($by))), Some($module::$name))
    };
    (@rows $name:ident builtin($program:path, $builtin:ident, $serves:ident)) => {
        (Rows::Segment(Builtin { name: BuiltinName::$builtin, serves: $serves }), Some($program))
    };
    (@rows $name:ident list($module:ident, $list:ident, $($caller:ident * $sites:literal),+)) => {
        (Rows::List(List::$list, &[$((stringify!($caller), $sites)),+]), Some($module::$name))
    };
    (@rows $name:ident table($counter:ident)) => { (Rows::Table(Counter::$counter, None), None) };
    (@rows $name:ident table($counter:ident, $with:ident)) => {
        (Rows::Table(Counter::$counter, Some(stringify!($with))), None)
    };
    (@rows $name:ident memory($rows:ident)) => { (Rows::$rows, Some(memory::$name)) };
    (@numbered rows) => { false };
    (@numbered table) => { false };
    (@numbered $other:ident) => { true };
}

macro_rules! components {
    (() $($shape:ident $(($start:ident))? $name:ident: $source:ident($($of:tt)*);)*) => {
        &[$({
            let (rows, program): (Rows, Option<Record>) = component!(@rows $name $source($($of)*));
            Component { name: stringify!($name), rows, program, numbered: component!(@numbered $shape) }
        }),*]
    };
}

/// All components in the order of their columns. Callers come before those that they call.
pub const COMPONENTS: &[Component] = with_components!(components!());
