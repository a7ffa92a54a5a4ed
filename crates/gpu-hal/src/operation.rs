//! The names of the operations.

use std::fmt;

/// The operations of [`crate::StarkBackend`], for capabilities, meters and injected faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// [`crate::StarkBackend::upload`]
    Upload,
    /// [`crate::StarkBackend::download`]
    Download,
    /// [`crate::StarkBackend::sync`]
    Sync,
    /// [`crate::StarkBackend::ntt`]
    Ntt,
    /// [`crate::StarkBackend::lde`]
    Lde,
    /// [`crate::StarkBackend::upload_lde`]
    UploadLde,
    /// [`crate::StarkBackend::split`]
    Split,
    /// [`crate::StarkBackend::select`]
    Select,
    /// [`crate::StarkBackend::merkle`]
    Merkle,
    /// [`crate::StarkBackend::root`]
    Root,
    /// [`crate::StarkBackend::open`]
    Open,
    /// [`crate::StarkBackend::prepare`]
    Prepare,
    /// [`crate::StarkBackend::running`]
    Running,
    /// [`crate::StarkBackend::logup`]
    Logup,
    /// [`crate::StarkBackend::recurrence`]
    Recurrence,
    /// [`crate::StarkBackend::map`]
    Map,
    /// [`crate::StarkBackend::tree_map`]
    TreeMap,
    /// [`crate::StarkBackend::constraint_eval`]
    ConstraintEval,
    /// [`crate::StarkBackend::accumulate`]
    Accumulate,
    /// [`crate::StarkBackend::eval_at`]
    EvalAt,
    /// [`crate::StarkBackend::deep_quotient`]
    DeepQuotient,
    /// [`crate::StarkBackend::fri_fold`]
    FriFold,
    /// [`crate::StarkBackend::grind`]
    Grind,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 23] = [
        Self::Upload,
        Self::Download,
        Self::Sync,
        Self::Ntt,
        Self::Lde,
        Self::UploadLde,
        Self::Split,
        Self::Select,
        Self::Merkle,
        Self::Root,
        Self::Open,
        Self::Prepare,
        Self::Running,
        Self::Logup,
        Self::Recurrence,
        Self::Map,
        Self::TreeMap,
        Self::ConstraintEval,
        Self::Accumulate,
        Self::EvalAt,
        Self::DeepQuotient,
        Self::FriFold,
        Self::Grind,
    ];

    /// The name of the trait's method.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Download => "download",
            Self::Sync => "sync",
            Self::Ntt => "ntt",
            Self::Lde => "lde",
            Self::UploadLde => "upload_lde",
            Self::Split => "split",
            Self::Select => "select",
            Self::Merkle => "merkle",
            Self::Root => "root",
            Self::Open => "open",
            Self::Prepare => "prepare",
            Self::Running => "running",
            Self::Logup => "logup",
            Self::Recurrence => "recurrence",
            Self::Map => "map",
            Self::TreeMap => "tree_map",
            Self::ConstraintEval => "constraint_eval",
            Self::Accumulate => "accumulate",
            Self::EvalAt => "eval_at",
            Self::DeepQuotient => "deep_quotient",
            Self::FriFold => "fri_fold",
            Self::Grind => "grind",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
