//! Interaction columns that the statement gives: made on the host of the main columns, and committed beside the lookup
//! columns.

use std::borrow::Cow;

use circle_air::HostColumns;
use field::{Field, M31, QM31};
use gpu_hal::{CircleStark, Columns, StarkBackend};

use super::ProveError;
use super::context::Context;
use super::recompute::Recompute;
use super::tree::Tree;
use crate::mode::ModeOn;
use crate::table::{Table, shape};

impl<B: StarkBackend<P = CircleStark>, S: ModeOn<B>> Context<'_, B, S> {
    /// The statement's columns. A statement that gives nothing is not asked, and a rehearsal asks for nothing.
    pub(crate) fn given(
        &self,
        again: &Recompute<'_, B, S>,
        main_rows: &[Option<Table<B>>],
        main: &Tree<B>,
        drawn: &[QM31],
    ) -> Result<HostColumns, ProveError> {
        if !self.recorded.needs_host_columns() {
            return Ok(HostColumns::default());
        }
        let components = &self.recorded.components;
        let mut on_host = Vec::with_capacity(components.len());
        for (index, component) in components.iter().enumerate() {
            let part = self.part(1, index).filter(|_| component.has_host_columns());
            on_host.push(part.map_or(Ok(Vec::new()), |part| {
                let made = match main_rows[index] {
                    Some(_) => None,
                    None => Some(again.rows(1, main, main.parts[part])?),
                };
                let rows = made.as_ref().or(main_rows[index].as_ref()).expect("rows that are not kept are made again");
                self.mode.either(|| download(self.backend, rows), || Ok(Vec::new()))
            })?);
        }
        let nothing = || vec![QM31::ZERO; self.recorded.claims()];
        self.mode.either(
            || Ok(self.recorded.given(self.statement, drawn, &on_host)?),
            || Ok(HostColumns { columns: Vec::new(), claims: nothing() }),
        )
    }

    /// All interaction columns of a component, in row order: `made` are its lookup columns. `None` if it has none.
    pub(crate) fn with_given(
        &self,
        index: usize,
        made: Option<Table<B>>,
        given: &mut HostColumns,
    ) -> Result<Option<Table<B>>, ProveError> {
        let component = &self.recorded.components[index];
        let width = component.host_columns().count();
        if width == 0 {
            return Ok(made);
        }
        let columns = given.columns.get_mut(index).map(std::mem::take).unwrap_or_default();
        let data = || Ok::<_, ProveError>(Cow::Owned(columns.concat()));
        let uploaded = self.mode.upload(self.backend, shape(width, component.log_size), data)?;
        let Some(made) = made else { return Ok(Some(uploaded)) };
        let of = |table: usize, width: usize| (0..width).map(|column| (table, column)).collect();
        let picks = component.all_interaction(of(0, made.width), of(1, width));
        Ok(Some(self.backend.select(&[made.as_ref(), uploaded.as_ref()], &picks)?))
    }
}

/// The columns of a table.
fn download<B: StarkBackend<P = CircleStark>>(backend: &B, table: &Table<B>) -> Result<Vec<Vec<M31>>, ProveError> {
    let rows = 1 << table.log_height;
    let columns = backend.download(Columns::as_ref(table), 0..rows)?;
    Ok(columns.chunks_exact(rows).map(<[M31]>::to_vec).collect())
}
