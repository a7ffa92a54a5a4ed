//! The DEEP quotient (circle.md, section 10) and the folds of FRI (section 11).
//!
//! The columns of a table that is lifted are summed up at its own height, and their sum is lifted.

use std::borrow::Cow;

use field::{CM31, M31, QM31};
use gpu_hal::{CancelToken, CircleDomain, CircleStark, Columns, DeepTerm, Domain, Operation, Result};
use rayon::prelude::*;

use super::factors::{CircleTables, first_of};
use super::m31::{LANES, Lanes, QLanes, batch_inverse, dot, two_products};
use crate::addresses::{array_sources, arrays, coordinates};
use crate::blocks::{at_least, blocks_mut, log_block, whole_registers};
use crate::lanes::{ExtLanes, sources};
use crate::memory::{CpuBuffer, Memory, Storage};
use crate::simd::{Isa, Kernel, SimdLevel, dispatch};

type Table<'a> = Columns<&'a CpuBuffer<M31>>;

/// Rows of a task.
const LOG_BLOCK: u32 = 10;
/// Rows of the smallest task: a register.
const LOG_LEAST: u32 = LANES.ilog2();

/// A table that is lower than the common domain: `2^log_rows` sums of weighted columns, coordinate after coordinate.
struct Lifted {
    sums: Storage<u32>,
    rows: usize,
    log_table: u32,
}

/// A term, ready: its denominator is `d0 + dx x + dy y`.
struct Term<'a> {
    columns: Vec<Cow<'a, [M31]>>,
    weights: Vec<QM31>,
    /// The sum of all lower tables, at the height of the highest of them.
    lifted: Option<Lifted>,
    constant: QM31,
    slope: QM31,
    denominator: [CM31; 3],
}

struct Plan<'a> {
    terms: Vec<Term<'a>>,
    /// `y` at storage index `2h` of the circle, and `x` at storage index `4h`.
    y: &'a [M31],
    x: &'a [M31],
    /// Whether the points are on a line: they are the points `2h` of a circle domain twice as large.
    is_line: bool,
    /// The storage index of the first point.
    first: usize,
    log_size: u32,
    log_whole: u32,
    log_block: u32,
}

/// The quotient; the arguments are checked. The tables hold the rows of the block that is `2^log_cut` times smaller
/// than the whole.
pub(super) fn deep(
    memory: &Memory,
    level: SimdLevel,
    factors: &CircleTables,
    (tables, log_cut): (&[Table<'_>], u32),
    domain: &CircleDomain,
    terms: &[DeepTerm<CircleStark>],
) -> Result<Columns<CpuBuffer<M31>>> {
    let (log_size, log_whole, first) = (domain.log_size(), domain.log_whole(), first_of(domain));
    let log_there = log_whole - log_cut;
    let first_of_cut = first >> log_there << log_there;
    let mut result = memory.zeros(Operation::DeepQuotient, 4, log_size)?;
    let prepare = |term: &DeepTerm<CircleStark>| {
        let (x, y) = (term.point.x, term.point.y);
        let mut prepared = Term {
            columns: Vec::new(),
            weights: Vec::new(),
            lifted: None,
            constant: term.constant,
            slope: term.slope,
            // (x0 - x) y1 - (y0 - y) x1
            denominator: [x.z0() * y.z1() - y.z0() * x.z1(), -y.z1(), x.z1()],
        };
        let mut lower = Vec::new();
        for (number, table) in tables.iter().enumerate() {
            let used = term.weights.iter().filter(|(table, ..)| *table == number);
            // The rows that the points of the domain have: of a block as many as of a prefix.
            let log_table = table.log_height + log_cut;
            let lifted = |row| CircleDomain::lift_index(row, log_whole, log_table);
            let (rows, start) = (lifted((1 << log_size) - 1) + 1, lifted(first) - lifted(first_of_cut));
            let column = |at: usize| &table.data.values()[(at << table.log_height) + start..][..rows];
            let (columns, weights): (Vec<_>, Vec<_>) = used.map(|(_, at, weight)| (column(*at), *weight)).unzip();
            if log_table == log_whole {
                prepared.columns.extend(columns.into_iter().map(|column| at_least(LANES, column)));
                prepared.weights.extend(weights);
            } else if !columns.is_empty() {
                lower.push(sum_up(memory, level, (&columns, &weights), rows, log_table)?);
            }
        }
        lower.sort_by_key(|sums| sums.log_table);
        prepared.lifted = lower.into_iter().reduce(lift_and_add);
        Ok(prepared)
    };
    let is_line = matches!(domain, CircleDomain::Line { .. });
    let circle = CircleDomain::canonic(log_whole + u32::from(is_line));
    let terms = terms.iter().map(prepare).collect::<Result<Vec<Term<'_>>>>()?;
    let (y, x) = (factors.layer(&circle, 0).values, factors.layer(&circle, 1).values);
    let stop = CancelToken::here();
    whole_registers(result.data.values_mut(), log_size, |values, log_rows| {
        let log_block = log_block(log_rows, LOG_LEAST, LOG_BLOCK);
        let plan = Plan { terms, y, x, is_line, first, log_size, log_whole, log_block };
        blocks_mut(values, log_rows, log_block).into_par_iter().enumerate().for_each_init(
            || vec![0; 11 << log_block],
            |scratch, (block, columns)| {
                if !stop.is_stopped() {
                    dispatch(level, Block { plan: &plan, scratch, block, columns });
                }
            },
        );
    });
    Ok(result)
}

/// The sums of the first `rows` rows, a power of two.
fn sum_up(
    memory: &Memory,
    level: SimdLevel,
    (columns, weights): (&[&[M31]], &[QM31]),
    rows: usize,
    log_table: u32,
) -> Result<Lifted> {
    let mut storage = memory.scratch(Operation::DeepQuotient, 4 * rows)?;
    let sums = storage.as_mut_slice();
    let piece = rows.min(1 << LOG_BLOCK);
    if piece < LANES {
        for row in 0..rows {
            let sum: QM31 = columns.iter().zip(weights).map(|(column, weight)| *weight * column[row]).sum();
            sum.0.iter().enumerate().for_each(|(k, coordinate)| sums[k * rows + row] = coordinate.value());
        }
    } else {
        let (blocks, stop) = (blocks_mut(sums, rows.ilog2(), piece.ilog2()), CancelToken::here());
        blocks.into_par_iter().enumerate().for_each(|(block, out)| {
            if !stop.is_stopped() {
                dispatch(level, Sums { columns, weights, first: block * piece, out });
            }
        });
    }
    Ok(Lifted { sums: storage, rows, log_table })
}

/// The sums of both tables at the height of the second, which is as high as the first or higher.
fn lift_and_add(low: Lifted, mut high: Lifted) -> Lifted {
    let (low_sums, high_sums) = (low.sums.as_slice(), high.sums.as_mut_slice());
    for (low_sums, sums) in low_sums.chunks_exact(low.rows).zip(high_sums.chunks_exact_mut(high.rows)) {
        sums.par_iter_mut().with_min_len(1 << LOG_BLOCK).enumerate().for_each(|(row, sum)| {
            let lifted = low_sums[CircleDomain::lift_index(row, high.log_table, low.log_table)];
            *sum = (M31::new(*sum) + M31::new(lifted)).value();
        });
    }
    high
}

struct Sums<'s> {
    columns: &'s [&'s [M31]],
    weights: &'s [QM31],
    first: usize,
    out: Vec<&'s mut [u32]>,
}

impl Kernel for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let rows = self.out[0].len();
        let mut out = [std::ptr::null_mut(); 4];
        for (out, column) in out.iter_mut().zip(&mut self.out) {
            *out = column.as_mut_ptr();
        }
        let places: Vec<*const u32> = self.columns.iter().map(|column| place(column, self.first, rows)).collect();
        // SAFETY: the columns have this many rows from the first on, a multiple of 16.
        unsafe { dot::<I::M31>(&places, self.weights, rows, out) };
    }
}

/// Where rows `first..first + rows` of a column are.
fn place(column: &[M31], first: usize, rows: usize) -> *const u32 {
    column[first..first + rows].as_ptr().cast()
}

/// `a x + b y + c`.
#[inline(always)]
fn linear<V: Lanes>(at: [V; 2], [a, b]: [M31; 2], c: M31) -> V {
    two_products(at, [V::splat(a.value()), V::splat(b.value())]).add(V::splat(c.value()))
}

/// One task.
struct Block<'s, 'a> {
    plan: &'s Plan<'a>,
    /// Eleven arrays: sums (4), lifted sums, denominators (2), norms, scratch of the inversion, y, x.
    scratch: &'s mut Vec<u32>,
    block: usize,
    columns: Vec<&'s mut [M31]>,
}

impl Kernel for Block<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let plan = self.plan;
        let rows = 1usize << plan.log_block;
        let first = self.block * rows;
        let (sums, rest) = self.scratch.split_at_mut(4 * rows);
        let (lifted, rest) = rest.split_at_mut(rows);
        let (denominators, rest) = rest.split_at_mut(2 * rows);
        let (norms, rest) = rest.split_at_mut(rows);
        let (before, rest) = rest.split_at_mut(rows);
        let (y, x) = rest.split_at_mut(rows);
        // A block may be longer than the domain.
        let mask = (1 << plan.log_size) - 1;
        for row in 0..rows {
            let at = (plan.first + ((first + row) & mask)) << usize::from(plan.is_line);
            let (at_y, at_x) = (plan.y[at >> 1], plan.x[at >> 2]);
            y[row] = if at & 1 == 0 { at_y } else { -at_y }.value();
            x[row] = if at & 2 == 0 { at_x } else { -at_x }.value();
        }
        let targets = coordinates::<CircleStark>(&mut self.columns, 0);
        for (number, term) in plan.terms.iter().enumerate() {
            let places: Vec<*const u32> = term.columns.iter().map(|column| place(column, first, rows)).collect();
            // SAFETY: the columns have this many rows from the first on, a multiple of 16, and so have the sums.
            unsafe { dot::<I::M31>(&places, &term.weights, rows, arrays::<CircleStark>(sums, rows)) };
            if let Some(table) = &term.lifted {
                for (k, sums) in sums.chunks_exact_mut(rows).enumerate() {
                    let source = &table.sums.as_slice()[k * table.rows..][..table.rows];
                    for (row, value) in lifted.iter_mut().enumerate() {
                        *value =
                            source[CircleDomain::lift_index((first + row) & mask, plan.log_whole, table.log_table)];
                    }
                    let mut row = 0;
                    while row < rows {
                        // SAFETY: both have `rows` words, a multiple of 16.
                        unsafe {
                            let value = I::M31::load(lifted.as_ptr().add(row));
                            I::M31::load(sums.as_ptr().add(row)).add(value).store(sums.as_mut_ptr().add(row));
                        }
                        row += LANES;
                    }
                }
            }
            let (re, im) = denominators.split_at_mut(rows);
            let [d0, dx, dy] = term.denominator;
            let mut row = 0;
            while row < rows {
                // SAFETY: all arrays have `rows` words, a multiple of 16.
                unsafe {
                    let at = [I::M31::load(x.as_ptr().add(row)), I::M31::load(y.as_ptr().add(row))];
                    let value = [linear(at, [dx.re(), dy.re()], d0.re()), linear(at, [dx.im(), dy.im()], d0.im())];
                    value[0].store(re.as_mut_ptr().add(row));
                    value[1].store(im.as_mut_ptr().add(row));
                    two_products(value, value).store(norms.as_mut_ptr().add(row));
                }
                row += LANES;
            }
            batch_inverse::<I::M31>(norms, before);
            let (constant, slope) = (QLanes::<I::M31>::splat(term.constant), QLanes::<I::M31>::splat(term.slope));
            let sums_at = array_sources::<CircleStark>(sums, rows);
            let mut row = 0;
            while row < rows {
                // SAFETY: as above; the targets have `rows` words, and the sum so far was stored by the term before.
                unsafe {
                    let line = slope.mul_base(I::M31::load(y.as_ptr().add(row))).add(constant);
                    let numerator = QLanes::load(sums_at, row).sub(line);
                    let norm = I::M31::load(norms.as_ptr().add(row));
                    let inverse_re = I::M31::load(re.as_ptr().add(row)).mul(norm);
                    let inverse_im = I::M31::load(im.as_ptr().add(row)).mul(norm).neg();
                    let mut value = numerator.mul_complex(inverse_re, inverse_im);
                    if number > 0 {
                        value = value.add(QLanes::load(sources(targets), row));
                    }
                    value.store(targets, row);
                }
                row += LANES;
            }
        }
    }
}

/// The fold of a layer; the arguments are checked.
pub(super) fn fold(
    memory: &Memory,
    level: SimdLevel,
    factors: &CircleTables,
    layer: &Table<'_>,
    domain: &CircleDomain,
    alpha: QM31,
) -> Result<Columns<CpuBuffer<M31>>> {
    let log_size = layer.log_height - 1;
    let mut result = memory.columns(Operation::FriFold, 4, log_size)?;
    let inverses = at_least(LANES, factors.layer(domain, 0).inverses);
    let values = layer.data.values().chunks_exact(layer.height());
    let values: Vec<Cow<'_, [M31]>> = values.map(|column| at_least(2 * LANES, column)).collect();
    whole_registers(result.data.values_mut(), log_size, |out, log_rows| {
        let log_block = log_block(log_rows, LOG_LEAST, LOG_BLOCK + 2);
        blocks_mut(out, log_rows, log_block).into_par_iter().enumerate().for_each(|(block, out)| {
            let first = block << log_block;
            dispatch(level, Fold { values: &values, inverses: &inverses[first..], first, alpha, out });
        });
    });
    Ok(result)
}

/// `out[i] = (f[2i] + f[2i+1]) + alpha (f[2i] - f[2i+1])/t`.
struct Fold<'s> {
    values: &'s [Cow<'s, [M31]>],
    inverses: &'s [M31],
    first: usize,
    alpha: QM31,
    out: Vec<&'s mut [M31]>,
}

impl Kernel for Fold<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let rows = self.out[0].len();
        assert!(self.inverses.len() >= rows && rows.is_multiple_of(LANES), "a factor for each pair");
        let alpha = QLanes::<I::M31>::splat(self.alpha);
        let targets = coordinates::<CircleStark>(&mut self.out, 0);
        let zero = I::M31::splat(0);
        let mut row = 0;
        while row < rows {
            let (mut even, mut odd) = ([zero; 4], [zero; 4]);
            for k in 0..4 {
                let pairs = &self.values[k][2 * (self.first + row)..][..2 * LANES];
                // SAFETY: 32 values.
                let (a, b) = unsafe {
                    (I::M31::load(pairs.as_ptr().cast()), I::M31::load(pairs.as_ptr().cast::<u32>().add(LANES)))
                };
                (even[k], odd[k]) = a.deinterleave(b);
            }
            let (even, odd) = (QLanes(even), QLanes(odd));
            // SAFETY: a factor and a place for each of these rows.
            unsafe {
                let inverse = I::M31::load(self.inverses.as_ptr().cast::<u32>().add(row));
                let value = even.add(odd).add(even.sub(odd).mul_base(inverse).mul(alpha));
                value.store(targets, row);
            }
            row += LANES;
        }
    }
}
