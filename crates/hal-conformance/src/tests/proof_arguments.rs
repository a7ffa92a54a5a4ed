//! Arguments that every backend must refuse, of operations on trees, proofs of work, quotients and folds.

use field::Field;
use gpu_hal::{
    Basis, DeepTerm, Domain, EvalOrder, EvalRequest, LeafLayout, NonceSearch, OpenRequest, Operation, StarkBackend,
};

use super::arguments::{Calls, reshape};
use crate::{Random, TestProtocol};

impl<P: TestProtocol, B: StarkBackend<P = P>> Calls<'_, B> {
    pub(super) fn trees(&self) {
        let b = self.backend;
        if self.has(Operation::Merkle) {
            let (table, lower, two) = (self.small(2, 3), self.small(1, 2), self.small(1, 1));
            let high = self.small(1, 5);
            let hash = b.capabilities().hashes[0];
            let merkle = |what: &str, tables: &[_], rows_per_leaf| {
                self.refused(Operation::Merkle, what, || b.merkle(tables, LeafLayout::new(rows_per_leaf), hash));
            };
            merkle("no table", &[], 1);
            merkle("leaves of no row", &[table.as_ref()], 0);
            merkle("leaves of three rows", &[table.as_ref()], 3);
            merkle("leaves of twelve rows", &[high.as_ref()], 12);
            merkle("leaves of 32 rows", &[high.as_ref()], 32);
            // A row of a leaf of several is of tables of one height, lifted or not.
            merkle("tables of two heights", &[table.as_ref(), lower.as_ref()], if P::Domain::LIFTS { 2 } else { 1 });
            let low = LeafLayout::lifted(2);
            self.refused(Operation::Merkle, "a tree lower than its table", || b.merkle(&[table.as_ref()], low, hash));
            merkle("fewer rows than a leaf takes", &[two.as_ref()], 4);
            merkle("half the rows of a leaf", &[table.as_ref()], 16);
            merkle("a wrong shape", &[reshape(&table, 1, 3)], 1);
            if self.has(Operation::Open) {
                let columns = [table.as_ref()];
                let tree = b.merkle(&columns, LeafLayout::new(2), hash).expect("a tree of four leaves");
                let open = |what: &str, columns: &[_], rows: &[_], leaves: &[_]| {
                    let request = OpenRequest { columns, tree: &tree, rows, leaves };
                    self.refused(Operation::Open, what, || b.open(&[request]));
                };
                open("a leaf that does not exist", &columns, &[0], &[0, 4]);
                open("a row that does not exist", &columns, &[7, 8], &[0]);
                open("a row without tables", &[], &[0], &[0]);
                open("a wrong shape", &[reshape(&table, 3, 3)], &[0], &[0]);
            }
        }
        if self.has(Operation::Grind) {
            let hashes = &b.capabilities().hashes;
            let hash = *hashes.iter().find(|hash| hash.has_work()).expect("a hash function with a proof of work");
            let challenge = NonceSearch { hash, prefix: [1; 32], bits: 65 };
            self.refused(Operation::Grind, "more bits than a nonce has", || b.grind(&challenge));
            let (challenge, windows) = (NonceSearch { bits: 1, ..challenge }, 0..hash.nonces().windows() + 1);
            self.refused(Operation::Grind, "more windows than there are", || b.grind_within(&challenge, windows));
            if let Some(hash) = hashes.iter().copied().find(|hash| !hash.has_work()) {
                let challenge = NonceSearch { hash, ..challenge };
                self.refused(Operation::Grind, "a hash without proof of work", || b.grind(&challenge));
            }
        }
    }

    pub(super) fn quotients(&self) {
        let (b, random) = (self.backend, &mut Random::new(5));
        let table = self.small(2, 3);
        let (right, small, large) =
            (P::trace_domain(random, 3), P::trace_domain(random, 2), P::trace_domain(random, 4));
        if self.has(Operation::EvalAt) {
            let points = [P::point(random)];
            let eval_at = |what: &str, table, domain, order| {
                let request =
                    EvalRequest { columns: table, from: Basis::Evaluations { domain, order }, points: &points };
                self.refused(Operation::EvalAt, what, || b.eval_at(&[request]));
            };
            eval_at("a domain larger than the table", table.as_ref(), large, EvalOrder::Storage);
            eval_at("a smaller domain in row order", table.as_ref(), small, EvalOrder::Row);
            eval_at("no domain", table.as_ref(), P::no_domain(), EvalOrder::Storage);
            eval_at("a wrong shape", reshape(&table, 1, 3), right, EvalOrder::Storage);
        }
        if self.has(Operation::DeepQuotient) {
            let term = |weights| DeepTerm::<P> {
                point: P::point(&mut Random::new(6)),
                weights,
                constant: P::Ext::ONE,
                slope: P::Ext::ZERO,
            };
            let deep = |what: &str, table, domain, term| {
                self.refused(Operation::DeepQuotient, what, || b.deep_quotient(&[table], domain, &[term]));
            };
            deep("a smaller domain", table.as_ref(), small, term(vec![(0, 0, P::Ext::ONE)]));
            if !P::Domain::LIFTS {
                deep("a larger domain", table.as_ref(), large, term(vec![(0, 0, P::Ext::ONE)]));
            }
            deep("no domain", table.as_ref(), P::no_domain(), term(vec![]));
            deep("a column that does not exist", table.as_ref(), right, term(vec![(0, 2, P::Ext::ONE)]));
            deep("a table that does not exist", table.as_ref(), right, term(vec![(1, 0, P::Ext::ONE)]));
            deep("a wrong shape", reshape(&table, 2, 2), small, term(vec![]));
        }
        if self.has(Operation::FriFold) {
            let (layer, none) = (self.small(P::DEGREE, 3), self.small(0, 3));
            let (twice, single) = (self.small(2 * P::DEGREE, 3), self.small(P::DEGREE, 0));
            let fold = |what: &str, layer, domain| {
                self.refused(Operation::FriFold, what, || b.fri_fold(layer, domain, P::Ext::ONE));
            };
            fold("a smaller domain", layer.as_ref(), small);
            fold("no domain", layer.as_ref(), P::no_domain());
            fold("more than one extension column", twice.as_ref(), right);
            fold("no column", none.as_ref(), right);
            fold("a wrong shape", reshape(&layer, P::DEGREE, 2), small);
            if P::MIN_LOG == 0 {
                fold("a single point", single.as_ref(), P::trace_domain(random, 0));
            }
        }
    }
}
