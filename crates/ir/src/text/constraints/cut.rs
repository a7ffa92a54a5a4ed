//! A program that is too long for one kernel, cut into several that run one after the other.
//!
//! Instructions are cut in their order, where it costs least. A kernel loads columns again, reads stored columns from
//! the result, and computes cheap values again. All else is handed on: the kernel that computes such a value gives it
//! to memory, later ones take it from there.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use std::collections::HashMap;

use super::encoded::{Encoded, IS_CONSTANT, cost, op, operation_cost};
use super::piece::Piece;
use super::values::{Source, Step, named};

/// The cost of reading or writing a word of a row, in operations, about: on an H200 2^21 words of M31 take 2 us, as
/// many products 0.3.
const TRANSFER: u32 = 8;
/// The cost of one more kernel: its launch, and to add to the result.
const KERNEL: u64 = 10 * TRANSFER as u64;

/// The kernels of a program.
pub struct Cut {
    /// In the order in which they run.
    pub pieces: Vec<Piece>,
    /// Base columns of the values that are handed on.
    pub handed: u32,
}

/// Cuts a program into kernels of about `limit` operations each at most.
pub fn cut(encoded: &Encoded, degree: u32, limit: u32) -> Cut {
    let code = encoded.row_code();
    let mut totals = encoded.totals.clone();
    if cost(code, degree) <= limit {
        return Cut { pieces: vec![Piece::new(encoded, code.to_vec(), degree, true, &mut totals)], handed: 0 };
    }
    let values = Values::new(code, degree);
    let mut runs = Vec::new();
    let mut start = 0;
    while start < code.len() {
        let end = values.end(start, limit);
        runs.push(start..end);
        start = end;
    }
    let items: Vec<Vec<Item>> = runs.iter().map(|run| values.items(run.clone())).collect();
    let (places, handed) = places(&values, &runs, &items);
    let mut pieces = Vec::with_capacity(runs.len());
    for items in &items {
        let code = values.code(items, &places);
        pieces.push(Piece::new(encoded, code, degree, pieces.is_empty(), &mut totals));
    }
    Cut { pieces, handed }
}

/// A step of a kernel for a value.
#[derive(Clone, Copy)]
enum Item {
    /// Runs the instruction of that number, of its own run.
    Run(usize),
    /// Runs it again.
    Again(usize),
    /// Reads the value from that column of the result.
    Read(usize, u32),
    /// Takes the value from memory.
    Take(usize),
}

/// The values of a program, each with the number of its instruction.
struct Values {
    steps: Vec<Step>,
    costs: Vec<u32>,
    degree: u32,
    /// The cost of having a value again in a later kernel without handing it on; more than handing it on where it is
    /// handed on.
    again: Vec<u32>,
    /// The first instruction that stores a value in a column of the result, and the column.
    stored: HashMap<usize, (usize, u32)>,
    /// For every number of an instruction the words that are handed on if a run begins there.
    handed: Vec<u32>,
}

fn operands(step: &Step) -> impl Iterator<Item = usize> {
    step.operands.into_iter().filter_map(|source| match source {
        Source::Value(value) => Some(value),
        Source::Constant(_) | Source::None => None,
    })
}

impl Values {
    fn new(code: &[[u32; 4]], degree: u32) -> Self {
        let steps = named(code);
        let costs: Vec<u32> = code.iter().map(|[operation, ..]| operation_cost(*operation, degree)).collect();
        let (mut again, mut stored, mut last) = (Vec::with_capacity(steps.len()), HashMap::new(), vec![0; steps.len()]);
        for (number, step) in steps.iter().enumerate() {
            let of_operands = operands(step).map(|value| again[value]).fold(costs[number], u32::saturating_add);
            again.push(if op::is_load(step.operation) { TRANSFER * words(step, degree) } else { of_operands });
            for value in operands(step) {
                last[value] = number;
                if step.operation == op::STORE[2] {
                    stored.entry(value).or_insert((number, step.place));
                }
            }
        }
        let mut values = Self { steps, costs, degree, again, stored, handed: Vec::new() };
        let mut changes = vec![0i64; code.len() + 1];
        for (value, last) in last.into_iter().enumerate().filter(|(value, last)| last > value) {
            // A run that begins at the value's instruction or before has it itself.
            let end = values.stored.get(&value).map_or(last, |(at, _)| last.min(*at));
            if values.is_handed(value) {
                changes[value + 1] += i64::from(words(&values.steps[value], degree));
                changes[end + 1] -= i64::from(words(&values.steps[value], degree));
            }
        }
        let sums = changes.iter().scan(0, |sum, change| {
            *sum += change;
            Some(*sum as u32)
        });
        values.handed = sums.collect();
        values
    }

    /// Whether handing a value on costs less than computing it again.
    fn is_handed(&self, value: usize) -> bool {
        let step = &self.steps[value];
        !op::is_load(step.operation) && self.again[value] > 2 * TRANSFER * words(step, self.degree)
    }

    /// Where the run from `start` on ends.
    fn end(&self, start: usize, limit: u32) -> usize {
        let mut walk = Walk::new(self, start);
        let (mut best, mut least) = (start + 1, u64::MAX);
        for number in start..self.steps.len() {
            walk.run(number);
            if walk.cost > limit {
                return best;
            }
            // More kernels the shorter this one is.
            let missing = KERNEL * u64::from(limit - walk.cost) / u64::from(limit.max(1));
            let loss = u64::from(2 * TRANSFER * self.handed[number + 1]) + missing;
            if loss <= least && walk.cost >= limit / 2 {
                (best, least) = (number + 1, loss);
            } else if least == u64::MAX {
                best = number + 1;
            }
        }
        self.steps.len()
    }

    /// The steps of the kernel of a run.
    fn items(&self, run: Range<usize>) -> Vec<Item> {
        let mut walk = Walk::new(self, run.start);
        run.for_each(|number| walk.run(number));
        walk.items
    }

    /// Instructions of items, with a register for every value; `places` are the columns of handed-on values.
    fn code(&self, items: &[Item], places: &BTreeMap<usize, u32>) -> Vec<[u32; 4]> {
        let is_ext = |value: usize| usize::from(op::is_ext(self.steps[value].operation));
        let operand = |source| match source {
            Source::Value(value) => value as u32,
            Source::Constant(at) => IS_CONSTANT | at as u32,
            Source::None => 0,
        };
        let mut code = Vec::with_capacity(items.len());
        for &item in items {
            match item {
                Item::Run(number) | Item::Again(number) => {
                    let Step { operation, place, operands: [a, b], .. } = self.steps[number];
                    let is_weighted = op::MAC.contains(&operation);
                    code.push(if op::is_load(operation) {
                        [operation, number as u32, place, 0]
                    } else if is_weighted || op::is_store(operation) {
                        [operation, place, operand(a), operand(b)]
                    } else {
                        [operation, number as u32, operand(a), operand(b)]
                    });
                    if let (Item::Run(_), Some(place)) = (item, places.get(&number)) {
                        code.push([op::GIVE[is_ext(number)], *place, number as u32, 0]);
                    }
                }
                Item::Read(value, column) => code.push([op::READ, value as u32, column, 0]),
                Item::Take(value) => code.push([op::TAKE[is_ext(value)], value as u32, places[&value], 0]),
            }
        }
        code
    }
}

fn words(step: &Step, degree: u32) -> u32 {
    if op::is_ext(step.operation) { degree } else { 1 }
}

/// The work of a kernel, written down step by step.
struct Walk<'a> {
    values: &'a Values,
    start: usize,
    /// Whether the kernel has a value.
    known: Vec<bool>,
    items: Vec<Item>,
    cost: u32,
}

impl<'a> Walk<'a> {
    fn new(values: &'a Values, start: usize) -> Self {
        Self { values, start, known: vec![false; values.steps.len()], items: Vec::new(), cost: 0 }
    }

    /// Runs the next instruction.
    fn run(&mut self, number: usize) {
        operands(&self.values.steps[number]).for_each(|value| self.want(value));
        self.push(Item::Run(number), number);
    }

    fn push(&mut self, item: Item, value: usize) {
        self.known[value] = true;
        self.items.push(item);
        if matches!(item, Item::Run(_) | Item::Again(_)) {
            self.cost = self.cost.saturating_add(self.values.costs[value]);
        }
    }

    /// Has a value, just before it is first read. It calls itself along operations that are computed again, which are
    /// few.
    fn want(&mut self, value: usize) {
        if self.known[value] {
            return;
        }
        let values = self.values;
        match values.stored.get(&value) {
            Some((at, column)) if *at < self.start => self.push(Item::Read(value, *column), value),
            _ if values.is_handed(value) => self.push(Item::Take(value), value),
            _ => {
                operands(&values.steps[value]).for_each(|operand| self.want(operand));
                self.push(Item::Again(value), value);
            }
        }
    }
}

/// The first base column of every value that is handed on, and how many columns there are: one is free again after the
/// last kernel that takes its value.
fn places(values: &Values, runs: &[Range<usize>], items: &[Vec<Item>]) -> (BTreeMap<usize, u32>, u32) {
    let mut last = BTreeMap::new();
    for (kernel, items) in items.iter().enumerate() {
        let taken = |item: &Item| if let Item::Take(value) = item { Some((*value, kernel)) } else { None };
        last.extend(items.iter().filter_map(taken));
    }
    let (mut places, mut free, mut columns) = (BTreeMap::new(), HashMap::<u32, Vec<u32>>::new(), 0);
    let words = |value: usize| words(&values.steps[value], values.degree);
    for (kernel, run) in runs.iter().enumerate() {
        for (&value, _) in last.range(run.clone()) {
            let place = free.entry(words(value)).or_default().pop().unwrap_or_else(|| {
                columns += words(value);
                columns - words(value)
            });
            places.insert(value, place);
        }
        // Not before this kernel: a thread may take a value after it gives another.
        for (value, _) in last.iter().filter(|(_, last)| **last == kernel) {
            free.entry(words(*value)).or_default().push(places[value]);
        }
    }
    (places, columns)
}

#[cfg(test)]
mod tests;
