//! Running [`Air::define`] once.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use gpu_hal::ir::{Group, Kind, NodeId, ProgramBuilder};
use gpu_hal::{ConstraintProgram, Protocol, RunningColumn};

use crate::declared::{AuxDefinition, Declared};
use crate::expression::Expression;
use crate::layout::MAX_LOG_ROWS;
use crate::rows::EndForm;
use crate::{
    Air, AirBuilder, AirError, Column, GroupRole, Layout, RecordedAir, Rows, RunningSpec, Scan, Trace, degree,
};

/// A load's row offset is a signed 32-bit number.
const MAX_FRAME_ROWS: usize = 1 << 31;

/// Records an AIR.
///
/// # Errors
/// Any error in its declarations, see [`AirError`].
pub fn record<P: Protocol, A: Air<P> + ?Sized>(air: &A) -> Result<RecordedAir<P>, AirError> {
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
    let recorded = RecordedAir {
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

    /// The number of each column in order of declaration, by group.
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
