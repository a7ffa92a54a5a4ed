//! AIRs of ours ([`air::Air`]) as statements of the Circle protocol.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use air::{Air, AirError, Column, GroupRole, RecordedAir};
use field::{Field, M31, QM31};
use gpu_hal::ir::{Kind, NodeOp};
use gpu_hal::{CircleStark, LinearRecurrence};
use stwo::core::Fraction;
use stwo_constraint_framework::preprocessed_columns::PreProcessedColumnId;
use stwo_constraint_framework::{EvalAtRow, FrameworkEval, ORIGINAL_TRACE_IDX};

use crate::framework::base;
use crate::lower_columns::{FixedColumn, selector};
use crate::lower_lookups::{Lookup, Relation, outputs};
use crate::{
    AirComponent, ColumnProgram, ComponentNames, NamedComponent, PreprocessedColumn, SourceColumn, Statement,
    TableProgram,
};

/// The first of [`Statement::words`]: no family of [`crate::airs`] has this number. The digest behind it says which AIR
/// it is.
pub(crate) const FAMILY: u32 = 0;
/// Most row offsets on one column.
pub const MAX_OFFSETS: usize = 4;
/// Most selectors and periodic columns of an AIR, each of which is committed like any column.
pub const MAX_FIXED: usize = 1 << 13;

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
    /// Lookups that the AIR has no transitions for.
    #[error(
        "table {table} has {transitions} transitions, of which its lookups take the last {needed}: counts and values must be transitions on all \
         rows"
    )]
    Lookups {
        /// Number of the table.
        table: usize,
        /// Its transitions.
        transitions: usize,
        /// Counts and values of its lookups.
        needed: usize,
    },
    /// Too many row offsets.
    #[error("column {column} is read at {offsets} row offsets: at most {MAX_OFFSETS}; copy it to another column")]
    Offsets {
        /// The column.
        column: usize,
        /// How many.
        offsets: usize,
    },
    /// Too many selectors and periodic columns.
    #[error(
        "{columns} preprocessed columns for boundaries, rows of transitions and periodic columns at their offsets: at most {MAX_FIXED}; put \
         boundary values that stand on many rows into a periodic column"
    )]
    Fixed {
        /// How many.
        columns: usize,
    },
}

/// An AIR over `CircleStark` whose columns are all main columns, as a statement of one component: see [`lower_air`].
#[derive(Clone)]
pub struct LoweredAir {
    air: Arc<dyn Air<CircleStark>>,
    component: Component,
    variant: Option<Arc<LoweredAir>>,
}

/// Makes a statement of an AIR. Main columns become tree 1. A transition that does not hold on all rows is multiplied
/// by a selector, a preprocessed column, and so is a boundary constraint; periodic columns are preprocessed columns
/// too, except that columns of period 1 are constants. So a constraint has degree 3 at most, the selector counting 1,
/// which recording the statement checks. The statement's words hold the AIR's digest and public inputs.
///
/// # Errors
/// [`LowerError`] says which feature of the AIR has no counterpart.
pub fn lower_air(air: Arc<dyn Air<CircleStark>>) -> Result<LoweredAir, LowerError> {
    let lowered = Arc::new(lower(&*air)?);
    let component = Component { lowered, prefix: String::new(), lookups: Vec::new(), relation: None };
    Ok(LoweredAir { air, component, variant: None })
}

/// The part of an AIR that the components read.
pub(crate) fn lower(air: &dyn Air<CircleStark>) -> Result<Lowered, LowerError> {
    let recorded = air::record(air)?;
    let layout = recorded.layout();
    if layout.aux_columns > 0 || layout.challenges > 0 {
        let (aux_columns, challenges) = (layout.aux_columns, layout.challenges);
        return Err(LowerError::Auxiliary { aux_columns, challenges });
    }
    let program = recorded.constraints();
    let is_base = |output: &gpu_hal::ir::NodeId| program.nodes()[output.index()].kind == Kind::Base;
    let transitions = &program.outputs()[..recorded.transitions().len()];
    if let Some(transition) = transitions.iter().position(|output| !is_base(output)) {
        return Err(LowerError::Extension { transition });
    }
    if let Some(boundary) = recorded.boundaries().iter().position(|boundary| boundary.constant_value().is_none()) {
        return Err(LowerError::Boundary { boundary });
    }
    let mut offsets = vec![BTreeSet::new(); layout.main_columns];
    let (mut fixed, mut places) = (Vec::new(), HashMap::new());
    let mut add = |column: FixedColumn| {
        places.entry(column).or_insert_with(|| {
            fixed.push(column);
            fixed.len() - 1
        });
    };
    for node in program.nodes() {
        let NodeOp::Load { group, column, offset } = node.op else { continue };
        match recorded.groups()[group as usize] {
            GroupRole::Main => {
                offsets[column as usize].insert(offset as isize);
            }
            GroupRole::Periodic { log_period: 0 } => {}
            // The periodic groups follow the main columns. Offsets of an AIR are not negative.
            _ => add(FixedColumn::Periodic(group as usize - 1, column as usize, offset as usize)),
        }
    }
    recorded.transitions().iter().filter_map(|rows| selector(*rows, recorded.trace_length())).for_each(&mut add);
    recorded.boundaries().iter().for_each(|boundary| add(FixedColumn::Row(boundary.row())));
    if fixed.len() > MAX_FIXED {
        return Err(LowerError::Fixed { columns: fixed.len() });
    }
    if let Some(column) = offsets.iter().position(|offsets| offsets.len() > MAX_OFFSETS) {
        return Err(LowerError::Offsets { column, offsets: offsets[column].len() });
    }
    // A column that no constraint reads is committed all the same.
    let mask = |offsets: BTreeSet<isize>| if offsets.is_empty() { vec![0] } else { offsets.into_iter().collect() };
    let offsets = offsets.into_iter().map(mask).collect();
    Ok(Lowered { recorded, offsets, fixed, places })
}

impl LoweredAir {
    /// The same statement, of which it is known which constants depend on public values: `other` is the AIR with
    /// others, each of them different. Boundary values and periodic columns of period 1 that differ are parameters of
    /// the programs then, which serve all public values.
    ///
    /// # Errors
    /// [`LowerError`], as of [`lower_air`]. The check that the two have one shape follows when the statement is
    /// recorded.
    pub fn with_variant(self, other: Arc<dyn Air<CircleStark>>) -> Result<Self, LowerError> {
        Ok(Self { variant: Some(Arc::new(lower_air(other)?)), ..self })
    }
}

/// The data that `evaluate` reads.
pub(crate) struct Lowered {
    pub(crate) recorded: RecordedAir<CircleStark>,
    /// The offsets of every main column, ascending.
    offsets: Vec<Vec<isize>>,
    fixed: Vec<FixedColumn>,
    /// The number of each of them.
    places: HashMap<FixedColumn, usize>,
}

/// The columns that prover and verifier both know.
impl Lowered {
    /// With names that begin with `prefix`.
    pub(crate) fn preprocessed(&self, prefix: &str) -> impl Iterator<Item = PreprocessedColumn> {
        let log_size = self.recorded.log_trace_length();
        self.fixed.iter().map(move |column| PreprocessedColumn::new(&format!("{prefix}{}", column.id()), log_size))
    }

    pub(crate) fn preprocessed_values(&self) -> impl Iterator<Item = Vec<M31>> {
        let rows = self.recorded.trace_length();
        self.fixed.iter().map(move |column| (0..rows).map(|row| column.value(&self.recorded, row)).collect())
    }

    /// Nothing for a column that is no short recurrence.
    pub(crate) fn preprocessed_program(&self) -> impl Iterator<Item = Option<LinearRecurrence<M31>>> {
        self.fixed.iter().map(|column| column.recurrence(&self.recorded))
    }

    /// Digest and public inputs.
    pub(crate) fn words(&self) -> impl Iterator<Item = u32> {
        let digest = self.recorded.digest();
        let digest = digest.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let public = self.recorded.public_inputs().iter().map(|value| value.value());
        digest.collect::<Vec<_>>().into_iter().chain(public)
    }
}

#[derive(Clone)]
pub(crate) struct Component {
    pub(crate) lowered: Arc<Lowered>,
    /// The prefix of the names of its preprocessed columns.
    pub(crate) prefix: String,
    /// The last transitions are not constraints but count and values of these.
    pub(crate) lookups: Vec<Lookup>,
    /// There is one if there are lookups.
    pub(crate) relation: Option<Arc<Relation>>,
}

impl FrameworkEval for Component {
    fn log_size(&self) -> u32 {
        self.lowered.recorded.log_trace_length()
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        self.lowered.recorded.log_trace_length() + 1
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let Lowered { recorded, offsets, fixed, places } = &*self.lowered;
        let id = |column: &FixedColumn| PreProcessedColumnId { id: format!("{}{}", self.prefix, column.id()) };
        let fixed_values: Vec<E::F> = fixed.iter().map(|column| eval.get_preprocessed_column(id(column))).collect();
        let main: Vec<Vec<E::F>> = offsets.iter().map(|offsets| mask(&mut eval, offsets)).collect();
        let fixed_value = |column: FixedColumn| places.get(&column).map(|at| fixed_values[*at].clone());
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
            let get = |id: gpu_hal::ir::NodeId| values[id.index()].clone();
            let value = match node.op {
                NodeOp::ConstBase(value) => Some(E::F::from(base(value))),
                NodeOp::Load { group: 0, column, offset } => Some(cell(column as usize, offset as isize)),
                NodeOp::Load { group, column, .. } if recorded.periodic()[group as usize - 1].height() == 1 => {
                    Some(E::F::from(base(recorded.periodic()[group as usize - 1].get(0, column as usize))))
                }
                NodeOp::Load { group, column, offset } => {
                    fixed_value(FixedColumn::Periodic(group as usize - 1, column as usize, offset as usize))
                }
                NodeOp::Add(a, b) => get(a).zip(get(b)).map(|(a, b)| a + b),
                NodeOp::Sub(a, b) => get(a).zip(get(b)).map(|(a, b)| a - b),
                NodeOp::Mul(a, b) => get(a).zip(get(b)).map(|(a, b)| a * b),
                NodeOp::Neg(a) => get(a).map(|a| -a),
                // No transition needs these.
                NodeOp::ConstExt(_) | NodeOp::Param(_) => None,
            };
            values.push(value);
        }
        let value =
            |output: &gpu_hal::ir::NodeId| values[output.index()].clone().expect("a transition is over the base field");
        let (constraints, of_lookups) = program.outputs()[..count].split_at(count - outputs(&self.lookups));
        for (rows, output) in recorded.transitions().iter().zip(constraints) {
            let value = value(output);
            // Where it holds on all rows there is no selector.
            match selector(*rows, recorded.trace_length()).and_then(fixed_value) {
                Some(selector) => eval.add_constraint(selector * value),
                None => eval.add_constraint(value),
            }
        }
        for boundary in recorded.boundaries() {
            let (Column::Main(column), Some(value)) = (boundary.column(), boundary.constant_value()) else { continue };
            let selector = fixed_value(FixedColumn::Row(boundary.row())).expect("every boundary row has a selector");
            eval.add_constraint(selector * (cell(column, 0) - E::F::from(base(value))));
        }
        if let Some(relation) = &self.relation {
            let mut of_lookups = of_lookups.iter().map(value);
            for lookup in &self.lookups {
                let count = of_lookups.next().expect("a count and values for each lookup");
                let message = std::iter::once(E::F::from(base(lookup.bus)));
                let message = message.chain(of_lookups.by_ref().take(lookup.values));
                eval.write_logup_frac(Fraction::new(E::EF::from(count), relation.combine::<E>(message)));
            }
            eval.finalize_logup_batched(&self.lookups.iter().map(|lookup| lookup.batch).collect());
        }
        eval
    }
}

/// The names that the AIR gives, in the order of `evaluate`.
fn names(air: &RecordedAir<CircleStark>) -> ComponentNames {
    let column = |column: usize| air.column_name(Column::Main(column)).map(str::to_owned);
    let constraint = |index: usize| air.constraint_name(index).map(str::to_owned);
    ComponentNames {
        columns: (0..air.layout().main_columns).map(column).collect(),
        constraints: (0..air.constraints().outputs().len()).map(constraint).collect(),
        ..ComponentNames::default()
    }
}

/// The values of the next main column at these offsets, 1 to [`MAX_OFFSETS`].
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
        let lowered = &self.component.lowered;
        [FAMILY, lowered.recorded.log_trace_length()].into_iter().chain(lowered.words()).collect()
    }

    /// With lifting there must be a column: one of zeros if the AIR needs none.
    fn preprocessed(&self, lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        let lowered = &self.component.lowered;
        let mut columns: Vec<_> = lowered.preprocessed("").collect();
        if columns.is_empty() && lifting.is_some() {
            columns.push(PreprocessedColumn::new("zero", lowered.recorded.log_trace_length()));
        }
        columns
    }

    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> {
        let lowered = &self.component.lowered;
        let mut columns: Vec<_> = lowered.preprocessed_values().collect();
        if columns.is_empty() && lifting.is_some() {
            columns.push(vec![M31::new(0); lowered.recorded.trace_length()]);
        }
        columns
    }

    fn preprocessed_program(&self, lifting: Option<u32>) -> Option<Vec<LinearRecurrence<M31>>> {
        let lowered = &self.component.lowered;
        if lowered.fixed.is_empty() && lifting.is_some() {
            let (coefficients, initial) = (vec![M31::ONE], vec![M31::ZERO]);
            let log_height = lowered.recorded.log_trace_length();
            return Some(vec![LinearRecurrence { coefficients, initial, restarts: Vec::new(), log_height }]);
        }
        lowered.preprocessed_program().collect()
    }

    fn trace_program(&self) -> Option<Vec<TableProgram>> {
        let sources = self.air.trace_program()?.columns.into_iter().map(SourceColumn::Recurrence).collect();
        Some(vec![TableProgram { sources, columns: ColumnProgram::Sources }])
    }

    fn components(&self, _drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        vec![Box::new(NamedComponent::new(self.component.clone(), names(&self.component.lowered.recorded)))]
    }

    fn air(&self) -> Option<&dyn Air<CircleStark>> {
        Some(&*self.air)
    }

    fn variant(&self) -> Option<Box<dyn Statement>> {
        self.variant.as_ref().map(|other| Box::new(LoweredAir::clone(other)) as Box<dyn Statement>)
    }
}
