//! Relations: tuples that components look up in one of them.

use std::collections::BTreeMap;

use air::Rows;
use field::{Field, M31, PrimeField};

use crate::draw::Draw;
use crate::expression::{Expression, Leaf, Operator};
use crate::table::{Rule, Table};

/// How often a row's tuple is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Count {
    /// Once.
    One,
    /// As often as a column says, which is zero or one.
    Flag(usize),
    /// It is yielded as often as a column says.
    Yield(usize),
}

/// A fraction that every row of a component adds.
#[derive(Clone, Debug)]
pub(crate) struct Lookup {
    /// Number of the relation.
    pub(crate) relation: usize,
    pub(crate) count: Count,
    /// Cells of the row, of main or of known columns.
    pub(crate) tuple: Vec<Leaf>,
}

/// The lookups of each component.
pub(crate) type Lookups = Vec<Vec<Lookup>>;

/// Adds relation number `relation`: a component that yields, known columns or its own, and users, which may be the same
/// component.
pub(crate) fn draw_relation(draw: &mut Draw, relation: usize, tables: &mut [Table<M31>], lookups: &mut Lookups) {
    let (provider, width) = (draw.below(tables.len()), draw.between(1, 3));
    let rows = tables[provider].rows();
    // Few values, so that rows may be equal.
    let values: Vec<M31> = draw.elements(rows / 2);
    let table: Vec<Vec<M31>> = (0..width).map(|_| (0..rows).map(|_| draw.of(&values)).collect()).collect();
    let mut counts = vec![0; rows];
    for _ in 0..draw.between(1, 3) {
        let user = draw.below(tables.len());
        let height = tables[user].rows();
        let flags: Option<Vec<bool>> = draw.one_in(2).then(|| (0..height).map(|_| draw.one_in(2)).collect());
        let is_used = |row: usize| flags.as_ref().is_none_or(|flags| flags[row]);
        let picks: Vec<usize> = (0..height).map(|_| draw.below(rows)).collect();
        (0..height).filter(|&row| is_used(row)).for_each(|row| counts[picks[row]] += 1);
        let mut cell = |column: &[M31], row: usize| if is_used(row) { column[picks[row]] } else { draw.element() };
        let columns = table.iter().map(|column| (0..height).map(|row| cell(column, row)).collect()).collect();
        let columns = tables[user].append(columns);
        tables[user].fixed.extend(&columns);
        let tuple = columns.into_iter().map(cell_of).collect();
        let count = flags.map_or(Count::One, |flags| Count::Flag(add_flag(&mut tables[user], &flags)));
        lookups[user].push(Lookup { relation, count, tuple });
    }
    let yielding = &mut tables[provider];
    let count = yielding.append(vec![counts.into_iter().map(M31::new).collect()])[0];
    let tuple = if draw.one_in(2) {
        let first = yielding.known.len();
        yielding.known.extend(table);
        (first..first + width).map(|index| Leaf::Known { index, offset: 0 }).collect()
    } else {
        yielding.append(table).into_iter().map(cell_of).collect()
    };
    lookups[provider].push(Lookup { relation, count: Count::Yield(count), tuple });
}

pub(crate) fn cell_of(column: usize) -> Leaf {
    Leaf::Cell { column, offset: 0 }
}

/// A column of zeros and ones, `e^2 - e = 0`.
fn add_flag(table: &mut Table<M31>, flags: &[bool]) -> usize {
    let values = flags.iter().map(|&flag| M31::new(u32::from(flag))).collect();
    let column = table.append(vec![values])[0];
    let square = Expression::node(Operator::Mul, cell_of(column), cell_of(column));
    let expression = Expression::node(Operator::Sub, square, cell_of(column));
    table.rules.push(Rule { expression, rows: Rows::all() });
    table.fixed.push(column);
    column
}

/// How many tuples, of all relations, are not looked up as often as they are yielded.
pub(crate) fn uncancelled(tables: &[Table<M31>], lookups: &Lookups) -> usize {
    let mut sums: BTreeMap<(usize, Vec<u64>), M31> = BTreeMap::new();
    for (table, lookups) in tables.iter().zip(lookups) {
        for (lookup, row) in lookups.iter().flat_map(|lookup| (0..table.rows()).map(move |row| (lookup, row))) {
            let count = match lookup.count {
                Count::One => M31::ONE,
                Count::Flag(column) => table.columns[column][row],
                Count::Yield(column) => -table.columns[column][row],
            };
            let tuple = lookup.tuple.iter().map(|leaf| table.read(row, *leaf).as_u64()).collect();
            *sums.entry((lookup.relation, tuple)).or_insert(M31::ZERO) += count;
        }
    }
    sums.values().filter(|sum| !sum.is_zero()).count()
}
