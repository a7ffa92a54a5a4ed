//! Why the machine does not go on.

/// Why the machine does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The program fails, takes more than it may, or no proof can state it.
    Fails(&'static str),
    /// The machine cannot do it.
    Lacks(&'static str),
}

/// No component proves an instruction.
pub(super) const NO_COMPONENT: Stop = Stop::Fails("no component proves an instruction");
