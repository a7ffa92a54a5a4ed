//! An AIR as data.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use gpu_hal::{ConstraintProgram, Protocol, RunningColumn};

use crate::names::Names;
use crate::{AirError, Boundary, Column, Layout, Rows, Trace};

/// The table that a group of inputs of a program reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupRole {
    /// The main columns.
    Main,
    /// The auxiliary columns.
    Aux,
    /// The periodic columns of one length.
    Periodic {
        /// Log2 of the length.
        log_period: u32,
    },
    /// Polynomials that vanish on the end exemptions of transitions; no constraint reads them, multipliers do.
    Exemptions,
}

/// Transition or boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstraintKind {
    /// Transition constraint.
    Transition,
    /// Boundary constraint.
    Boundary,
}

impl fmt::Display for ConstraintKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transition => "transition",
            Self::Boundary => "boundary",
        })
    }
}

/// The auxiliary columns that a device builds itself.
#[derive(Clone, Debug)]
pub struct RunningSpec<P: Protocol> {
    /// Numerators and denominators. Groups: main, then the periodic groups as in [`RecordedAir::periodic`]; parameters:
    /// the challenges.
    pub program: ConstraintProgram<P>,
    /// The running columns, over the outputs of the program.
    pub columns: Vec<RunningColumn>,
    /// The number of the auxiliary column of each of them; ascending.
    pub aux_index: Vec<usize>,
}

/// An AIR as data: all that a prover and a verifier need, except the values of host columns.
#[derive(Clone, Debug)]
pub struct RecordedAir<P: Protocol> {
    pub(crate) name: String,
    pub(crate) layout: Layout,
    pub(crate) log_trace_length: u32,
    pub(crate) public_inputs: Vec<P::Base>,
    pub(crate) constraints: ConstraintProgram<P>,
    pub(crate) groups: Vec<GroupRole>,
    pub(crate) running: Option<RunningSpec<P>>,
    pub(crate) host_aux: Vec<usize>,
    pub(crate) periodic: Vec<Trace<P::Base>>,
    pub(crate) transitions: Vec<Rows>,
    pub(crate) boundaries: Vec<Boundary<P>>,
    pub(crate) exemptions: Vec<Rows>,
    pub(crate) names: Names,
    /// By periodic group and column: number in order of declaration.
    pub(crate) periodic_numbers: Vec<Vec<usize>>,
}

impl<P: Protocol> RecordedAir<P> {
    /// Identity of the family.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The shape.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Log2 of the number of rows.
    pub fn log_trace_length(&self) -> u32 {
        self.log_trace_length
    }

    /// Number of rows.
    pub fn trace_length(&self) -> usize {
        1 << self.log_trace_length
    }

    /// The values of the statement that boundary constraints use.
    pub fn public_inputs(&self) -> &[P::Base] {
        &self.public_inputs
    }

    /// The constraints. Groups: [`Self::groups`]. Outputs: the transitions in order, then for each boundary constraint
    /// `column(0) - value`. Parameters: [`Self::params`].
    pub fn constraints(&self) -> &ConstraintProgram<P> {
        &self.constraints
    }

    /// The table of each group of [`Self::constraints`]: main; auxiliary columns, if any; the periodic groups in the
    /// order of [`Self::periodic`]; exemption columns, if any.
    pub fn groups(&self) -> &[GroupRole] {
        &self.groups
    }

    /// Auxiliary columns that a device builds; `None` if there are none.
    pub fn running(&self) -> Option<&RunningSpec<P>> {
        self.running.as_ref()
    }

    /// Auxiliary columns that [`crate::Air::host_columns`] computes, ascending.
    pub fn host_aux(&self) -> &[usize] {
        &self.host_aux
    }

    /// The periodic columns, one table of one period for each length, ascending.
    pub fn periodic(&self) -> &[Trace<P::Base>] {
        &self.periodic
    }

    /// The rows of each transition constraint.
    pub fn transitions(&self) -> &[Rows] {
        &self.transitions
    }

    /// The boundary constraints.
    pub fn boundaries(&self) -> &[Boundary<P>] {
        &self.boundaries
    }

    /// The end exemptions that need a column, in the order of the columns of [`GroupRole::Exemptions`].
    pub fn exemptions(&self) -> &[Rows] {
        &self.exemptions
    }

    /// The values of the boundary constraints.
    ///
    /// # Errors
    /// [`AirError::Count`] if there are not as many challenges as the layout says.
    pub fn boundary_values(&self, challenges: &[P::Ext]) -> Result<Vec<P::Ext>, AirError> {
        self.check_challenges(challenges)?;
        Ok(self.boundaries.iter().map(|boundary| boundary.value(challenges)).collect())
    }

    /// The parameters of [`Self::constraints`]: the challenges, then the boundary values.
    ///
    /// # Errors
    /// [`AirError::Count`] if there are not as many challenges as the layout says.
    pub fn params(&self, challenges: &[P::Ext]) -> Result<Vec<P::Ext>, AirError> {
        let values = self.boundary_values(challenges)?;
        Ok(challenges.iter().copied().chain(values).collect())
    }

    /// The name of a column, if the AIR gives it one.
    pub fn column_name(&self, column: Column) -> Option<&str> {
        self.names.column(column)
    }

    /// The name of output `index` of [`Self::constraints`], if the AIR gives it one.
    pub fn constraint_name(&self, index: usize) -> Option<&str> {
        let name = match self.constraint(index) {
            (ConstraintKind::Transition, number) => self.names.transitions.get(number),
            (ConstraintKind::Boundary, number) => self.names.boundaries.get(number),
        };
        name?.as_deref()
    }

    /// The number of a periodic column in order of declaration.
    pub(crate) fn periodic_number(&self, group: usize, column: usize) -> usize {
        self.periodic_numbers[group][column]
    }

    pub(crate) fn check_challenges(&self, challenges: &[P::Ext]) -> Result<(), AirError> {
        if challenges.len() != self.layout.challenges {
            let (given, needed) = (challenges.len(), self.layout.challenges);
            return Err(AirError::Count { what: "challenges", given, needed });
        }
        Ok(())
    }

    /// Kind and number of output `index` of the constraints.
    pub(crate) fn constraint(&self, index: usize) -> (ConstraintKind, usize) {
        match index.checked_sub(self.transitions.len()) {
            None => (ConstraintKind::Transition, index),
            Some(boundary) => (ConstraintKind::Boundary, boundary),
        }
    }
}
