//! Arguments that every backend must refuse, and that it works as before afterwards.

use field::Field;
use gpu_hal::{Basis, Columns, ErrorKind, EvalOrder, MakeElements, Operation, RandomRows, Result, StarkBackend};

use super::small;
use crate::{Random, Suite, TestProtocol, session};

/// Every wrong call is [`ErrorKind::InvalidArgument`], on the backend as on the reference; it leaves no memory behind,
/// and the next right call gives the right result.
pub fn invalid_arguments<P: TestProtocol>(suite: &Suite<P>) {
    session(&suite.dual, 11, 3).unwrap_or_else(|error| panic!("a session before any wrong call: {error}"));
    let calls = Calls { backend: suite.backend(), name: suite.name() };
    calls.transfers();
    calls.transforms();
    calls.trees();
    calls.programs();
    calls.trees_of_programs();
    calls.row_programs();
    calls.quotients();
    calls.sumchecks();
    session(&suite.dual, 12, 3).unwrap_or_else(|error| panic!("a session after wrong calls: {error}"));
}

pub(super) struct Calls<'a, B> {
    pub(super) backend: &'a B,
    name: &'a str,
}

/// The same buffer in another shape.
pub(super) fn reshape<Buf>(table: &Columns<Buf>, width: usize, log_height: u32) -> Columns<&Buf> {
    Columns::new(&table.data, width, log_height)
}

impl<P: TestProtocol, B: StarkBackend<P = P>> Calls<'_, B> {
    pub(super) fn has(&self, op: Operation) -> bool {
        self.backend.has(op)
    }

    fn in_use(&self) -> u64 {
        self.backend.sync().expect("sync");
        self.backend.memory().expect("memory()").in_use
    }

    pub(super) fn small(&self, width: usize, log_height: u32) -> Columns<B::Buffer> {
        small(self.backend, width, log_height).expect("upload of a small table")
    }

    /// `call` must be refused, without a trace.
    pub(super) fn refused<T>(&self, op: Operation, what: &str, call: impl FnOnce() -> Result<T>) {
        let before = self.in_use();
        let error = match call() {
            Ok(_) => panic!("{op} of '{}' accepts {what}", self.name),
            Err(error) => error,
        };
        assert_eq!(error.kind, ErrorKind::InvalidArgument, "{op} of '{}' with {what}: {error}", self.name);
        assert_eq!(error.op, op.into(), "{op} of '{}' with {what}: the error names another operation", self.name);
        assert_eq!(self.in_use(), before, "{op} of '{}' with {what} keeps memory", self.name);
        // It still works.
        let data = Random::new(before ^ 5).elements::<P::Base>(4);
        let table = self.backend.upload(&data, 1, 2).unwrap_or_else(|error| panic!("upload after {what}: {error}"));
        let back = self.backend.download(table.as_ref(), 0..4);
        assert_eq!(back.unwrap_or_else(|error| panic!("download after {what}: {error}")), data, "after {what}");
    }

    fn transfers(&self) {
        let (b, zeros) = (self.backend, vec![P::Base::ZERO; 8]);
        let upload = |what: &str, data: &[P::Base], width, log_height| {
            self.refused(Operation::Upload, what, || b.upload(data, width, log_height));
        };
        upload("too few elements", &zeros[..7], 2, 2);
        upload("too many elements", &zeros, 1, 2);
        upload("a height that overflows", &zeros, 1, 64);
        upload("a shape whose product overflows", &zeros, usize::MAX, 3);
        let mut bad = zeros.clone();
        bytemuck::bytes_of_mut(&mut bad[7]).fill(0xff);
        upload("an element that is not canonical", &bad, 2, 2);
        let made = |what: &str, make: &MakeElements<'_, P::Base>, width, log_height| {
            self.refused(Operation::Upload, what, || b.upload_made(make, width, log_height));
        };
        let never = |_: usize, _: &mut [P::Base]| panic!("an argument that is refused makes nothing");
        made("elements made of a height that overflows", &never, 1, 64);
        made("elements made of a shape whose product overflows", &never, usize::MAX, 3);
        made("elements made of a shape that no host holds", &never, 1 << 20, 43);
        let bad = |first: usize, to: &mut [P::Base]| to.copy_from_slice(&bad[first..][..to.len()]);
        made("an element made that is not canonical", &bad, 2, 2);

        let table = self.small(2, 2);
        let download = |what: &str, table, rows| {
            self.refused(Operation::Download, what, || b.download(table, rows));
        };
        download("rows past the end", table.as_ref(), 3..5);
        #[allow(clippy::reversed_empty_ranges, reason = "a range that runs backwards is the case")]
        download("rows that run backwards", table.as_ref(), 3..2);
        download("more columns than the buffer has", reshape(&table, 3, 2), 0..1);
        download("other rows than the buffer has", reshape(&table, 2, 1), 0..1);
        download("a height that overflows", reshape(&table, 2, 64), 0..1);
    }

    fn transforms(&self) {
        let (b, random) = (self.backend, &mut Random::new(3));
        let table = self.small(2, 3);
        let evaluations = |domain| Basis::<P::Domain>::Evaluations { domain, order: EvalOrder::Storage };
        let (right, small, large) =
            (P::trace_domain(random, 3), P::trace_domain(random, 2), P::trace_domain(random, 4));
        if self.has(Operation::Ntt) {
            let ntt = |what: &str, width, from, to| {
                let mut table = self.small(2, 3);
                let table = Columns::new(&mut table.data, width, 3);
                self.refused(Operation::Ntt, what, || b.ntt(table, from, to));
            };
            ntt("coefficients on both sides", 2, Basis::Coefficients, Basis::Coefficients);
            ntt("evaluations on both sides", 2, evaluations(right), evaluations(right));
            let rows = |domain| Basis::<P::Domain>::Evaluations { domain, order: EvalOrder::Row };
            ntt("rows to storage order", 2, rows(right), evaluations(right));
            let other = (0..).map(|seed| P::domain(&mut Random::new(seed), 3)).find(|other| *other != right);
            ntt("rows of another domain", 2, evaluations(right), rows(other.expect("there is another domain")));
            ntt("a smaller domain", 2, Basis::Coefficients, evaluations(small));
            ntt("a larger domain", 2, evaluations(large), Basis::Coefficients);
            ntt("no domain", 2, Basis::Coefficients, evaluations(P::no_domain()));
            ntt("a wrong shape", 3, Basis::Coefficients, evaluations(right));
        }
        if self.has(Operation::Lde) {
            let lde = |what: &str, table, from, to| {
                self.refused(Operation::Lde, what, || b.lde(table, from, to));
            };
            lde("a target smaller than the table", table.as_ref(), Basis::Coefficients, small);
            lde("a source of another size", table.as_ref(), evaluations(small), large);
            lde("no target", table.as_ref(), Basis::Coefficients, P::no_domain());
            lde("no source", table.as_ref(), evaluations(P::no_domain()), large);
            lde("a wrong shape", reshape(&table, 1, 3), Basis::Coefficients, large);
        }
        if self.has(Operation::UploadLde) {
            let mut data = [P::Base::ZERO; 16];
            let upload_lde = |what: &str, columns: [&[P::Base]; 2], from, to| {
                for keep in [false, true] {
                    self.refused(Operation::UploadLde, what, || b.upload_lde(&columns, 3, from, to, keep));
                }
            };
            let (first, second) = data.split_at(8);
            upload_lde("a column that is too short", [first, &second[..7]], Basis::Coefficients, large);
            upload_lde("a column that is too long", [&data[..9], second], Basis::Coefficients, large);
            upload_lde("a target smaller than the table", [first, second], Basis::Coefficients, small);
            upload_lde("a source of another size", [first, second], evaluations(small), large);
            upload_lde("no target", [first, second], Basis::Coefficients, P::no_domain());
            bytemuck::bytes_of_mut(&mut data[11]).fill(0xff);
            let (first, second) = data.split_at(8);
            upload_lde("an element that is not canonical", [first, second], evaluations(right), large);
        }
        if self.has(Operation::Split) {
            let (table, none) = (self.small(P::DEGREE, 3), self.small(0, 3));
            let split = |what: &str, table, parts, log_part| {
                self.refused(Operation::Split, what, || b.split(table, parts, log_part));
            };
            split("no part", table.as_ref(), 0, 1);
            split("more coefficients than there are", table.as_ref(), 3, 2);
            split("a part that overflows", table.as_ref(), 1, 64);
            split("parts that overflow", table.as_ref(), usize::MAX, 2);
            split("no column", none.as_ref(), 1, 1);
        }
        if self.has(Operation::Select) {
            let lower = self.small(2, 2);
            let select = |what: &str, tables: &[_], picks: &[_]| {
                self.refused(Operation::Select, what, || b.select(tables, picks));
            };
            select("no pick", &[table.as_ref()], &[]);
            select("a column that does not exist", &[table.as_ref()], &[(0, 0), (0, 2)]);
            select("a table that does not exist", &[table.as_ref()], &[(1, 0)]);
            select("tables of two heights", &[table.as_ref(), lower.as_ref()], &[(0, 0)]);
            select("a wrong shape", &[reshape(&table, 3, 3)], &[(0, 0)]);
        }
        if self.has(Operation::Random) {
            let mut into = self.small(2, 3);
            let mut random = |what: &str, first: u64, from: usize| {
                let rows = RandomRows { key: [7; 32], stream: 1, first, from };
                self.refused(Operation::Random, what, || b.random(into.as_mut(), &rows));
            };
            random("a row behind the last", 0, 9);
            random("elements without numbers", u64::MAX - 7, 0);
        }
        if self.has(Operation::Accumulate) {
            let (mut into, wide, tall) = (self.small(2, 3), self.small(3, 3), self.small(2, 4));
            self.refused(Operation::Accumulate, "another width", || b.accumulate(into.as_mut(), wide.as_ref()));
            self.refused(Operation::Accumulate, "a higher summand", || b.accumulate(into.as_mut(), tall.as_ref()));
        }
    }
}
