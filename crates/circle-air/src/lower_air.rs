//! AIRs of ours ([`air::Air`]) as statements of the Circle protocol.

use std::collections::BTreeSet;
use std::sync::Arc;

use air::{Air, AirError, Column, GroupRole, Recorded, Rows};
use field::{Field, M31};
use gpu_hal::{CircleStark, Kind, Op, Recurrence};
use stwo::core::fields::qm31::SecureField;
use stwo::core::pcs::PcsConfig;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, ORIGINAL_TRACE_IDX};

use crate::convert::base;
use crate::{
    AirComponent, ClaimedSumError, ColumnProgram, ConfigError, Named, Names, PreprocessedColumn, Source, Statement,
    TableProgram,
};

/// The first of [`Statement::words`]: no family of [`crate::airs`] has this number. The digest behind it says which AIR it is.
const FAMILY: u32 = 0;
/// Largest order of a [`Recurrence`].
const MAX_ORDER: usize = 4;
/// Most row offsets on one column.
pub const MAX_OFFSETS: usize = 4;

/// An AIR that the Circle protocol cannot state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LowerError {
    /// The AIR contradicts itself.
    #[error("the AIR cannot be recorded: {0}")]
    Air(#[from] AirError),
    /// Auxiliary columns or challenges.
    #[error(
        "{aux_columns} auxiliary columns and {challenges} challenges: the Circle protocol draws for lookups alone; write a FrameworkEval with \
         lookups instead"
    )]
    Auxiliary {
        /// Auxiliary columns.
        aux_columns: usize,
        /// Challenges.
        challenges: usize,
    },
    /// A constant of a transition is not in the base field.
    #[error("transition {transition} has a constant of the extension: constants must be base field elements")]
    Extension {
        /// Number of the transition.
        transition: usize,
    },
    /// A boundary value is computed.
    #[error("boundary {boundary} is computed from challenges: give it a constant value")]
    Boundary {
        /// Number of the boundary constraint.
        boundary: usize,
    },
    /// Too many row offsets.
    #[error("column {column} is read at {offsets} row offsets: at most {MAX_OFFSETS}; copy it to another column")]
    Offsets {
        /// The column.
        column: usize,
        /// How many.
        offsets: usize,
    },
}

/// A preprocessed column, or a value that all rows share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fixed {
    /// One on these rows, else zero.
    Selector(Rows),
    /// One on this row, else zero.
    Row(usize),
    /// A periodic column (table, column), read so many rows ahead.
    Periodic(usize, usize, usize),
}

/// What selects the rows of a transition; nothing if it holds on all.
fn selector(rows: Rows, trace_length: usize) -> Option<Fixed> {
    match rows {
        rows if rows == Rows::all() => None,
        rows if rows == Rows::all().every(trace_length).from(rows.offset()) => Some(Fixed::Row(rows.offset())),
        rows => Some(Fixed::Selector(rows)),
    }
}

impl Fixed {
    fn id(self) -> String {
        match self {
            Self::Selector(rows) => {
                let (period, offset, end) = (rows.period(), rows.offset(), rows.end_exemptions());
                let (exempt_period, exempt_offset) = rows.exempted().unwrap_or_default();
                format!("rows_{period}_{offset}_{end}_{exempt_period}_{exempt_offset}")
            }
            Self::Row(row) => format!("row_{row}"),
            Self::Periodic(table, column, ahead) => format!("periodic_{table}_{column}_{ahead}"),
        }
    }

    fn value(self, air: &Recorded<CircleStark>, row: usize) -> M31 {
        let flag = |is_set: bool| M31::new(u32::from(is_set));
        match self {
            Self::Selector(rows) => flag(rows.contains(row, air.trace_length())),
            Self::Row(only) => flag(row == only),
            Self::Periodic(table, column, ahead) => {
                let table = &air.periodic()[table];
                table.get((row + ahead) % table.height(), column)
            }
        }
    }

    /// The column as a recurrence that repeats its values but on a few rows, if it is one: the verifier then needs no more time for a long
    /// column than for a short one.
    fn recurrence(self, air: &Recorded<CircleStark>) -> Option<Recurrence<M31>> {
        let (rows, log_height) = (air.trace_length(), air.log_trace_length());
        let constant = |initial, restarts: Vec<(usize, M31)>| {
            let restarts = restarts.into_iter().filter(|(row, _)| *row < rows).map(|(row, value)| (row, vec![value]));
            Recurrence {
                coefficients: vec![M31::ONE],
                initial: vec![initial],
                restarts: restarts.collect(),
                log_height,
            }
        };
        match self {
            Self::Row(0) => Some(constant(M31::ONE, vec![(1, M31::ZERO)])),
            Self::Row(row) => Some(constant(M31::ZERO, vec![(row, M31::ONE), (row + 1, M31::ZERO)])),
            Self::Selector(only) => {
                let end = only.end_exemptions();
                let is_step = only == Rows::all().except_last(end) && end < rows;
                is_step.then(|| constant(M31::ONE, vec![(rows - end, M31::ZERO)]))
            }
            Self::Periodic(table, ..) => {
                let period = air.periodic()[table].height();
                let mut coefficients = vec![M31::ZERO; period.min(MAX_ORDER)];
                coefficients[0] = M31::ONE;
                let initial = (0..coefficients.len()).map(|row| self.value(air, row)).collect();
                (period <= MAX_ORDER).then_some(Recurrence { coefficients, initial, restarts: Vec::new(), log_height })
            }
        }
    }
}

/// An AIR over `CircleStark` whose columns are all main columns, as a statement of one component: see [`lower_air`].
#[derive(Clone)]
pub struct LoweredAir {
    air: Arc<dyn Air<CircleStark>>,
    component: Component,
    variant: Option<Arc<LoweredAir>>,
}

/// Makes a statement of an AIR. Main columns become tree 1. A transition that does not hold on all rows is multiplied by a selector, a
/// preprocessed column, and so is a boundary constraint; periodic columns are preprocessed columns too, but for those of period 1, which are
/// constants. So a constraint has degree 3 at most, the selector counting 1, which recording the statement checks. The statement's words hold
/// the AIR's digest and public inputs.
///
/// # Errors
/// [`LowerError`] says which feature of the AIR has no counterpart.
pub fn lower_air(air: Arc<dyn Air<CircleStark>>) -> Result<LoweredAir, LowerError> {
    let recorded = air::record(&*air)?;
    let layout = recorded.layout();
    if layout.aux_columns > 0 || layout.challenges > 0 {
        let (aux_columns, challenges) = (layout.aux_columns, layout.challenges);
        return Err(LowerError::Auxiliary { aux_columns, challenges });
    }
    let program = recorded.constraints();
    let is_base = |output: &gpu_hal::NodeId| program.nodes()[output.index()].kind == Kind::Base;
    let transitions = &program.outputs()[..recorded.transitions().len()];
    if let Some(transition) = transitions.iter().position(|output| !is_base(output)) {
        return Err(LowerError::Extension { transition });
    }
    if let Some(boundary) = recorded.boundaries().iter().position(|boundary| boundary.constant_value().is_none()) {
        return Err(LowerError::Boundary { boundary });
    }
    let mut offsets = vec![BTreeSet::new(); layout.main_columns];
    let mut fixed: Vec<Fixed> = Vec::new();
    let mut add = |column: Fixed| {
        if !fixed.contains(&column) {
            fixed.push(column);
        }
    };
    for node in program.nodes() {
        let Op::Load { group, column, offset } = node.op else { continue };
        match recorded.groups()[group as usize] {
            GroupRole::Main => {
                offsets[column as usize].insert(offset as isize);
            }
            GroupRole::Periodic { log_period: 0 } => {}
            // The periodic groups follow the main columns. Offsets of an AIR are not negative.
            _ => add(Fixed::Periodic(group as usize - 1, column as usize, offset as usize)),
        }
    }
    recorded.transitions().iter().filter_map(|rows| selector(*rows, recorded.trace_length())).for_each(&mut add);
    recorded.boundaries().iter().for_each(|boundary| add(Fixed::Row(boundary.row())));
    if let Some(column) = offsets.iter().position(|offsets| offsets.len() > MAX_OFFSETS) {
        return Err(LowerError::Offsets { column, offsets: offsets[column].len() });
    }
    // A column that no constraint reads is committed all the same.
    let mask = |offsets: BTreeSet<isize>| if offsets.is_empty() { vec![0] } else { offsets.into_iter().collect() };
    let offsets = offsets.into_iter().map(mask).collect();
    Ok(LoweredAir { air, component: Component(Arc::new(Lowered { recorded, offsets, fixed })), variant: None })
}

impl LoweredAir {
    /// The same statement, of which it is known what depends on public values: `other` is the AIR with others, each of them different. Boundary
    /// values and periodic columns of period 1 that differ are parameters of the programs then, which serve all public values.
    ///
    /// # Errors
    /// [`LowerError`], as of [`lower_air`]. That the two have one shape is checked when the statement is recorded.
    pub fn with_variant(self, other: Arc<dyn Air<CircleStark>>) -> Result<Self, LowerError> {
        Ok(Self { variant: Some(Arc::new(lower_air(other)?)), ..self })
    }
}

/// What `evaluate` reads.
struct Lowered {
    recorded: Recorded<CircleStark>,
    /// Of every main column, ascending.
    offsets: Vec<Vec<isize>>,
    fixed: Vec<Fixed>,
}

#[derive(Clone)]
struct Component(Arc<Lowered>);

impl FrameworkEval for Component {
    fn log_size(&self) -> u32 {
        self.0.recorded.log_trace_length()
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.0.recorded.log_trace_length() + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let Lowered { recorded, offsets, fixed } = &*self.0;
        let fixed_values: Vec<E::F> =
            fixed.iter().map(|column| eval.get_preprocessed_column(PreProcessedColumnId { id: column.id() })).collect();
        let main: Vec<Vec<E::F>> = offsets.iter().map(|offsets| mask(&mut eval, offsets)).collect();
        let fixed_value =
            |column: Fixed| fixed.iter().position(|other| *other == column).map(|at| fixed_values[at].clone());
        let cell = |column: usize, offset: isize| {
            let at = offsets[column].iter().position(|other| *other == offset).expect("every load is in the mask");
            main[column][at].clone()
        };
        let program = recorded.constraints();
        let count = recorded.transitions().len();
        // Boundary constraints, which have parameters, are written below.
        let last = program.outputs()[..count].iter().map(|output| output.index() + 1).max().unwrap_or(0);
        let mut values: Vec<Option<E::F>> = Vec::with_capacity(last);
        for node in &program.nodes()[..last] {
            let get = |id: gpu_hal::NodeId| values[id.index()].clone();
            let value = match node.op {
                Op::ConstBase(value) => Some(E::F::from(base(value))),
                Op::Load { group: 0, column, offset } => Some(cell(column as usize, offset as isize)),
                Op::Load { group, column, .. } if recorded.periodic()[group as usize - 1].height() == 1 => {
                    Some(E::F::from(base(recorded.periodic()[group as usize - 1].get(0, column as usize))))
                }
                Op::Load { group, column, offset } => {
                    fixed_value(Fixed::Periodic(group as usize - 1, column as usize, offset as usize))
                }
                Op::Add(a, b) => get(a).zip(get(b)).map(|(a, b)| a + b),
                Op::Sub(a, b) => get(a).zip(get(b)).map(|(a, b)| a - b),
                Op::Mul(a, b) => get(a).zip(get(b)).map(|(a, b)| a * b),
                Op::Neg(a) => get(a).map(|a| -a),
                // No transition needs these.
                Op::ConstExt(_) | Op::Param(_) => None,
            };
            values.push(value);
        }
        for (rows, output) in recorded.transitions().iter().zip(program.outputs()) {
            let value = values[output.index()].clone().expect("a transition is over the base field");
            // Where it holds on all rows there is no selector.
            match selector(*rows, recorded.trace_length()).and_then(fixed_value) {
                Some(selector) => eval.add_constraint(selector * value),
                None => eval.add_constraint(value),
            }
        }
        for boundary in recorded.boundaries() {
            let (Column::Main(column), Some(value)) = (boundary.column(), boundary.constant_value()) else { continue };
            let selector = fixed_value(Fixed::Row(boundary.row())).expect("every boundary row has a selector");
            eval.add_constraint(selector * (cell(column, 0) - E::F::from(base(value))));
        }
        eval
    }
}

/// The names that the AIR gives, in the order of `evaluate`.
fn names(air: &Recorded<CircleStark>) -> Names {
    let column = |column: usize| air.column_name(Column::Main(column)).map(str::to_owned);
    let constraint = |index: usize| air.constraint_name(index).map(str::to_owned);
    Names {
        columns: (0..air.layout().main_columns).map(column).collect(),
        constraints: (0..air.constraints().outputs().len()).map(constraint).collect(),
        ..Names::default()
    }
}

/// The values of the next main column at so many offsets, 1 to [`MAX_OFFSETS`].
fn mask<E: EvalAtRow>(eval: &mut E, offsets: &[isize]) -> Vec<E::F> {
    match *offsets {
        [a] => eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [a]).into(),
        [a, b] => eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [a, b]).into(),
        [a, b, c] => eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [a, b, c]).into(),
        [a, b, c, d] => eval.next_interaction_mask(ORIGINAL_TRACE_IDX, [a, b, c, d]).into(),
        _ => unreachable!("an AIR with another number of offsets is not lowered"),
    }
}

impl Statement for LoweredAir {
    fn name(&self) -> &str {
        self.air.name()
    }

    fn words(&self) -> Vec<u32> {
        let recorded = &self.component.0.recorded;
        let digest = recorded.digest();
        let digest = digest.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let public = recorded.public_inputs().iter().map(|value| value.value());
        [FAMILY, recorded.log_trace_length()].into_iter().chain(digest).chain(public).collect()
    }

    /// With lifting there must be a column: one of zeros if the AIR needs none.
    fn preprocessed(&self, lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        let log_size = self.component.0.recorded.log_trace_length();
        let mut columns: Vec<_> =
            self.component.0.fixed.iter().map(|column| PreprocessedColumn::new(&column.id(), log_size)).collect();
        if columns.is_empty() && lifting.is_some() {
            columns.push(PreprocessedColumn::new("zero", log_size));
        }
        columns
    }

    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> {
        let Lowered { recorded, fixed, .. } = &*self.component.0;
        let rows = recorded.trace_length();
        let mut columns: Vec<Vec<M31>> =
            fixed.iter().map(|column| (0..rows).map(|row| column.value(recorded, row)).collect()).collect();
        if columns.is_empty() && lifting.is_some() {
            columns.push(vec![M31::new(0); rows]);
        }
        columns
    }

    fn preprocessed_program(&self, lifting: Option<u32>) -> Option<Vec<Recurrence<M31>>> {
        let Lowered { recorded, fixed, .. } = &*self.component.0;
        if fixed.is_empty() && lifting.is_some() {
            let (coefficients, initial) = (vec![M31::ONE], vec![M31::ZERO]);
            let log_height = recorded.log_trace_length();
            return Some(vec![Recurrence { coefficients, initial, restarts: Vec::new(), log_height }]);
        }
        fixed.iter().map(|column| column.recurrence(recorded)).collect()
    }

    fn trace_program(&self) -> Option<Vec<TableProgram>> {
        let sources = self.air.trace_program()?.columns.into_iter().map(Source::Recurrence).collect();
        Some(vec![TableProgram { sources, columns: ColumnProgram::Sources }])
    }

    fn draws(&self) -> usize {
        0
    }

    fn components(&self, _drawn: &[SecureField]) -> Vec<Box<dyn AirComponent>> {
        vec![Box::new(Named::new(self.component.clone(), names(&self.component.0.recorded)))]
    }

    fn check_claimed_sums(&self, _drawn: &[SecureField], sums: &[SecureField]) -> Result<(), ClaimedSumError> {
        if sums.is_empty() { Ok(()) } else { Err(ClaimedSumError::Count { given: sums.len(), needed: 0 }) }
    }

    fn check_config(&self, _config: &PcsConfig) -> Result<(), ConfigError> {
        Ok(())
    }

    fn air(&self) -> Option<&dyn Air<CircleStark>> {
        Some(&*self.air)
    }

    fn variant(&self) -> Option<Box<dyn Statement>> {
        self.variant.as_ref().map(|other| Box::new(LoweredAir::clone(other)) as Box<dyn Statement>)
    }
}
