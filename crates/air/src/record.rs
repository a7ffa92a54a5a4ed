//! Running [`Air::define`] once, and what comes of it.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use gpu_hal::{ConstraintProgram, Fields, Group, Kind, NodeId, ProgramBuilder, Protocol, RunningColumn};

use crate::air::MAX_LOG_ROWS;
use crate::builder::{AuxDefinition, Declared};
use crate::expr::Expression;
use crate::names::Names;
use crate::rows::EndForm;
use crate::{Air, AirBuilder, AirError, Column, Layout, Rows, Scan, Trace, degree};

/// What table a group of inputs of a program is.
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

/// A load's row offset is a signed 32-bit number.
const MAX_FRAME_ROWS: usize = 1 << 31;

type Compute<P> = Arc<dyn Fn(&[<P as Fields>::Ext]) -> <P as Fields>::Ext + Send + Sync>;

#[derive(Clone)]
enum Value<P: Protocol> {
    Constant(P::Base),
    Computed(Compute<P>),
}

/// A cell whose value is fixed.
#[derive(Clone)]
pub struct Boundary<P: Protocol> {
    column: Column,
    row: usize,
    value: Value<P>,
}

impl<P: Protocol> Boundary<P> {
    pub(crate) fn constant(column: Column, row: usize, value: P::Base) -> Self {
        Self { column, row, value: Value::Constant(value) }
    }

    pub(crate) fn computed(column: Column, row: usize, value: Compute<P>) -> Self {
        Self { column, row, value: Value::Computed(value) }
    }

    /// Its column.
    pub fn column(&self) -> Column {
        self.column
    }

    /// Its row.
    pub fn row(&self) -> usize {
        self.row
    }

    /// The value if it does not depend on challenges.
    pub fn constant_value(&self) -> Option<P::Base> {
        match self.value {
            Value::Constant(value) => Some(value),
            Value::Computed(_) => None,
        }
    }

    /// The value.
    pub fn value(&self, challenges: &[P::Ext]) -> P::Ext {
        match &self.value {
            Value::Constant(value) => P::Ext::from(*value),
            Value::Computed(value) => value(challenges),
        }
    }
}

impl<P: Protocol> fmt::Debug for Boundary<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Boundary");
        out.field("column", &self.column).field("row", &self.row);
        match &self.value {
            Value::Constant(value) => out.field("value", value),
            Value::Computed(_) => out.field("value", &"computed"),
        };
        out.finish()
    }
}

/// The auxiliary columns that a device builds itself.
#[derive(Clone, Debug)]
pub struct RunningSpec<P: Protocol> {
    /// Numerators and denominators. Groups: main, then the periodic groups as in [`Recorded::periodic`]; parameters: the
    /// challenges.
    pub program: ConstraintProgram<P>,
    /// The running columns, over the outputs of the program.
    pub columns: Vec<RunningColumn>,
    /// Which auxiliary column each of them is; ascending.
    pub aux_index: Vec<usize>,
}

/// An AIR as data: all that a prover and a verifier need, but for the values of host columns.
#[derive(Clone, Debug)]
pub struct Recorded<P: Protocol> {
    name: String,
    layout: Layout,
    log_trace_length: u32,
    public_inputs: Vec<P::Base>,
    constraints: ConstraintProgram<P>,
    groups: Vec<GroupRole>,
    running: Option<RunningSpec<P>>,
    host_aux: Vec<usize>,
    periodic: Vec<Trace<P::Base>>,
    transitions: Vec<Rows>,
    boundaries: Vec<Boundary<P>>,
    exemptions: Vec<Rows>,
    names: Names,
    /// By periodic group and column: number in order of declaration.
    periodic_numbers: Vec<Vec<usize>>,
}

/// Records an AIR.
///
/// # Errors
/// Whatever is wrong with it, see [`AirError`].
pub fn record<P: Protocol, A: Air<P> + ?Sized>(air: &A) -> Result<Recorded<P>, AirError> {
    let (layout, log_trace_length) = (air.layout(), air.log_trace_length());
    if !(2..=MAX_LOG_ROWS).contains(&log_trace_length) {
        return Err(AirError::TraceLength { log_trace_length });
    }
    let rows = 1usize << log_trace_length;
    if layout.main_columns == 0 {
        return Err(AirError::NoMainColumns);
    }
    if layout.composition_parts == 0 {
        return Err(AirError::NoParts);
    }
    if layout.frame_rows == 0 || layout.frame_rows > rows.min(MAX_FRAME_ROWS) {
        return Err(AirError::FrameRows { frame_rows: layout.frame_rows, rows });
    }
    let builder = AirBuilder::new(layout, rows);
    air.define(&builder);
    let declared = builder.finish()?;
    if declared.aux.len() != layout.aux_columns {
        return Err(AirError::AuxColumns { declared: declared.aux.len(), layout: layout.aux_columns });
    }
    if declared.transitions.is_empty() && declared.boundaries.is_empty() {
        return Err(AirError::NoConstraints);
    }
    let periodic = PeriodicGroups::<P>::new(&declared)?;
    let exemptions = exemption_columns(&declared, rows);
    let groups = group_roles(layout, &periodic, &exemptions);
    let host_aux = (0..declared.aux.len()).filter(|&i| matches!(declared.aux[i], AuxDefinition::Host)).collect();
    let recorded = Recorded {
        name: air.name().to_owned(),
        layout,
        log_trace_length,
        public_inputs: air.public_inputs(),
        constraints: constraint_program(&declared, layout, &groups, &periodic, exemptions.len())?,
        groups,
        running: running_spec(&declared, layout, &periodic)?,
        host_aux,
        periodic_numbers: periodic.numbers(),
        periodic: periodic.tables,
        transitions: declared.transitions.iter().map(|(_, rows)| *rows).collect(),
        boundaries: declared.boundaries,
        exemptions,
        names: declared.names,
    };
    degree::check(&recorded)?;
    Ok(recorded)
}

/// Periodic columns grouped by length, ascending; within a group in order of declaration.
struct PeriodicGroups<P: Protocol> {
    tables: Vec<Trace<P::Base>>,
    /// (group, column) of each declared column.
    place: Vec<(usize, usize)>,
}

impl<P: Protocol> PeriodicGroups<P> {
    fn new(declared: &Declared<P>) -> Result<Self, AirError> {
        let mut lengths: Vec<usize> = declared.periodic.iter().map(Vec::len).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let mut columns: Vec<Vec<Vec<P::Base>>> = vec![Vec::new(); lengths.len()];
        let mut place = Vec::with_capacity(declared.periodic.len());
        for values in &declared.periodic {
            let group = lengths.partition_point(|&length| length < values.len());
            place.push((group, columns[group].len()));
            columns[group].push(values.clone());
        }
        Ok(Self { tables: columns.into_iter().map(Trace::from_columns).collect::<Result<_, _>>()?, place })
    }

    /// Of each group and column: its number in order of declaration.
    fn numbers(&self) -> Vec<Vec<usize>> {
        let mut numbers = vec![Vec::new(); self.tables.len()];
        self.place.iter().enumerate().for_each(|(number, &(group, _))| numbers[group].push(number));
        numbers
    }

    fn groups(&self) -> impl Iterator<Item = Group> {
        self.tables.iter().map(|table| Group { width: table.width(), kind: Kind::Base })
    }
}

/// Distinct end exemptions that need a column, in order of first appearance.
fn exemption_columns<P: Protocol>(declared: &Declared<P>, rows: usize) -> Vec<Rows> {
    let (mut columns, mut known) = (Vec::new(), BTreeSet::new());
    for (_, transition) in &declared.transitions {
        let key = transition.end_key();
        if transition.end_form(rows) == EndForm::Column && known.insert(key) {
            columns.push(key);
        }
    }
    columns
}

fn group_roles<P: Protocol>(layout: Layout, periodic: &PeriodicGroups<P>, exemptions: &[Rows]) -> Vec<GroupRole> {
    let mut groups = vec![GroupRole::Main];
    if layout.aux_columns > 0 {
        groups.push(GroupRole::Aux);
    }
    groups.extend(periodic.tables.iter().map(|table| GroupRole::Periodic { log_period: table.log_height() }));
    if !exemptions.is_empty() {
        groups.push(GroupRole::Exemptions);
    }
    groups
}

fn constraint_program<P: Protocol>(
    declared: &Declared<P>,
    layout: Layout,
    roles: &[GroupRole],
    periodic: &PeriodicGroups<P>,
    exemptions: usize,
) -> Result<ConstraintProgram<P>, AirError> {
    let mut periodic_groups = periodic.groups();
    let groups = roles
        .iter()
        .filter_map(|role| match role {
            GroupRole::Main => Some(Group { width: layout.main_columns, kind: Kind::Base }),
            GroupRole::Aux => Some(Group { width: layout.aux_columns, kind: Kind::Ext }),
            GroupRole::Periodic { .. } => periodic_groups.next(),
            GroupRole::Exemptions => Some(Group { width: exemptions, kind: Kind::Base }),
        })
        .collect();
    let mut program = ProgramBuilder::new(groups, layout.challenges + declared.boundaries.len());
    let first_periodic = 1 + usize::from(layout.aux_columns > 0);
    let roots: Vec<u32> = declared.transitions.iter().map(|(root, _)| *root).collect();
    let outputs = lower(&declared.expressions, &roots, &mut program, first_periodic, periodic);
    for output in outputs {
        program.output(output);
    }
    for (index, boundary) in declared.boundaries.iter().enumerate() {
        let (group, column) = match boundary.column() {
            Column::Main(column) => (0, column),
            Column::Aux(column) => (1, column),
        };
        let (cell, value) = (program.load(group, column, 0), program.param(layout.challenges + index));
        let difference = program.sub(cell, value);
        program.output(difference);
    }
    Ok(program.finish()?)
}

fn running_spec<P: Protocol>(
    declared: &Declared<P>,
    layout: Layout,
    periodic: &PeriodicGroups<P>,
) -> Result<Option<RunningSpec<P>>, AirError> {
    let main = Group { width: layout.main_columns, kind: Kind::Base };
    let mut program = ProgramBuilder::new(core::iter::once(main).chain(periodic.groups()).collect(), layout.challenges);
    let (mut columns, mut aux_index, mut roots) = (Vec::new(), Vec::new(), Vec::new());
    for (index, definition) in declared.aux.iter().enumerate() {
        if let AuxDefinition::Running { kind, scan, numerator, denominator } = *definition {
            let inclusive = scan == Scan::Inclusive;
            columns.push(RunningColumn { kind, inclusive, numerator: roots.len(), denominator: roots.len() + 1 });
            aux_index.push(index);
            roots.extend([numerator, denominator]);
        }
    }
    if columns.is_empty() {
        return Ok(None);
    }
    for output in lower(&declared.expressions, &roots, &mut program, 1, periodic) {
        program.output(output);
    }
    Ok(Some(RunningSpec { program: program.finish()?, columns, aux_index }))
}

/// Writes the expressions that the roots need into a program, in order of declaration; returns the roots' nodes.
fn lower<P: Protocol>(
    expressions: &[Expression<P>],
    roots: &[u32],
    program: &mut ProgramBuilder<P>,
    first_periodic: usize,
    periodic: &PeriodicGroups<P>,
) -> Vec<NodeId> {
    let mut needed = vec![false; expressions.len()];
    roots.iter().for_each(|&root| needed[root as usize] = true);
    for (index, expression) in expressions.iter().enumerate().rev() {
        if needed[index] {
            expression.operands().for_each(|operand| needed[operand as usize] = true);
        }
    }
    let mut nodes = vec![NodeId(0); expressions.len()];
    for (index, expression) in expressions.iter().enumerate() {
        if !needed[index] {
            continue;
        }
        let at = |offset: usize| i32::try_from(offset).expect("an offset is below frame_rows, at most MAX_FRAME_ROWS");
        let get = |operand: u32| nodes[operand as usize];
        nodes[index] = match *expression {
            Expression::Main { column, offset } => program.load(0, column, at(offset)),
            Expression::Aux { column, offset } => program.load(1, column, at(offset)),
            Expression::Periodic { index, offset } => {
                let (group, column) = periodic.place[index];
                let period = periodic.tables[group].height();
                program.load(first_periodic + group, column, at(offset % period))
            }
            Expression::Challenge(index) => program.param(index),
            Expression::Base(value) => program.constant(value),
            Expression::Ext(value) => program.constant_ext(value),
            Expression::Add(a, b) => program.add(get(a), get(b)),
            Expression::Sub(a, b) => program.sub(get(a), get(b)),
            Expression::Mul(a, b) => program.mul(get(a), get(b)),
            Expression::Neg(a) => program.neg(get(a)),
        };
    }
    roots.iter().map(|&root| nodes[root as usize]).collect()
}

impl<P: Protocol> Recorded<P> {
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

    /// What the boundary constraints use of the statement.
    pub fn public_inputs(&self) -> &[P::Base] {
        &self.public_inputs
    }

    /// The constraints. Groups: [`Self::groups`]. Outputs: the transitions in order, then for each boundary constraint
    /// `column(0) - value`. Parameters: [`Self::params`].
    pub fn constraints(&self) -> &ConstraintProgram<P> {
        &self.constraints
    }

    /// What table each group of [`Self::constraints`] is: main; auxiliary columns, if any; the periodic groups in the order
    /// of [`Self::periodic`]; exemption columns, if any.
    pub fn groups(&self) -> &[GroupRole] {
        &self.groups
    }

    /// Auxiliary columns that a device builds; `None` if there are none.
    pub fn running(&self) -> Option<&RunningSpec<P>> {
        self.running.as_ref()
    }

    /// Auxiliary columns that [`Air::host_columns`] computes, ascending.
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
