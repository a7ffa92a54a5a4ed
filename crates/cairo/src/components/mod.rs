//! The components of Cairo's AIR: the sources of their rows, and the row programs that make them.
//!
//! A program is recorded by a function with the name of its component. [`crate::AirVersion::COMPONENTS`] lists the
//! components of a version.

pub(crate) mod blake;
pub(crate) mod bounds;
pub(crate) mod builtins;
pub(crate) mod constants;
pub(crate) mod ec;
mod felt;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod mod_builtins;
pub(crate) mod opcodes;
pub(crate) mod poseidon;
#[cfg(test)]
mod testing;

use cairo_run::{BuiltinName, State, StatesByOpcode};
use gpu_hal::ir::RowProgramError;

use self::machine::{ComponentProgram, Counter, List};
use crate::preprocessed::Variant;

/// A component.
#[derive(Clone, Copy, Debug)]
pub struct Component {
    /// As in cairo-air. The name for the chunks of big values has no chunk's number.
    pub name: &'static str,
    /// Where its rows come from.
    pub rows: Rows,
    /// The program that makes its rows; `None` for a fixed table, whose columns are its counter.
    pub program: Option<RecordedComponent>,
    /// Whether it reads the preprocessed column that numbers the rows, which bounds its height.
    pub numbered: bool,
}

/// A component's row program, recorded when it is first asked for. An error is a wrong use of the recorder: a mistake
/// of this crate.
pub(crate) type RecordedComponent = fn() -> &'static Result<ComponentProgram, RowProgramError>;

/// The program that a function records, once a process.
macro_rules! recorded {
    ($record:path) => {{
        fn recorded() -> &'static Result<ComponentProgram, RowProgramError> {
            static RECORDED: std::sync::OnceLock<Result<ComponentProgram, RowProgramError>> =
                std::sync::OnceLock::new();
            RECORDED.get_or_init($record)
        }
        let recorded: RecordedComponent = recorded;
        Some(recorded)
    }};
}
pub(crate) use recorded;

/// Where the rows of a component come from.
#[derive(Clone, Copy, Debug)]
pub enum Rows {
    /// One for each state of an opcode.
    States(fn(&StatesByOpcode) -> &[State]),
    /// One for each key that is requested, however often.
    Requests(Requester),
    /// One for each instance of a builtin.
    Segment(Builtin),
    /// One for each entry of a list: a number of entries for every row of each caller, callers in this order.
    List(List, &'static [(&'static str, usize)]),
    /// One for each entry of a fixed table, whose columns count uses. It is there if the named component is; without a
    /// name, always.
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
