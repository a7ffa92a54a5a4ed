//! The DEEP quotient.

use alloc::collections::BTreeSet;

use super::cost::rows;
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
        let (op, log_whole) = (Self::NAME, domain.log_whole());
        check::domain::<T::P>(op, domain)?;
        for table in *tables {
            columns(op, table)?;
            let log_height = table.log_height;
            if DomainOf::<T>::LIFTS {
                let is_lifted = (1..=log_whole).contains(&log_height);
                require!(is_lifted, op, "2^{log_height} rows cannot be lifted to 2^{log_whole}");
            } else {
                check::height::<T::P>(op, "a table", log_height, domain)?;
            }
        }
        let has_slope = terms.iter().any(|term| !term.slope.is_zero());
        require!(DomainOf::<T>::LIFTS || !has_slope, op, "a slope is for circle domains: it is zero on a coset");
        for (table, column, _) in terms.iter().flat_map(|term| &term.weights) {
            let exists = tables.get(*table).is_some_and(|table| *column < table.width);
            require!(exists, op, "weight for column {column} of table {table}, not given");
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
        let quotient = on.table(T::P::DEGREE, log_size);
        on.beside(&Footprint::DeepQuotient { tables: &tables, log_cut, domain, terms });
        quotient
    }
    cost() {
        let weights = || terms.iter().flat_map(|term| &term.weights);
        let weighted: BTreeSet<_> = weights().map(|(table, column, _)| (*table, *column)).collect();
        // On a prefix a table is read by as large a part as the domain is of the whole.
        let part = (domain.log_whole() - domain.log_size()).saturating_sub(*log_cut);
        let read: f64 = weighted.iter().map(|(table, _)| rows(tables[*table].log_height.saturating_sub(part))).sum();
        let rows = rows(domain.log_size());
        Cost {
            moved: read + rows * T::P::DEGREE as f64,
            added_products: rows * (weights().count() * T::P::DEGREE) as f64,
            deep_terms: rows * terms.len() as f64,
            ..Cost::default()
        }
    }
    uploaded() {
        let term = |term: &DeepTerm<T::P>| {
            size_of_val(&term.point) + size_of_val(&term.constant) + size_of_val(term.weights.as_slice())
        };
        terms.iter().map(term).sum()
    }
    through(on, see) { on.deep_quotient(&see.tables(tables)?, *log_cut, *domain, terms) }
}
