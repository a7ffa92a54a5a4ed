//! Statements of the Circle protocol.
//!
//! A component is a `FrameworkEval` of stwo-constraint-framework, so a stwo AIR runs on every backend: [`AirComponent`]
//! is implemented for all of them. Its `evaluate` runs once against a recorder of ours; out come two
//! [`gpu_hal::ConstraintProgram`]s ([`RecordedComponent`]), one for the constraints and one for the lookup fractions,
//! from which the interaction columns are built ([`interaction_columns`] is the plain form of that).
//!
//! A [`Statement`] is the common knowledge of prover and verifier: sizes, public values, preprocessed columns,
//! components. [`RecordedStatement`] holds its programs, in which everything that changes from proof to proof (drawn
//! elements, claimed sums, public values) is a parameter, so that a compiled kernel is used again.
//!
//! [`lower_air`] makes a statement of an AIR written for [`air::Air`], [`lower_tables`] of several with lookups between
//! them.
//!
//! [`check_trace`] finds the violated constraints and the lookups that do not come out, without any proof.
//!
//! [`airs`] has the AIRs of section 17 of the Circle protocol and others, with their traces.
#![forbid(unsafe_code)]

pub mod airs;
mod altered;
mod check;
mod error;
mod framework;
mod host_columns;
mod interaction;
mod linear;
mod lower;
mod lower_air;
mod lower_columns;
mod lower_lookups;
mod lower_tables;
mod multiplicities;
mod names;
mod promise;
mod public;
mod recorded;
mod relation_width;
mod statement;
mod symbolic;
mod template;
mod trace;
mod trace_program;

pub use altered::Altered;
pub use check::{TraceError, check_trace};
pub use error::{BuildError, ClaimedSumError, ConfigError, RecordError, StatementError};
pub use framework::{
    AirComponent, NamedComponent, PreProcessedColumnId, Recording, SharedComponent, TraceLocationAllocator, base,
    lookup_elements, qm31, secure,
};
pub use host_columns::HostColumnsError;
pub use interaction::{HostColumns, Interaction, InteractionError, interaction_columns};
pub use lower::{Logup, RecordedComponent};
pub use lower_air::{LowerError, LoweredAir, MAX_FIXED, MAX_OFFSETS, lower_air};
pub use lower_lookups::Lookup;
pub use lower_tables::{AirTable, LoweredTables, lower_tables};
pub use names::ComponentNames;
pub use promise::{Link, Promise, TupleKind};
pub use public::{PublicCount, PublicLookup};
pub use recorded::{DrawnStatement, RecordedStatement};
pub use statement::{Mix, Mixes, PreprocessedColumn, Statement};
pub use symbolic::{MakeComponents, SymbolicComponent, SymbolicConstraint, SymbolicLookup, symbolic_components};
pub use trace::Trace;
pub use trace_program::{ColumnProgram, SourceColumn, TableProgram};

/// Log sizes that a component may have: the committed columns of the smallest blowup still are a circle domain.
pub const LOG_SIZES: std::ops::RangeInclusive<u32> = 1..=29;

/// Number of trace trees: preprocessed, main, interaction.
pub const TREES: usize = 3;
