//! Quotients of more tables than there is room for at once.

use gpu_hal::op::DeepQuotient;
use gpu_hal::{Columns, DeepTerm, DomainOf, Operations, Result, Table, TableRef, Types};

use super::session::Needs;
use crate::Spilled;

impl<O: Operations> Spilled<O> {
    /// [`Operations::deep_quotient`] of all tables at once if the memory is enough, else the sum of those of two halves
    /// of the tables: sums of field elements are exact, in whatever order.
    pub(crate) fn quotient(
        &self,
        tables: &[TableRef<'_, Self>],
        log_cut: u32,
        domain: DomainOf<O::T>,
        terms: &[DeepTerm<<O::T as Types>::P>],
    ) -> Result<Table<Self>> {
        let memory = &self.memory;
        let mut all = (tables, log_cut, domain, terms);
        let fits = || memory.fits(&Self::takes(memory, |needs| Needs::call::<DeepQuotient>(needs, &all)));
        if tables.len() < 2 || fits() {
            return self.at_once::<DeepQuotient>(&mut all);
        }
        let middle = tables.len() / 2;
        let of_first = DeepTerm::of_tables(terms, 0..middle);
        let of_others = DeepTerm::of_tables(terms, middle..tables.len());
        let (first, others) = tables.split_at(middle);
        if of_first.is_empty() {
            return self.quotient(others, log_cut, domain, &of_others);
        }
        let mut sum = self.quotient(first, log_cut, domain, &of_first)?;
        if !of_others.is_empty() {
            let summand = self.quotient(others, log_cut, domain, &of_others)?;
            self.accumulate(sum.as_mut(), Columns::as_ref(&summand))?;
        }
        Ok(sum)
    }
}
