//! The points of a coset, run by run, without a table of all of them.

use field::{Field, Goldilocks, TwoAdicField, powers};
use gpu_hal::{CosetDomain, EvalOrder};

use crate::goldilocks::arith::Packed;

/// The points of a domain in runs of `2^log_run`: point `v` of run `c` is `start(c) * table[v]`.
///
/// Storage order: bit `b` of the storage index stands for the exponent `2^(log_size - 1 - b)`, so point `i` is
/// `shift * product of root(b + 1) over the set bits b of i`, for domains of any size. Row order: point `i` is
/// `shift * root^i`.
pub(crate) struct Points {
    shift: Goldilocks,
    order: EvalOrder,
    log_run: u32,
    root: Goldilocks,
    /// `root(b + 1)` for every bit b of an index.
    roots: Vec<Goldilocks>,
    /// Factors of the points of a run.
    pub(crate) table: Vec<Goldilocks>,
}

/// `product of root(b + 1) over the set bits b of i`, for `i` in `0..2^log_length`.
pub(crate) fn stored_table(log_length: u32) -> Vec<Goldilocks> {
    let mut table = Vec::with_capacity(1 << log_length);
    table.push(Goldilocks::ONE);
    for bit in 0..log_length {
        let root = Goldilocks::two_adic_generator(bit + 1);
        table.extend_from_within(..);
        table[1 << bit..].iter_mut().for_each(|x| *x *= root);
    }
    table
}

impl Points {
    /// Runs of `2^log_run` points, at most the domain's size.
    pub(crate) fn new(domain: &CosetDomain<Goldilocks>, order: EvalOrder, log_run: u32) -> Self {
        let root = domain.generator();
        let table = match order {
            EvalOrder::Storage => stored_table(log_run),
            EvalOrder::Row => powers(root).take(1 << log_run).collect(),
        };
        let roots = (1..=domain.log_size).map(Goldilocks::two_adic_generator).collect();
        Self { shift: domain.shift, order, log_run, root, roots, table }
    }

    /// First point of a run.
    pub(crate) fn start(&self, run: usize) -> Goldilocks {
        let mut index = run << self.log_run;
        let mut point = self.shift;
        match self.order {
            EvalOrder::Storage => {
                while index != 0 {
                    point *= self.roots[index.trailing_zeros() as usize];
                    index &= index - 1;
                }
            }
            EvalOrder::Row => point *= self.root.pow(index as u64),
        }
        point
    }

    /// One point.
    pub(crate) fn point(&self, index: usize) -> Goldilocks {
        self.start(index >> self.log_run) * self.table[index & ((1 << self.log_run) - 1)]
    }

    /// Lanes of points `v..` of the run with the given start.
    #[inline(always)]
    pub(crate) fn lanes<V: Packed>(&self, start: V, v: usize) -> V {
        V::load(&self.table[v..]).mul(start)
    }
}
