//! Copies and transforms of whole tables.

use gpu_hal::{Basis, Domain, EvalOrder, Operation, StarkBackend};

use super::{MAX_LOG, small, table};
use crate::failure::ensure;
use crate::{Random, Suite, TestProtocol};

/// [`StarkBackend::upload`] and [`StarkBackend::upload_made`]: all elements arrive, at every shape, tables without
/// columns included.
pub fn upload<P: TestProtocol>(suite: &Suite<P>) {
    suite.check(0..=MAX_LOG, 1..=21, Operation::Upload, |case| {
        let width = if case.random().one_in(8) { 0 } else { case.width };
        let data = case.random().elements::<P::Base>(width << case.log);
        let both = suite.dual.upload(&data, width, case.log)?;
        let back = suite.dual.download(both.as_ref(), 0..both.height())?;
        ensure(back == data, || "the elements that come back are others".into())?;
        let make = |first: usize, to: &mut [P::Base]| to.copy_from_slice(&data[first..][..to.len()]);
        let made = suite.dual.upload_made(&make, width, case.log)?;
        let back = suite.dual.download(made.as_ref(), 0..made.height())?;
        ensure(back == data, || "the elements that come back are others than those made".into())
    });
}

/// [`StarkBackend::download`]: any range of rows, empty ones included.
pub fn download<P: TestProtocol>(suite: &Suite<P>) {
    suite.check(0..=MAX_LOG, 1..=9, Operation::Download, |case| {
        let random = &mut case.random();
        let data = random.elements::<P::Base>(case.width << case.log);
        let both = suite.dual.upload(&data, case.width, case.log)?;
        let (a, b) = (random.below(both.height() + 1), random.below(both.height() + 1));
        let rows = a.min(b)..a.max(b);
        let back = suite.dual.download(both.as_ref(), rows.clone())?;
        let expected: Vec<P::Base> =
            data.chunks_exact(both.height()).flat_map(|column| &column[rows.clone()]).copied().collect();
        ensure(back == expected, || format!("rows {rows:?} come back as others"))
    });
}

/// [`StarkBackend::copy_to`]: the copy is the table, on a backend of the same kind; here on the same one. The table
/// stays.
pub fn copy_to<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::CopyTo) {
        let one = small(suite.backend(), 1, 1).expect("upload of two elements");
        return suite.refuses(Operation::CopyTo, suite.backend().copy_to(one.as_ref(), suite.backend()));
    }
    suite.check(0..=MAX_LOG, 1..=9, Operation::CopyTo, |case| {
        let both = table(&suite.dual, &mut case.random(), case.width, case.log)?;
        let copy = suite.dual.copy_to(both.as_ref(), &suite.dual)?;
        let expected = suite.dual.download(both.as_ref(), 0..both.height())?;
        drop(both);
        ensure(suite.dual.download(copy.as_ref(), 0..copy.height())? == expected, || "the copy is another table".into())
    });
}

fn order(random: &mut Random) -> EvalOrder {
    if random.one_in(2) { EvalOrder::Row } else { EvalOrder::Storage }
}

/// A prefix of `2^log_size` points of a larger domain of any kind, if there is one.
pub(super) fn prefix<P: TestProtocol>(random: &mut Random, log_size: u32) -> Option<P::Domain> {
    let log_more = random.between(0, 3);
    P::domain(random, log_size + log_more).prefix(log_size)
}

/// [`StarkBackend::ntt`]: both directions, both orders, from storage order to rows, all kinds of domains and prefixes;
/// a transform and its inverse are the identity.
pub fn ntt<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::Ntt) {
        let mut one = small(suite.backend(), 1, 1).expect("upload of two elements");
        let to = Basis::Evaluations { domain: P::trace_domain(&mut Random::new(0), 1), order: EvalOrder::Storage };
        return suite.refuses(Operation::Ntt, suite.backend().ntt(one.as_mut(), Basis::Coefficients, to));
    }
    suite.check(0..=MAX_LOG, 1..=21, Operation::Ntt, |case| {
        let random = &mut case.random();
        let data = random.elements::<P::Base>(case.width << case.log);
        let mut both = suite.dual.upload(&data, case.width, case.log)?;
        for order in [EvalOrder::Storage, EvalOrder::Row] {
            let evaluations = Basis::Evaluations { domain: P::domain(random, case.log), order };
            let (from, to) =
                if random.one_in(2) { (Basis::Coefficients, evaluations) } else { (evaluations, Basis::Coefficients) };
            suite.dual.ntt(both.as_mut(), from, to)?;
            suite.dual.ntt(both.as_mut(), to, from)?;
            let back = suite.dual.download(both.as_ref(), 0..both.height())?;
            ensure(back == data, || format!("from {from:?} to {to:?} and back is not the identity"))?;
        }
        let domain = P::domain(random, case.log);
        let stored = Basis::Evaluations { domain, order: EvalOrder::Storage };
        suite.dual.ntt(both.as_mut(), stored, Basis::Evaluations { domain, order: EvalOrder::Row })?;
        suite.dual.download(both.as_ref(), 0..both.height())?;
        if let Some(domain) = prefix::<P>(random, case.log) {
            let evaluations = Basis::Evaluations { domain, order: EvalOrder::Storage };
            suite.dual.ntt(both.as_mut(), Basis::Coefficients, evaluations)?;
            suite.dual.ntt(both.as_mut(), evaluations, Basis::Coefficients)?;
        }
        Ok(())
    });
}

/// [`StarkBackend::lde`]: from coefficients and from evaluations of both orders, by blowups from 1 to 8; the input
/// stays as it is.
pub fn lde<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::Lde) {
        let one = small(suite.backend(), 1, 1).expect("upload of two elements");
        let to = P::trace_domain(&mut Random::new(0), 2);
        return suite.refuses(Operation::Lde, suite.backend().lde(one.as_ref(), Basis::Coefficients, to));
    }
    suite.check(0..=MAX_LOG, 1..=21, Operation::Lde, |case| {
        let random = &mut case.random();
        let data = random.elements::<P::Base>(case.width << case.log);
        let both = suite.dual.upload(&data, case.width, case.log)?;
        let domain = P::domain(random, case.log);
        let to = P::target(random, &domain, case.log + random.clone().between(0, 3).min(16 - case.log));
        let from =
            if random.one_in(3) { Basis::Coefficients } else { Basis::Evaluations { domain, order: order(random) } };
        suite.dual.lde(both.as_ref(), from, to)?;
        if let Some(domain) = prefix::<P>(random, case.log) {
            // Back to the whole of which it is a prefix, as a quotient is extended.
            let to = P::target(random, &domain, domain.log_whole().max(case.log));
            suite.dual.lde(both.as_ref(), Basis::Evaluations { domain, order: EvalOrder::Storage }, to)?;
        }
        let after = suite.dual.download(both.as_ref(), 0..both.height())?;
        ensure(after == data, || "the input was changed".into())
    });
}

/// [`StarkBackend::upload_lde`]: the same as an upload and an extension, at every shape, tables without columns
/// included, kept or not.
pub fn upload_lde<P: TestProtocol>(suite: &Suite<P>) {
    let op = Operation::UploadLde;
    if !suite.has(op) {
        let data = Random::new(0).elements::<P::Base>(2);
        let to = P::trace_domain(&mut Random::new(0), 2);
        return suite.refuses(op, suite.backend().upload_lde(&[&data], 1, Basis::Coefficients, to, true));
    }
    suite.check(0..=MAX_LOG, 1..=21, op, |case| {
        let random = &mut case.random();
        let width = if random.one_in(8) { 0 } else { case.width };
        let columns: Vec<Vec<P::Base>> = (0..width).map(|_| random.elements(1 << case.log)).collect();
        let domain = P::domain(random, case.log);
        let to = P::target(random, &domain, case.log + random.clone().between(0, 3).min(16 - case.log));
        let from =
            if random.one_in(3) { Basis::Coefficients } else { Basis::Evaluations { domain, order: order(random) } };
        let (slices, keep) = (columns.iter().map(Vec::as_slice).collect::<Vec<_>>(), random.one_in(2));
        let (rows, extended) = suite.dual.upload_lde(&slices, case.log, from, to, keep)?;
        ensure(rows.is_some() == keep, || format!("asked to keep the table: {keep}"))?;
        if let Some(rows) = &rows {
            let back = suite.dual.download(rows.as_ref(), 0..rows.height())?;
            ensure(back == columns.concat(), || "the elements that come back are others".into())?;
        }
        if suite.has(Operation::Lde) {
            let alone = suite.dual.upload(&columns.concat(), width, case.log)?;
            let alone = suite.dual.lde(alone.as_ref(), from, to)?;
            let alone = suite.dual.download(alone.as_ref(), 0..alone.height())?;
            let extended = suite.dual.download(extended.as_ref(), 0..extended.height())?;
            ensure(alone == extended, || "lde of the uploaded table is another".into())?;
        }
        Ok(())
    });
}

/// [`StarkBackend::split`]: whole and dropped coefficients, numbers of parts that are no powers of two, any number of
/// columns.
pub fn split<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::Split) {
        let one = small(suite.backend(), P::DEGREE, 1).expect("upload of a small table");
        return suite.refuses(Operation::Split, suite.backend().split(one.as_ref(), 1, 0));
    }
    suite.check(0..=MAX_LOG, 1..=9, Operation::Split, |case| {
        let random = &mut case.random();
        let both = table(&suite.dual, random, case.width, case.log)?;
        let parts = 1 + random.below(8.min(both.height()));
        let largest = (both.height() / parts).ilog2();
        suite.dual.split(both.as_ref(), parts, largest)?;
        suite.dual.split(both.as_ref(), parts, random.between(0, largest))?;
        Ok(())
    });
}

/// [`StarkBackend::select`]: columns of several tables, in any order, with repeats.
pub fn select<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::Select) {
        let one = small(suite.backend(), 1, 1).expect("upload of two elements");
        return suite.refuses(Operation::Select, suite.backend().select(&[one.as_ref()], &[(0, 0)]));
    }
    suite.check(0..=MAX_LOG, 1..=9, Operation::Select, |case| {
        let random = &mut case.random();
        let widths: Vec<usize> = (0..1 + random.below(3)).map(|i| if i == 0 { case.width } else { 2 }).collect();
        let mut tables = Vec::new();
        for width in &widths {
            tables.push(table(&suite.dual, random, *width, case.log)?);
        }
        let tables: Vec<_> = tables.iter().map(|table| table.as_ref()).collect();
        let picks: Vec<(usize, usize)> = (0..1 + random.below(12))
            .map(|_| {
                let table = random.below(widths.len());
                (table, random.below(widths[table]))
            })
            .collect();
        suite.dual.select(&tables, &picks)?;
        Ok(())
    });
}
