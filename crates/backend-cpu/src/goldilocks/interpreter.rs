//! Runs a schedule over a run of rows: every register is an array with an element for each row of the run.

use gpu_hal::{GoldilocksStark, Instruction, Kind, Operand, Schedule};

use super::lanes::{ExtLanes, LaneField, MAX_DEGREE, MAX_LANES, Sources, Targets};
use super::loads::Loads;
use crate::goldilocks::arith::Packed;

/// A base value for every row of a run: element `step * row` from `at` on; step 0 for a value equal on all rows, of which
/// `MAX_LANES` copies are there.
#[derive(Clone, Copy)]
pub(crate) struct BaseSource {
    at: *const u64,
    step: usize,
}

/// An extension value for every row of a run, in the same way.
#[derive(Clone, Copy)]
pub(crate) struct ExtSource {
    at: Sources,
    step: usize,
}

impl BaseSource {
    const NOWHERE: Self = Self { at: std::ptr::null(), step: 0 };

    /// Lanes of rows `row..`.
    ///
    /// # Safety
    /// The source must be that of a run of at least `row + LANES` rows that is being executed.
    #[inline(always)]
    pub(crate) unsafe fn lanes<V: Packed>(self, row: usize) -> V {
        // SAFETY: the caller's promise.
        unsafe { V::load_raw(self.at.add(row * self.step)) }
    }
}

impl ExtSource {
    const NOWHERE: Self = Self { at: [std::ptr::null(); MAX_DEGREE], step: 0 };

    /// Lanes of rows `row..`.
    ///
    /// # Safety
    /// As for [`BaseSource::lanes`].
    #[inline(always)]
    pub(crate) unsafe fn lanes<V: Packed, L: ExtLanes<V>>(self, row: usize) -> L {
        // SAFETY: the caller's promise.
        unsafe { L::load(self.at, row * self.step) }
    }
}

/// Takes the outputs of a program.
pub(crate) trait Sink<V: Packed, E: LaneField> {
    /// Output `index`, of `rows` rows.
    ///
    /// # Safety
    /// `value` must be readable for `rows` rows.
    unsafe fn base(&mut self, index: usize, value: BaseSource, rows: usize);

    /// Output `index`, of `rows` rows.
    ///
    /// # Safety
    /// `value` must be readable for `rows` rows.
    unsafe fn ext(&mut self, index: usize, value: ExtSource, rows: usize);
}

/// A schedule with its inputs.
pub(crate) struct Executable<'a, E: LaneField> {
    schedule: &'a Schedule<GoldilocksStark<E>>,
    loads: &'a Loads<'a>,
    constants: Vec<[u64; MAX_LANES]>,
    uniforms: Vec<[[u64; MAX_LANES]; MAX_DEGREE]>,
}

/// Registers, one thread's.
pub(crate) struct Machine {
    scratch: Vec<u64>,
    base: Vec<BaseSource>,
    ext: Vec<ExtSource>,
}

/// u64 of scratch that a machine takes for every row of a run.
pub(crate) fn registers_per_row<E: LaneField>(schedule: &Schedule<GoldilocksStark<E>>) -> usize {
    schedule.base_registers as usize + schedule.ext_registers as usize * E::DEGREE
}

impl<'a, E: LaneField> Executable<'a, E> {
    /// Splats what is equal on all rows.
    pub(crate) fn new(schedule: &'a Schedule<GoldilocksStark<E>>, loads: &'a Loads<'a>, params: &[E]) -> Self {
        let constants = schedule.constants.iter().map(|c| [c.value(); MAX_LANES]).collect();
        let splat = |uniform: &E| {
            let mut coordinates = [[0; MAX_LANES]; MAX_DEGREE];
            for (lanes, c) in coordinates.iter_mut().zip(uniform.coordinates()) {
                *lanes = [c.value(); MAX_LANES];
            }
            coordinates
        };
        let uniforms = schedule.uniforms(params).iter().map(splat).collect();
        Self { schedule, loads, constants, uniforms }
    }

    /// Registers for this program.
    pub(crate) fn machine(&self) -> Machine {
        Machine {
            scratch: vec![0; registers_per_row(self.schedule) * self.loads.run_length()],
            base: vec![BaseSource::NOWHERE; self.schedule.base_registers as usize],
            ext: vec![ExtSource::NOWHERE; self.schedule.ext_registers as usize],
        }
    }

    /// Executes the program on run `run`, which must be a whole number of registers long.
    #[inline(always)]
    pub(crate) fn run<V: Packed, S: Sink<V, E>>(&self, run: usize, machine: &mut Machine, sink: &mut S) {
        let rows = self.loads.run_length();
        assert_eq!(rows % V::LANES, 0, "a run is a whole number of registers");
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
                Instruction::Add { dst, a, b } => frame.binary::<V, Plus>(dst, a, b),
                Instruction::Sub { dst, a, b } => frame.binary::<V, Minus>(dst, a, b),
                Instruction::Mul { dst, a, b } => frame.binary::<V, Times>(dst, a, b),
                Instruction::Neg { dst, a } => frame.negate::<V>(dst, a),
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

/// The state of one execution. Register `r` of the base has `rows` elements at `r * rows` of the scratch; coordinate `k` of
/// extension register `r` at `(base registers + r * DEGREE + k) * rows`.
struct Frame<'f, 'a, E: LaneField> {
    executable: &'f Executable<'a, E>,
    rows: usize,
    scratch: *mut u64,
    base: &'f mut [BaseSource],
    ext: &'f mut [ExtSource],
}

impl<E: LaneField> Frame<'_, '_, E> {
    /// # Safety
    /// `register` must be a base register of the schedule.
    #[inline(always)]
    unsafe fn base_target(&self, register: u32) -> *mut u64 {
        // SAFETY: the scratch has room for all registers.
        unsafe { self.scratch.add(register as usize * self.rows) }
    }

    /// # Safety
    /// `register` must be an extension register of the schedule.
    #[inline(always)]
    unsafe fn ext_target(&self, register: u32) -> Targets {
        let mut targets = [std::ptr::null_mut(); MAX_DEGREE];
        for (k, target) in targets.iter_mut().enumerate().take(E::DEGREE) {
            let register = self.base.len() + register as usize * E::DEGREE + k;
            // SAFETY: the scratch has room for all registers.
            *target = unsafe { self.scratch.add(register * self.rows) };
        }
        targets
    }

    fn base_source(&self, operand: Operand) -> BaseSource {
        match operand {
            Operand::Base(register) => self.base[register as usize],
            Operand::Constant(index) => BaseSource { at: self.executable.constants[index as usize].as_ptr(), step: 0 },
            Operand::Ext(_) | Operand::Uniform(_) => unreachable!("the schedule types its operands"),
        }
    }

    fn ext_source(&self, operand: Operand) -> ExtSource {
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
        let fetch = |column: usize, target: *mut u64| {
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
                for k in 0..E::DEGREE {
                    at[k] = fetch(column * E::DEGREE + k, targets[k]);
                }
                self.ext[register as usize] = ExtSource { at, step: 1 };
            }
            Operand::Constant(_) | Operand::Uniform(_) => unreachable!("a destination is a register"),
        }
    }

    #[inline(always)]
    fn binary<V: Packed, O: Binary>(&mut self, dst: Operand, a: Operand, b: Operand) {
        let mut row = 0;
        match dst {
            Operand::Base(register) => {
                let (a, b) = (self.base_source(a), self.base_source(b));
                // SAFETY: a register of the schedule.
                let target = unsafe { self.base_target(register) };
                while row < self.rows {
                    // SAFETY: sources and target have `rows` elements, a multiple of the lanes. They may be the same.
                    unsafe { O::base::<V>(a.lanes(row), b.lanes(row)).store_raw(target.add(row)) };
                    row += V::LANES;
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
                                let value = O::ext::<V, E::Lanes<V>>(a.lanes(row), b.lanes(row));
                                value.store(target, row);
                            }
                            row += V::LANES;
                        }
                    }
                    (Kind::Ext, Kind::Base) => {
                        let (a, b) = (self.ext_source(a), self.base_source(b));
                        while row < self.rows {
                            // SAFETY: as above.
                            unsafe {
                                let value = O::ext_base::<V, E::Lanes<V>>(a.lanes(row), b.lanes(row));
                                value.store(target, row);
                            }
                            row += V::LANES;
                        }
                    }
                    (Kind::Base, Kind::Ext) => {
                        let (a, b) = (self.base_source(a), self.ext_source(b));
                        while row < self.rows {
                            // SAFETY: as above.
                            unsafe {
                                let value = O::base_ext::<V, E::Lanes<V>>(a.lanes(row), b.lanes(row));
                                value.store(target, row);
                            }
                            row += V::LANES;
                        }
                    }
                    (Kind::Base, Kind::Base) => unreachable!("the schedule types its destinations"),
                }
                self.ext[register as usize] = ExtSource { at: target.map(<*mut u64>::cast_const), step: 1 };
            }
            Operand::Constant(_) | Operand::Uniform(_) => unreachable!("a destination is a register"),
        }
    }

    #[inline(always)]
    fn negate<V: Packed>(&mut self, dst: Operand, a: Operand) {
        let mut row = 0;
        match dst {
            Operand::Base(register) => {
                let a = self.base_source(a);
                // SAFETY: a register of the schedule.
                let target = unsafe { self.base_target(register) };
                while row < self.rows {
                    // SAFETY: source and target have `rows` elements, a multiple of the lanes.
                    unsafe { a.lanes::<V>(row).neg().store_raw(target.add(row)) };
                    row += V::LANES;
                }
                self.base[register as usize] = BaseSource { at: target, step: 1 };
            }
            Operand::Ext(register) => {
                let a = self.ext_source(a);
                // SAFETY: a register of the schedule.
                let target = unsafe { self.ext_target(register) };
                while row < self.rows {
                    // SAFETY: as above.
                    unsafe { a.lanes::<V, E::Lanes<V>>(row).neg().store(target, row) };
                    row += V::LANES;
                }
                self.ext[register as usize] = ExtSource { at: target.map(<*mut u64>::cast_const), step: 1 };
            }
            Operand::Constant(_) | Operand::Uniform(_) => unreachable!("a destination is a register"),
        }
    }
}

/// An operation with two operands, in every combination of fields.
trait Binary {
    fn base<V: Packed>(a: V, b: V) -> V;
    fn ext<V: Packed, L: ExtLanes<V>>(a: L, b: L) -> L;
    fn ext_base<V: Packed, L: ExtLanes<V>>(a: L, b: V) -> L;
    fn base_ext<V: Packed, L: ExtLanes<V>>(a: V, b: L) -> L;
}

struct Plus;
struct Minus;
struct Times;

impl Binary for Plus {
    #[inline(always)]
    fn base<V: Packed>(a: V, b: V) -> V {
        a.add(b)
    }
    #[inline(always)]
    fn ext<V: Packed, L: ExtLanes<V>>(a: L, b: L) -> L {
        a.add(b)
    }
    #[inline(always)]
    fn ext_base<V: Packed, L: ExtLanes<V>>(a: L, b: V) -> L {
        a.add_base(b)
    }
    #[inline(always)]
    fn base_ext<V: Packed, L: ExtLanes<V>>(a: V, b: L) -> L {
        b.add_base(a)
    }
}

impl Binary for Minus {
    #[inline(always)]
    fn base<V: Packed>(a: V, b: V) -> V {
        a.sub(b)
    }
    #[inline(always)]
    fn ext<V: Packed, L: ExtLanes<V>>(a: L, b: L) -> L {
        a.sub(b)
    }
    #[inline(always)]
    fn ext_base<V: Packed, L: ExtLanes<V>>(a: L, b: V) -> L {
        a.add_base(b.neg())
    }
    #[inline(always)]
    fn base_ext<V: Packed, L: ExtLanes<V>>(a: V, b: L) -> L {
        L::from_base(a).sub(b)
    }
}

impl Binary for Times {
    #[inline(always)]
    fn base<V: Packed>(a: V, b: V) -> V {
        a.mul(b)
    }
    #[inline(always)]
    fn ext<V: Packed, L: ExtLanes<V>>(a: L, b: L) -> L {
        a.mul(b)
    }
    #[inline(always)]
    fn ext_base<V: Packed, L: ExtLanes<V>>(a: L, b: V) -> L {
        a.mul_base(b)
    }
    #[inline(always)]
    fn base_ext<V: Packed, L: ExtLanes<V>>(a: V, b: L) -> L {
        b.mul_base(a)
    }
}
