//! Runs a schedule over a run of rows: every register is an array with an element for each row of the run.

mod operators;

use field::ExtensionField;
use gpu_hal::ir::{Instruction, Kind, Operand, Schedule};

use self::operators::{Binary, Minus, Plus, Times};
use crate::addresses::arrays;
use crate::cpu::CpuProtocol;
use crate::lanes::{ExtLanes, FieldLanes, MAX_DEGREE, MAX_LANES, Sources, Targets, sources};
use crate::loads::Loads;
use crate::simd::Isa;

/// A base value for every row of a run: element `step * row` from `at` on; step 0 for a value equal on all rows, of
/// which `MAX_LANES` copies are there.
#[derive(Clone, Copy)]
pub(crate) struct BaseSource<W> {
    at: *const W,
    step: usize,
}

/// An extension value for every row of a run, in the same way.
#[derive(Clone, Copy)]
pub(crate) struct ExtSource<W> {
    at: Sources<W>,
    step: usize,
}

impl<W> BaseSource<W> {
    const NOWHERE: Self = Self { at: std::ptr::null(), step: 0 };

    /// Lanes of rows `row..`.
    ///
    /// # Safety
    /// The source must be that of a run of at least `row + LANES` rows that is being executed.
    #[inline(always)]
    pub(crate) unsafe fn lanes<F, V: FieldLanes<F, Word = W>>(self, row: usize) -> V {
        // SAFETY: the caller's promise.
        unsafe { V::load(self.at.add(row * self.step)) }
    }
}

impl<W> ExtSource<W> {
    const NOWHERE: Self = Self { at: [std::ptr::null(); MAX_DEGREE], step: 0 };

    /// Lanes of rows `row..`.
    ///
    /// # Safety
    /// As for [`BaseSource::lanes`].
    #[inline(always)]
    pub(crate) unsafe fn lanes<V, L: ExtLanes<V, Word = W>>(self, row: usize) -> L {
        // SAFETY: the caller's promise.
        unsafe { L::load(self.at, row * self.step) }
    }
}

/// Takes the outputs of a program.
pub(crate) trait Sink<P: CpuProtocol, I: Isa> {
    /// Output `index`, of `rows` rows.
    ///
    /// # Safety
    /// `value` must be readable for `rows` rows.
    unsafe fn base(&mut self, index: usize, value: BaseSource<P::Word>, rows: usize);

    /// Output `index`, of `rows` rows.
    ///
    /// # Safety
    /// `value` must be readable for `rows` rows.
    unsafe fn ext(&mut self, index: usize, value: ExtSource<P::Word>, rows: usize);
}

/// A sink that keeps the outputs that are wanted: output `index` as the arrays of a run from number `slots[index]` on.
pub(crate) struct Outputs<'a, W> {
    /// The first array of each output that is wanted.
    pub(crate) slots: &'a [Option<usize>],
    /// Whether outputs over the base are wanted over the extension, whose coordinates take an array each. If not they
    /// are canonical.
    pub(crate) widen: bool,
    /// Arrays of a run.
    pub(crate) arrays: &'a mut [W],
}

impl<P: CpuProtocol, I: Isa> Sink<P, I> for Outputs<'_, P::Word> {
    #[inline(always)]
    unsafe fn base(&mut self, index: usize, value: BaseSource<P::Word>, rows: usize) {
        let Some(slot) = self.slots[index] else { return };
        let wanted = &mut self.arrays[slot * rows..];
        let mut row = 0;
        if self.widen {
            let targets = arrays::<P>(wanted, rows);
            while row < rows {
                // SAFETY: the caller's promise for the value; the arrays have as many rows.
                unsafe { P::ExtLanes::<I>::from_base(value.lanes::<P::Base, P::Lanes<I>>(row)).store(targets, row) };
                row += P::Lanes::<I>::LANES;
            }
        } else {
            let target = wanted[..rows].as_mut_ptr();
            while row < rows {
                // SAFETY: as above.
                unsafe { value.lanes::<P::Base, P::Lanes<I>>(row).canonical().store(target.add(row)) };
                row += P::Lanes::<I>::LANES;
            }
        }
    }

    #[inline(always)]
    unsafe fn ext(&mut self, index: usize, value: ExtSource<P::Word>, rows: usize) {
        let Some(slot) = self.slots[index] else { return };
        let targets = arrays::<P>(&mut self.arrays[slot * rows..], rows);
        let mut row = 0;
        while row < rows {
            // SAFETY: the caller's promise for the value; the arrays have as many rows.
            unsafe { value.lanes::<P::Lanes<I>, P::ExtLanes<I>>(row).store(targets, row) };
            row += P::Lanes::<I>::LANES;
        }
    }
}

/// A schedule with its inputs.
pub(crate) struct Executable<'a, P: CpuProtocol> {
    schedule: &'a Schedule<P>,
    loads: &'a Loads<'a, P>,
    constants: Vec<[P::Word; MAX_LANES]>,
    uniforms: Vec<[[P::Word; MAX_LANES]; MAX_DEGREE]>,
}

/// Registers, one thread's.
pub(crate) struct Machine<W> {
    scratch: Vec<W>,
    base: Vec<BaseSource<W>>,
    ext: Vec<ExtSource<W>>,
}

/// Words of scratch that a machine takes for every row of a run.
pub(crate) fn registers_per_row<P: CpuProtocol>(schedule: &Schedule<P>) -> usize {
    schedule.base_registers as usize + schedule.ext_registers as usize * P::DEGREE
}

impl<'a, P: CpuProtocol> Executable<'a, P> {
    /// Splats values that are equal on all rows.
    pub(crate) fn new(schedule: &'a Schedule<P>, loads: &'a Loads<'a, P>, params: &[P::Ext]) -> Self {
        let constants = schedule.constants.iter().map(|c| [P::word(*c); MAX_LANES]).collect();
        let splat = |uniform: &P::Ext| {
            let mut coordinates = [[P::Word::default(); MAX_LANES]; MAX_DEGREE];
            for (lanes, c) in coordinates.iter_mut().zip(uniform.coordinates()) {
                *lanes = [P::word(*c); MAX_LANES];
            }
            coordinates
        };
        let uniforms = schedule.uniforms(params).iter().map(splat).collect();
        Self { schedule, loads, constants, uniforms }
    }

    /// Registers for this program.
    pub(crate) fn machine(&self) -> Machine<P::Word> {
        Machine {
            scratch: vec![P::Word::default(); registers_per_row(self.schedule) * self.loads.run_length()],
            base: vec![BaseSource::NOWHERE; self.schedule.base_registers as usize],
            ext: vec![ExtSource::NOWHERE; self.schedule.ext_registers as usize],
        }
    }

    /// Executes the program on run `run`, which must be a whole number of registers long.
    #[inline(always)]
    pub(crate) fn run<I: Isa, S: Sink<P, I>>(&self, run: usize, machine: &mut Machine<P::Word>, sink: &mut S) {
        let rows = self.loads.run_length();
        assert_eq!(rows % P::Lanes::<I>::LANES, 0, "a run is a whole number of registers");
        assert_eq!(machine.scratch.len(), registers_per_row(self.schedule) * rows, "the machine is this program's");
        let mut frame = Frame {
            executable: self,
            rows,
            scratch: machine.scratch.as_mut_ptr(),
            base: &mut machine.base,
            ext: &mut machine.ext,
        };
        for instruction in &self.schedule.instructions {
            match *instruction {
                Instruction::Load { dst, group, column, offset } => frame.load(run, dst, group, column, offset),
                Instruction::Add { dst, a, b } => frame.binary::<I, Plus>(dst, a, b),
                Instruction::Sub { dst, a, b } => frame.binary::<I, Minus>(dst, a, b),
                Instruction::Mul { dst, a, b } => frame.binary::<I, Times>(dst, a, b),
                Instruction::Neg { dst, a } => frame.negate::<I>(dst, a),
                Instruction::Output { index, src } => match src.kind() {
                    // SAFETY: a scheduled operand was computed before, for all rows of the run.
                    Kind::Base => unsafe { sink.base(index as usize, frame.base_source(src), rows) },
                    // SAFETY: as above.
                    Kind::Ext => unsafe { sink.ext(index as usize, frame.ext_source(src), rows) },
                },
            }
        }
    }
}

/// The state of one execution. Register `r` of the base has `rows` elements at `r * rows` of the scratch; coordinate
/// `k` of extension register `r` at `(base registers + r * DEGREE + k) * rows`.
struct Frame<'f, 'a, P: CpuProtocol> {
    executable: &'f Executable<'a, P>,
    rows: usize,
    scratch: *mut P::Word,
    base: &'f mut [BaseSource<P::Word>],
    ext: &'f mut [ExtSource<P::Word>],
}

impl<P: CpuProtocol> Frame<'_, '_, P> {
    /// # Safety
    /// `register` must be a base register of the schedule.
    #[inline(always)]
    unsafe fn base_target(&self, register: u32) -> *mut P::Word {
        // SAFETY: the scratch has room for all registers.
        unsafe { self.scratch.add(register as usize * self.rows) }
    }

    /// # Safety
    /// `register` must be an extension register of the schedule.
    #[inline(always)]
    unsafe fn ext_target(&self, register: u32) -> Targets<P::Word> {
        let mut targets = [std::ptr::null_mut(); MAX_DEGREE];
        for (k, target) in targets.iter_mut().enumerate().take(P::DEGREE) {
            let register = self.base.len() + register as usize * P::DEGREE + k;
            // SAFETY: the scratch has room for all registers.
            *target = unsafe { self.scratch.add(register * self.rows) };
        }
        targets
    }

    fn base_source(&self, operand: Operand) -> BaseSource<P::Word> {
        match operand {
            Operand::Base(register) => self.base[register as usize],
            Operand::Constant(index) => BaseSource { at: self.executable.constants[index as usize].as_ptr(), step: 0 },
            Operand::Ext(_) | Operand::Uniform(_) => unreachable!("the schedule types its operands"),
        }
    }

    fn ext_source(&self, operand: Operand) -> ExtSource<P::Word> {
        match operand {
            Operand::Ext(register) => self.ext[register as usize],
            Operand::Uniform(index) => {
                ExtSource { at: self.executable.uniforms[index as usize].each_ref().map(|c| c.as_ptr()), step: 0 }
            }
            Operand::Base(_) | Operand::Constant(_) => unreachable!("the schedule types its operands"),
        }
    }

    fn load(&mut self, run: usize, dst: Operand, group: u32, column: u32, offset: i32) {
        let (group, column) = (group as usize, column as usize);
        let fetch = |column: usize, target: *mut P::Word| {
            // SAFETY: the target is a register of `rows` elements, and nothing else refers to it here.
            let slot = unsafe { std::slice::from_raw_parts_mut(target, self.rows) };
            let place = self.executable.loads.fetch(group, column, offset, run, slot);
            place.map_or(target.cast_const(), |values| values.as_ptr().cast())
        };
        match dst {
            Operand::Base(register) => {
                // SAFETY: a register of the schedule.
                let at = fetch(column, unsafe { self.base_target(register) });
                self.base[register as usize] = BaseSource { at, step: 1 };
            }
            Operand::Ext(register) => {
                // SAFETY: a register of the schedule.
                let targets = unsafe { self.ext_target(register) };
                let mut at = [std::ptr::null(); MAX_DEGREE];
                for k in 0..P::DEGREE {
                    at[k] = fetch(column * P::DEGREE + k, targets[k]);
                }
                self.ext[register as usize] = ExtSource { at, step: 1 };
            }
            Operand::Constant(_) | Operand::Uniform(_) => unreachable!("a destination is a register"),
        }
    }

    #[inline(always)]
    fn binary<I: Isa, O: Binary>(&mut self, dst: Operand, a: Operand, b: Operand) {
        let mut row = 0;
        match dst {
            Operand::Base(register) => {
                let (a, b) = (self.base_source(a), self.base_source(b));
                // SAFETY: a register of the schedule.
                let target = unsafe { self.base_target(register) };
                while row < self.rows {
                    // SAFETY: sources and target have `rows` elements, a multiple of the lanes. They may be the same.
                    unsafe { O::base::<P::Base, P::Lanes<I>>(a.lanes(row), b.lanes(row)).store(target.add(row)) };
                    row += P::Lanes::<I>::LANES;
                }
                self.base[register as usize] = BaseSource { at: target, step: 1 };
            }
            Operand::Ext(register) => {
                // SAFETY: a register of the schedule.
                let target = unsafe { self.ext_target(register) };
                match (a.kind(), b.kind()) {
                    (Kind::Ext, Kind::Ext) => {
                        let (a, b) = (self.ext_source(a), self.ext_source(b));
                        while row < self.rows {
                            // SAFETY: as above.
                            unsafe {
                                let value = O::ext::<P::Lanes<I>, P::ExtLanes<I>>(a.lanes(row), b.lanes(row));
                                value.store(target, row);
                            }
                            row += P::Lanes::<I>::LANES;
                        }
                    }
                    (Kind::Ext, Kind::Base) => {
                        let (a, b) = (self.ext_source(a), self.base_source(b));
                        while row < self.rows {
                            // SAFETY: as above.
                            unsafe {
                                let value =
                                    O::ext_base::<P::Base, P::Lanes<I>, P::ExtLanes<I>>(a.lanes(row), b.lanes(row));
                                value.store(target, row);
                            }
                            row += P::Lanes::<I>::LANES;
                        }
                    }
                    (Kind::Base, Kind::Ext) => {
                        let (a, b) = (self.base_source(a), self.ext_source(b));
                        while row < self.rows {
                            // SAFETY: as above.
                            unsafe {
                                let value =
                                    O::base_ext::<P::Base, P::Lanes<I>, P::ExtLanes<I>>(a.lanes(row), b.lanes(row));
                                value.store(target, row);
                            }
                            row += P::Lanes::<I>::LANES;
                        }
                    }
                    (Kind::Base, Kind::Base) => unreachable!("the schedule types its destinations"),
                }
                self.ext[register as usize] = ExtSource { at: sources(target), step: 1 };
            }
            Operand::Constant(_) | Operand::Uniform(_) => unreachable!("a destination is a register"),
        }
    }

    #[inline(always)]
    fn negate<I: Isa>(&mut self, dst: Operand, a: Operand) {
        let mut row = 0;
        match dst {
            Operand::Base(register) => {
                let a = self.base_source(a);
                // SAFETY: a register of the schedule.
                let target = unsafe { self.base_target(register) };
                while row < self.rows {
                    // SAFETY: source and target have `rows` elements, a multiple of the lanes.
                    unsafe { a.lanes::<P::Base, P::Lanes<I>>(row).neg().store(target.add(row)) };
                    row += P::Lanes::<I>::LANES;
                }
                self.base[register as usize] = BaseSource { at: target, step: 1 };
            }
            Operand::Ext(register) => {
                let a = self.ext_source(a);
                // SAFETY: a register of the schedule.
                let target = unsafe { self.ext_target(register) };
                while row < self.rows {
                    // SAFETY: as above.
                    unsafe { a.lanes::<P::Lanes<I>, P::ExtLanes<I>>(row).neg().store(target, row) };
                    row += P::Lanes::<I>::LANES;
                }
                self.ext[register as usize] = ExtSource { at: sources(target), step: 1 };
            }
            Operand::Constant(_) | Operand::Uniform(_) => unreachable!("a destination is a register"),
        }
    }
}
