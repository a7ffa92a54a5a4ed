//! Interaction columns that are not of lookups: the statement gives them.

use std::error::Error;

use field::{M31, QM31};

use crate::{HostColumns, RecordedComponent, RecordedStatement, Statement};

/// Given columns that there are not, or that the statement does not have.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostColumnsError {
    /// The statement says why.
    #[error("Statement::interaction: {0}")]
    Statement(Box<dyn Error + Send + Sync>),
    /// Columns of another shape than components read.
    #[error(
        "Statement::interaction gives {columns} columns of component {component}, one of {rows} rows; the component reads {width} of \
         2^{log_size} that are not of lookups"
    )]
    Shape {
        /// Number of the component.
        component: usize,
        /// Columns given.
        columns: usize,
        /// Rows of the first of them that has not as many as the component, or of the first.
        rows: usize,
        /// Columns of the component that are not of lookups; 0 if there is no such component.
        width: usize,
        /// Log2 of its rows.
        log_size: u32,
    },
    /// Another number of claims than the statement says.
    #[error("Statement::interaction gives {given} claims, Statement::claims says {expected}")]
    Claims {
        /// Given.
        given: usize,
        /// Expected.
        expected: usize,
    },
}

impl RecordedComponent {
    /// The columns of tree 2 that are not of the lookups, in order: the statement gives them
    /// ([`Statement::interaction`]).
    pub fn host_columns(&self) -> impl Iterator<Item = usize> + '_ {
        let of_logup = self.logup.as_ref().map_or(0..0, |logup| logup.first..logup.first + 4 * logup.batches);
        (0..self.width(2)).filter(move |column| !of_logup.contains(column))
    }

    /// Whether there are such columns.
    pub fn has_host_columns(&self) -> bool {
        self.host_columns().next().is_some()
    }

    /// Something of all columns of tree 2 in order, from that of the lookups' columns and that of the given ones.
    pub fn all_interaction<T>(&self, of_logup: Vec<T>, mut given: Vec<T>) -> Vec<T> {
        if let Some(logup) = &self.logup {
            let behind = given.split_off(logup.first.min(given.len()));
            given.extend(of_logup.into_iter().chain(behind));
        }
        given
    }
}

impl RecordedStatement {
    /// The statement's columns and claims, of the right shape. `main` is that of [`Statement::interaction`]. A
    /// statement that gives nothing is not asked.
    ///
    /// # Errors
    /// [`HostColumnsError`].
    pub fn given(
        &self,
        statement: &dyn Statement,
        drawn: &[QM31],
        main: &[Vec<Vec<M31>>],
    ) -> Result<HostColumns, HostColumnsError> {
        if !self.needs_host_columns() {
            return Ok(HostColumns::default());
        }
        let mut given = statement.interaction(drawn, main).map_err(HostColumnsError::Statement)?;
        if given.claims.len() != self.claims() {
            return Err(HostColumnsError::Claims { given: given.claims.len(), expected: self.claims() });
        }
        // One that gives claims alone may leave out all columns.
        given.columns.resize_with(given.columns.len().max(self.components.len()), Vec::new);
        for (component, columns) in given.columns.iter().enumerate() {
            let recorded = self.components.get(component);
            let width = recorded.map_or(0, |recorded| recorded.host_columns().count());
            let log_size = recorded.map_or(0, |recorded| recorded.log_size);
            let wrong = columns.iter().map(Vec::len).find(|rows| *rows != 1 << log_size);
            if columns.len() != width || wrong.is_some() {
                let rows = wrong.or(columns.first().map(Vec::len)).unwrap_or(0);
                return Err(HostColumnsError::Shape { component, columns: columns.len(), rows, width, log_size });
            }
        }
        Ok(given)
    }

    /// Whether the statement has given columns, or claims.
    pub fn needs_host_columns(&self) -> bool {
        self.claims() > 0 || self.components.iter().any(RecordedComponent::has_host_columns)
    }
}
