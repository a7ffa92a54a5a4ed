//! Hints that guards of a run must know: those around a task.

/// Digests of the hints around a task.
pub(super) const BEGIN_TASK: u64 = 0xdfb7_4442_3acf_2c9b;
pub(super) const END_TASK: u64 = 0xffc2_37d5_f1c0_4c13;

/// Hints around a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::vm) enum TaskHint {
    /// The hints of a program begin.
    Begin,
    /// They end.
    End,
}

impl TaskHint {
    /// The hint of this digest.
    pub(in crate::vm) fn of(digest: u64) -> Option<Self> {
        match digest {
            BEGIN_TASK => Some(Self::Begin),
            END_TASK => Some(Self::End),
            _ => None,
        }
    }
}
