//! Interaction columns that the statement gives: made on the host of the main columns, and committed beside those of lookups.

use std::borrow::Cow;

use circle_air::GivenColumns;
use field::M31;
use gpu_hal::{CircleStark, Columns, StarkBackend};
use stwo::core::fields::qm31::SecureField;

use super::ProveError;
use super::context::Context;
use super::tree::Tree;
use crate::stage::Stage;
use crate::table::{Table, shape};

/// Whether a component has columns that the statement gives.
pub(crate) fn has_given(component: &circle_air::Recorded) -> bool {
    component.given_columns().next().is_some()
}

impl<B: StarkBackend<P = CircleStark>, S: Stage<B>> Context<'_, B, S> {
    /// What the statement gives. A statement that gives nothing is not asked, and a rehearsal asks for nothing.
    pub(crate) fn given(
        &self,
        main_rows: &[Option<Table<B>>],
        main: &Tree<B>,
        drawn: &[SecureField],
    ) -> Result<GivenColumns, ProveError> {
        let (components, claims) = (&self.recorded.components, self.statement.claims());
        if claims == 0 && !components.iter().any(has_given) {
            return Ok(GivenColumns::default());
        }
        let mut on_host = Vec::with_capacity(components.len());
        for (index, component) in components.iter().enumerate() {
            let part = self.part(1, index).filter(|_| has_given(component));
            on_host.push(part.map_or(Ok(Vec::new()), |part| {
                let again = match main_rows[index] {
                    Some(_) => None,
                    None => Some(self.rows_again(main, main.parts[part])?),
                };
                let rows = again.as_ref().or(main_rows[index].as_ref()).expect("rows that are not kept are made again");
                self.stage.either(|| download(self.backend, rows), || Ok(Vec::new()))
            })?);
        }
        let given = || self.statement.interaction(drawn, &on_host).map_err(ProveError::Given);
        self.stage.either(
            || given().and_then(|given| self.check_given(given)),
            || Ok(GivenColumns { columns: Vec::new(), claims: vec![SecureField::default(); claims] }),
        )
    }

    /// As many columns and claims as there must be.
    fn check_given(&self, mut given: GivenColumns) -> Result<GivenColumns, ProveError> {
        let (components, claims) = (&self.recorded.components, self.statement.claims());
        if given.claims.len() != claims {
            return Err(ProveError::Claims { given: given.claims.len(), expected: claims });
        }
        // One that gives claims alone may leave out all columns.
        let count = given.columns.len().max(components.len());
        given.columns.resize_with(count, Vec::new);
        for (component, columns) in given.columns.iter().enumerate() {
            let recorded = components.get(component);
            let width = recorded.map_or(0, |recorded| recorded.given_columns().count());
            let log_size = recorded.map_or(0, |recorded| recorded.log_size);
            let wrong = columns.iter().map(Vec::len).find(|rows| *rows != 1 << log_size);
            if columns.len() != width || wrong.is_some() {
                let rows = wrong.or(columns.first().map(Vec::len)).unwrap_or(0);
                return Err(ProveError::GivenShape { component, columns: columns.len(), rows, width, log_size });
            }
        }
        Ok(given)
    }

    /// All interaction columns of a component, in row order: `made` are those of its lookups. `None` if it has none.
    pub(crate) fn with_given(
        &self,
        index: usize,
        made: Option<Table<B>>,
        given: &mut GivenColumns,
    ) -> Result<Option<Table<B>>, ProveError> {
        let component = &self.recorded.components[index];
        let width = component.given_columns().count();
        if width == 0 {
            return Ok(made);
        }
        let columns = given.columns.get_mut(index).map(std::mem::take).unwrap_or_default();
        let data = || Ok::<_, ProveError>(Cow::Owned(columns.concat()));
        let uploaded = self.stage.upload(self.backend, shape(width, component.log_size), data)?;
        let Some((made, logup)) = made.zip(component.logup.as_ref()) else { return Ok(Some(uploaded)) };
        let mut picks: Vec<(usize, usize)> = (0..width).map(|column| (1, column)).collect();
        picks.splice(logup.first..logup.first, (0..made.width).map(|column| (0, column)));
        Ok(Some(self.backend.select(&[made.as_ref(), uploaded.as_ref()], &picks)?))
    }
}

/// The columns of a table.
fn download<B: StarkBackend<P = CircleStark>>(backend: &B, table: &Table<B>) -> Result<Vec<Vec<M31>>, ProveError> {
    let rows = 1 << table.log_height;
    let columns = backend.download(Columns::as_ref(table), 0..rows)?;
    Ok(columns.chunks_exact(rows).map(<[M31]>::to_vec).collect())
}
