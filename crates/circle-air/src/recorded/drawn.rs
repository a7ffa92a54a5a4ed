//! The parameters of a statement's programs, by drawn elements and claims.

use field::{Field, M31, QM31};

use super::{RecordedStatement, named};
use crate::framework::Recording;
use crate::{RecordError, Statement, StatementError};

/// A recorded statement with drawn elements, from which the parameters of its programs are read.
#[derive(Clone)]
pub struct DrawnStatement<'a> {
    of: &'a RecordedStatement,
    statement: &'a dyn Statement,
    drawn: &'a [QM31],
    /// By component.
    recordings: Vec<Recording>,
}

impl RecordedStatement {
    /// The statement with drawn elements: each component is recorded again. Nothing is claimed yet.
    ///
    /// # Errors
    /// [`StatementError`] if the statement, with these elements, is not of the shape that was recorded.
    pub fn drawn<'a>(
        &'a self,
        statement: &'a dyn Statement,
        drawn: &'a [QM31],
    ) -> Result<DrawnStatement<'a>, StatementError> {
        if drawn.len() != self.draws {
            return Err(StatementError::Drawn { given: drawn.len(), needed: self.draws });
        }
        let elements = [drawn, &vec![QM31::ZERO; self.claims]].concat();
        let recordings = self.record(&statement.components(&elements))?;
        Ok(DrawnStatement { of: self, statement, drawn, recordings })
    }

    /// [`DrawnStatement::params`].
    ///
    /// # Errors
    /// The errors of [`Self::drawn`] and [`DrawnStatement::params`].
    pub fn params(
        &self,
        statement: &dyn Statement,
        drawn: &[QM31],
        claimed_sums: &[QM31],
    ) -> Result<Vec<Vec<QM31>>, StatementError> {
        self.drawn(statement, drawn)?.params(claimed_sums)
    }

    /// [`DrawnStatement::logup_params`].
    ///
    /// # Errors
    /// The errors of [`Self::drawn`] and [`DrawnStatement::logup_params`].
    pub fn logup_params(&self, statement: &dyn Statement, drawn: &[QM31]) -> Result<Vec<Vec<QM31>>, StatementError> {
        self.drawn(statement, drawn)?.logup_params()
    }
}

impl DrawnStatement<'_> {
    /// The parameters of each component's [`crate::RecordedComponent::constraints`]. `claimed` has one element for each
    /// component with lookups, in order, and then the statement's claims: if there are any, each component is recorded
    /// once more.
    ///
    /// # Errors
    /// [`StatementError`] if there are not as many, or a constant is missing.
    pub fn params(&self, claimed: &[QM31]) -> Result<Vec<Vec<QM31>>, StatementError> {
        let sums = self.of.spread(claimed)?;
        let again = match self.of.claims {
            0 => None,
            _ => Some(self.of.record(&self.statement.components(&self.of.elements(self.drawn, claimed)?))?),
        };
        read(again.as_ref().unwrap_or(&self.recordings), |component, recording| {
            let recorded = &self.of.components[component];
            // 2^(31 - n) is the inverse of 2^n, because 2^31 = 1.
            let inverse_rows = M31::new(1 << (31 - recorded.log_size));
            recorded.slots.values(&recording.entries, sums[component] * inverse_rows)
        })
    }

    /// The parameters of each component's [`crate::Logup::program`]; none for a component without lookups.
    ///
    /// # Errors
    /// [`StatementError`] if a constant is missing.
    pub fn logup_params(&self) -> Result<Vec<Vec<QM31>>, StatementError> {
        read(&self.recordings, |component, recording| match &self.of.components[component].logup {
            Some(logup) => logup.slots.values(&recording.entries, QM31::ZERO),
            None => Ok(Vec::new()),
        })
    }
}

/// Parameters of each component.
fn read(
    recordings: &[Recording],
    values: impl Fn(usize, &Recording) -> Result<Vec<QM31>, RecordError>,
) -> Result<Vec<Vec<QM31>>, StatementError> {
    named(recordings.iter().enumerate().map(|(component, recording)| values(component, recording)).collect())
}
