//! The DEEP quotient.

use alloc::collections::BTreeSet;

use super::*;
use crate::DeepTerm;

op! {
    /// [`crate::StarkBackend::deep_quotient`].
    DeepQuotient(
        tables: &'a [TableRef<'a, T>],
        log_cut: u32,
        domain: DomainOf<T>,
        terms: &'a [DeepTerm<T::P>]
    ) -> NewTable;

    check(_) {
        let op = Self::NAME;
        let invalid = |detail| Err(HalError::invalid(op, detail));
        check::domain::<T::P>(op, domain)?;
        for table in *tables {
            columns(op, table)?;
            if !T::P::LIFTS {
                check::height::<T::P>(op, "a table", table.log_height, domain)?;
            } else if !(1..=domain.log_whole()).contains(&table.log_height) {
                return invalid(format!("2^{} rows cannot be lifted to 2^{}", table.log_height, domain.log_whole()));
            }
        }
        if !T::P::LIFTS && terms.iter().any(|term| !term.slope.is_zero()) {
            return invalid("a slope is for circle domains: it is zero on a coset".into());
        }
        for (table, column, _) in terms.iter().flat_map(|term| &term.weights) {
            if tables.get(*table).is_none_or(|t| *column >= t.width) {
                return invalid(format!("weight for column {column} of table {table}, not given"));
            }
        }
        Ok(())
    }
    reads(on) {
        on.tables(tables);
        on.domain(domain);
    }
    makes(on) {
        let (domain, log_cut, log_size) = (*domain, *log_cut, domain.log_size());
        let tables = shapes(tables);
        on.step(|_| {
            let weights = terms.iter().map(|term| term.weights.len()).sum();
            let weighted: BTreeSet<_> =
                terms.iter().flat_map(|term| &term.weights).map(|(table, column, _)| (*table, *column)).collect();
            // On a prefix a table is read by as large a part as the domain is of the whole.
            let part = (domain.log_whole() - log_size).saturating_sub(log_cut);
            let read = tables.iter().enumerate().map(|(number, table)| {
                let width = weighted.range((number, 0)..(number + 1, 0)).count();
                Columns::new((), width, table.log_height.saturating_sub(part))
            });
            Step::DeepQuotient { read: read.collect(), log_size, terms: terms.len(), weights }
        });
        let quotient = on.table(T::P::DEGREE, log_size);
        on.beside(&Footprint::DeepQuotient { tables: &tables, log_cut, domain, terms });
        quotient
    }
    uploaded() {
        let term = |term: &DeepTerm<T::P>| {
            size_of_val(&term.point) + size_of_val(&term.constant) + size_of_val(term.weights.as_slice())
        };
        terms.iter().map(term).sum()
    }
    through(on, see) { on.deep_quotient(&see.tables(tables)?, *log_cut, *domain, terms) }
}
