//! The interaction columns: of lookups, and beside them the columns that the statement gives.

use circle_air::DrawnStatement;
use field::{Field, QM31};
use gpu_hal::{Accumulated, CircleStark, Columns, EvalOrder, RunningForm, RunningRequest, StarkBackend};

use super::ProveError;
use super::context::Context;
use super::keep::{Keep, runs};
use super::recompute::Recompute;
use super::tree::{Tree, extend};
use crate::mode::ModeOn;
use crate::observer::{Phase, go_on};
use crate::table::Table;

/// The extended interaction columns of each component that has any; the lookup sums of components with lookups, and the
/// claims.
type Interaction<B> = (Vec<Option<Table<B>>>, Vec<QM31>);

impl<B: StarkBackend<P = CircleStark>, S: ModeOn<B>> Context<'_, B, S> {
    /// The parameters of the lookups of every component; zeros where nothing is drawn.
    pub(crate) fn lookup_params(&self, of_draw: Option<&DrawnStatement<'_>>) -> Result<Vec<Vec<QM31>>, ProveError> {
        let zeros = |component: &circle_air::RecordedComponent| {
            vec![QM31::ZERO; component.logup.as_ref().map_or(0, |logup| logup.params)]
        };
        match of_draw {
            Some(of_draw) => Ok(of_draw.logup_params()?),
            None => Ok(self.recorded.components.iter().map(zeros).collect()),
        }
    }

    /// The interaction columns of each component that has any, extended, and the claims about them. The lookups take
    /// one trip to the device for all components, or for each run of them where rows are made again.
    pub(crate) fn interaction(
        &self,
        again: &Recompute<'_, B, S>,
        mut main_rows: Vec<Option<Table<B>>>,
        main: &Tree<B>,
        drawn: &[QM31],
    ) -> Result<Interaction<B>, ProveError> {
        let components = &self.recorded.components;
        let mut given = self.given(again, &main_rows, main, drawn)?;
        let with_lookups: Vec<usize> =
            (0..components.len()).filter(|index| self.programs[*index].logup.is_some()).collect();
        let cells = |index: &usize| {
            let component = &components[*index];
            ((component.width(1) + component.width(2)) as u64) << component.log_size
        };
        let runs = match self.keep {
            Keep::All => std::iter::once(0..with_lookups.len()).collect(),
            _ => runs(&with_lookups.iter().map(cells).collect::<Vec<_>>(), 1),
        };
        let can_be_made = again.can_make(2);
        let extend = |rows: Table<B>| {
            let to = self.first_extension(rows.log_height, can_be_made);
            extend(self.backend, rows.as_ref(), EvalOrder::Row, to)
        };
        let mut extended: Vec<Option<Table<B>>> = components.iter().map(|_| None).collect();
        let mut sums = Vec::with_capacity(with_lookups.len());
        for run in runs {
            go_on(self.observer, Phase::Auxiliary)?;
            let indices = &with_lookups[run];
            let rows = indices.iter().map(|&index| {
                let rows = match (main_rows[index].take(), self.part(1, index)) {
                    (Some(rows), _) => Some(rows),
                    (None, Some(part)) => Some(again.rows(1, main, main.parts[part])?),
                    (None, None) => None,
                };
                Ok((index, rows))
            });
            let rows = rows.collect::<Result<Vec<_>, ProveError>>()?;
            let made = self.lookups(rows, &again.lookups)?;
            for (&index, Accumulated { columns, total }) in indices.iter().zip(made) {
                extended[index] = self.with_given(index, Some(columns), &mut given)?.map(extend).transpose()?;
                sums.push(total);
            }
        }
        for index in (0..components.len()).filter(|index| components[*index].logup.is_none()) {
            extended[index] = self.with_given(index, None, &mut given)?.map(extend).transpose()?;
        }
        sums.extend(given.claims);
        Ok((extended, sums))
    }

    /// The columns of the lookups of some components, in row order, from their main columns in row order.
    pub(crate) fn lookups(
        &self,
        of: Vec<(usize, Option<Table<B>>)>,
        params: &[Vec<QM31>],
    ) -> Result<Vec<Accumulated<B::T>>, ProveError> {
        let fractions = of.iter().map(|(index, _)| {
            let batches = self.recorded.components[*index].logup.as_ref().map_or(0, |logup| logup.batches);
            (0..batches).map(|batch| (2 * batch, 2 * batch + 1)).collect()
        });
        let fractions: Vec<Vec<_>> = fractions.collect();
        let columns = of.iter().map(|(index, rows)| {
            let fixed = self.preprocessed.rows(*index);
            fixed.into_iter().chain(rows.as_ref().map(Columns::as_ref)).collect()
        });
        let columns: Vec<Vec<_>> = columns.collect();
        let mut requests = Vec::with_capacity(of.len());
        for (((index, _), columns), fractions) in of.iter().zip(&columns).zip(&fractions) {
            requests.push(RunningRequest {
                program: self.programs[*index].logup.expect("lookups have a program"),
                columns,
                log_height: self.recorded.components[*index].log_size,
                params: &params[*index],
                form: RunningForm::Logup(fractions),
            });
        }
        // A statement without lookups asks for nothing.
        if requests.is_empty() { Ok(Vec::new()) } else { Ok(self.backend.running(&requests)?) }
    }
}
