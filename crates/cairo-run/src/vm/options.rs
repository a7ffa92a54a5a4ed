//! How an input is read and run.

use std::path::PathBuf;
use std::sync::Arc;

use cairo_vm::types::layout_name::LayoutName;

use super::bootloader::Tasks;
use super::bounds::Bounds;
use crate::{BuiltinName, Felt252, Kind, RunSigns, StopFlag};

/// Steps after which a run is given up, unless the caller says otherwise: 2^27. They take [`super::STEP_BYTES`] each.
pub const DEFAULT_MAX_STEPS: usize = 1 << 27;

/// Addresses with which a run is given up, unless the caller says otherwise: 2^27. They take [`super::ADDRESS_BYTES`]
/// each.
pub const DEFAULT_MAX_ADDRESSES: usize = 1 << 27;

/// The builtins of a run. A program sees 0 for the pointer of any other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// All that have components: `all_cairo_stwo`.
    #[default]
    AllCairoStwo,
    /// Without `ec_op`, as in Starknet's client proofs: `stwo_no_ecop`.
    StwoNoEcop,
}

impl Layout {
    /// Whether it has a builtin that is proven.
    pub(super) fn has(self, name: BuiltinName) -> bool {
        self == Self::AllCairoStwo || name != BuiltinName::EcOp
    }

    pub(super) fn name(self) -> LayoutName {
        match self {
            Self::AllCairoStwo => LayoutName::all_cairo_stwo,
            Self::StwoNoEcop => LayoutName::stwo_no_ecop,
        }
    }
}

/// The machine that runs a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Machine {
    /// The machine of this crate; cairo-vm, where that one lacks something, or where the program fails: it says what is
    /// wrong and where.
    #[default]
    Own,
    /// cairo-vm.
    CairoVm,
    /// Both; a program of which they make different runs is refused.
    Compare,
}

/// The hints of a compiled program that run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OwnHints {
    /// Hints of Cairo's library, and assignments from the program input.
    #[default]
    Refused,
    /// All; those of the program's own as Python (feature `python-hints`, on Linux), in a process without files,
    /// network and clock, bounded in steps, memory and time. The path is that of a program which calls `serve_hints`
    /// first of all: the caller's own (`std::env::current_exe`) if it does so, or `polystark`.
    Python(PathBuf),
}

/// How an input is read and run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name that errors call the program by, for example its file name.
    pub name: String,
    /// The kind of the input; `None` finds it out from the bytes.
    pub kind: Option<Kind>,
    /// The words that an executable takes as its arguments (the Serde form of `main`'s parameters).
    pub arguments: Vec<Felt252>,
    /// The JSON value that hints of a compiled program know as `program_input`.
    pub program_input: Option<serde_json::Value>,
    /// Whether hints of a compiled program's own run.
    pub own_hints: OwnHints,
    /// The tasks of a compiled program that is a bootloader: the simple one, or its privacy variant.
    pub tasks: Option<Arc<Tasks>>,
    /// The builtins of the run.
    pub layout: Layout,
    /// A run that takes more steps is given up. Each turn of a hint's loop counts as a step.
    pub max_steps: usize,
    /// A run that takes more addresses is given up: the addresses of all segments together, from the first cell of each
    /// to the last that is read or written, and one for each segment. Without such a bound a single step could take all
    /// memory.
    pub max_addresses: usize,
    /// A run that takes more bytes of memory is given up, at [`super::STEP_BYTES`] for a step and
    /// [`super::ADDRESS_BYTES`] for an address; `None` looks at steps and addresses alone. Steps and addresses as many
    /// as the defaults allow take about 36 GB.
    pub max_memory: Option<u64>,
    /// The machine that runs a program.
    pub machine: Machine,
    /// cairo-vm runs the program, and checks the run as it checks runs that it does not trust: no access lies beyond
    /// its segment.
    pub secure: bool,
    /// cairo-vm runs the program; count the resources that it has used: [`crate::Loaded::resources`]. It takes time by
    /// the cells.
    pub resources: bool,
    /// Stops the run from another thread.
    pub stop: StopFlag,
    /// Tells another thread what the run has shown.
    pub signs: RunSigns,
}

impl Options {
    /// The bounds of the run.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            steps: self.max_steps,
            addresses: self.max_addresses,
            memory: self.max_memory,
            stop: self.stop.clone(),
            signs: self.signs.clone(),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "the program".into(),
            kind: None,
            arguments: Vec::new(),
            program_input: None,
            own_hints: OwnHints::default(),
            tasks: None,
            layout: Layout::default(),
            max_steps: DEFAULT_MAX_STEPS,
            max_addresses: DEFAULT_MAX_ADDRESSES,
            max_memory: None,
            machine: Machine::default(),
            secure: false,
            resources: false,
            stop: StopFlag::default(),
            signs: RunSigns::default(),
        }
    }
}
