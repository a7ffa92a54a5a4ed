//! The ratios of a block of rows, with one inversion.

use gpu_hal::ir::Schedule;

use crate::addresses::{array_sources, coordinates};
use crate::blocks::log_block;
use crate::cpu::CpuProtocol;
use crate::interpreter::Executable;
use crate::lanes::{ExtLanes, FieldLanes, MAX_DEGREE, sources};
use crate::loads::Loads;
use crate::rows::{self, Program, slots};
use crate::simd::Isa;

/// Bytes of ratios that a task may hold.
const BLOCK_BYTES: usize = 1 << 20;

/// Rows of a task, as a logarithm.
const LOG_BLOCK: u32 = 11;

/// Ratios of a program's outputs, an extension column each.
pub(super) struct Plan<'a, P: CpuProtocol> {
    program: Program<'a, P>,
    /// Numerators and denominators: numbers of outputs.
    fractions: Vec<(usize, usize)>,
    /// Whether a column adds the one before.
    across: bool,
}

impl<'a, P: CpuProtocol> Plan<'a, P> {
    /// How outputs are computed, at most `2^log_rows` rows at a time.
    pub(super) fn new(
        schedule: &'a Schedule<P>,
        params: &[P::Ext],
        fractions: Vec<(usize, usize)>,
        across: bool,
        (loads, log_run): (&'a Loads<'a, P>, u32),
    ) -> Self {
        let (slots, arrays) = wanted(schedule, &fractions);
        let executable = Executable::new(schedule, loads, params);
        Self { program: Program { executable, slots, arrays, widen: true, log_run }, fractions, across }
    }

    /// Log2 of the rows of a task.
    pub(super) fn log_block(&self, log_height: u32) -> u32 {
        let per_row = size_of::<P::Word>() * self.fractions.len() * (P::DEGREE + 2);
        let log_most = (BLOCK_BYTES / per_row).max(1).ilog2().min(LOG_BLOCK);
        log_block(log_height, self.program.log_run, log_most)
    }

    pub(super) fn scratch(&self, log_block: u32) -> Scratch<P::Word> {
        let norms = self.fractions.len() << log_block;
        Scratch {
            program: self.program.scratch(),
            norms: vec![P::Word::default(); norms],
            before: vec![P::Word::default(); norms],
        }
    }
}

/// Slots for the outputs of fractions.
pub(super) fn wanted<P: CpuProtocol>(
    schedule: &Schedule<P>,
    fractions: &[(usize, usize)],
) -> (Vec<Option<usize>>, usize) {
    let outputs = fractions.iter().flat_map(|(numerator, denominator)| [*numerator, *denominator]);
    slots(schedule.program().outputs().len(), outputs, P::DEGREE)
}

/// One thread's arrays.
pub(super) struct Scratch<W> {
    program: rows::Scratch<W>,
    /// Column c: a block at `c` blocks.
    norms: Vec<W>,
    before: Vec<W>,
}

/// Finds the ratios of a block: its columns.
#[inline(always)]
pub(super) fn ratios<P: CpuProtocol, I: Isa>(
    plan: &Plan<'_, P>,
    scratch: &mut Scratch<P::Word>,
    block: usize,
    columns: &mut [&mut [P::Base]],
) {
    let (run_length, block_length) = (1 << plan.program.log_run, columns[0].len());
    let runs = block_length / run_length;
    for index in 0..runs {
        plan.program.run::<I>(block * runs + index, &mut scratch.program);
        let first = index * run_length;
        // ratio = numerator * adjugate / norm.
        for (number, (numerator, denominator)) in plan.fractions.iter().enumerate() {
            let mut places = [[std::ptr::null(); MAX_DEGREE]; 2];
            for (places, output) in places.iter_mut().zip([*numerator, *denominator]) {
                let slot = plan.program.slots[output].expect("every fraction has slots");
                *places = array_sources::<P>(&scratch.program.outputs[slot * run_length..], run_length);
            }
            let targets = coordinates::<P>(&mut columns[number * P::DEGREE..], first);
            let norms = scratch.norms[number * block_length + first..][..run_length].as_mut_ptr();
            let mut row = 0;
            while row < run_length {
                // SAFETY: outputs, norms and columns have `run_length` rows from here, a multiple of the lanes.
                unsafe {
                    let (adjugate, norm) = P::ExtLanes::<I>::load(places[1], row).adjugate();
                    norm.store(norms.add(row));
                    P::ExtLanes::<I>::load(places[0], row).mul(adjugate).store(targets, row);
                }
                row += P::Lanes::<I>::LANES;
            }
        }
    }
    let norms = plan.fractions.len() * block_length;
    P::batch_inverse::<I>(&mut scratch.norms[..norms], &mut scratch.before[..norms]);
    let mut left = [std::ptr::null(); MAX_DEGREE];
    for number in 0..plan.fractions.len() {
        let targets = coordinates::<P>(&mut columns[number * P::DEGREE..], 0);
        let norms = scratch.norms[number * block_length..][..block_length].as_ptr();
        let mut row = 0;
        while row < block_length {
            // SAFETY: norms and columns have `block_length` rows, a multiple of the lanes; the column on the left is
            // done.
            unsafe {
                let inverse = P::Lanes::<I>::load(norms.add(row));
                let mut ratio = P::ExtLanes::<I>::load(sources(targets), row).mul_base(inverse);
                if plan.across && number > 0 {
                    ratio = ratio.add(P::ExtLanes::<I>::load(left, row));
                }
                ratio.canonical().store(targets, row);
            }
            row += P::Lanes::<I>::LANES;
        }
        left = sources(targets);
    }
}
