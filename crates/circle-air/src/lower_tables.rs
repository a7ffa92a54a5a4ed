//! Several AIRs of ours ([`air::Air`]) as one statement of the Circle protocol, with lookups between them.

use std::sync::Arc;

use air::Air;
use field::{M31, QM31};
use gpu_hal::{CircleStark, LinearRecurrence};

use crate::lower_air::{Component, FAMILY, Lowered, lower};
use crate::lower_lookups::{Lookup, Relation, outputs};
use crate::{AirComponent, LowerError, PreprocessedColumn, Statement};

/// One AIR of several.
#[derive(Clone)]
pub struct AirTable {
    /// Its last transitions, as many as its lookups have counts and values, are no constraints: they are the count and
    /// the values of each lookup in order. They must hold on all rows, so that they have no selector.
    pub air: Arc<dyn Air<CircleStark>>,
    /// The lookups.
    pub lookups: Vec<Lookup>,
}

/// Several AIRs as one statement, a component for each: see [`lower_tables`].
#[derive(Clone)]
pub struct LoweredTables {
    name: String,
    tables: Vec<(Arc<Lowered>, Vec<Lookup>)>,
    variant: Option<Arc<LoweredTables>>,
}

/// Makes a statement of AIRs, each of which becomes a component as of [`crate::lower_air`]. The sum of the lookups of
/// all tables must be zero. The statement's words hold digest, public inputs and lookups of each.
///
/// # Errors
/// [`LowerError`] says which feature of an AIR has no counterpart; [`LowerError::Lookups`] that an AIR has fewer
/// transitions than its lookups take, or some that do not hold on all rows.
pub fn lower_tables(name: &str, tables: Vec<AirTable>) -> Result<LoweredTables, LowerError> {
    let lower = |(number, table): (usize, AirTable)| {
        let lowered = lower(&*table.air)?;
        let (transitions, needed) = (lowered.recorded.transitions(), outputs(&table.lookups));
        let of_lookups = transitions.len().checked_sub(needed).map(|first| &transitions[first..]);
        if of_lookups.is_none_or(|rows| rows.iter().any(|rows| *rows != air::Rows::all())) {
            return Err(LowerError::Lookups { table: number, transitions: transitions.len(), needed });
        }
        Ok((Arc::new(lowered), table.lookups))
    };
    let tables = tables.into_iter().enumerate().map(lower).collect::<Result<_, _>>()?;
    Ok(LoweredTables { name: name.to_owned(), tables, variant: None })
}

/// The prefix of the names of a table's preprocessed columns.
fn prefix(table: usize) -> String {
    format!("{table}_")
}

impl LoweredTables {
    /// The same statement, of which it is known which constants depend on public values: as of
    /// [`crate::LoweredAir::with_variant`].
    #[must_use]
    pub fn with_variant(self, other: Self) -> Self {
        Self { variant: Some(Arc::new(other)), ..self }
    }

    fn with_lookups(&self) -> usize {
        self.tables.iter().filter(|(_, lookups)| !lookups.is_empty()).count()
    }

    fn lowered(&self) -> impl Iterator<Item = &Lowered> {
        self.tables.iter().map(|(lowered, _)| &**lowered)
    }

    /// With lifting there must be a column: one of zeros if there is none.
    fn needs_zeros(&self, lifting: Option<u32>) -> Option<&Lowered> {
        let has_columns = self.lowered().any(|lowered| lowered.preprocessed("").next().is_some());
        if has_columns || lifting.is_none() { None } else { self.lowered().next() }
    }
}

impl Statement for LoweredTables {
    fn name(&self) -> &str {
        &self.name
    }

    /// A statement of one AIR has its log size in the place of the first zero, so nothing here is one of that.
    fn words(&self) -> Vec<u32> {
        let word = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let mut words = vec![FAMILY, 0, word(self.name.len())];
        words.extend(self.name.bytes().map(u32::from));
        words.push(word(self.tables.len()));
        for (lowered, lookups) in &self.tables {
            let of_air: Vec<u32> = lowered.words().collect();
            words.extend([lowered.recorded.log_trace_length(), word(of_air.len())]);
            words.extend(of_air);
            words.push(word(lookups.len()));
            words.extend(lookups.iter().flat_map(|at| [at.bus.value(), word(at.values), word(at.batch)]));
        }
        words
    }

    fn preprocessed(&self, lifting: Option<u32>) -> Vec<PreprocessedColumn> {
        let of_table = |(table, lowered): (usize, &Lowered)| lowered.preprocessed(&prefix(table)).collect::<Vec<_>>();
        let mut columns: Vec<_> = self.lowered().enumerate().flat_map(of_table).collect();
        let zeros = self.needs_zeros(lifting);
        columns.extend(zeros.map(|of| PreprocessedColumn::new("zero", of.recorded.log_trace_length())));
        columns
    }

    fn preprocessed_values(&self, lifting: Option<u32>) -> Vec<Vec<M31>> {
        let mut columns: Vec<_> = self.lowered().flat_map(Lowered::preprocessed_values).collect();
        columns.extend(self.needs_zeros(lifting).map(|of| vec![M31::new(0); of.recorded.trace_length()]));
        columns
    }

    fn preprocessed_program(&self, lifting: Option<u32>) -> Option<Vec<LinearRecurrence<M31>>> {
        if self.needs_zeros(lifting).is_some() {
            return None;
        }
        self.lowered().flat_map(Lowered::preprocessed_program).collect()
    }

    fn draws(&self) -> usize {
        if self.with_lookups() > 0 { 2 } else { 0 }
    }

    fn components(&self, drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
        let width = self.tables.iter().flat_map(|(_, lookups)| lookups).map(|lookup| 1 + lookup.values).max();
        let relation = width.map(|width| Arc::new(Relation::new(drawn, width)));
        let component = |(table, (lowered, lookups)): (usize, &(Arc<Lowered>, Vec<Lookup>))| {
            let relation = if lookups.is_empty() { None } else { relation.clone() };
            let (lowered, lookups) = (lowered.clone(), lookups.clone());
            Box::new(Component { lowered, prefix: prefix(table), lookups, relation }) as Box<dyn AirComponent>
        };
        self.tables.iter().enumerate().map(component).collect()
    }

    fn variant(&self) -> Option<Box<dyn Statement>> {
        self.variant.as_ref().map(|other| Box::new(LoweredTables::clone(other)) as Box<dyn Statement>)
    }
}
