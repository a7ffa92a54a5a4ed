//! Values outside the domain, quotients, folds.

use gpu_hal::{Basis, Columns, DeepTerm, Domain, EvalOrder, EvalRequest, Operation, StarkBackend};

use super::transforms::prefix;
use super::{MAX_LOG, STAIRS_LOG, small, stairs, table};
use crate::failure::ensure;
use crate::{Failure, Random, Suite, TestProtocol};

/// [`StarkBackend::eval_at`]: coefficients, evaluations in both orders, the prefix of a taller table, and no point, one
/// and several.
pub fn eval_at<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::EvalAt) {
        let one = small(suite.backend(), 1, 1).expect("upload of two elements");
        let points = [P::point(&mut Random::new(0))];
        return suite.refuses(
            Operation::EvalAt,
            suite.backend().eval_at(&[EvalRequest {
                columns: one.as_ref(),
                from: Basis::Coefficients,
                points: &points,
            }]),
        );
    }
    suite.check(P::MIN_LOG..=MAX_LOG, 1..=9, Operation::EvalAt, |case| {
        let random = &mut case.random();
        let both = table(&suite.dual, random, case.width, case.log)?;
        let domain = P::trace_domain(random, case.log);
        let points: Vec<P::Point> = (0..random.below(4)).map(|_| P::point(random)).collect();
        let mut bases = vec![
            Basis::Coefficients,
            Basis::Evaluations { domain, order: EvalOrder::Row },
            Basis::Evaluations { domain, order: EvalOrder::Storage },
        ];
        if let Some(domain) = domain.prefix(random.between(P::MIN_LOG, case.log)) {
            bases.push(Basis::Evaluations { domain, order: EvalOrder::Storage });
        }
        // One by one, then all at once, which must be the same.
        let request = |from| EvalRequest { columns: both.as_ref(), from, points: &points };
        let mut alone = Vec::new();
        for from in &bases {
            let values = suite.dual.eval_at(&[request(*from)])?;
            let is_complete = |rows: &Vec<Vec<_>>| {
                rows.len() == points.len() && rows.iter().all(|row: &Vec<P::Ext>| row.len() == case.width)
            };
            ensure(values.len() == 1 && values.iter().all(is_complete), || {
                format!("from {from:?}: not a value for each point and column")
            })?;
            alone.extend(values);
        }
        let requests: Vec<_> = bases.into_iter().map(request).collect();
        ensure(suite.dual.eval_at(&requests)? == alone, || "several requests at once have other values".into())
    });
}

/// [`StarkBackend::deep_quotient`]: several tables, lifted ones, prefixes, terms with no weight, one and many, repeated
/// columns, and a point on the domain, where the inverse of zero is zero.
pub fn deep_quotient<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::DeepQuotient) {
        let one = small(suite.backend(), 1, 2).expect("upload of four elements");
        let domain = P::trace_domain(&mut Random::new(0), 2);
        return suite.refuses(Operation::DeepQuotient, suite.backend().deep_quotient(&[one.as_ref()], domain, &[]));
    }
    suite.check(P::MIN_LOG..=MAX_LOG, 1..=9, Operation::DeepQuotient, |case| {
        let random = &mut case.random();
        let widths: Vec<usize> = (0..1 + random.below(3)).map(|i| if i == 0 { case.width } else { 3 }).collect();
        // Where the protocol lifts: tables of several heights, at the first points of a domain.
        let log_whole = if P::Domain::LIFTS { case.log + random.between(0, 2) } else { case.log };
        let mut tables = Vec::new();
        for width in &widths {
            let log = if P::Domain::LIFTS { random.between(1, log_whole) } else { log_whole };
            tables.push(table(&suite.dual, random, *width, log)?);
        }
        let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
        let whole = P::trace_domain(random, log_whole);
        let domain = whole.prefix(case.log).unwrap_or(whole);
        let terms: Vec<DeepTerm<P>> = (0..random.below(8))
            .map(|_| {
                let on_domain = if random.one_in(6) { P::first_point(&domain) } else { None };
                let weights = (0..random.below(3 * case.width))
                    .map(|_| {
                        let table = random.below(widths.len());
                        (table, random.below(widths[table]), random.ext())
                    })
                    .collect();
                let point = on_domain.unwrap_or_else(|| P::point(random));
                DeepTerm { point, weights, constant: random.ext(), slope: P::slope(random) }
            })
            .collect();
        suite.dual.deep_quotient(&columns, domain, &terms)?;
        Ok(())
    });
    if P::Domain::LIFTS && suite.single().is_none() {
        of_stairs(suite).unwrap_or_else(|failure| panic!("the quotient of tables of many heights: {failure}"));
    }
}

/// Tables of many heights, at all points and at the first of a domain: a term with all columns, terms with tables of
/// one height each.
fn of_stairs<P: TestProtocol>(suite: &Suite<P>) -> Result<(), Failure> {
    let random = &mut Random::new(1);
    let shapes = stairs();
    let mut tables = Vec::new();
    for (width, log) in &shapes {
        tables.push(table(&suite.dual, random, *width, *log)?);
    }
    let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
    let heights = shapes.iter().map(|(_, log)| Some(*log)).chain([None]);
    let terms: Vec<DeepTerm<P>> = heights
        .map(|height| {
            let of_height =
                shapes.iter().enumerate().filter(|(_, (_, log))| height.is_none_or(|height| height == *log));
            let places = of_height.flat_map(|(table, (width, _))| (0..*width).map(move |column| (table, column)));
            let weights = places.map(|(table, column)| (table, column, random.ext())).collect();
            DeepTerm { point: P::point(random), weights, constant: random.ext(), slope: P::slope(random) }
        })
        .collect();
    let whole = P::trace_domain(random, STAIRS_LOG);
    for domain in [Some(whole), whole.prefix(STAIRS_LOG - 1), whole.prefix(3)].into_iter().flatten() {
        suite.dual.deep_quotient(&columns, domain, &terms)?;
        suite.dual.deep_quotient(&columns, domain, &terms[..1])?;
    }
    Ok(())
}

/// [`StarkBackend::fri_fold`]: from two points up, all kinds of domains and prefixes, edge values of the challenge.
pub fn fri_fold<P: TestProtocol>(suite: &Suite<P>) {
    if !suite.has(Operation::FriFold) {
        let layer = small(suite.backend(), P::DEGREE, 2).expect("upload of a small table");
        let random = &mut Random::new(0);
        let domain = P::trace_domain(random, 2);
        return suite.refuses(Operation::FriFold, suite.backend().fri_fold(layer.as_ref(), domain, random.ext()));
    }
    suite.check(1..=MAX_LOG, 1..=1, Operation::FriFold, |case| {
        let random = &mut case.random();
        let mut layer = table(&suite.dual, random, P::DEGREE, case.log)?;
        let prefix = if random.one_in(2) { prefix::<P>(random, case.log) } else { None };
        let mut domain = prefix.unwrap_or_else(|| P::domain(random, case.log));
        // Down to one point, as a proof folds.
        while let Some(next) = domain.folded() {
            layer = suite.dual.fri_fold(layer.as_ref(), domain, random.ext())?;
            domain = next;
        }
        ensure(layer.log_height == 0, || "folding ends with one value".into())
    });
}
