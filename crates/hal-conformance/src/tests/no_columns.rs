//! Tables without columns.

use gpu_hal::{Basis, Columns, ErrorKind, EvalOrder, EvalRequest, LeafLayout, OpenRequest, Operation, StarkBackend};

use super::table;
use crate::failure::ensure;
use crate::{Suite, TestProtocol};

/// A table of width 0 goes through every operation that works column by column, and a tree over it has leaves of
/// nothing. [`StarkBackend::select`] and [`StarkBackend::split`] refuse it.
pub fn no_columns<P: TestProtocol>(suite: &Suite<P>) {
    let (dual, has) = (&suite.dual, |op| suite.has(op));
    suite.check(P::MIN_LOG..=9, 1..=3, "tables without columns", |case| {
        let random = &mut case.random();
        let domain = P::domain(random, case.log);
        let from = Basis::Evaluations { domain, order: EvalOrder::Storage };
        let mut none = dual.upload(&[], 0, case.log)?;
        ensure(dual.download(none.as_ref(), 0..none.height())?.is_empty(), || "elements of no column".into())?;
        if has(Operation::CopyTo) {
            dual.copy_to(none.as_ref(), dual)?;
        }
        if has(Operation::Ntt) {
            dual.ntt(none.as_mut(), from, Basis::Coefficients)?;
        }
        if has(Operation::Lde) {
            let to = P::target(random, &domain, case.log + 1);
            ensure(dual.lde(none.as_ref(), from, to)?.width == 0, || "columns of no column".into())?;
        }
        if has(Operation::EvalAt) {
            let points = [P::point(random), P::point(random)];
            let request = EvalRequest { columns: none.as_ref(), from: Basis::Coefficients, points: &points };
            ensure(dual.eval_at(&[request])? == [[[], []]], || "values of no column".into())?;
        }
        let refused = [
            (Operation::Select, dual.select(&[none.as_ref()], &[]).err()),
            (Operation::Split, dual.split(none.as_ref(), 1, 0).err()),
        ];
        for (op, error) in refused.into_iter().filter(|(op, _)| has(*op)) {
            let is_invalid = error.is_some_and(|error| error.kind == ErrorKind::InvalidArgument);
            ensure(is_invalid, || format!("{op} of no column is no invalid argument"))?;
        }
        if [Operation::Merkle, Operation::Root, Operation::Open].into_iter().all(has) {
            let some = table(dual, random, case.width, case.log)?;
            for hash in suite.backend().capabilities().hashes.clone() {
                for columns in [vec![none.as_ref()], vec![none.as_ref(), some.as_ref()]] {
                    let tree = dual.merkle(&columns, LeafLayout::new(1), hash)?;
                    dual.root(&tree)?;
                    let width: usize = columns.iter().map(|table: &Columns<_>| table.width).sum();
                    let request = OpenRequest { columns: &columns, tree: &tree, rows: &[0], leaves: &[0] };
                    let opened = dual.open(&[request])?;
                    ensure(opened[0].rows[0].len() == width, || format!("a row of {width} columns is another"))?;
                }
            }
        }
        Ok(())
    });
}
