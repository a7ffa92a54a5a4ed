//! Auxiliary columns, and their claims.

use std::collections::BTreeMap;

use air::{AirBuilder, Expr, Rows, Scan};
use field::{Field, Goldilocks, PrimeField};
use gpu_hal::GoldilocksStark;

use crate::draw::Draw;
use crate::table::Table;

/// The claim of one auxiliary column. Tuples are columns side by side.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    /// The rows of `right` are the rows of `left` in another order: a running product of their fingerprints.
    Permutation { left: Vec<usize>, right: Vec<usize>, scan: Scan },
    /// Every row of each of the `users` is a row of `table`, which says how often: a running sum of fractions.
    Lookup { table: Vec<usize>, multiplicity: usize, users: Vec<Vec<usize>>, scan: Scan },
    /// `h(0) = gamma`, `h(1) = gamma h(0) + c(0)`, which the host computes. It says nothing of the column `c`.
    Host { column: usize },
}

type Built<'b> = Expr<'b, GoldilocksStark>;

/// How many challenges arguments take: `gamma`, and `alpha` for tuples.
pub(crate) const CHALLENGES: usize = 2;

impl Argument {
    /// Adds the columns of an argument to a table.
    pub(crate) fn draw(draw: &mut Draw, table: &mut Table<Goldilocks>) -> Self {
        let (n, width) = (table.rows(), draw.between(1, 2));
        let scan = draw.of(&[Scan::Inclusive, Scan::Exclusive]);
        match draw.below(5) {
            0 => Self::Host { column: draw.below(table.columns.len()) },
            1 | 2 => {
                let left: Vec<usize> = (0..width).map(|_| draw.below(table.columns.len())).collect();
                let order = draw.shuffled((0..n).collect());
                let moved = |&column: &usize| order.iter().map(|&row| table.columns[column][row]).collect();
                let moved = left.iter().map(moved).collect();
                let right = table.append(moved);
                table.fixed.extend(&right);
                Self::Permutation { left, right, scan }
            }
            _ => {
                // Few values, so that rows of the table may be equal.
                let values: Vec<Goldilocks> = draw.elements(n / 2);
                let rows: Vec<Vec<Goldilocks>> =
                    (0..width).map(|_| (0..n).map(|_| draw.of(&values)).collect()).collect();
                let mut counts = vec![0; n];
                let mut used: Vec<Vec<Vec<Goldilocks>>> = Vec::new();
                for _ in 0..draw.between(1, 2) {
                    let picks: Vec<usize> = (0..n).map(|_| draw.below(n)).collect();
                    picks.iter().for_each(|&row| counts[row] += 1);
                    used.push(rows.iter().map(|column| picks.iter().map(|&row| column[row]).collect()).collect());
                }
                let of_table = table.append(rows);
                let multiplicity = table.append(vec![counts.into_iter().map(Goldilocks::new).collect()])[0];
                let users: Vec<Vec<usize>> = used.into_iter().map(|columns| table.append(columns)).collect();
                table.fixed.extend(users.iter().flatten());
                Self::Lookup { table: of_table, multiplicity, users, scan }
            }
        }
    }

    /// Declares the auxiliary column, of number `column`, a transition, and one boundary.
    pub(crate) fn define(&self, builder: &AirBuilder<GoldilocksStark>, column: usize, rows: usize) {
        let aux = |offset| builder.aux(column, offset);
        let (gamma, alpha) = (builder.challenge(0), builder.challenge(1));
        let fingerprint = |columns: &[usize], offset: usize| -> Built<'_> {
            let cell = |column: &usize| builder.main(*column, offset);
            columns.iter().rev().map(cell).reduce(|sum, cell| sum * alpha + cell).unwrap_or(alpha) + gamma
        };
        // The summand from row to row belongs to the row above or to the row below; its neutral value stands in the
        // first row or in the last.
        let place = |scan| match scan {
            Scan::Exclusive => (0, 0),
            Scan::Inclusive => (1, rows - 1),
        };
        match self {
            Self::Permutation { left, right, scan } => {
                let z = builder.running_product(fingerprint(left, 0), fingerprint(right, 0), *scan);
                let (at, neutral) = place(*scan);
                let step = aux(1) * fingerprint(right, at) - aux(0) * fingerprint(left, at);
                builder.transition(step, Rows::all());
                builder.boundary(z, neutral, Goldilocks::ONE);
            }
            Self::Lookup { table, multiplicity, users, scan } => {
                let fractions = |offset: usize| -> Vec<(Built<'_>, Built<'_>)> {
                    let yielded = (builder.main(*multiplicity, offset), fingerprint(table, offset));
                    let used = users.iter().map(|user| (-builder.number(1), fingerprint(user, offset)));
                    std::iter::once(yielded).chain(used).collect()
                };
                let s = builder.running_sum(&fractions(0), *scan);
                let (at, neutral) = place(*scan);
                let sum = fractions(at).into_iter().reduce(|(a, b), (c, d)| (a * d + c * b, b * d));
                if let Some((numerator, denominator)) = sum {
                    builder.transition((aux(1) - aux(0)) * denominator - numerator, Rows::all());
                }
                builder.boundary(s, neutral, Goldilocks::ZERO);
            }
            Self::Host { column: of } => {
                let h = builder.host_column();
                builder.transition(aux(1) - aux(0) * gamma - builder.main(*of, 0), Rows::all().except_last(1));
                builder.boundary_with(h, 0, |challenges| challenges[0]);
            }
        }
    }

    /// Whether it is not true of a table: then the transition fails on the last row, where the column is compared with
    /// its beginning, and so does the boundary if it is there.
    pub(crate) fn is_broken(&self, table: &Table<Goldilocks>) -> bool {
        let mut sums: BTreeMap<Vec<u64>, Goldilocks> = BTreeMap::new();
        let mut add = |columns: &[usize], count: &dyn Fn(usize) -> Goldilocks| {
            for row in 0..table.rows() {
                let tuple = columns.iter().map(|&column| table.columns[column][row].as_u64()).collect();
                *sums.entry(tuple).or_insert(Goldilocks::ZERO) += count(row);
            }
        };
        let minus_one = -Goldilocks::ONE;
        match self {
            Self::Permutation { left, right, .. } => {
                add(left, &|_| Goldilocks::ONE);
                add(right, &|_| minus_one);
            }
            Self::Lookup { table: of_table, multiplicity, users, .. } => {
                add(of_table, &|row| table.columns[*multiplicity][row]);
                users.iter().for_each(|user| add(user, &|_| minus_one));
            }
            Self::Host { .. } => {}
        }
        sums.values().any(|sum| !sum.is_zero())
    }

    /// Whether its boundary is where the column ends.
    pub(crate) fn is_inclusive(&self) -> bool {
        matches!(self, Self::Permutation { scan: Scan::Inclusive, .. } | Self::Lookup { scan: Scan::Inclusive, .. })
    }

    /// The column of the multiplicities.
    pub(crate) fn multiplicity(&self) -> Option<usize> {
        match self {
            Self::Lookup { multiplicity, .. } => Some(*multiplicity),
            _ => None,
        }
    }
}

/// The column that [`Argument::Host`] declares.
pub(crate) fn host_column<E: Field + From<Goldilocks>>(of: &[Goldilocks], gamma: E) -> Vec<E> {
    let next = |h: &mut E, value: &Goldilocks| {
        let now = *h;
        *h = now * gamma + E::from(*value);
        Some(now)
    };
    of.iter().scan(gamma, next).collect()
}
