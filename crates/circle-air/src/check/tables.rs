//! All columns of a statement, read by rows as the author gives them.

use field::circle::{coset_row_to_storage, storage_to_coset_row};
use field::{M31, QM31};
use gpu_hal::EvalOrder;

use super::error::TraceError;
use crate::{InteractionError, RecordedStatement, Statement};

/// The columns of each component: preprocessed (the ones that it reads), main, interaction; rows in the order of the
/// trace's subgroup.
pub(super) struct Tables {
    order: EvalOrder,
    components: Vec<OneTable>,
}

struct OneTable {
    log_size: u32,
    groups: [Vec<Vec<M31>>; 3],
}

impl Tables {
    /// # Errors
    /// [`TraceError::Count`] if a table is not of the statement's shape.
    pub(super) fn new(
        recorded: &RecordedStatement,
        statement: &dyn Statement,
        trace: &[Vec<&[M31]>],
    ) -> Result<Self, TraceError> {
        let order = statement.order();
        let preprocessed = statement.preprocessed_values(None);
        let sizes = recorded.log_sizes(0);
        count(|| "preprocessed columns".to_owned(), preprocessed.len(), sizes.len())?;
        for (column, (values, log_size)) in preprocessed.iter().zip(sizes).enumerate() {
            count(|| format!("rows of preprocessed column {column}"), values.len(), 1 << log_size)?;
        }
        count(|| "components of the trace".to_owned(), trace.len(), recorded.components.len())?;
        let mut components = Vec::with_capacity(trace.len());
        for (index, (component, main)) in recorded.components.iter().zip(trace).enumerate() {
            let log_size = component.log_size;
            count(|| format!("main columns of component {index}"), main.len(), component.width(1))?;
            for (column, values) in main.iter().enumerate() {
                count(|| format!("rows of main column {column} of component {index}"), values.len(), 1 << log_size)?;
            }
            let read = recorded.preprocessed_indices[index].iter().map(|&column| in_rows(order, &preprocessed[column]));
            let groups = [read.collect(), main.iter().map(|column| in_rows(order, column)).collect(), Vec::new()];
            components.push(OneTable { log_size, groups });
        }
        Ok(Self { order, components })
    }

    /// The preprocessed and the main columns of a component, rows in the order of the subgroup.
    pub(super) fn inputs(&self, component: usize) -> [&[Vec<M31>]; 2] {
        let [preprocessed, main, _] = &self.components[component].groups;
        [preprocessed, main]
    }

    pub(super) fn set_interaction(&mut self, component: usize, columns: Vec<Vec<M31>>) {
        self.components[component].groups[2] = columns;
    }

    /// Rows of each component.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        self.components.iter().map(|table| 1 << table.log_size)
    }

    /// The cell that is read on a row, which is the author's, at an offset: its row, and its value.
    pub(super) fn cell(&self, component: usize, row: usize, group: usize, column: usize, offset: i32) -> (usize, QM31) {
        let OneTable { log_size, groups } = &self.components[component];
        let at = match self.order {
            EvalOrder::Row => row,
            EvalOrder::Storage => storage_to_coset_row(row, *log_size),
        };
        let at = (at as i64 + i64::from(offset)).rem_euclid(1 << log_size) as usize;
        (self.own(*log_size, at), QM31::from(groups[group][column][at]))
    }

    /// The error with the row that the author counts.
    pub(super) fn own_row(&self, component: usize, error: InteractionError) -> InteractionError {
        match error {
            InteractionError::Denominator { batch, row } => {
                InteractionError::Denominator { batch, row: self.own(self.components[component].log_size, row) }
            }
            error => error,
        }
    }

    fn own(&self, log_size: u32, row: usize) -> usize {
        match self.order {
            EvalOrder::Row => row,
            EvalOrder::Storage => coset_row_to_storage(row, log_size),
        }
    }
}

/// A column in the order of the subgroup.
fn in_rows(order: EvalOrder, column: &[M31]) -> Vec<M31> {
    match order {
        EvalOrder::Row => column.to_vec(),
        EvalOrder::Storage => {
            let log_size = column.len().ilog2();
            (0..column.len()).map(|row| column[coset_row_to_storage(row, log_size)]).collect()
        }
    }
}

fn count(what: impl FnOnce() -> String, given: usize, needed: usize) -> Result<(), TraceError> {
    if given == needed { Ok(()) } else { Err(TraceError::Count { what: what(), given, needed }) }
}
