//! Sums of weighted outputs, as the interpreter delivers them.

use field::Goldilocks;
use gpu_hal::GoldilocksStark;
use gpu_hal::ir::{Instruction, Schedule};

use super::arith::Register;
use super::lanes::LaneField;
use crate::interpreter::{BaseSource, Executable, ExtSource, Machine, Sink};
use crate::lanes::{ExtLanes, MAX_DEGREE, Targets, sources};
use crate::loads::Loads;
use crate::simd::Isa;

/// A program that is interpreted for its weighted outputs.
pub(super) struct Interpreted<'a, E: LaneField> {
    executable: Executable<'a, GoldilocksStark<E>>,
    /// The accumulators that each output of the program adds to.
    users: Vec<Vec<User<E>>>,
    rows: usize,
}

impl<'a, E: LaneField> Interpreted<'a, E> {
    pub(super) fn new(
        schedule: &'a Schedule<GoldilocksStark<E>>,
        loads: &'a Loads<'a, GoldilocksStark<E>>,
        params: &[E],
        groups: &[Vec<(usize, E)>],
    ) -> Self {
        let executable = Executable::new(schedule, loads, params);
        Self { executable, users: users(schedule, groups), rows: loads.run_length() }
    }

    /// One thread's registers.
    pub(super) fn machine(&self) -> Machine<u64> {
        self.executable.machine()
    }

    /// The sums of a run: coordinate k of group g is a run at `g * DEGREE + k` runs.
    #[inline(always)]
    pub(super) fn run<I: Isa>(&self, run: usize, machine: &mut Machine<u64>, sums: &mut [u64]) {
        let mut sums = Sums { users: &self.users, sums: sums.as_mut_ptr(), rows: self.rows };
        self.executable.run::<I, _>(run, machine, &mut sums);
    }
}

/// A term of a group.
#[derive(Clone)]
struct User<E> {
    group: usize,
    weight: E,
    /// Whether it is the first of its group that the program delivers.
    first: bool,
}

/// The terms that every output is used in.
fn users<E: LaneField>(schedule: &Schedule<GoldilocksStark<E>>, groups: &[Vec<(usize, E)>]) -> Vec<Vec<User<E>>> {
    let mut users = vec![Vec::new(); schedule.program().outputs().len()];
    for (index, group) in groups.iter().enumerate() {
        for (output, weight) in group {
            users[*output].push(User { group: index, weight: *weight, first: false });
        }
    }
    let mut seen = vec![false; groups.len()];
    for instruction in &schedule.instructions {
        if let Instruction::Output { index, .. } = instruction {
            for user in &mut users[*index as usize] {
                user.first = !std::mem::replace(&mut seen[user.group], true);
            }
        }
    }
    users
}

/// Adds weighted outputs up, group by group.
struct Sums<'s, E> {
    users: &'s [Vec<User<E>>],
    sums: *mut u64,
    rows: usize,
}

impl<E: LaneField> Sums<'_, E> {
    fn targets(&self, group: usize) -> Targets<u64> {
        let mut targets = [std::ptr::null_mut(); MAX_DEGREE];
        for (k, target) in targets.iter_mut().enumerate().take(E::DEGREE) {
            // SAFETY: the sums have `DEGREE` runs for every group.
            *target = unsafe { self.sums.add((group * E::DEGREE + k) * self.rows) };
        }
        targets
    }
}

/// Adds a term on every row to the sums of output `index`: a macro, since a closure may not be inlined.
macro_rules! add_to_sums {
    ($sums:ident, $index:expr, $rows:expr, ($weight:ident, $row:ident) $term:expr) => {
        for User { group, weight, first } in &$sums.users[$index] {
            let targets = $sums.targets(*group);
            let $weight = E::Lanes::<I::Goldilocks>::splat(*weight);
            let mut $row = 0;
            while $row < $rows {
                let mut sum = $term;
                if !first {
                    sum = sum.add(E::Lanes::<I::Goldilocks>::load(sources(targets), $row));
                }
                sum.store(targets, $row);
                $row += I::Goldilocks::LANES;
            }
        }
    };
}

impl<E: LaneField, I: Isa> Sink<GoldilocksStark<E>, I> for Sums<'_, E> {
    #[inline(always)]
    unsafe fn base(&mut self, index: usize, value: BaseSource<u64>, rows: usize) {
        // SAFETY: the caller's promise for the value; the sums have as many rows.
        unsafe { add_to_sums!(self, index, rows, (weight, row) weight.mul_base(value.lanes::<Goldilocks, _>(row))) }
    }

    #[inline(always)]
    unsafe fn ext(&mut self, index: usize, value: ExtSource<u64>, rows: usize) {
        // SAFETY: the caller's promise for the value; the sums have as many rows.
        unsafe { add_to_sums!(self, index, rows, (weight, row) weight.mul(value.lanes(row))) }
    }
}
